//! A combatant's turn comes: it is asked with what it needs to choose well.

use std::sync::Arc;

use playhouse_engine::event::{PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Ask, Question, Voice};
use playhouse_engine::knowledge::Fact;
use serde::Serialize;

use super::arena::{Combatant, FightStage, names, statuses};
use super::choice::{Action, ChoiceConstraints, CombatChoice, PlayableSkill, SEEN_CHARS};
use super::rules::{kind_name, legal_targets};
use super::state::{Combat, HeldCard};
use super::table::TurnSpec;
use crate::components::Departure;
use crate::events::CombatantStatus;
use crate::interests::Interests;
use crate::speaker::Speaker;
use crate::world_file::{Skill, WorldFile};

/// An actor is nearly dead with this fraction of its health: one divided by the number.
const LOW: i32 = 4;

/// What a combatant is asked for its choice with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/combat_act",
    purpose = "combat.act",
    short = "asks/combat_act_short"
)]
pub(super) struct ActData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    faction: &'a str,
    round: u32,
    rounds: u32,
    hp: i32,
    max_hp: i32,
    energy: i32,
    hand: Vec<CardData<'a>>,
    /// Whether all cards of the hand were worded when they were drawn.
    worded: bool,
    foes: Vec<CombatantStatus>,
    allies: Vec<CombatantStatus>,
    /// Those who act later in this round, in order.
    later: Vec<String>,
    fallen: Vec<String>,
    fled: Vec<String>,
    yielded: Vec<String>,
    facts: Vec<FactNote<'a>>,
    /// What it knows and nobody can say, by title.
    sworn: Vec<&'a str>,
    items: Vec<ItemNote<'a>>,
    /// The names of what it can do now.
    can: Vec<&'a str>,
    say_chars: usize,
    speaker: Speaker<'a>,
}

/// A fact that may be told.
#[derive(Serialize)]
struct FactNote<'a> {
    id: &'a str,
    title: &'a str,
    /// Whether one's own goal or choice depends on it, for minds that can't read text.
    is_own: bool,
}

/// An item that may be shown.
#[derive(Serialize)]
struct ItemNote<'a> {
    name: &'a str,
    look: &'a str,
    is_own: bool,
}

/// A card in hand.
#[derive(Serialize)]
struct CardData<'a> {
    skill: &'a str,
    /// What its holder called it when it was drawn; empty if it has no words yet.
    name: &'a str,
    kind: &'a str,
    cost: i32,
    power: i32,
    accuracy: i32,
    rounds: i32,
    /// What the skill is about; empty if the card has words of its own.
    about: &'a str,
    legal: Vec<Arc<str>>,
}

/// What others see of the default choice.
#[derive(Serialize, Prompt)]
#[prompt("fallback/combat_hold")]
pub(super) struct HoldData<'a> {
    me: &'a str,
}

/// A card in hand, its skill, and the indices of its legal targets, best first.
struct PlayableCard<'a> {
    card: &'a HeldCard,
    skill: &'a Skill,
    targets: Vec<usize>,
}

impl PlayableCard<'_> {
    fn targets(&self, combatants: &[Combatant]) -> Vec<Arc<str>> {
        let targets = self
            .targets
            .iter()
            .filter_map(|index| combatants.get(*index));
        targets.map(|target| target.name.clone()).collect()
    }
}

/// Asks a combatant what it does.
pub(super) fn act_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    stage: &FightStage,
    combat: &Combat,
    (me, combatants): (usize, &[Combatant]),
) -> Result<Ask<CombatChoice>, PhraseError> {
    let actor = &combatants[me];
    let hand = playable_cards(world, (me, actor), combatants);
    let mut data = data(world, stage, combat, actor, combatants, &hand);
    let playable = hand.iter().map(|playable| PlayableSkill {
        skill: playable.skill.name.as_str().into(),
        targets: playable.targets(combatants),
        is_worded: playable.card.is_worded(),
    });
    let is_sworn = |id: &str| world.facts.iter().any(|fact| fact.sworn && fact.id == id);
    let known = actor.facts.iter().filter(|id| !is_sworn(id));
    let constraints = ChoiceConstraints {
        hand: playable.collect(),
        facts: data.facts.iter().map(|fact| fact.id.into()).collect(),
        known: known.cloned().collect(),
        items: data.items.iter().map(|item| item.name.into()).collect(),
        may_yield: may_yield(world, actor),
        say_chars: data.say_chars,
    };
    data.can = TurnSpec::possible(&constraints)
        .map(|row| row.name)
        .collect();
    let foes: Vec<_> = combatants
        .iter()
        .filter(|other| !other.is_ally_of(actor))
        .map(|foe| foe.name.to_string())
        .collect();
    // Of the past, only what one knows of those whom one fights helps now.
    let cues = world.limits.cues(vec![foes.join(", ")], &foes);
    let fallback = default_choice(phrases, &actor.name)?;
    let ask = data
        .ask(phrases, constraints, fallback)?
        .max_tokens(world.limits.max_reply_tokens());
    // The prompt says everything that matters in a fight; tools would only cost time.
    let names = combatants.iter().map(|other| other.name.to_string());
    let voice = Voice::new(&actor.name, &names.collect::<Vec<_>>());
    let ask = ask.without_tools().spoken_by(voice);
    // Who reflected before the fight remembered its foes then.
    let has_reflected = world.fights.reflect && world.is_character(&actor.name);
    Ok(if has_reflected {
        ask
    } else {
        ask.recalling(cues)
    })
}

/// The cards of a hand that have a target now.
fn playable_cards<'a>(
    world: &'a WorldFile,
    (me, actor): (usize, &'a Combatant),
    combatants: &[Combatant],
) -> Vec<PlayableCard<'a>> {
    let cards = actor.hand.cards.iter().filter_map(|card| {
        let skill = world
            .skills
            .iter()
            .find(|skill| *skill.name == *card.skill)?;
        let targets = legal_targets(skill.kind, me, combatants);
        (!targets.is_empty()).then_some(PlayableCard {
            card,
            skill,
            targets,
        })
    });
    cards.collect()
}

fn data<'a>(
    world: &'a WorldFile,
    stage: &'a FightStage,
    combat: &Combat,
    me: &'a Combatant,
    combatants: &[Combatant],
    hand: &[PlayableCard<'a>],
) -> ActData<'a> {
    let card_data = |playable: &PlayableCard<'a>| CardData {
        skill: &playable.skill.name,
        name: &playable.card.name,
        kind: kind_name(playable.skill.kind),
        cost: playable.skill.cost,
        power: playable.skill.power,
        accuracy: playable.skill.accuracy,
        rounds: playable.skill.duration,
        about: if playable.card.is_worded() {
            ""
        } else {
            &playable.skill.about
        },
        legal: playable.targets(combatants),
    };
    let standing = || combatants.iter().filter(|each| each.is_standing());
    let left = |how| names(combatants.iter().filter(|each| each.departure == Some(how)));
    let later = combat
        .waiting
        .iter()
        .filter(|name| standing().any(|each| each.name == **name));
    let facts = world.facts.iter();
    let facts = facts.filter(|fact| me.facts.iter().any(|id| **id == *fact.id));
    // Only what is news to an actor can move anybody.
    let is_news = |fact: &&Fact| {
        let mut others = standing().filter(|other| other.name != me.name);
        others.any(|other| !other.facts.iter().any(|id| **id == *fact.id))
    };
    let facts = facts.filter(is_news);
    let (sworn, facts): (Vec<_>, Vec<_>) = facts.partition(|fact| fact.sworn);
    let items = world.items.iter();
    let items = items.filter(|item| me.items.iter().any(|name| **name == *item.name));
    let actor = world.actors.iter().find(|actor| *actor.name == *me.name);
    let goals: Vec<_> = actor.map_or(&[][..], |actor| &actor.goals).iter().collect();
    let interests = Interests::of(&me.name, &goals, &world.scenes, |_| true);
    ActData {
        me: &me.name,
        kind: "actor",
        place: &stage.name,
        faction: &me.faction,
        round: combat.round,
        rounds: world.limits.combat_rounds.max(1) as u32,
        hp: me.health.hp,
        max_hp: me.health.max,
        energy: me.stats.energy,
        hand: hand.iter().map(card_data).collect(),
        worded: hand.iter().all(|playable| playable.card.is_worded()),
        foes: statuses(standing().filter(|each| !each.is_ally_of(me))),
        allies: statuses(standing().filter(|each| each.is_ally_of(me))),
        later: later.map(ToString::to_string).collect(),
        fallen: left(Departure::Fell),
        fled: left(Departure::Fled),
        yielded: left(Departure::Yielded),
        sworn: sworn.iter().map(|fact| fact.title.as_str()).collect(),
        facts: facts
            .into_iter()
            .map(|fact| FactNote {
                id: &fact.id,
                title: &fact.title,
                is_own: interests.facts.contains(fact.id.as_str()),
            })
            .collect(),
        items: items
            .map(|item| ItemNote {
                name: &item.name,
                look: &item.look,
                is_own: interests.are_in(item),
            })
            .collect(),
        can: Vec::new(),
        say_chars: world.limits.speech_chars.max(1) as usize,
        speaker: Speaker::of(world, &me.name),
    }
}

/// Whether an actor may give up: without any resolve to break, or once it is shaken or nearly dead.
fn may_yield(world: &WorldFile, me: &Combatant) -> bool {
    let mut foes = world.foes.iter();
    let whole = foes
        .find(|foe| *foe.name == *me.name)
        .map(|foe| foe.resolve);
    let is_shaken = whole.is_none_or(|whole| me.resolve < whole);
    let is_low = me.health.hp.saturating_mul(LOW) <= me.health.max;
    me.resolve == 0 || is_shaken || is_low
}

/// Without an answer nothing moves.
fn default_choice(phrases: &Phrasebook, me: &str) -> Result<CombatChoice, PhraseError> {
    let seen = phrases.fill(&HoldData { me })?;
    Ok(CombatChoice {
        action: Some(Action::Hold),
        seen: Some(seen.chars().take(SEEN_CHARS).collect()),
        ..CombatChoice::default()
    })
}
