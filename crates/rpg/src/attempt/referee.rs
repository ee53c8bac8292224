//! The stage judges what an actor tries; dice decide; what was won and lost is applied.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{CastList, Exits, Kind, StageRng, Whereabouts};
use playhouse_engine::event::guard::{Guards, Judged, Point};
use playhouse_engine::event::{AgentEvent, EventWriter, Prompt, write_events_at_meeting};
use playhouse_engine::exchange::{Answers, Question};
use playhouse_engine::knowledge::{MadeKind, make_fact};
use playhouse_engine::message::{FoldedText, Language, cut};
use rand::RngExt;
use serde::Serialize;

use super::pending::{PendingAttempt, PendingAttempts};
use super::prose::names;
use super::ruling::{AttemptResult, FACT_CHARS, OUTCOME_CHARS, Ruling};
use super::stakes::{AttemptScope, Offer, Stake, Stakes, named, offers};
use crate::combat::wounds::wound;
use crate::components::{Fighter, Health, RpgWorld, Wounded};
use crate::drama::{Belongings, Bonds, Condition, Effect, Hidden, Qualities, StoryData};
use crate::events::{AttemptOutcome, FeelingChanged, Wound};
use crate::home::here::present;
use crate::kickoff::fallen;
use crate::phase::{CurrentPlace, Phase};
use crate::scenes::effects::{Cause, apply_effects};
use crate::talk::Talk;
use crate::world_file::StageKind;

/// An attempt can cost or restore this fraction of all hit points: one divided by the number.
const HURT_PARTS: i32 = 8;

/// What a stage is asked with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/attempt",
    purpose = "attempt.judge",
    NOTHING = "fallback/attempt"
)]
pub(super) struct AttemptData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    actor: &'a str,
    what: &'a str,
    /// What it is for, which nobody is told.
    aim: &'a str,
    present: Vec<String>,
    /// Those who have fallen and lie here.
    fallen: Vec<String>,
    /// Whom and what it is about that is not here.
    absent: Vec<String>,
    abilities: Vec<Ability<'a>>,
    prizes: Vec<Offer<'a>>,
    costs: Vec<Offer<'a>>,
    fact_chars: usize,
    outcome_chars: usize,
}

#[derive(Serialize)]
struct Ability<'a> {
    name: &'a str,
    about: &'a str,
}

/// What a referee may offer, and what it changes.
#[derive(SystemParam)]
pub(crate) struct RefereeParams<'w, 's> {
    rpg: Res<'w, RpgWorld>,
    story: Res<'w, StoryData>,
    qualities: Res<'w, Qualities>,
    list: Res<'w, CastList>,
    guards: Res<'w, Guards>,
    language: Res<'w, Language>,
    whereabouts: Whereabouts<'w, 's>,
    talks: Query<'w, 's, &'static mut Talk>,
    exits: Query<'w, 's, &'static Exits>,
    belongings: Query<'w, 's, &'static mut Belongings>,
    hidden: Query<'w, 's, &'static mut Hidden>,
    bonds: Query<'w, 's, &'static mut Bonds>,
    bodies: Query<
        'w,
        's,
        (
            Option<&'static mut Health>,
            Option<&'static Fighter>,
            Has<Wounded>,
        ),
    >,
}

impl RefereeParams<'_, '_> {
    /// What can be won and lost by an actor here and now.
    fn stakes(&self, stage: Entity, actor: Entity) -> Stakes {
        let mut prizes = vec![Stake::Nothing, Stake::Fact];
        let mut costs = vec![Stake::Nothing];
        let mut abilities = Vec::new();
        if let Ok((health, fighter, is_wounded)) = self.bodies.get(actor) {
            if health.is_some_and(|health| health.hp > 1) {
                costs.push(Stake::Hurt);
            }
            if health.is_some() && !is_wounded {
                costs.push(Stake::Wound);
            }
            let skills = fighter.into_iter().flat_map(|fighter| &fighter.skills);
            abilities.extend(skills.map(ToString::to_string));
        }
        if let Ok(hidden) = self.hidden.get(stage) {
            prizes.extend(hidden.0.keys().map(|item| Stake::Item(item.to_string())));
        }
        // What is left on a journey is out of reach for the rest of the story.
        if let Ok(held) = self.belongings.get(actor)
            && self.is_home(stage)
        {
            let place = self.whereabouts.name_text(stage);
            let held = held.0.iter().filter(|item| !self.is_needed(item, &place));
            prizes.extend(held.map(|item| Stake::Left(item.to_string())));
        }
        prizes.extend(self.closed_ways(stage).map(Stake::Way));
        let qualities = self.story.qualities.iter();
        for quality in qualities.filter(|quality| quality.attempts) {
            let value = self.qualities.value(&quality.id);
            let is_legal = |by: &i32| (0..=quality.max).contains(&(value + by));
            for by in [1, -1].into_iter().filter(is_legal) {
                let (id, title) = (quality.id.clone(), quality.shown().to_owned());
                let stake = Stake::Quality { id, title, by };
                prizes.push(stake.clone());
                costs.push(stake);
            }
        }
        let name = self.whereabouts.name_text(actor);
        for other in self.whereabouts.living_on(stage) {
            let other_name = self.whereabouts.name_text(other);
            let health = self.bodies.get(other).ok().and_then(|(health, ..)| health);
            if health.is_some_and(|health| health.hp < health.max) {
                prizes.push(Stake::Heal(other_name.clone()));
            }
            let Ok(bonds) = self.bonds.get(other) else {
                continue;
            };
            for (by, stakes) in [(1, &mut prizes), (-1, &mut costs)] {
                if other != actor && (-3..=3).contains(&(bonds.value(&name) + by)) {
                    let name = other_name.clone();
                    stakes.push(Stake::Bond { name, by });
                }
            }
        }
        let scope = self.scope(stage);
        Stakes {
            prizes,
            costs,
            abilities,
            scope,
        }
    }

    /// Whom and what those on a stage could see.
    fn scope(&self, stage: Entity) -> AttemptScope {
        let here = self.whereabouts.living_on(stage);
        let everybody = || self.list.all().map(|(_, entity)| entity);
        let is_away = |entity: &Entity| {
            self.whereabouts.kind(*entity) == Some(Kind::Actor) && !here.contains(entity)
        };
        let away = everybody().filter(is_away);
        let items: Vec<_> = self
            .story
            .items
            .iter()
            .map(|item| item.name.clone())
            .collect();
        let hidden = self.hidden.get(stage).ok();
        let is_out_of_reach = |item: &&String| {
            let holds = |held: &Belongings| held.0.contains(item.as_str());
            let has_it = |holder: &Entity| self.belongings.get(*holder).is_ok_and(holds);
            let is_hidden = hidden.is_some_and(|hidden| hidden.0.contains_key(item.as_str()));
            let is_here = |holder| here.contains(&holder) || (holder == stage && !is_hidden);
            everybody()
                .find(has_it)
                .is_some_and(|holder| !is_here(holder))
        };
        let unseen = items
            .iter()
            .filter(is_out_of_reach)
            .filter(|name| is_telling(name));
        let name = |entity| self.whereabouts.name_text(entity);
        AttemptScope {
            people: here.iter().copied().map(name).collect(),
            elsewhere: away.map(name).chain(unseen.cloned()).collect(),
            items,
            language: *self.language,
        }
    }

    /// Whether anything that may come depends on who has an item, and not on its lying at `place`.
    fn is_needed(&self, item: &str, place: &str) -> bool {
        self.rpg.0.conditions().any(|condition| {
            condition.parts().into_iter().any(|part| match part {
                Condition::Holds(who, held) => held == item && who != place,
                _ => false,
            })
        })
    }

    fn is_home(&self, stage: Entity) -> bool {
        let stage = self.rpg.0.stage(&self.whereabouts.name_text(stage));
        stage.is_some_and(|stage| stage.kind == StageKind::Home)
    }

    /// The names of the stages to which a way of the world file leads from here that is closed now.
    fn closed_ways(&self, stage: Entity) -> impl Iterator<Item = String> {
        let open = self
            .exits
            .get(stage)
            .map(|exits| exits.0.as_slice())
            .unwrap_or_default();
        let written = self.rpg.0.stage(&self.whereabouts.name_text(stage));
        let ways = written.map_or(&[][..], |stage| &stage.connects).iter();
        let is_closed = move |to: &String| {
            let to = self.list.by_name(to);
            let id = to.and_then(|to| self.whereabouts.id(to));
            id.is_some_and(|id| !open.contains(&id))
        };
        ways.map(|way| way.to.clone()).filter(is_closed)
    }

    /// Takes some hit points, never the last; returns how many.
    fn hurt(&mut self, actor: Entity) -> i32 {
        let Ok((Some(mut health), ..)) = self.bodies.get_mut(actor) else {
            return 0;
        };
        let most = (health.hp - 1).max(0);
        let amount = (health.max / HURT_PARTS).max(1).min(most);
        health.hurt(amount)
    }

    /// Restores some hit points of an actor; returns how many.
    fn heal(&mut self, who: &str) -> i32 {
        let entity = self.list.by_name(who);
        let body = entity.and_then(|entity| self.bodies.get_mut(entity).ok());
        let Some((Some(mut health), ..)) = body else {
            return 0;
        };
        let amount = (health.max / HURT_PARTS).max(1);
        health.heal(amount)
    }

    /// Moves an item between a stage and an actor there; returns whether it was where it came from.
    fn move_item(&mut self, item: &str, from: Entity, to: Entity) -> bool {
        if let Ok(mut hidden) = self.hidden.get_mut(from) {
            hidden.0.remove(item);
        }
        if let Ok([mut from, mut to]) = self.belongings.get_many_mut([from, to])
            && let Some(item) = from.0.take(item)
        {
            return to.0.insert(item);
        }
        false
    }

    /// What is left of a text that nobody speaks: `None` if it would give something away.
    fn harmless(&self, text: &str) -> Option<String> {
        let judgement = self.guards.judge(Judged {
            point: Point::Send,
            text,
            kind: AttemptOutcome::TYPE,
            speaker: None,
            receiver: None,
            knowledge: None,
            public: true,
            language: *self.language,
        });
        let is_harmless = !self.guards.hid(&judgement.acts) && judgement.blocked().is_none();
        is_harmless.then(|| judgement.text.into_owned())
    }
}

/// What a place does after a turn of talk. Where all act at the same time, all have had theirs.
pub(crate) fn talk_goes_on(rpg: &RpgWorld) -> Phase {
    if rpg.0.limits.together {
        Phase::Idle
    } else {
        Phase::Plan
    }
}

/// The stage is asked to judge the oldest attempt.
pub(crate) fn ask_ruling(
    params: RefereeParams,
    pending: Query<&PendingAttempts>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(talk_goes_on(&params.rpg)) else {
        return;
    };
    let pending = pending.get(stage).ok();
    let Some(PendingAttempt { who, what, aim }) = pending.and_then(|all| all.0.front()) else {
        return;
    };
    let Some(actor) = params.list.by_name(who) else {
        return;
    };
    current.set_phase(Phase::Attempted);
    let mut stakes = params.stakes(stage, actor);
    let tried = FoldedText::of(what);
    let fallen = fallen(&params.whereabouts, &params.rpg.0, stage);
    let elsewhere = &mut stakes.scope.elsewhere;
    elsewhere.retain(|name| !fallen.contains(name));
    let absent: Vec<_> = elsewhere
        .extract_if(.., |name| names(&tried, name))
        .collect();
    let place = params.whereabouts.name_text(stage);
    let mut present = params.whereabouts.living_on(stage);
    present.retain(|other| *other != actor);
    let abilities = stakes.abilities.iter().map(|name| {
        let about = params.rpg.0.skill(name).map_or("", |skill| &skill.about);
        Ability { name, about }
    });
    let data = AttemptData {
        me: &place,
        name: &place,
        kind: "stage",
        place: &place,
        actor: who,
        what,
        aim,
        fallen,
        absent,
        present: present
            .iter()
            .map(|other| params.whereabouts.name_text(*other))
            .collect(),
        abilities: abilities.collect(),
        prizes: offers(&stakes.prizes),
        costs: offers(&stakes.costs),
        fact_chars: FACT_CHARS,
        outcome_chars: OUTCOME_CHARS,
    };
    let nothing = events.phrases().say(AttemptData::NOTHING, &data);
    let ask = nothing.and_then(|not| {
        let fallback = Ruling {
            not,
            ..Ruling::default()
        };
        data.ask(events.phrases(), stakes.clone(), fallback)
    });
    let limits = &params.rpg.0.limits;
    let cues = limits.cues(vec![format!("{who}: {what}")], &data.present);
    let ask = ask.map(|ask| {
        // Only the outcome that happens is told, and remembered.
        let ask = ask.max_tokens(limits.max_reply_tokens()).forgotten();
        ask.without_tools().recalling(cues)
    });
    events.insert_or_fault(&mut commands, stage, ask);
}

/// The dice decide, everybody here is told, and what was won or lost is applied.
pub(crate) fn take_ruling(
    mut params: RefereeParams,
    rng: StageRng,
    mut pending: Query<&mut PendingAttempts>,
    mut answers: Answers<Ruling>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let rulings = answers.take();
    let Some(stage) = current.begin(talk_goes_on(&params.rpg)) else {
        return;
    };
    let Ok(mut pending) = pending.get_mut(stage) else {
        return;
    };
    let attempt = pending.0.pop_front();
    if !pending.is_empty() {
        current.set_phase(Phase::Attempt);
    }
    let ruling = rulings.into_iter().find(|(entity, ..)| *entity == stage);
    let Some((PendingAttempt { who, what, .. }, (_, ruling, _))) = attempt.zip(ruling) else {
        return;
    };
    let Some(actor) = params.list.by_name(&who) else {
        return;
    };
    let stakes = params.stakes(stage, actor);
    let roll = rng.stream("attempt").random_range(0..100);
    let outcome = ruling.outcome(&stakes, roll);
    let mut applied = Applied::default();
    let message = ruling.text(outcome);
    let (who_tries, what) = (&*who, &*what);
    let trying = Trying {
        stage,
        actor,
        who: who_tries,
        what,
    };
    if outcome != AttemptResult::Not {
        let prize = named(&stakes.prizes, &ruling.prize);
        applied.apply(&mut params, &trying, prize, &ruling.fact);
    }
    if outcome == AttemptResult::AtACost {
        let cost = named(&stakes.costs, &ruling.cost);
        applied.apply(&mut params, &trying, cost, "");
    }
    let mut talk = Talk::default();
    if let Ok(mut current) = params.talks.get_mut(stage) {
        current.note_end(&who, outcome.end());
        talk = current.clone();
    }
    let present = present(&params.whereabouts, &talk, stage);
    let mut unaware = params.whereabouts.living_on(stage);
    unaware.retain(|other| !present.contains(other));
    let event = AttemptOutcome {
        is_known: events.is_known_to_all(&present, &message),
        actor: who.to_string(),
        outcome: outcome.name().to_owned(),
        message,
        found: applied.found,
        left: applied.left,
        way: applied.way,
        healed: applied.healed,
        healed_by: applied.healed_by,
        hurt: applied.hurt,
    };
    events.broadcast_to_stage(stage, event, &unaware);
    if applied.wounded {
        let wound = wound();
        let (name, days) = (who.to_string(), wound.days);
        let event = Wound { actor: name, days };
        commands.entity(actor).insert(wound);
        events.broadcast_to_stage(stage, event, &unaware);
    }
    for (entity, feeling) in applied.felt {
        events.think(entity, feeling);
    }
    if !applied.effects.is_empty() {
        let effects = applied.effects;
        events.defer(move |world| {
            apply_effects(world, Cause::at(stage), &effects);
        });
    }
    if let Some(text) = applied.fact {
        let present = [&[stage][..], &present].concat();
        events.defer(move |world| {
            let id = make_fact(world, MadeKind::Outcome, text);
            write_events_at_meeting(world, |events| events.teach(&present, &id, ""));
        });
    }
}

/// Who tries what, where.
struct Trying<'a> {
    stage: Entity,
    actor: Entity,
    who: &'a str,
    what: &'a str,
}

/// What an attempt changed, and what waits for the meeting.
#[derive(Default)]
struct Applied {
    found: String,
    left: String,
    way: String,
    healed: String,
    healed_by: i32,
    hurt: i32,
    wounded: bool,
    felt: Vec<(Entity, FeelingChanged)>,
    fact: Option<String>,
    effects: Vec<Effect>,
}

impl Applied {
    /// Applies a stake; one that can't apply changes nothing.
    fn apply(&mut self, params: &mut RefereeParams, trying: &Trying<'_>, stake: Stake, fact: &str) {
        match stake {
            Stake::Nothing => {}
            Stake::Fact => {
                let fact = cut(fact, FACT_CHARS);
                self.fact = params.harmless(&fact).filter(|fact| !fact.is_empty());
            }
            Stake::Quality { id, by, .. } => self.effects.push(Effect::Add(id, by)),
            Stake::Item(item) => {
                if params.move_item(&item, trying.stage, trying.actor) {
                    self.found = item;
                }
            }
            Stake::Left(item) => {
                if params.move_item(&item, trying.actor, trying.stage) {
                    self.left = item;
                }
            }
            Stake::Way(to) => {
                let from = params.whereabouts.name_text(trying.stage);
                self.effects.push(Effect::OpenWay(from, to.clone()));
                self.way = to;
            }
            Stake::Bond { name, by } => {
                let person = params.list.by_name(&name);
                let Some(person) = person.filter(|person| params.bonds.contains(*person)) else {
                    return;
                };
                if let Ok(mut bonds) = params.bonds.get_mut(person) {
                    bonds.change(trying.who, by);
                }
                let feeling = FeelingChanged {
                    actor: name,
                    about: trying.who.to_owned(),
                    change: by,
                    why: trying.what.to_owned(),
                };
                self.felt.push((person, feeling));
            }
            Stake::Heal(name) => {
                self.healed_by = params.heal(&name);
                self.healed = name;
            }
            Stake::Hurt => self.hurt = params.hurt(trying.actor),
            Stake::Wound => self.wounded = true,
        }
    }
}

/// Whether a text that holds the name of an item surely means that one: "the key" may be any.
fn is_telling(name: &str) -> bool {
    let words = name
        .split_whitespace()
        .filter(|word| !["the", "a", "an"].contains(&word.to_lowercase().as_str()));
    words.count() > 1 || (!name.is_ascii() && name.chars().count() > 2)
}
