//! The turns of a fight: what a combatant chose is carried out at once, then the next is asked.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Dead, StageRng};
use playhouse_engine::event::EventWriter;
use playhouse_engine::event::kinds::Speak;
use playhouse_engine::exchange::Answers;
use rand::{Rng, RngExt};

use super::arena::{Arena, Combatant, FightStage, statuses};
use super::ask::act_ask;
use super::choice::{Card, CombatChoice};
use super::rules::{PlayedCard, initiative, is_decided, kind_name, play_cards, wear_off};
use super::state::{Combat, FightAction};
use super::table::TurnSpec;
use crate::components::Departure;
use crate::drama::Item;
use crate::events::{CardHeld, CardPlayed, CombatMove, CombatRound};
use crate::phase::Phase;
use crate::world_file::WorldFile;

/// Carries out what the combatant whose turn it is chose.
pub(super) fn take_turn(
    mut arena: Arena,
    mut answers: Answers<CombatChoice>,
    rng: StageRng,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some((stage, mut combat, mut combatants)) = arena.fight() else {
        return;
    };
    let world = arena.world();
    for (entity, choice, _by) in answers.take() {
        let Some(me) = combatants.iter().position(|each| each.entity == entity) else {
            continue;
        };
        let mut turn = Turn {
            world: &world,
            rng: &rng,
            stage: &stage,
            combat: &mut combat,
            combatants: &mut combatants,
            me,
            fallen: Vec::new(),
            events: &mut events,
        };
        turn.take(&choice);
        for fallen in turn.fallen {
            commands.entity(fallen).insert(Dead);
        }
    }
    arena.write_back(&combatants);
    arena.update_combat(&stage, |current| *current = combat);
}

/// The turn of the next combatant comes; when all have acted, the next round begins. A fight that
/// is decided, or has lasted for all its rounds, is told.
pub(super) fn next_turn(mut arena: Arena, rng: StageRng, mut events: EventWriter) {
    let Some((stage, mut combat, mut combatants)) = arena.fight() else {
        return;
    };
    let world = arena.world();
    let max_rounds = world.limits.combat_rounds.max(1) as u32;
    let can_be_moved = |each: &Combatant| each.is_standing() && each.resolve > 0;
    let can_be_moved = combatants.iter().any(can_be_moved);
    let next = loop {
        if is_decided(&combatants) {
            break Phase::Narrate;
        }
        let has_next = next_combatant(&mut combat, &combatants).is_some();
        let is_over = !has_next && combat.weighed < combat.round;
        if (combat.told || is_over) && can_be_moved {
            combat.told = false;
            if is_over {
                combat.weighed = combat.round;
            }
            break Phase::Weigh;
        }
        if has_next {
            break Phase::Draw;
        }
        if combat.round >= max_rounds {
            break Phase::Narrate;
        }
        if combat.round > 0 {
            wear_off(&mut combatants);
        }
        begin_round(&stage, &mut combat, &combatants, &rng, &mut events);
    };
    arena.set_phase(&stage, next);
    arena.write_back(&combatants);
    arena.update_combat(&stage, |current| *current = combat);
}

/// Asks the combatant whose turn it is what it plays from its hand.
pub(super) fn ask_turn(mut arena: Arena, mut events: EventWriter, mut commands: Commands) {
    let Some((stage, mut combat, combatants)) = arena.fight() else {
        return;
    };
    let world = arena.world();
    if let Some(me) = next_combatant(&mut combat, &combatants) {
        combat.waiting.remove(0);
        let ask = act_ask(events.phrases(), &world, &stage, &combat, (me, &combatants));
        events.insert_or_fault(&mut commands, combatants[me].entity, ask);
    }
    arena.update_combat(&stage, |current| *current = combat);
    arena.set_phase(&stage, Phase::Act);
}

/// The next combatant in the turn order, from which those who can't act any more are taken out.
fn next_combatant(combat: &mut Combat, combatants: &[Combatant]) -> Option<usize> {
    let standing = |name: &Arc<str>| {
        let mut combatants = combatants.iter();
        combatants.position(|each| each.name == *name && each.is_standing())
    };
    combat.waiting.retain(|name| standing(name).is_some());
    standing(combat.waiting.first()?)
}

fn begin_round(
    stage: &FightStage,
    combat: &mut Combat,
    combatants: &[Combatant],
    rng: &StageRng,
    events: &mut EventWriter,
) {
    combat.round += 1;
    let roll = |name: &str| rng.stream(&format!("combat/initiative/{name}")).next_u32();
    let order = initiative(combatants, roll).into_iter();
    combat.waiting = order.map(|index| combatants[index].name.clone()).collect();
    let round = CombatRound {
        stage: stage.name.to_string(),
        round: combat.round,
        standing: statuses(combatants),
    };
    events.broadcast_to_stage(stage.entity, round, &[]);
}

/// A turn that is being carried out.
pub(super) struct Turn<'a, 'w, 's> {
    world: &'a WorldFile,
    rng: &'a StageRng<'a, 'a>,
    stage: &'a FightStage,
    combat: &'a mut Combat,
    combatants: &'a mut [Combatant],
    me: usize,
    fallen: Vec<Entity>,
    events: &'a mut EventWriter<'w, 's>,
}

impl Turn<'_, '_, '_> {
    fn actor(&self) -> &Combatant {
        &self.combatants[self.me]
    }

    fn take(&mut self, choice: &CombatChoice) {
        let words = choice.say.as_deref().unwrap_or_default();
        self.say(words.trim(), &choice.tells);
        (TurnSpec::of(choice.action()).carry_out)(self, choice);
    }

    pub(super) fn hold(&mut self, choice: &CombatChoice) {
        self.step("hold", choice.look());
    }

    pub(super) fn flee(&mut self, choice: &CombatChoice) {
        self.leave(Departure::Fled, choice.look());
    }

    pub(super) fn give_up(&mut self, choice: &CombatChoice) {
        self.leave(Departure::Yielded, choice.look());
    }

    fn say(&mut self, words: &str, tells: &[String]) {
        if words.is_empty() {
            return;
        }
        let speech = Speak {
            actor: self.actor().name.to_string(),
            message: words.to_owned(),
            tells: tells.to_vec(),
            ..Speak::default()
        };
        let (stage, me) = (self.stage.entity, self.actor().entity);
        self.events.broadcast_to_stage(stage, speech, &[me]);
        let said = self.events.last();
        self.combat.told |= said.is_some_and(|said| !said.tells.is_empty());
        self.note(FightAction {
            kind: "say".into(),
            words: words.to_owned(),
            ..FightAction::default()
        });
    }

    /// Something that is not a card, as the others see it.
    fn step(&mut self, action: &str, seen: &str) {
        self.step_with(&Item::default(), action, seen);
    }

    fn step_with(&mut self, item: &Item, action: &str, seen: &str) {
        let step = CombatMove {
            stage: self.stage.name.to_string(),
            actor: self.actor().name.to_string(),
            action: action.to_owned(),
            item: item.name.clone(),
            look: item.look.clone(),
            description: seen.to_owned(),
        };
        self.events.broadcast_to_stage(self.stage.entity, step, &[]);
        self.note(FightAction {
            kind: action.into(),
            card: item.name.clone(),
            words: seen.to_owned(),
            ..FightAction::default()
        });
    }

    /// Shows an item to everybody here, who learn what it teaches.
    pub(super) fn show(&mut self, choice: &CombatChoice) {
        let mut items = self.world.items.iter();
        let Some(item) = items.find(|known| Some(&known.name) == choice.item.as_ref()) else {
            return self.hold(choice);
        };
        self.step_with(item, "show", choice.look());
        let actor = self.actor().name.to_string();
        let combatants = self.combatants.iter();
        let present = combatants.filter(|each| each.departure != Some(Departure::Fell));
        let mut learners = vec![self.stage.entity];
        let sighted = present.filter(|each| self.world.sees(&each.name));
        learners.extend(sighted.map(|each| each.entity));
        self.combat.told |= !item.teaches.is_empty();
        for fact in &item.teaches {
            self.events.teach(&learners, fact, &actor);
        }
    }

    fn leave(&mut self, how: Departure, seen: &str) {
        self.step(how.action(), seen);
        self.combatants[self.me].departure = Some(how);
        let name = self.actor().name.clone();
        self.combat.departures.push((name, how));
    }

    /// Plays cards. A fallen combatant learns of the card that felled it, and of nothing after.
    pub(super) fn play(&mut self, choice: &CombatChoice) {
        if choice.cards.is_empty() {
            return self.hold(choice);
        }
        let (world, rng) = (self.world, self.rng);
        let results = play_cards(
            self.combatants,
            self.me,
            &choice.cards,
            |name| world.skill(name),
            |name, skill| {
                let mut rng = rng.stream(&format!("combat/hit/{name}/{skill}"));
                rng.random_range(0..100)
            },
        );
        for (card, played) in choice.cards.iter().zip(results) {
            let (name, drawn) = self.words_of(card);
            match played {
                PlayedCard::Played(skill, target, result) => {
                    self.note(FightAction {
                        kind: kind_name(skill.kind).into(),
                        skill: skill.name.as_str().into(),
                        card: name.clone(),
                        target: self.combatants[target].name.clone(),
                        hit: result.hit,
                        amount: result.amount,
                        fell: result.fell,
                        ..FightAction::default()
                    });
                    let fell = result.fell;
                    // Words that were found for this turn are about whom the mind wanted most.
                    let fits = card.targets.first() == Some(&result.name);
                    let description = match &*card.description {
                        "" => drawn,
                        words if fits => words.to_owned(),
                        _ => String::new(),
                    };
                    let event = CardPlayed {
                        stage: self.stage.name.to_string(),
                        actor: self.actor().name.to_string(),
                        card: name,
                        skill: skill.name.clone(),
                        kind: kind_name(skill.kind).into(),
                        description,
                        targets: vec![result],
                    };
                    let stage = self.stage.entity;
                    self.events.broadcast_to_stage(stage, event, &self.fallen);
                    if fell {
                        let target = &self.combatants[target];
                        self.fallen.push(target.entity);
                        let departure = (target.name.clone(), Departure::Fell);
                        self.combat.departures.push(departure);
                    }
                }
                PlayedCard::Held(reason) => {
                    let (actor, me) = (self.actor().name.to_string(), self.actor().entity);
                    let (card, reason) = (name, reason.to_owned());
                    self.events.notify_entities(
                        &[me],
                        CardHeld {
                            actor,
                            card,
                            reason,
                        },
                    );
                }
            }
        }
    }

    /// What a card is called, and how it looks by the words that it got when it was drawn.
    fn words_of(&self, card: &Card) -> (String, String) {
        let mut hand = self.actor().hand.cards.iter();
        let drawn = hand.find(|held| *held.skill == *card.skill);
        let drawn_name = drawn.map_or("", |held| &held.name);
        let names = [&*card.name, drawn_name, &*card.skill];
        let name = names.into_iter().find(|name| !name.trim().is_empty());
        let looks = drawn.map_or_else(String::new, |held| held.description.clone());
        (name.unwrap_or_default().to_owned(), looks)
    }

    fn note(&mut self, action: FightAction) {
        self.combat.actions.push(FightAction {
            round: self.combat.round,
            by: self.actor().name.clone(),
            ..action
        });
    }
}
