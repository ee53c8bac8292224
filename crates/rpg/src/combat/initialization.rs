//! Combat initialisation: a fight gets its number and its combatants, all of them hear that it
//! begins, and the characters among them reflect on what is at stake before the first blow.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::event::kinds::Mind;
use playhouse_engine::event::{AnsweredBy, EventWriter, PhraseError, Prompt};
use playhouse_engine::exchange::{Answers, Ask, Prose, Question};
use serde::Serialize;

use super::arena::{Arena, Combatant, FightStage, statuses};
use super::state::Combat;
use crate::components::{CurrentFight, LastFight};
use crate::drama::{Goals, Promises};
use crate::events::{CombatInitialization, CombatantStatus};
use crate::phase::Phase;
use crate::question::{ProseForm, Writer, are_left_out};
use crate::speaker::Speaker;
use crate::world_file::WorldFile;

/// The maximum number of characters of a reflection.
const MAX_CHARS: usize = 600;

/// The tag of the question that a reflection answers; its value is the stage's name.
pub(crate) const REFLECTION_TAG: &str = "combat_reflection";

const REFLECTION: ProseForm = ProseForm {
    fallback: StakesData::FALLBACK,
    max_chars: MAX_CHARS,
    min_letters: 12,
};

/// What is at stake for somebody in a fight.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/combat_initialization",
    purpose = "combat.initialization",
    short = "asks/combat_initialization_short",
    FALLBACK = "fallback/combat_initialization"
)]
pub(super) struct StakesData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    faction: &'a str,
    /// Where the party is, and which of its fights this is.
    dungeon: &'a str,
    fight: usize,
    fights: usize,
    foes: Vec<CombatantStatus>,
    allies: Vec<CombatantStatus>,
    /// What one still wants.
    goals: Vec<&'a str>,
    /// What one has promised to those who are here.
    promises: Vec<PromiseNote<'a>>,
    /// Those of the foes whom one fought last, and how that ended.
    met: Vec<&'a str>,
    last: Option<&'a LastFight>,
    speaker: Speaker<'a>,
}

/// A promise that is not kept yet.
#[derive(Serialize)]
struct PromiseNote<'a> {
    to: &'a str,
    words: &'a str,
}

/// What a combatant brings along into a fight.
type Past = (
    Option<&'static Goals>,
    Option<&'static Promises>,
    Option<&'static LastFight>,
);

/// Gives the fight its number and its combatants, tells them and the stage of it, and asks the
/// characters among them to reflect.
pub(super) fn initialize_combat(
    mut arena: Arena,
    fights: Query<&CurrentFight>,
    pasts: Query<Past>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = arena.stage() else { return };
    let combatants = arena.able_to_fight();
    let side = |heroes: bool| -> Vec<Arc<str>> {
        let side = combatants.iter().filter(|each| each.is_hero() == heroes);
        side.map(|each| each.name.clone()).collect()
    };
    let combat = Combat {
        number: arena.combat(&stage).number + 1,
        heroes: side(true),
        foes: side(false),
        ..Combat::default()
    };
    let start = CombatInitialization {
        stage: stage.name.to_string(),
        combat_id: combat.id(&stage.name),
        heroes: combat.heroes.iter().map(ToString::to_string).collect(),
        foes: combat.foes.iter().map(ToString::to_string).collect(),
    };
    let mut audience = vec![stage.entity];
    audience.extend(combatants.iter().map(|each| each.entity));
    events.notify_entities(&audience, start);
    arena.update_combat(&stage, |current| *current = combat);

    let world = arena.world();
    let reflects = |each: &&Combatant| world.fights.reflect && world.is_character(&each.name);
    let fight = fights.get(stage.entity).ok();
    let mut next = Phase::Act;
    for me in combatants.iter().filter(reflects) {
        let past = pasts.get(me.entity).unwrap_or_default();
        let ask = reflection(&events, &world, (&stage, fight), (me, &combatants), past);
        events.insert_or_fault(&mut commands, me.entity, ask);
        next = Phase::Reflected;
    }
    arena.set_phase(&stage, next);
}

/// The question what is at stake for a combatant.
fn reflection(
    events: &EventWriter,
    world: &WorldFile,
    (stage, fight): (&FightStage, Option<&CurrentFight>),
    (me, combatants): (&Combatant, &[Combatant]),
    (goals, promises, last): (Option<&Goals>, Option<&Promises>, Option<&LastFight>),
) -> Result<Ask<Prose>, PhraseError> {
    let (allies, foes): (Vec<_>, Vec<_>) =
        combatants.iter().partition(|other| other.is_ally_of(me));
    let wanted = world.goals(&me.name);
    let open = goals.into_iter().flat_map(|states| states.open(wanted));
    let is_here = |name: &str| combatants.iter().any(|other| *other.name == *name);
    let promises = promises.into_iter().flat_map(Promises::open);
    let promised = promises.filter(|promise| is_here(&promise.to));
    let promised = promised.map(|promise| PromiseNote {
        to: &promise.to,
        words: &promise.words,
    });
    let last_foes = last.map_or(&[][..], |last| &last.foes);
    let met = foes.iter().filter(|foe| last_foes.contains(&foe.name));
    let met: Vec<&str> = met.map(|foe| &*foe.name).collect();
    let dungeon = fight.map_or("", |fight| &fight.dungeon);
    let data = StakesData {
        me: &me.name,
        kind: "actor",
        place: &stage.name,
        faction: &me.faction,
        dungeon,
        fight: fight.map_or(1, |fight| fight.fight + 1),
        fights: world
            .dungeon(dungeon)
            .map_or(1, |dungeon| dungeon.fights.len()),
        foes: statuses(foes.iter().copied()),
        allies: statuses(allies),
        goals: open.map(|goal| goal.words.as_str()).collect(),
        promises: promised.collect(),
        last: last.filter(|_| !met.is_empty()),
        met,
        speaker: Speaker::of(world, &me.name),
    };
    let names: Vec<_> = foes.iter().map(|foe| foe.name.to_string()).collect();
    let cues = world.limits.cues(vec![names.join(", ")], &names);
    let ask = REFLECTION.ask(events.phrases(), world, Writer::of(&me.name), &data)?;
    let ask = ask.user_tag(REFLECTION_TAG, &*stage.name);
    Ok(ask.without_tools().recalling(cues))
}

/// What somebody thinks before a fight stays its own.
pub(super) fn take_reflections(
    mut arena: Arena,
    mut answers: Answers<Prose>,
    mut events: EventWriter,
) {
    let Some((stage, _, combatants)) = arena.fight() else {
        return;
    };
    for (entity, Prose(message), by) in answers.take() {
        let me = combatants.iter().find(|each| each.entity == entity);
        // A default answer is no thought.
        let is_none = matches!(by, AnsweredBy::Fallback(_))
            || are_left_out(events.phrases(), StakesData::PURPOSE, &message);
        if let Some(me) = me.filter(|_| !is_none) {
            let actor = me.name.to_string();
            events.think(entity, Mind { actor, message });
        }
    }
    arena.set_phase(&stage, Phase::Act);
}
