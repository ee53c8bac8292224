//! The parts of a world file.
//!
//! Every field has a default, so that one mistake does not hide the next; the check says which are
//! required. The indentation of long texts is removed.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use playhouse_engine::cast::Sense;
use playhouse_engine::knowledge::{Fact, FactBook};
use playhouse_engine::memory::Cues;
use playhouse_engine::mind::Language;
use playhouse_engine::reading::is_title;
use playhouse_engine::world_data::prose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drama::{
    BondSpec, Condition, Drama, Effect, Ending, Goal, Item, Quality, Scene, StoryData, effects_of,
};
use crate::interests::needed_items;

/// A whole world, as its author wrote it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "World")]
pub struct WorldFile {
    /// What the world is called.
    pub name: String,
    /// The language of its texts and of everybody who lives in it.
    #[schemars(with = "String")]
    pub language: Language,
    /// One line that invites to play it.
    pub title: String,
    /// The first part of every system message: the world, its tone, how to behave.
    #[serde(deserialize_with = "prose")]
    pub rules: String,
    /// Files beside `world.ron`, or folders of them, with more members; lists are joined in this
    /// order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Those who speak for the world, such as a herald or a chronicler.
    pub agents: Vec<WorldAgent>,
    /// Its places.
    pub stages: Vec<Stage>,
    /// Its people.
    pub actors: Vec<Actor>,
    /// Everybody whom the party meets in dungeons.
    pub foes: Vec<FoeSpec>,
    /// What actors and foes can do in a fight; without fights, what they are good at.
    pub skills: Vec<Skill>,
    /// What everybody knows: who is who, what day it is, why the journey is made. It ends the part
    /// of the system message that all share. Readers get its first paragraph before the story.
    #[serde(deserialize_with = "prose")]
    pub common: String,
    /// What can be known, told and looked up.
    pub facts: Vec<Fact>,
    /// What can be held, given and read.
    pub items: Vec<Item>,
    /// Named numbers of the world.
    pub qualities: Vec<Quality>,
    /// The bonds between characters at the start.
    pub bonds: Vec<BondSpec>,
    /// What may happen, and what has to be decided.
    pub scenes: Vec<Scene>,
    /// How the story may end; the last one always may.
    pub endings: Vec<Ending>,
    /// Where the party can go, and what it meets there.
    pub dungeons: Vec<Dungeon>,
    /// The steps of the campaign, which ends at home after the last one.
    pub schedule: Vec<CampaignStep>,
    /// The names of the rounds of talk on a day at home, such as `after the soup`; as many as
    /// `limits.home_rounds` says, without names, if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<String>,
    /// How many rounds, turns and words.
    pub limits: Limits,
    /// What minds are asked in fights.
    pub fights: Fights,
    /// Texts that must not be spoken in public, besides those of the secrets.
    pub patterns: Vec<Pattern>,
}

/// An entity that speaks for the world and is on no stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorldAgent {
    /// Unique among agents, stages, actors and foes.
    pub name: String,
    /// Who it is; nobody else reads this.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What it is told when the campaign begins.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// The alias of the model that answers for it; the default model of the run if empty.
    pub model: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StageKind {
    /// Actors live here, and walk from one to the next.
    #[default]
    Home,
    /// Fights take place here.
    Dungeon,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stage {
    /// Unique among agents, stages, actors and foes.
    pub name: String,
    /// `Home` or `Dungeon`.
    pub kind: StageKind,
    /// What anyone there can see.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What it is told when the campaign begins.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// The names of the stages that one can walk to from here. The way back is listed there.
    pub connects: Vec<Way>,
    /// Whether what happens here is never talked of: no world agent hears of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The alias of the model that answers for it; the default model of the run if empty.
    pub model: String,
}

/// A way to another stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenWay", into = "WrittenWay")]
pub struct Way {
    /// The name of the stage.
    pub to: String,
    /// Whether it is closed at the start, until an effect or an attempt opens it.
    pub closed: bool,
}

/// A way as authors write it: most are a name alone.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a name, or (to: name, closed: true)")]
enum WrittenWay {
    To(String),
    Way {
        to: String,
        #[serde(default)]
        closed: bool,
    },
}

impl From<String> for Way {
    fn from(to: String) -> Self {
        Self { to, closed: false }
    }
}

impl From<WrittenWay> for Way {
    fn from(written: WrittenWay) -> Self {
        let (to, closed) = match written {
            WrittenWay::To(to) => (to, false),
            WrittenWay::Way { to, closed } => (to, closed),
        };
        Self { to, closed }
    }
}

impl From<Way> for WrittenWay {
    fn from(Way { to, closed }: Way) -> Self {
        if closed {
            Self::Way { to, closed }
        } else {
            Self::To(to)
        }
    }
}

impl Stage {
    /// The names of the stages to which a way is open at the start.
    pub(crate) fn exits(&self) -> Vec<String> {
        let open = self.connects.iter().filter(|way| !way.closed);
        open.map(|way| way.to.clone()).collect()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Faction", expecting = "enum Faction")]
pub enum ActorFaction {
    /// Travels with the party and fights.
    #[default]
    Hero,
    /// Stays at home.
    Neutral,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Actor {
    /// Unique among agents, stages, actors and foes.
    pub name: String,
    /// Who it is and what it wants; nobody else reads this.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What others see of it.
    #[serde(deserialize_with = "prose")]
    pub look: String,
    /// How it speaks.
    #[serde(skip_serializing_if = "Voice::is_empty")]
    pub voice: Voice,
    /// Whether it travels with the party.
    pub faction: ActorFaction,
    /// The home stage on which it begins.
    pub stage: String,
    /// The home stage to which it goes at night; where it is, if empty. Whom an effect (`Move`) has
    /// put somewhere since the last night stays there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sleeps: String,
    /// How others address it; by the first part of its name if empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub called: String,
    /// Where it is when some days begin: it goes there the night before, instead of to where it
    /// sleeps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dawns: Vec<Dawn>,
    /// What it speaks besides the language that all share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// The senses that it does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Sense>,
    /// Needed in fights alone.
    #[serde(skip_serializing_if = "Stats::are_missing")]
    pub stats: Stats,
    /// What it can do in a fight, and what it is good at in attempts.
    pub skills: Vec<String>,
    /// What it is told when the campaign begins.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// What it wants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Goal>,
    /// What it remembers from before the story, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<Past>,
    /// The names of the tools that its mind may call: the engine's own, and `server.tool` or
    /// `server.*` of servers that the player's model file defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Lorebooks beside the world file, such as `books/mara.json`: what it knows that only comes to
    /// mind when it fits. What they always tell stands in its system message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub books: Vec<String>,
    /// Words by which lorebooks choose for whom an entry is, such as the tags of a card. No mind
    /// reads them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The alias of the model that answers for it; the default model of the run if empty.
    pub model: String,
}

/// Something that an actor remembers from before the story. It has the summary in mind, and recalls
/// what was said when it bears on a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Past {
    /// What it is called.
    pub title: String,
    /// What it has in mind of it.
    #[serde(deserialize_with = "prose")]
    pub summary: String,
    /// What was said, in order.
    pub said: Vec<PastWords>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PastWords {
    /// Who said it.
    pub who: String,
    /// The words.
    pub words: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Voice {
    /// Lines as it would say them at any time: examples for models, and words of the improviser.
    pub lines: Vec<String>,
    /// Words that it never says.
    pub never: Vec<String>,
}

impl Voice {
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.never.is_empty()
    }
}

/// The numbers of a combatant, all above 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stats {
    /// Hit points.
    pub hp: i32,
    /// Added to the power of attacks.
    pub attack: i32,
    /// Half of it is subtracted from the damage of attacks.
    pub defense: i32,
    /// The fastest acts first.
    pub speed: i32,
    /// What it can spend on skills in a round.
    pub energy: i32,
}

impl Stats {
    pub(crate) fn are_missing(&self) -> bool {
        *self == Self::default()
    }
}

/// Where somebody is when a day begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dawn {
    /// From 2: on the first day everybody is on its `stage`.
    pub day: u32,
    /// The home stage.
    pub at: String,
}

impl Actor {
    /// Where it goes on the night before a day; `None` to stay where it is.
    pub(crate) fn goes_before(&self, day: u32) -> Option<&str> {
        let dawn = self.dawns.iter().find(|dawn| dawn.day == day);
        let to = dawn.map_or(&self.sleeps, |dawn| &dawn.at);
        Some(to.as_str()).filter(|to| !to.is_empty())
    }
}

/// An actor whom the party meets in a dungeon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Foe", expecting = "struct Foe")]
pub struct FoeSpec {
    /// Unique among agents, stages, actors and foes.
    pub name: String,
    /// Who it is and what it wants; nobody else reads this.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What others see of it.
    #[serde(deserialize_with = "prose")]
    pub look: String,
    /// How it speaks.
    #[serde(skip_serializing_if = "Voice::is_empty")]
    pub voice: Voice,
    /// Its numbers in fights.
    pub stats: Stats,
    /// What it can do in a fight.
    pub skills: Vec<String>,
    /// What it is told when it appears.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// Whether it may be met again, and so remembers. One that has yielded is not, unless
    /// `returns_after_yielding` says so.
    pub returns: bool,
    /// Whether it is a foe again although it has yielded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub returns_after_yielding: bool,
    /// How firmly it means to fight, from 1 to 5; 0 if nothing but blows can move it.
    #[serde(skip_serializing_if = "is_zero")]
    pub resolve: i32,
    /// What lowers its resolve in a fight; at 0 it yields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_by: Vec<MovedBy>,
    /// The alias of the model that answers for it; the default model of the run if empty.
    pub model: String,
}

impl FoeSpec {
    /// Whether it is a character of the story: it is met again, can be moved by words, or has a
    /// model of its own. Others only fight.
    pub(crate) fn is_character(&self) -> bool {
        self.returns || self.resolve > 0 || !self.model.is_empty()
    }
}

/// Something that lowers a foe's resolve, once, when it comes true in a fight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MovedBy {
    /// When it moves the foe.
    pub when: Condition,
    /// By how much its resolve is lowered.
    pub by: i32,
    /// What others see of it.
    #[serde(deserialize_with = "prose")]
    pub seen: String,
}

/// What a skill does to its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SkillKind {
    /// Takes hit points away.
    #[default]
    Attack,
    /// Gives hit points back.
    Heal,
    /// Raises defense for several rounds.
    Guard,
    /// Lowers attack for several rounds.
    Weaken,
    /// Raises attack for several rounds.
    Strengthen,
}

impl SkillKind {
    /// Whether its effect lasts for several rounds.
    pub(super) fn lasts(self) -> bool {
        matches!(self, Self::Guard | Self::Weaken | Self::Strengthen)
    }
}

/// Something that a combatant can do in a fight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Skill {
    /// Its unique name.
    pub name: String,
    /// What it does to its target.
    pub kind: SkillKind,
    /// How much it does.
    pub power: i32,
    /// What it costs in energy.
    pub cost: i32,
    /// The chance to hit in percent; 100 by default.
    #[serde(default = "always_hits")]
    pub accuracy: i32,
    /// The number of rounds that it lasts, for `Guard`, `Weaken` and `Strengthen`.
    pub duration: i32,
    /// What it looks and feels like; minds make cards of it.
    #[serde(deserialize_with = "prose")]
    pub about: String,
}

impl WorldFile {
    /// What a reader should know before the story begins: its title and the first paragraph of what
    /// everybody knows.
    pub fn premise(&self) -> impl Iterator<Item = &str> {
        let common = self.common.trim().split("\n\n").take(1);
        let paragraphs = std::iter::once(self.title.as_str()).chain(common);
        paragraphs.filter(|paragraph| !paragraph.is_empty())
    }

    /// The names of everybody and every place.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let agents = self.agents.iter().map(|agent| &agent.name);
        let stages = self.stages.iter().map(|stage| &stage.name);
        let actors = self.actors.iter().map(|actor| &actor.name);
        let foes = self.foes.iter().map(|foe| &foe.name);
        let all = agents.chain(stages).chain(actors).chain(foes);
        all.map(String::as_str)
    }

    pub(crate) fn stage(&self, name: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.name == name)
    }

    pub(crate) fn agent(&self, name: &str) -> Option<&WorldAgent> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    pub(crate) fn actor(&self, name: &str) -> Option<&Actor> {
        self.actors.iter().find(|actor| actor.name == name)
    }

    /// Who somebody is, or what a place is.
    pub(crate) fn profile(&self, name: &str) -> Option<&str> {
        let actors = self.actors.iter().map(|it| (&it.name, &it.profile));
        let foes = self.foes.iter().map(|it| (&it.name, &it.profile));
        let agents = self.agents.iter().map(|it| (&it.name, &it.profile));
        let stages = self.stages.iter().map(|it| (&it.name, &it.profile));
        let mut all = actors.chain(foes).chain(agents).chain(stages);
        all.find_map(|(known, profile)| (known == name).then_some(profile.as_str()))
    }

    /// How somebody is addressed: by the first part of its name, unless that can't stand alone,
    /// such as `The` or `Mr`.
    pub(crate) fn called<'a>(&'a self, name: &'a str) -> &'a str {
        let is_vowel = |letter: char| !letter.is_ascii() || "AEIOUYaeiouy".contains(letter);
        let own = self.actor(name).map_or("", |actor| &*actor.called);
        match name.split_once(' ') {
            _ if !own.is_empty() => own,
            Some((first, _)) if first != "The" && first.contains(is_vowel) => first,
            _ => name,
        }
    }

    /// How others speak of somebody: by its given name, if it is addressed by that.
    pub(crate) fn known_as<'a>(&'a self, name: &'a str) -> &'a str {
        match self.called(name) {
            called if name.starts_with(called) && !is_title(called) => called,
            _ => name,
        }
    }

    /// How somebody addresses another.
    pub(crate) fn called_by<'a>(&'a self, me: &str, name: &'a str) -> &'a str {
        let mut own = self.own_calls(me);
        let own = own.find_map(|(other, called)| (other == name).then_some(called));
        own.unwrap_or_else(|| self.called(name))
    }

    /// Those whom somebody addresses otherwise than everybody does, and how.
    pub(crate) fn own_calls(&self, me: &str) -> impl Iterator<Item = (&str, &str)> {
        let bonds = self.bonds.iter();
        let bonds = bonds.filter(move |bond| bond.from == me && !bond.called.is_empty());
        bonds.map(|bond| (&*bond.to, &*bond.called))
    }

    pub(crate) fn has_sense(&self, name: &str, sense: Sense) -> bool {
        let actor = self.actor(name);
        actor.is_none_or(|actor| !actor.lacks.contains(&sense))
    }

    /// Whether somebody sees what is shown.
    pub(crate) fn sees(&self, name: &str) -> bool {
        self.has_sense(name, Sense::Sight)
    }

    /// Whether somebody hears and understands what is said in a language; in the one that all share
    /// if it is empty.
    pub(crate) fn understands(&self, name: &str, language: &str) -> bool {
        let speaks = |actor: &Actor| actor.languages.iter().any(|own| own == language);
        self.has_sense(name, Sense::Hearing)
            && (language.is_empty() || self.actor(name).is_none_or(speaks))
    }

    pub(crate) fn foe(&self, name: &str) -> Option<&FoeSpec> {
        self.foes.iter().find(|foe| foe.name == name)
    }

    pub(crate) fn skill(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    pub(crate) fn dungeon(&self, name: &str) -> Option<&Dungeon> {
        self.dungeons.iter().find(|dungeon| dungeon.name == name)
    }

    pub(crate) fn heroes(&self) -> impl Iterator<Item = &Actor> {
        let actors = self.actors.iter();
        actors.filter(|actor| actor.faction == ActorFaction::Hero)
    }

    /// The goals of an actor; none for others.
    pub(crate) fn goals(&self, name: &str) -> &[Goal] {
        self.actor(name).map_or(&[], |actor| &actor.goals)
    }

    pub fn has_fights(&self) -> bool {
        !self.dungeons.is_empty() || !self.foes.is_empty()
    }

    /// Whether an actor may have to fight: it travels, or may join those who do.
    pub(crate) fn may_fight(&self, actor: &Actor) -> bool {
        let joins = |effect: &Effect| matches!(effect, Effect::Join(who) if *who == actor.name);
        let is_hero = actor.faction == ActorFaction::Hero;
        self.has_fights() && (is_hero || self.effects().any(joins))
    }

    /// All fights, dungeon by dungeon.
    pub(crate) fn fights(&self) -> impl Iterator<Item = &Fight> {
        self.dungeons.iter().flat_map(|dungeon| &dungeon.fights)
    }

    pub(crate) fn effects(&self) -> impl Iterator<Item = &Effect> {
        effects_of(&self.scenes, &self.items)
    }

    /// Whether an actor is a character of the story, who is asked for more than its turns in a
    /// fight.
    pub(crate) fn is_character(&self, name: &str) -> bool {
        self.foe(name).is_none_or(FoeSpec::is_character)
    }

    /// The models that it names for single entities.
    pub fn models(&self) -> BTreeSet<&str> {
        let agents = self.agents.iter().map(|agent| &agent.model);
        let stages = self.stages.iter().map(|stage| &stage.model);
        let actors = self.actors.iter().map(|actor| &actor.model);
        let foes = self.foes.iter().map(|foe| &foe.model);
        let models = agents
            .chain(stages)
            .chain(actors)
            .chain(foes)
            .filter(|model| !model.is_empty());
        models.map(String::as_str).collect()
    }

    /// The number of rounds of talk on a day at home.
    pub(crate) fn home_rounds(&self) -> u32 {
        match self.rounds.len() {
            0 => self.limits.home_rounds.max(1) as u32,
            named => named as u32,
        }
    }

    /// The name of a round of a day at home, from 1; empty if it has none.
    pub(crate) fn hour(&self, round: u32) -> &str {
        let index = (round as usize).checked_sub(1);
        let hour = index.and_then(|index| self.rounds.get(index));
        hour.map_or("", String::as_str)
    }

    pub(crate) fn fact_book(&self) -> FactBook {
        FactBook::new(self.facts.iter().cloned())
    }

    /// The conditions of its scenes, options, uses of items, endings and goals.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let scenes = self.scenes.iter().flat_map(|scene| {
            let options = scene.options().map(|option| &option.when);
            std::iter::once(&scene.when).chain(options)
        });
        let uses = self.items.iter().flat_map(|item| &item.uses);
        let goals = self.actors.iter().flat_map(|actor| &actor.goals);
        scenes
            .chain(uses.map(|does| &does.when))
            .chain(self.endings.iter().map(|ending| &ending.when))
            .chain(goals.flat_map(|goal| [&goal.met, &goal.lost]))
    }

    pub(crate) fn story_data(&self) -> StoryData {
        let drama = Drama {
            items: self.items.clone(),
            qualities: self.qualities.clone(),
            scenes: self.scenes.clone(),
            endings: self.endings.clone(),
            needed_items: needed_items(&self.items, &self.scenes, &self.endings),
        };
        drama.into()
    }
}

/// Where the party goes: fights, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dungeon {
    /// Its unique name.
    pub name: String,
    /// What people at home know about it.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// Whether the party will not go there until an effect opens it.
    pub closed: bool,
    /// The fights, in order.
    pub fights: Vec<Fight>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fight {
    /// The stage, of kind `Dungeon`.
    pub stage: String,
    /// Whom the party meets there.
    pub foes: Vec<String>,
    /// What the party gains by winning.
    #[serde(deserialize_with = "prose")]
    pub gain: String,
}

/// What may be voted for besides a dungeon: not to go now.
pub const STAY: &str = "stay";

/// The option beside a single one that is left: to do nothing, in each language.
pub(crate) const NOTHING: [&str; 2] = ["nothing", "不做"];

/// Whether an id is read as that option.
pub(crate) fn is_nothing(id: &str) -> bool {
    NOTHING.contains(&&*id.trim().to_lowercase())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Step", expecting = "enum Step")]
pub enum CampaignStep {
    /// Days at home: `Home(days: 1)`.
    Home { days: i32 },
    /// A journey to the dungeon of that name.
    Dungeon(String),
    /// Those who would go vote which of these dungeons to go to, or to stay.
    Vote(Vec<String>),
    /// A step that is taken if a condition holds when it would begin.
    If(Condition, Box<Self>),
}

impl CampaignStep {
    /// It without its conditions.
    pub(crate) fn bare(&self) -> &Self {
        match self {
            Self::If(_, then) => then.bare(),
            step => step,
        }
    }

    /// Whether it is a vote, if its conditions hold.
    pub(crate) fn is_vote(&self) -> bool {
        matches!(self.bare(), Self::Vote(_))
    }

    /// The dungeons to which it may lead.
    pub(crate) fn dungeons(&self) -> &[String] {
        match self.bare() {
            Self::Dungeon(name) => std::slice::from_ref(name),
            Self::Vote(names) => names,
            Self::Home { .. } | Self::If(..) => &[],
        }
    }
}

/// The budgets of prompts that follow from a model's window: with fewer tokens much is forgotten,
/// with more each question costs more than what is remembered for it is worth.
const PROMPT_TOKENS: RangeInclusive<u64> = 6_000..=32_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The number of rounds of talk on a day at home.
    pub home_rounds: i32,
    /// The maximum number of turns in the talk of a round at one home stage. There are two for each
    /// of those present; an actor alone has one.
    pub talk_turns: i32,
    /// The number of turns of talk when a dungeon is reached, before its first fight.
    pub travel_turns: i32,
    /// The number of turns of talk after a fight that was won.
    pub camp_turns: i32,
    /// The number of turns of talk after a fight that was not won, and when the party is home.
    pub return_turns: i32,
    /// Whether everybody at a home stage acts at the same time, once a round, instead of by turns.
    pub together: bool,
    /// The number of rounds after which a fight ends undecided.
    pub combat_rounds: i32,
    /// The number of skills that a combatant can choose from at its turn.
    pub hand_size: i32,
    /// The budget of each entity's prompt in tokens, within which its past is archived; by default
    /// half of the model's window, but between 6,000 and 32,000.
    pub context_tokens: Option<i32>,
    /// The maximum number of tokens of memories that come with a question by themselves; 0 for
    /// none.
    pub recall_tokens: i32,
    /// The maximum number of tokens of an answer.
    pub reply_tokens: i32,
    /// The maximum number of characters of a speech.
    pub speech_chars: i32,
    /// How often an actor may try what no action foresees in the talk of a round.
    pub attempts: i32,
    /// Whether people may whisper.
    pub whisper: bool,
    /// Whether models are sent the short form of a question from the start, instead of the whole.
    pub short_questions: bool,
}

impl Limits {
    /// What an ask is about: what is at stake, and who is there.
    pub(crate) fn cues<'a>(
        &self,
        texts: Vec<String>,
        people: impl IntoIterator<Item = &'a (impl AsRef<str> + 'a)>,
    ) -> Cues {
        Cues {
            texts,
            people: people
                .into_iter()
                .map(|name| name.as_ref().into())
                .collect(),
            tokens: self.recall_tokens.max(0) as u64,
            prompt_tokens: self.prompt_tokens(),
        }
    }

    /// The budget of each entity's prompt, which a model with a window of 8,192 can read if nothing
    /// is known of it.
    pub(crate) fn prompt_tokens(&self) -> u64 {
        let budget = self.context_tokens.map(|tokens| tokens.max(0) as u64);
        budget.unwrap_or(*PROMPT_TOKENS.start())
    }

    /// The budget for a model with this window, for a world that has none of its own.
    pub(crate) fn half_of(window: u64) -> i32 {
        (window / 2).clamp(*PROMPT_TOKENS.start(), *PROMPT_TOKENS.end()) as i32
    }

    pub(crate) fn max_reply_tokens(&self) -> u32 {
        self.reply_tokens.max(1) as u32
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            home_rounds: 2,
            talk_turns: 6,
            travel_turns: 3,
            camp_turns: 4,
            return_turns: 3,
            together: false,
            combat_rounds: 10,
            hand_size: 4,
            context_tokens: None,
            recall_tokens: 600,
            reply_tokens: 600,
            speech_chars: 600,
            attempts: 1,
            whisper: true,
            short_questions: false,
        }
    }
}

/// What minds are asked in fights, besides what they do at their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fights {
    /// Whether each character reflects on a fight before it begins.
    pub reflect: bool,
    /// Who words the cards of a hand.
    pub draw: Draw,
    /// When hands are drawn.
    pub draw_each: DrawEach,
    /// Who sums up a fight for those who remember it.
    pub summary: FightSummary,
}

impl Default for Fights {
    fn default() -> Self {
        Self {
            reflect: true,
            draw: Draw::default(),
            draw_each: DrawEach::default(),
            summary: FightSummary::default(),
        }
    }
}

/// Who words the cards of a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "enum Draw")]
pub enum Draw {
    /// The rules deal the skills, and a mind words the cards that it plays as it plays them.
    #[default]
    Dealt,
    /// Each character is asked to word its whole hand, and later which cards it plays.
    Asked,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "enum DrawEach")]
pub enum DrawEach {
    /// For all at the beginning of a round.
    #[default]
    Round,
    /// For each combatant at the beginning of its turn.
    Turn,
}

/// Who sums up a fight for those who remember it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "enum FightSummary")]
pub enum FightSummary {
    /// The minds of the characters who are still standing, beside the record.
    #[default]
    Mind,
    /// Code alone: the record, the stage's account, and what one thought and said.
    Record,
}

/// A text that must not be spoken in public, and its replacement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pattern {
    /// The words.
    pub text: String,
    /// What stands in their place.
    pub mask: String,
}

fn is_zero(number: &i32) -> bool {
    *number == 0
}

fn always_hits() -> i32 {
    100
}

#[cfg(test)]
mod tests {
    use playhouse_engine::knowledge::KnownBy;

    use super::*;

    #[test]
    fn somebody_is_addressed_and_spoken_of_by_what_can_stand_alone() {
        let world = WorldFile::default();
        let names = [
            ("Ruth Pell", "Ruth", "Ruth"),
            ("Major Bunce", "Major", "Major Bunce"),
            ("Mr Crowe", "Mr Crowe", "Mr Crowe"),
            ("The Widow", "The Widow", "The Widow"),
        ];
        for (name, called, known_as) in names {
            assert_eq!(
                (world.called(name), world.known_as(name)),
                (called, known_as)
            );
        }
    }

    #[test]
    fn a_world_survives_being_written_and_read() {
        let world = WorldFile {
            name: "W".into(),
            schedule: vec![
                CampaignStep::Home { days: 1 },
                CampaignStep::Dungeon("D".into()),
            ],
            facts: vec![Fact {
                known_by: KnownBy::Only(vec!["A".into()]),
                ..Fact::default()
            }],
            scenes: vec![Scene::default()],
            skills: vec![Skill::default()],
            ..WorldFile::default()
        };
        let text = ron::to_string(&world).expect("is written");
        assert_eq!(ron::from_str::<WorldFile>(&text).expect("is read"), world);
    }
}
