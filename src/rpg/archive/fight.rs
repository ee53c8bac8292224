//! A fight is over: whoever will remember it sums it up, and the summary takes its place.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::range::fight_range;
use super::{last_exchange, summary_ask};
use crate::cast::{CurrentStage, EntityName, Whereabouts};
use crate::context::{AgentContext, Chapters};
use crate::event::kinds::Archive;
use crate::event::{ChapterClose, EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Prose};
use crate::rpg::combat::Aftermath;
use crate::rpg::components::{FightEnd, Foe, RpgWorld};
use crate::rpg::phase::Phase;

/// Asks every hero, fallen too, every foe that may be met again, and the stage.
pub fn ask_fight_summaries(
    here: Res<CurrentStage>,
    world: Res<RpgWorld>,
    whereabouts: Whereabouts,
    mut stages: Query<(&mut Phase, &Aftermath)>,
    foes: Query<&Foe>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(stage) = *here else {
        return;
    };
    let Ok((mut phase, fight)) = stages.get_mut(stage) else {
        return;
    };
    *phase = Phase::SummedUp;
    let remembers = |entity: &Entity, name: &Arc<str>| {
        let returns = foes.get(*entity).is_ok_and(|foe| foe.returns);
        fight.heroes.contains(name) || (fight.foes.contains(name) && returns)
    };
    for entity in std::iter::once(stage).chain(whereabouts.on_stage(stage)) {
        let Some(EntityName(name)) = whereabouts.name(entity) else {
            continue;
        };
        if entity != stage && !remembers(&entity, name) {
            continue;
        }
        let memory = match entity == stage {
            true => Ok(Memory::of_stage(fight)),
            false => Ok(Memory::of_fighter(fight, name)),
        };
        let ask = memory.and_then(|memory| {
            let (facts, must) = memory.facts(tell.phrases(), name, entity == stage)?;
            summary_ask(tell.phrases(), &world.0, "archive_fight", facts, must)
        });
        match ask {
            Ok(ask) => {
                commands.entity(entity).insert(ask);
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

/// Puts each summary in the place of the fight. A fight whose tags are doubtful stays as it is, and
/// so does the summary after it.
pub fn take_fight_summaries(
    here: Res<CurrentStage>,
    mut answers: Answers<Prose>,
    mut stages: Query<(&mut Phase, &Aftermath)>,
    minds: Query<(&AgentContext, &Chapters)>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(stage) = *here else {
        return;
    };
    let Ok((mut phase, fight)) = stages.get_mut(stage) else {
        return;
    };
    *phase = Phase::Rest;
    commands.entity(stage).remove::<Aftermath>();
    let fight = &fight.outcome;
    let title = tell
        .phrases()
        .say("archive/fight_title", &json!({"stage": fight.stage}));
    let title = title.unwrap_or_else(|reason| {
        tell.fault(Fault::Game(reason.into()));
        fight.stage.clone()
    });
    for (entity, Prose(summary), _by) in answers.take() {
        let Ok((context, chapters)) = minds.get(entity) else {
            continue;
        };
        let (begin, end) = match fight_range(context, &fight.combat_id) {
            Ok(range) => range,
            Err(reason) => {
                tracing::warn!(entity = %context.name(), "'{title}' is not archived: {reason}");
                continue;
            }
        };
        let event = Archive {
            actor: context.name().to_string(),
            stage: fight.stage.clone(),
            chapter: chapters.next_id(context.name()).to_string(),
            message: summary,
        };
        let closing = ChapterClose {
            begin,
            end,
            summing_up: last_exchange(context),
            title: title.clone(),
        };
        tell.close_chapter(entity, event, closing);
    }
}

/// What of a fight must survive in one mind.
struct Memory<'a> {
    place: &'a str,
    foes: &'a [Arc<str>],
    with: Vec<&'a str>,
    result: &'static str,
    fallen: Vec<&'a str>,
    gains: Vec<&'a str>,
}

impl<'a> Memory<'a> {
    /// The stage saw it all, and tells it as the party's fight.
    fn of_stage(fight: &'a Aftermath) -> Self {
        Self {
            place: &fight.outcome.stage,
            foes: &fight.foes,
            with: fight.heroes.iter().map(|name| &**name).collect(),
            result: result(fight.outcome.result, true),
            fallen: fight.outcome.fallen.iter().map(String::as_str).collect(),
            gains: fight.outcome.gains.iter().map(|gain| plain(gain)).collect(),
        }
    }

    /// A fighter remembers it from its own side.
    fn of_fighter(fight: &'a Aftermath, me: &Arc<str>) -> Self {
        let hero = fight.heroes.contains(me);
        let (ours, theirs) = match hero {
            true => (&fight.heroes, &fight.foes),
            false => (&fight.foes, &fight.heroes),
        };
        let fallen = match hero {
            true => &fight.outcome.fallen,
            false => &fight.outcome.felled,
        };
        let others = |name: &&str| *name != &**me;
        Self {
            foes: theirs,
            with: ours.iter().map(|name| &**name).filter(others).collect(),
            result: result(fight.outcome.result, hero),
            fallen: fallen.iter().map(String::as_str).filter(others).collect(),
            gains: match hero {
                true => fight.outcome.gains.iter().map(|gain| plain(gain)).collect(),
                false => Vec::new(),
            },
            place: &fight.outcome.stage,
        }
    }

    /// The facts as the prompt gets them, and the texts that the summary must hold.
    fn facts(
        &self,
        phrases: &Phrasebook,
        me: &Arc<str>,
        is_stage: bool,
    ) -> Result<(Value, Vec<String>), String> {
        let outcome = phrases.say("archive/outcome", &json!({"result": self.result}))?;
        let mut must: Vec<String> = self.foes.iter().map(ToString::to_string).collect();
        must.push(outcome.clone());
        must.extend(
            self.fallen
                .iter()
                .chain(&self.gains)
                .map(ToString::to_string),
        );
        let facts = json!({
            "me": me, "kind": if is_stage { "stage" } else { "actor" }, "place": self.place,
            "what": "fight", "day": 0,
            "foes": self.foes, "with": self.with,
            "result": if self.result == "drawn" { "" } else { self.result },
            "outcome": outcome,
            "fallen": self.fallen, "gains": self.gains,
            "must": must, "said": [],
        });
        Ok((facts, must))
    }
}

/// How a fight ended, seen from one side.
fn result(end: FightEnd, by_party: bool) -> &'static str {
    match (end, by_party) {
        (FightEnd::Drawn, _) => "drawn",
        (FightEnd::Won, true) | (FightEnd::Lost, false) => "won",
        (FightEnd::Won, false) | (FightEnd::Lost, true) => "lost",
    }
}

/// A gain without its full stop, so that it can stand within a sentence.
fn plain(gain: &str) -> &str {
    gain.trim_end_matches(['.', '。', '！', '!', ' '])
}
