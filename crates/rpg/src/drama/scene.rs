//! Scenes, their choices, and endings.

use bevy_ecs::prelude::*;
use playhouse_engine::world_data::{one_or_more, prose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::{Claim, Condition};
use super::nearness::{Nearness, PlotPoint};
use super::occasion::Occasion;
use super::state::History;
use crate::everybody::{KeptBy, kept_from};

/// A writer's unit of drama: where and when it opens, what is told at its beginning, how long
/// people talk, and what is decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Its unique short name.
    pub id: String,
    /// The stage on which it is played.
    pub at: String,
    /// When it opens.
    pub when: Condition,
    /// Whether it may be played more than once.
    pub again: bool,
    /// Whether it is never talked of: no world agent hears of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Who alone takes part, sees and hears it, if there is anybody: it opens if all of them are
    /// there. Others at the place notice nothing, and have no turn meanwhile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// Who comes to its place as it opens, from wherever ways lead there. It opens if nothing keeps
    /// them: each is alive, at home, and not needed by a scene that has opened elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cast: Vec<String>,
    /// Whom and what its texts name although nothing makes them be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// What everybody there is told at its beginning.
    #[serde(deserialize_with = "prose")]
    pub opening: String,
    /// What some of them are told instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opening_for: Vec<OwnOpening>,
    /// How often its people speak in all at most; as often as in any talk if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// What must be decided after the talk.
    pub choice: Option<Choice>,
    /// What must be decided then, one after the other, by the same or by others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Choice>,
    /// What changes after it, whatever was decided.
    pub effects: Vec<Effect>,
}

impl Scene {
    /// Whether somebody at its place takes part in it.
    pub(crate) fn is_for(&self, name: &str) -> bool {
        self.among.is_empty() || self.among.iter().any(|among| among == name)
    }

    /// Those whom it needs besides its condition: whom it is among, and who come as it opens.
    fn company(&self) -> impl Iterator<Item = &String> {
        let others = self.among.iter();
        let others = others.filter(move |who| !self.cast.contains(who));
        others.chain(&self.cast)
    }

    /// That these are there.
    pub(crate) fn presence(&self) -> Vec<Condition> {
        let is_here = |who: &String| Condition::At(who.clone(), self.at.clone());
        self.company().map(is_here).collect()
    }

    /// What keeps one of these from being there.
    fn kept<'w>(&self, world: &'w World, who: &String) -> Option<KeptBy<'w>> {
        if self.cast.contains(who) {
            return kept_from(world, who, &self.at);
        }
        let is_here = Condition::At(who.clone(), self.at.clone()).holds(world, &"");
        (!is_here).then_some(KeptBy::Distance)
    }

    /// Whether it may open now, if it is one of those that may.
    fn holds(&self, world: &World) -> bool {
        self.when.holds(world, &self.id) && self.is_attended(world)
    }

    /// Whether everybody is there or can come.
    pub(super) fn is_attended(&self, world: &World) -> bool {
        self.company().all(|who| self.kept(world, who).is_none())
    }

    /// Whether it is about somebody: who comes, decides, or has to be there.
    pub(crate) fn needs(&self, name: &str) -> bool {
        let deciders = self.choices().flat_map(|choice| &choice.who);
        let mut named = self.company().chain(deciders);
        let required = || self.when.required("").into_iter();
        named.any(|who| who == name)
            || required().any(|(part, _)| match part {
                Condition::At(who, _) => who == name,
                Condition::Together(names) => names.iter().any(|who| who == name),
                _ => false,
            })
    }

    /// What must be decided in it, one after the other.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> + Clone {
        self.choice.iter().chain(&self.then)
    }

    pub fn options(&self) -> impl Iterator<Item = &ChoiceOption> + Clone {
        self.choices().flat_map(|choice| &choice.options)
    }
}

/// What some are told at the beginning of a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OwnOpening {
    /// One name, or several.
    #[serde(deserialize_with = "one_or_more")]
    pub to: Vec<String>,
    /// What they are told.
    #[serde(deserialize_with = "prose")]
    pub text: String,
}

/// What the chances of other questions belong to, within a scene.
pub(crate) const INSTEAD: &str = "instead";

/// A decision that a scene leads to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// Who decides: one name, or several, of which the first who is there and alive does. If nobody
    /// is, nothing is decided.
    #[serde(deserialize_with = "one_or_more")]
    pub who: Vec<String>,
    /// Whether all of them who are there decide together: what most choose is done, and of equals
    /// the first in the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vote: bool,
    /// What the one who decides is asked.
    #[serde(deserialize_with = "prose")]
    pub question: String,
    /// What that one is asked instead, once the talk has settled something: the first whose
    /// condition holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<OtherQuestion>,
    /// What can be chosen.
    pub options: Vec<ChoiceOption>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OtherQuestion {
    /// When it is asked.
    pub when: Condition,
    /// What is asked then.
    #[serde(deserialize_with = "prose")]
    pub question: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChoiceOption {
    /// Unique in its scene.
    pub id: String,
    /// The option, as the decider reads it.
    pub label: String,
    /// When it is offered.
    pub when: Condition,
    /// What everybody there sees when it is chosen; the label if empty. A sentence in quotation
    /// marks is what the decider says, who then says nothing else.
    #[serde(deserialize_with = "prose")]
    pub seen: String,
    /// What it changes.
    pub effects: Vec<Effect>,
}

impl Choice {
    /// What is asked now, in a scene.
    pub(crate) fn asks(&self, world: &World, scene: &str) -> &str {
        let mut others = self.instead.iter();
        let other =
            others.find(|other| other.when.holds(world, &format_args!("{scene}/{INSTEAD}")));
        other.map_or(&self.question, |other| &other.question)
    }

    /// That an actor who may decide is at this place.
    pub(crate) fn presence(&self, at: &str) -> Condition {
        let at_place = |who: &String| Condition::At(who.clone(), at.to_owned());
        let mut present = self.who.iter().map(at_place);
        match self.who.len() {
            1 => present.next().unwrap_or_default(),
            _ => Condition::Any(present.collect()),
        }
    }
}

impl ChoiceOption {
    /// Whether what everybody there is told holds what the decider says: something in quotation
    /// marks that ends as a sentence does, or a part of one.
    pub(crate) fn speaks(&self) -> bool {
        let ends_speech = |(last, mark): (char, char)| {
            "”」』\"".contains(mark) && ".,!?;:…—。，！？；：".contains(last)
        };
        let told = self.told();
        told.chars().zip(told.chars().skip(1)).any(ends_speech)
    }

    /// What everybody there is told when it is chosen.
    pub fn told(&self) -> &str {
        if self.seen.is_empty() {
            &self.label
        } else {
            &self.seen
        }
    }
}

/// What a choice changes. One that can't apply, because an item is gone or an actor dead, is
/// skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Effect {
    /// An actor learns a fact: `Teach("Odile Marsh", "the-order")`; `party` teaches every hero. In
    /// an option the decider tells it, if it knows the fact.
    Teach(String, String),
    /// An actor tells another a fact: `Tells("Pell Gantry", "Brant Hollis", "the-lamp")`.
    Tells(String, String, String),
    /// Everybody at the place of the scene learns a fact, as by [`Effect::Teach`].
    Reveal(String),
    /// An actor gets an item: `Give("the log", "Odile Marsh")`.
    Give(String, String),
    /// An item is put on a stage: `Put("the log", "The Lamp and Ledger")`.
    Put(String, String),
    /// An item is gone for good.
    Destroy(String),
    /// An item becomes another, which is nowhere yet, where it is: `Become("the letter", "the torn
    /// letter")`.
    Become(String, String),
    /// A quality changes: `Add("lamp", 1)`.
    Add(String, i32),
    /// A bond changes: `Bond("Odile Marsh", "Brant Hollis", -2)`.
    Bond(String, String, i32),
    /// An actor makes a promise: `Promise("Jory Teasel", "Odile Marsh", "I'll hang it back.")`.
    /// With a condition, it is kept as soon as that holds.
    Promise(
        String,
        String,
        String,
        #[serde(default, skip_serializing_if = "Condition::is_always")] Condition,
    ),
    /// An actor breaks a promise to another: the one of which a third text, if there is one, is a
    /// part; else the oldest that a [`Effect::Promise`] of the file made, or the oldest of all.
    Break(
        String,
        String,
        #[serde(default, skip_serializing_if = "String::is_empty")] String,
    ),
    /// An actor keeps a promise to another, as for [`Effect::Break`]: `Keep("Jory Teasel", "Odile
    /// Marsh", "hang it back")`.
    Keep(
        String,
        String,
        #[serde(default, skip_serializing_if = "String::is_empty")] String,
    ),
    /// An actor is at another stage: `Move("Pell Gantry", "Customs Stair")`.
    Move(String, String),
    /// An actor loses hit points, all but the last.
    Hurt(String, i32),
    /// An actor gets hit points back.
    Heal(String, i32),
    /// An actor is wounded for this number of days: `Wound("Jory Teasel", 2)`.
    Wound(String, u32),
    /// An actor dies: `Kill("Edda Hollis")`.
    Kill(String),
    /// An actor comes back to life, at a stage.
    Revive(String, String),
    /// An actor joins the party.
    Join(String),
    /// An actor leaves the party; a foe leaves its side, and is never met as a foe again.
    Leave(String),
    /// A way opens between two stages.
    OpenWay(String, String),
    /// A way between two stages closes.
    CloseWay(String, String),
    /// The party may go to a dungeon that was closed.
    OpenDungeon(String),
    /// The party will not go to a dungeon any more.
    CloseDungeon(String),
    /// Everybody at the place of the scene is told something.
    Tell(String),
    /// One actor, or several, are told something that nobody else hears: `TellTo("Odile Marsh",
    /// "…")`.
    TellTo(
        #[serde(deserialize_with = "one_or_more")] Vec<String>,
        String,
    ),
    /// Everybody in the world is told something.
    Announce(String),
    /// The story ends now, with this ending.
    End(String),
    /// What applies if a condition holds then, and else does not, which is no mistake:
    /// `If(Promise("Jory Teasel", "Odile Marsh", Open), Keep("Jory Teasel", "Odile Marsh"))`.
    If(Condition, Box<Self>),
}

impl Effect {
    /// It without its conditions.
    pub(crate) fn bare(&self) -> &Self {
        match self {
            Self::If(_, effect) => effect.bare(),
            effect => effect,
        }
    }

    /// Whom it befalls: those who notice it, or where an item comes to lie. Nobody, if it is told
    /// at the place of its cause or not at all.
    pub(crate) fn befalls(&self) -> &[String] {
        match self.bare() {
            Self::Teach(who, _)
            | Self::Tells(_, who, _)
            | Self::Give(_, who)
            | Self::Put(_, who)
            | Self::Promise(_, who, ..)
            | Self::Keep(_, who, _)
            | Self::Wound(who, _)
            | Self::Kill(who) => std::slice::from_ref(who),
            Self::TellTo(who, _) => who,
            _ => &[],
        }
    }
}

/// Whether a scene with this condition opens on an occasion: those of a day at home and of a camp
/// are meant unless another is named, since only what names an occasion was written for it.
fn suits(occasion: Occasion, when: &Condition) -> bool {
    match occasion {
        Occasion::Morning | Occasion::Afternoon | Occasion::Camp => true,
        Occasion::Start | Occasion::Travel | Occasion::Retreat | Occasion::Return => {
            when.parts().iter().any(|part| part.names(occasion))
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ending {
    /// Its unique short name.
    pub id: String,
    /// Its title, the last words of the story.
    pub title: String,
    /// When it holds. The last ending always does.
    pub when: Condition,
    /// Whether it ends the story as soon as it holds. Otherwise it is looked at when the course is
    /// over.
    pub early: bool,
    /// What the world agents are told to tell at the end.
    #[serde(deserialize_with = "prose")]
    pub closing: String,
}

impl Ending {
    pub fn holds(&self, world: &World) -> bool {
        self.when.holds(world, &self.key())
    }

    /// What its chances belong to: a scene may have the same id.
    pub(crate) fn key(&self) -> String {
        format!("ending {}", self.id)
    }
}

/// The scene that opens on a stage now: the most specific, then the least often played, then the
/// first in the file.
pub fn next_scene<'a>(world: &World, scenes: &'a [Scene], stage: &str) -> Option<&'a Scene> {
    let history = world.resource::<History>();
    let open = candidates(world, scenes, stage).filter(|(_, scene)| scene.holds(world));
    let first = open.min_by_key(|(number, scene)| precedence(history, *number, scene));
    first.map(|(_, scene)| scene)
}

/// Notes how near the other scenes of a stage came when this one opened on it, or none.
pub(crate) fn note_scenes(world: &World, scenes: &[Scene], stage: &str, opened: Option<&Scene>) {
    let opened = opened.map(|scene| &*scene.id);
    let others = candidates(world, scenes, stage).filter(|(_, scene)| Some(&*scene.id) != opened);
    for (_, scene) in others {
        let point = PlotPoint::Scene(scene.id.clone());
        let kept: Vec<_> = scene.company().map(|who| scene.kept(world, who)).collect();
        // Whoever is in another scene was kept by that, and not missing.
        let other = kept.iter().find_map(|kept| match kept {
            Some(KeptBy::Scene(id)) => Some(*id),
            _ => None,
        });
        let presence = scene.presence();
        let is_near = kept.iter().map(|kept| *kept != Some(KeptBy::Distance));
        let parts = scene.when.required_now(world, &scene.id);
        let parts = parts.chain(presence.iter().zip(is_near));
        Nearness::note(world, point, parts, opened.or(other));
    }
}

/// The claims on which it hangs which scene opens on a stage now. Empty, and quickly so,
/// if none of them is judged.
pub fn claims_of_scenes<'a>(world: &World, scenes: &'a [Scene], stage: &str) -> Vec<Claim<'a>> {
    let history = world.resource::<History>();
    let mut candidates: Vec<_> = candidates(world, scenes, stage).collect();
    if !candidates.iter().any(|(_, scene)| scene.when.is_judged()) {
        return Vec::new();
    }
    candidates.sort_by_key(|(number, scene)| precedence(history, *number, scene));
    let conditions = candidates
        .iter()
        .map(|(_, scene)| (&scene.when, scene.id.clone()));
    claims_until_one_holds(world, conditions)
}

/// The claims on which it hangs which ending is reached: of all endings but the last if the course
/// is over, else of the early ones.
pub fn claims_of_endings<'a>(
    world: &World,
    endings: &'a [Ending],
    is_over: bool,
) -> Vec<Claim<'a>> {
    let conditional = if is_over {
        endings.split_last().map_or(endings, |(_, others)| others)
    } else {
        endings
    };
    let looked_at = conditional.iter().filter(|ending| is_over || ending.early);
    if !looked_at.clone().any(|ending| ending.when.is_judged()) {
        return Vec::new();
    }
    claims_until_one_holds(world, looked_at.map(|ending| (&ending.when, ending.key())))
}

/// The claims of conditions up to the first that holds whatever is judged.
fn claims_until_one_holds<'a>(
    world: &World,
    conditions: impl Iterator<Item = (&'a Condition, String)>,
) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    for (condition, key) in conditions {
        if condition.unjudged(world, &key, &mut claims) == Some(true) {
            break;
        }
    }
    claims
}

/// The scenes of a stage that may still be played on this occasion, with their numbers in the file.
fn candidates<'a>(
    world: &World,
    scenes: &'a [Scene],
    stage: &str,
) -> impl Iterator<Item = (usize, &'a Scene)> {
    let history = world.resource::<History>();
    let occasion = *world.resource::<Occasion>();
    let may_open = move |scene: &Scene| {
        scene.at == stage
            && suits(occasion, &scene.when)
            && (scene.again || history.times(&scene.id) == 0)
    };
    let scenes = scenes.iter().enumerate();
    scenes.filter(move |(_, scene)| may_open(scene))
}

/// Which scene comes first of several that could open.
fn precedence(
    history: &History,
    number: usize,
    scene: &Scene,
) -> (std::cmp::Reverse<usize>, usize, usize) {
    let specificity = std::cmp::Reverse(scene.when.specificity());
    (specificity, history.times(&scene.id), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_speaks_if_a_sentence_stands_in_quotation_marks() {
        for (seen, speaks) in [
            ("“I do,” says Ann.", true),
            ("Ann says: \"No.\"", true),
            ("“他没出差，”二姐说。", true),
            ("老三说：「走！」", true),
            ("Ann shuts the book that she calls “the log”.", false),
            ("玻璃上写了个“福”，正往下淌。", false),
            ("Ann says that she won't.", false),
        ] {
            let option = ChoiceOption {
                seen: seen.into(),
                ..ChoiceOption::default()
            };
            assert_eq!(option.speaks(), speaks, "{seen}");
        }
    }
}
