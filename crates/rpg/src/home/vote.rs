//! Votes: those who would go say where to, and at the meeting the votes are counted.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Faction, Kind, Whereabouts, WorldSeed, all_of, is_dead, stage_of};
use playhouse_engine::event::{AgentEvent, EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Question, Reply, Violation, Voice};
use playhouse_engine::knowledge::Today;
use playhouse_engine::memory::Words;
use playhouse_engine::reading::OtherNames;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::campaign_phase::{CampaignPhase, CampaignState};
use crate::components::RpgWorld;
use crate::decision::{DecisionConstraints, think_and_say};
use crate::drama::History;
use crate::everybody::{inform_home, names, party, set_phase};
use crate::other_names::OTHER_NAMES;
use crate::phase::{CurrentPlace, Phase};
use crate::spawn::HERO;
use crate::speaker::Speaker;
use crate::world_file::STAY;

/// A vote for the next journey: what one thinks, what one votes for, and the reason that one gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = crate::decision::without_words)]
pub(crate) struct Vote {
    /// What you think and feel, in the first person; nobody else learns it.
    #[serde(default)]
    pub(crate) mind: String,
    /// Where you want to go, or to stay.
    pub(crate) vote: String,
    /// The reason that you give, aloud; may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
}

impl Reply for Vote {
    type Constraints = DecisionConstraints;
    const NAME: &'static str = "vote";
    const OTHER_NAMES: OtherNames = OTHER_NAMES;
    const FILLERS: &'static [&'static str] = &["vote", "votes", "voting", "投", "票"];
    const WORDS: &'static [Words] = &[Words::Thought("/mind"), Words::Spoken("/say")];
    const IS_TOLD: bool = true;
    const BARE_MEMBER: Option<&'static str> = Some("vote");
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &["mind"];
    const OTHER_WORDS: &'static [(&'static str, &'static str)] = &[
        ("stay here", STAY),
        ("stay home", STAY),
        ("nowhere", STAY),
        ("留下", STAY),
        ("不去", STAY),
        ("谁也不去", STAY),
    ];

    fn constrain_schema(_schema: &Value, constraints: &DecisionConstraints) -> Option<Value> {
        Some(constraints.schema("vote"))
    }

    fn check(&self, constraints: &DecisionConstraints) -> Vec<Violation> {
        constraints.check(("vote", &self.vote), &self.mind, self.say.as_deref())
    }
}

/// On a hero: what it has voted for, until the votes are counted.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Voted(Arc<str>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("vote", style = Choice)]
pub(crate) struct VoteCounted {
    pub(crate) votes: Vec<OneVote>,
    /// The dungeon that won, or `stay`.
    pub(crate) result: String,
    /// Whether something else has as many votes.
    pub(crate) is_tie: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OneVote {
    pub(crate) name: String,
    /// A dungeon, or `stay`.
    #[serde(rename = "for")]
    pub(crate) option: String,
}

/// The data of the question for a vote.
#[derive(Serialize, Prompt)]
#[prompt("asks/vote", purpose = "home.vote", short = "asks/vote_short")]
pub(super) struct VoteData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    options: Vec<Journey<'a>>,
    speech_chars: usize,
    /// Not in the prompt: who else votes.
    heroes: &'a [String],
    speaker: Speaker<'a>,
}

#[derive(Serialize)]
struct Journey<'a> {
    name: &'a str,
    profile: &'a str,
}

/// All living heroes are asked, wherever they are. At a meeting.
pub(crate) fn elect(world: &mut World) {
    for hero in party(world) {
        if let Some(stage) = stage_of(world, hero).filter(|_| !is_dead(world, hero)) {
            set_phase(world, stage, Phase::Vote);
        }
    }
}

/// The living heroes here are asked together.
pub(crate) fn ask_votes(
    rpg: Res<RpgWorld>,
    seed: Res<WorldSeed>,
    campaign: Res<CampaignState>,
    whereabouts: Whereabouts,
    factions: Query<&Faction>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(Phase::Voted) else {
        return;
    };
    let CampaignPhase::Vote { dungeons, .. } = &campaign.phase else {
        return;
    };
    let voters: Vec<_> = rpg.0.heroes().map(|hero| hero.name.clone()).collect();
    let is_hero = |faction: &Faction| &*faction.0 == HERO;
    let mut heroes = whereabouts.living_on(stage);
    heroes.retain(|hero| factions.get(*hero).is_ok_and(is_hero));
    let names: Vec<_> = heroes
        .iter()
        .map(|hero| whereabouts.name_text(*hero))
        .collect();
    for hero in heroes {
        let name = whereabouts.name_text(hero);
        let options = dungeons.iter().map(ToString::to_string);
        let constraints = DecisionConstraints {
            options: options.chain([STAY.to_owned()]).collect(),
            worded: Vec::new(),
            speech_chars: rpg.0.limits.speech_chars.max(1) as usize,
        };
        let options = dungeons.iter().map(|name| Journey {
            name,
            profile: rpg.0.dungeon(name).map_or("", |dungeon| &dungeon.profile),
        });
        let data = VoteData {
            me: &name,
            name: &name,
            kind: "actor",
            place: &whereabouts.name_text(stage),
            options: options.collect(),
            speech_chars: constraints.speech_chars,
            heroes: &voters,
            speaker: Speaker::of(&rpg.0, &name).in_story(*seed, &name),
        };
        // Who gives no answer has no vote.
        let ask = data.ask(events.phrases(), constraints, Vote::default());
        let at_stake = dungeons.iter().map(ToString::to_string).collect();
        let others = names.iter().filter(|other| **other != name);
        let cues = rpg.0.limits.cues(at_stake, others);
        let ask = ask.map(|ask| {
            let ask = ask.max_tokens(rpg.0.limits.max_reply_tokens());
            ask.recalling(cues).spoken_by(Voice::new(&name, &names))
        });
        events.insert_or_fault(&mut commands, hero, ask);
    }
}

/// Reasons are heard by everybody here; votes wait for the meeting.
pub(crate) fn take_votes(
    whereabouts: Whereabouts,
    mut answers: Answers<Vote>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    for (hero, vote, _by) in answers.take() {
        let actor = whereabouts.name_text(hero);
        let words = (vote.mind, vote.say);
        think_and_say(&mut events, (hero, &actor), words, &[]);
        if !vote.vote.is_empty() {
            commands.entity(hero).insert(Voted(vote.vote.into()));
        }
    }
    current.set_phase(Phase::Idle);
}

/// Counts the votes and tells everybody at home; returns what won. Of equals, the first in the
/// world file wins, before to stay; without votes the first dungeon does. At a meeting.
pub(crate) fn count_votes(world: &mut World, dungeons: &[Arc<str>]) -> Arc<str> {
    let stay = STAY.into();
    let options = || dungeons.iter().chain([&stay]);
    let mut votes = Vec::new();
    for hero in all_of(world, Kind::Actor) {
        let Some(Voted(option)) = world.entity_mut(hero).take::<Voted>() else {
            continue;
        };
        votes.extend(names(world, &[hero]).into_iter().map(|name| OneVote {
            name,
            option: option.to_string(),
        }));
    }
    let count = |option: &Arc<str>| votes.iter().filter(|vote| *vote.option == **option).count();
    // The last of the highest is found, so the first in the file is looked at last.
    let winner = options()
        .rev()
        .max_by_key(|option| count(option))
        .unwrap_or(&stay)
        .clone();
    let most = count(&winner);
    let equals = options().filter(|option| count(option) == most);
    let is_tie = most > 0 && equals.count() > 1;
    let day = world.resource::<Today>().0;
    world
        .resource_mut::<History>()
        .votes
        .push((winner.clone(), day));
    let result = winner.to_string();
    inform_home(
        world,
        VoteCounted {
            votes,
            result,
            is_tie,
        },
    );
    winner
}
