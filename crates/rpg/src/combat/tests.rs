//! The systems of a fight, each run alone on a small stage, and the rules under random rounds.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::{IntoSystem, RunSystemOnce};
use playhouse_engine::cast::{Dead, Faction, Kind, spawn};
use playhouse_engine::context::Chapters;
use playhouse_engine::event::{
    AgentEvent, AnsweredBy, DeferredCommands, EventQueue, deliver, register_events,
};
use playhouse_engine::exchange::{Answer, Ask, Prose, Reply};
use playhouse_engine::knowledge::{Fact, Knowledge, KnownBy};
use playhouse_engine::mind::{MindError, ScriptLine, ScriptMind};
use playhouse_engine::testing::{TinyWorld, spawn_spec, tiny};
use proptest::prelude::*;

use super::arena::Combatant;
use super::choice::{Action, Card, ChoiceConstraints, CombatChoice, PlayableSkill};
use super::draw::{CardWords, HandWords};
use super::resolve::{set_aside_what_holds, weigh_resolve};
use super::rules::{PlayedCard, initiative, legal_targets, play_cards, wear_off};
use super::wounds::heal_wounds;
use super::{Combat, FinishedFight, Hand, draw, initialization, narrate, turn};
use crate::components::{
    self, CurrentFight, Departure, FallenFoes, FightResult, Fighter, Health, LastFight, Resolve,
    RpgWorld, StatusEffect, StatusEffects, Wounded, insert_data,
};
use crate::drama::{Condition, History};
use crate::events::CardsDrawn;
use crate::phase::Phase;
use crate::spawn::spawn_foes;
use crate::world_file::{
    Draw, DrawEach, Dungeon, Fight, FightSummary, Fights, FoeSpec, MovedBy, Skill, SkillKind,
    Stats, WorldFile,
};

/// The heroes Ann and Bob against Owl and Rat in the hall, about to begin.
pub(crate) struct FightTest {
    pub(crate) tiny: TinyWorld,
    pub(crate) owl: Entity,
    pub(crate) rat: Entity,
}

fn skill(name: &str, kind: SkillKind) -> Skill {
    Skill {
        name: name.into(),
        kind,
        power: 5,
        cost: 1,
        accuracy: 100,
        duration: 2,
        about: format!("{name} it is."),
    }
}

pub(crate) fn world_file() -> WorldFile {
    let fight = Fight {
        stage: "Hall".into(),
        foes: vec!["Owl".into(), "Rat".into()],
        gain: "A brass key.".into(),
    };
    WorldFile {
        skills: vec![
            skill("Cut", SkillKind::Attack),
            skill("Balm", SkillKind::Heal),
            skill("Ward", SkillKind::Guard),
        ],
        dungeons: vec![Dungeon {
            name: "Cellar".into(),
            fights: vec![fight],
            ..Dungeon::default()
        }],
        fights: Fights {
            reflect: false,
            summary: FightSummary::Record,
            ..Fights::default()
        },
        ..WorldFile::default()
    }
}

pub(crate) fn fight_test() -> FightTest {
    let mut tiny = tiny();
    let setup = &mut tiny.setup;
    register_events(&mut setup.world, crate::events::EVENTS);
    crate::components::plugin(setup);
    crate::phase::plugin(setup);
    super::plugin(setup);
    crate::archive::plugin(setup);
    let world = tiny.world();
    world.insert_resource(RpgWorld(Arc::new(world_file())));
    let mut enter =
        |name: &str| spawn(world, spawn_spec(name, Kind::Actor, Some("Hall"))).expect("a new name");
    let (owl, rat) = (enter("Owl"), enter("Rat"));
    let (hall, ann, bob) = (tiny.hall, tiny.ann, tiny.bob);
    let world = tiny.world();
    for (who, faction, speed) in [
        (ann, "hero", 9),
        (bob, "hero", 7),
        (owl, "foe", 5),
        (rat, "foe", 3),
    ] {
        let stats = Stats {
            hp: 20,
            attack: 3,
            defense: 2,
            speed,
            energy: 2,
        };
        let skills = vec!["Cut".into(), "Balm".into()];
        world.entity_mut(who).insert((
            Faction(faction.into()),
            Health::full(20),
            Fighter { stats, skills },
            StatusEffects::default(),
        ));
    }
    world
        .entity_mut(owl)
        .insert(components::Foe { returns: true });
    world
        .entity_mut(rat)
        .insert(components::Foe { returns: false });
    let here = CurrentFight {
        dungeon: "Cellar".into(),
        fight: 0,
        end: None,
    };
    world.entity_mut(hall).insert((here, Phase::FightBegin));
    FightTest { tiny, owl, rat }
}

impl FightTest {
    pub(crate) fn world(&mut self) -> &mut World {
        self.tiny.world()
    }

    pub(crate) fn run<M>(&mut self, system: impl IntoSystem<(), (), M>) {
        self.world().run_system_once(system).expect("runs");
    }

    /// The first round, with Ann's turn before those of Bob, the owl and the rat.
    fn begun() -> Self {
        let mut fight = fight_test();
        fight.run(initialization::initialize_combat);
        fight.next_turn();
        fight.world().resource_mut::<EventQueue>().0.clear();
        fight
    }

    /// The hall, Ann, Bob, the owl and the rat.
    pub(crate) fn entities(&self) -> [Entity; 5] {
        let TinyWorld { hall, ann, bob, .. } = self.tiny;
        [hall, ann, bob, self.owl, self.rat]
    }

    fn everybody(&self) -> [Entity; 4] {
        let [_, everybody @ ..] = self.entities();
        everybody
    }

    fn asked(&self) -> Vec<Entity> {
        let everybody = self.everybody().into_iter();
        let is_asked = |who: &Entity| {
            self.tiny
                .setup
                .world
                .get::<Ask<CombatChoice>>(*who)
                .is_some()
        };
        everybody.filter(is_asked).collect()
    }

    fn phase(&self) -> Phase {
        *self.get(self.tiny.hall)
    }

    pub(crate) fn get<C: Component>(&self, who: Entity) -> &C {
        self.tiny.setup.world.get(who).expect("has it")
    }

    pub(crate) fn answer<R: Reply>(&mut self, who: Entity, reply: R) {
        self.world()
            .entity_mut(who)
            .remove::<Ask<R>>()
            .insert(Answer::new(reply, AnsweredBy::Mind));
    }

    /// Whoever is asked chooses, and the next one is asked.
    fn turn(&mut self, who: Entity, choice: CombatChoice) {
        assert_eq!(self.asked(), [who]);
        self.answer(who, choice);
        self.run(turn::take_turn);
        self.next_turn();
    }

    /// The next turn comes: hands are drawn if it is time, and whose turn it is is asked.
    fn next_turn(&mut self) {
        self.run(turn::next_turn);
        if self.phase() == Phase::Draw {
            self.run(draw::draw_cards);
        }
        if self.phase() == Phase::Play {
            self.run(turn::ask_turn);
        }
    }

    fn wound(&mut self, who: Entity, hp: i32) {
        self.world().entity_mut(who).insert(Health { hp, max: 20 });
    }

    /// What was told to whom; everybody's hand apart.
    fn told(&self) -> Vec<(&'static str, Vec<Entity>)> {
        let queue = self.tiny.setup.world.resource::<EventQueue>();
        let told = queue.0.iter();
        let told = told
            .filter(|told| told.kind != CardsDrawn::TYPE)
            .map(|told| (told.kind, told.audience.clone()));
        told.collect()
    }
}

fn card(skill: &str, targets: &[&str]) -> Card {
    Card {
        skill: skill.into(),
        name: format!("My {skill}"),
        description: "There it goes.".into(),
        targets: targets.iter().map(ToString::to_string).collect(),
    }
}

fn play(cards: impl IntoIterator<Item = Card>) -> CombatChoice {
    CombatChoice {
        action: Some(Action::Play),
        cards: cards.into_iter().collect(),
        ..CombatChoice::default()
    }
}

fn without_cards(action: Action) -> CombatChoice {
    CombatChoice {
        action: Some(action),
        seen: Some("A step back.".into()),
        ..CombatChoice::default()
    }
}

#[test]
fn a_beginning_is_told_to_the_stage_and_all_who_fight() {
    let mut fight = fight_test();
    let (hall, bob) = (fight.tiny.hall, fight.tiny.bob);
    fight.world().entity_mut(bob).insert(Dead);
    fight.run(initialization::initialize_combat);
    let living = vec![hall, fight.tiny.ann, fight.owl, fight.rat];
    assert_eq!(fight.told(), [("combat_initialization", living)]);
    let queue = fight.world().resource::<EventQueue>();
    assert_eq!(queue.0[0].tags.text("combat_id"), Some("Hall/1"));
    assert_eq!(fight.get::<Combat>(hall).heroes, ["Ann".into()]);
    assert_eq!(fight.phase(), Phase::Act);
}

#[test]
fn one_is_asked_at_a_time_in_the_order_of_speed() {
    let mut fight = fight_test();
    let (hall, ann) = (fight.tiny.hall, fight.tiny.ann);
    fight.run(initialization::initialize_combat);
    fight.world().resource_mut::<EventQueue>().0.clear();
    fight.next_turn();
    let audience = [vec![hall], fight.everybody().to_vec()].concat();
    assert_eq!(fight.told(), [("combat_round", audience)]);
    assert_eq!(fight.asked(), [ann]);
    let ask: &Ask<CombatChoice> = fight.get(ann);
    assert_eq!(ask.purpose(), "combat.act");
    // Nobody is hurt, so a balm is of no use.
    let targets = vec!["Owl".into(), "Rat".into()];
    let skill = "Cut".into();
    let is_worded = false;
    let playable = PlayableSkill {
        skill,
        targets,
        is_worded,
    };
    assert_eq!(ask.constraints().hand, [playable]);
    assert!(ask.fallback().check(ask.constraints()).is_empty());
    assert_eq!(
        ask.noted()["later"],
        serde_json::json!(["Bob", "Owl", "Rat"])
    );
    assert_eq!(ask.noted()["foes"][0]["attack"], 3);
    assert_eq!(ask.noted()["foes"][0]["defense"], 2);
    for who in fight.everybody() {
        fight.turn(who, without_cards(Action::Hold));
    }
    assert_eq!(fight.asked(), [ann], "the next round has begun");
    assert_eq!(fight.get::<Combat>(hall).round, 2);
}

#[test]
fn a_card_is_played_at_once_and_everybody_learns_of_it() {
    let mut fight = FightTest::begun();
    let (hall, ann, bob, rat) = (fight.tiny.hall, fight.tiny.ann, fight.tiny.bob, fight.rat);
    fight.turn(ann, play([card("Cut", &["Rat"])]));
    assert_eq!(fight.get::<Health>(rat).hp, 20 - (5 + 3 - 1));
    let audience = [vec![hall], fight.everybody().to_vec()].concat();
    assert_eq!(fight.told(), [("card_played", audience)]);
    let action = &fight.get::<Combat>(hall).actions[0];
    assert_eq!(
        (&*action.by, &*action.target, action.amount, action.fell),
        ("Ann", "Rat", 7, false)
    );
    assert_eq!(
        fight.get::<Ask<CombatChoice>>(bob).noted()["foes"][1]["hp"],
        13
    );
}

#[test]
fn a_blow_never_falls_on_somebody_who_was_not_named() {
    let mut fight = FightTest::begun();
    let [hall, ann, bob, owl, rat] = fight.entities();
    fight.wound(rat, 1);
    fight.wound(bob, 5);
    let cards = [card("Cut", &["Rat"]), card("Balm", &["Rat"])];
    fight.turn(ann, play([cards[0].clone()]));
    assert!(fight.world().get::<Dead>(rat).is_some());
    fight.world().resource_mut::<EventQueue>().0.clear();
    fight.turn(bob, play(cards));
    assert_eq!(fight.get::<Health>(owl).hp, 20, "Bob has spared the owl");
    let held = ("card_held", vec![bob]);
    assert_eq!(
        fight.told(),
        [held.clone(), held],
        "and knows that he did nothing"
    );
    assert_eq!(fight.get::<Combat>(hall).actions.len(), 1);
    fight.turn(owl, without_cards(Action::Hold));
    assert_eq!(fight.asked(), [ann], "the fallen rat is not asked");
}

#[test]
fn words_are_heard_by_all_but_the_speaker_before_it_acts() {
    let mut fight = FightTest::begun();
    let [hall, ann, bob, owl, rat] = fight.entities();
    let words = CombatChoice {
        say: Some("Stand back!".into()),
        ..without_cards(Action::Hold)
    };
    fight.turn(ann, words);
    let others = vec![hall, bob, owl, rat];
    let everybody = vec![hall, ann, bob, owl, rat];
    assert_eq!(
        fight.told(),
        [("speak", others), ("combat_move", everybody)]
    );
    let kinds = fight.get::<Combat>(hall).actions.iter();
    let kinds: Vec<_> = kinds.map(|action| action.kind.as_str()).collect();
    assert_eq!(kinds, ["say", "hold"]);
}

#[test]
fn a_description_is_told_only_of_the_target_that_it_is_about() {
    for (targets, told) in [(&["Owl", "Rat"][..], ""), (&["Rat"], "There it goes.")] {
        let mut fight = FightTest::begun();
        let [hall, ann, ..] = fight.entities();
        let mut combat: Combat = fight.get::<Combat>(hall).clone();
        combat.departures.push(("Owl".into(), Departure::Fled));
        fight.world().entity_mut(hall).insert(combat);
        fight.turn(ann, play([card("Cut", targets)]));
        let queue = &fight.world().resource::<EventQueue>().0;
        let played = queue.iter().find(|event| event.kind == "card_played");
        assert_eq!(played.expect("is played").data["description"], told);
    }
}

#[test]
fn whoever_has_fled_or_yielded_is_out_of_the_fight_alive() {
    let mut fight = FightTest::begun();
    let [hall, ann, bob, owl, rat] = fight.entities();
    fight.turn(ann, without_cards(Action::Hold));
    fight.turn(bob, without_cards(Action::Flee));
    fight.turn(owl, without_cards(Action::Yield));
    let legal = &fight.get::<Ask<CombatChoice>>(rat).constraints().hand[0].targets;
    assert_eq!(*legal, ["Ann".into()]);
    fight.turn(rat, without_cards(Action::Hold));
    fight.turn(ann, without_cards(Action::Hold));
    fight.turn(rat, without_cards(Action::Yield));
    assert!(fight.asked().is_empty());
    assert_eq!(fight.phase(), Phase::Narrate);
    fight.run(narrate::ask_account);
    fight.answer(hall, Prose("Dust falls.".into()));
    fight.run(narrate::take_account);
    let outcome = &fight.get::<FinishedFight>(hall).outcome;
    assert_eq!(outcome.result, FightResult::Won);
    assert_eq!(outcome.how, Some(Departure::Yielded));
    assert_eq!(
        (&outcome.fled[..], outcome.yielded.len()),
        (&["Bob".to_owned()][..], 2)
    );
    assert!(fight.world().get::<Wounded>(bob).is_none());
}

/// The outcome of a fight in which these have fallen.
fn end(fallen: impl IntoIterator<Item = Entity>) -> FightTest {
    let mut fight = FightTest::begun();
    let (hall, ann) = (fight.tiny.hall, fight.tiny.ann);
    for who in fallen {
        fight.wound(who, 0);
        let name = fight
            .get::<playhouse_engine::cast::EntityName>(who)
            .0
            .clone();
        fight.world().entity_mut(who).insert(Dead);
        let mut combat = fight.world().get_mut::<Combat>(hall).expect("a fight");
        combat.departures.push((name, Departure::Fell));
    }
    let skill = "Ward".into();
    let effect = StatusEffect {
        skill,
        attack: 0,
        defense: 5,
        rounds: 2,
    };
    fight
        .world()
        .entity_mut(ann)
        .insert(StatusEffects(vec![effect]));
    fight.run(narrate::ask_account);
    let ask: &Ask<Prose> = fight.get(hall);
    assert_eq!(ask.purpose(), "combat.narrate");
    assert_eq!(
        ask.fallback().check(ask.constraints()),
        [],
        "{:?}",
        ask.fallback()
    );
    fight.answer(hall, Prose("Dust falls.".into()));
    fight.run(narrate::take_account);
    fight
}

#[test]
fn a_fight_is_told_once_and_its_outcome_reaches_the_fallen_too() {
    let probe = fight_test();
    let [hall, ann, bob, owl, rat] = probe.entities();
    let mut fight = end([bob, owl, rat]);
    let told = [
        ("narration", vec![ann]),
        ("combat_outcome", vec![hall, ann, bob, owl, rat]),
    ];
    assert_eq!(fight.told(), told);
    let FinishedFight {
        outcome, account, ..
    } = fight.get(hall);
    assert_eq!(
        (outcome.result, account.as_str()),
        (FightResult::Won, "Dust falls.")
    );
    assert_eq!(outcome.fallen, ["Bob"]);
    assert_eq!(outcome.felled, ["Owl", "Rat"]);
    assert_eq!(outcome.gains, ["A brass key."]);
    assert_eq!(fight.get::<CurrentFight>(hall).end, Some(FightResult::Won));
    assert_eq!(
        fight.get::<LastFight>(bob).foes,
        ["Owl".into(), "Rat".into()]
    );
    assert!(fight.get::<StatusEffects>(ann).0.is_empty());
    assert_eq!(fight.phase(), Phase::ArchiveCombat);
    let changes = fight.world().resource_mut::<DeferredCommands>().take();
    for change in changes {
        change(fight.world());
    }
    let fallen = &fight.world().resource::<FallenFoes>().0;
    assert!(fallen.contains("Owl") && fallen.contains("Rat"));
}

#[test]
fn a_fight_is_lost_without_heroes_and_drawn_when_its_rounds_run_out() {
    let probe = fight_test();
    let (hall, ann, bob) = (probe.tiny.hall, probe.tiny.ann, probe.tiny.bob);
    let result = |fight: &FightTest| fight.get::<CurrentFight>(hall).end;
    let drawn = end([]);
    assert_eq!(result(&drawn), Some(FightResult::Drawn));
    assert!(drawn.get::<FinishedFight>(hall).outcome.gains.is_empty());
    let lost = end([ann, bob]);
    assert_eq!(result(&lost), Some(FightResult::Lost));
    assert!(lost.tiny.setup.world.get::<Wounded>(ann).is_some());
}

#[test]
fn a_wound_weakens_until_it_has_healed_at_home() {
    let mut fight = fight_test();
    let ann = fight.tiny.ann;
    fight.world().entity_mut(ann).insert(Wounded { days: 2 });
    fight.run(initialization::initialize_combat);
    fight.next_turn();
    let me = fight.get::<Ask<CombatChoice>>(ann).noted()["allies"][0].clone();
    assert_eq!((&me["attack"], &me["defense"]), (&1.into(), &1.into()));
    fight.world().resource_mut::<EventQueue>().0.clear();
    heal_wounds(fight.world());
    assert!(fight.told().is_empty());
    heal_wounds(fight.world());
    assert_eq!(fight.told()[0].0, "wound");
    assert!(fight.world().get::<Wounded>(ann).is_none());
}

/// A fight in which the owl has this resolve, and its name, which Ann knows, takes 2 of it.
fn fight_with_a_name(resolve: i32) -> FightTest {
    let mut fight = fight_test();
    let (ann, bob, owl) = (fight.tiny.ann, fight.tiny.bob, fight.owl);
    let mut file = world_file();
    file.facts = vec![Fact {
        id: "the-name".into(),
        title: "Its name".into(),
        known_by: KnownBy::Only(vec!["Ann".into()]),
        ..Fact::default()
    }];
    file.foes = vec![FoeSpec {
        name: "Owl".into(),
        returns: true,
        resolve,
        moved_by: vec![MovedBy {
            when: Condition::Knows("Owl".into(), "the-name".into()),
            by: 2,
            seen: "The owl folds its wings.".into(),
        }],
        ..FoeSpec::default()
    }];
    let world = fight.world();
    insert_data(world, &Arc::new(file));
    world.init_resource::<History>();
    world
        .entity_mut(ann)
        .insert(Knowledge::at_start(["the-name"]));
    let left = Resolve {
        left: resolve,
        ..Resolve::default()
    };
    world.entity_mut(owl).insert((left, Knowledge::default()));
    world.entity_mut(bob).insert(Knowledge::default());
    fight
}

/// Ann tells the owl its name.
fn telling() -> CombatChoice {
    CombatChoice {
        say: Some("I know who you are.".into()),
        tells: vec!["the-name".into()],
        ..without_cards(Action::Hold)
    }
}

#[test]
fn a_foe_that_knew_before_is_not_moved_and_one_that_is_shaken_may_yield() {
    let mut fight = fight_with_a_name(3);
    let (ann, bob, owl) = (fight.tiny.ann, fight.tiny.bob, fight.owl);
    let may_yield = |fight: &FightTest| fight.get::<Ask<CombatChoice>>(owl).constraints().may_yield;
    let knows = Knowledge::at_start(["the-name"]);
    fight.world().entity_mut(owl).insert(knows);
    set_aside_what_holds(fight.world(), owl);
    fight.run(initialization::initialize_combat);
    fight.next_turn();
    fight.turn(ann, telling());
    fight.run(deliver);
    weigh_resolve(fight.world());
    fight.next_turn();
    assert_eq!(fight.get::<Resolve>(owl).left, 3, "it was told before");
    fight.turn(bob, without_cards(Action::Hold));
    assert!(!may_yield(&fight));
    let mut fight = fight_with_a_name(3);
    fight.run(initialization::initialize_combat);
    fight.next_turn();
    fight.turn(ann, telling());
    fight.run(deliver);
    weigh_resolve(fight.world());
    fight.next_turn();
    fight.turn(bob, without_cards(Action::Hold));
    assert_eq!(fight.get::<Resolve>(owl).left, 1);
    assert!(may_yield(&fight));
}

#[test]
fn a_foe_that_has_yielded_is_met_again_only_if_the_world_says_so() {
    for returns_after_yielding in [false, true] {
        let mut fight = fight_with_a_name(2);
        let (hall, owl) = (fight.tiny.hall, fight.owl);
        let mut file = (*fight.world().resource::<RpgWorld>().0).clone();
        file.foes[0].returns_after_yielding = returns_after_yielding;
        fight.world().insert_resource(RpgWorld(file.into()));
        fight.run(initialization::initialize_combat);
        let mut combat = fight.world().get_mut::<Combat>(hall).expect("a fight");
        let yielded = ("Owl".into(), Departure::Yielded);
        combat.departures.push(yielded);
        fight.world().entity_mut(owl).insert(Dead);
        fight.run(narrate::ask_account);
        fight.answer(hall, Prose("It bows.".into()));
        fight.run(narrate::take_account);
        let changes = fight.world().resource_mut::<DeferredCommands>().take();
        for change in changes {
            change(fight.world());
        }
        spawn_foes(fight.world(), &["Owl".into()], "Hall").expect("are spawned");
        let is_there = fight.world().get::<Dead>(owl).is_none();
        assert_eq!(is_there, returns_after_yielding);
    }
}

#[test]
fn a_foe_yields_to_what_it_is_told() {
    let mut fight = fight_with_a_name(2);
    let (hall, ann, bob, owl) = (fight.tiny.hall, fight.tiny.ann, fight.tiny.bob, fight.owl);
    fight.run(initialization::initialize_combat);
    fight.next_turn();
    assert_eq!(
        fight.get::<Ask<CombatChoice>>(ann).noted()["facts"][0]["title"],
        "Its name"
    );
    fight.turn(ann, telling());
    fight.run(deliver);
    assert!(fight.get::<Knowledge>(owl).knows("the-name"));
    assert_eq!(fight.phase(), Phase::Weigh, "before anybody else acts");
    fight.world().resource_mut::<EventQueue>().0.clear();
    assert!(weigh_resolve(fight.world()));
    let everybody = [&[hall][..], &fight.everybody()].concat();
    assert_eq!(fight.told(), [("combat_move", everybody)]);
    let combat: &Combat = fight.get(hall);
    assert_eq!(combat.departure(&"Owl".into()), Some(Departure::Yielded));
    fight.next_turn();
    let facts = &fight.get::<Ask<CombatChoice>>(bob).noted()["facts"];
    assert_eq!(facts[0]["id"], "the-name", "Bob has just learned it");
    for who in [bob, fight.rat] {
        fight.turn(who, without_cards(Action::Hold));
    }
    assert_eq!(fight.asked(), [ann], "the fight goes on with the rat");
    assert!(!weigh_resolve(fight.world()));
}

/// The fight of [`fight_test`] in a world with these settings, where the owl is met again.
fn fight_with(fights: Fights) -> FightTest {
    let mut fight = fight_test();
    let mut file = WorldFile {
        fights,
        ..world_file()
    };
    let foe = |name: &str, returns| FoeSpec {
        name: name.into(),
        returns,
        ..FoeSpec::default()
    };
    file.foes = vec![foe("Owl", true), foe("Rat", false)];
    fight.world().insert_resource(RpgWorld(Arc::new(file)));
    fight
}

#[test]
fn characters_reflect_before_the_first_blow_and_mere_foes_do_not() {
    let mut fight = fight_with(Fights::default());
    let (ann, bob, owl, rat) = (fight.tiny.ann, fight.tiny.bob, fight.owl, fight.rat);
    fight.run(initialization::initialize_combat);
    let asks = |who| fight.tiny.setup.world.get::<Ask<Prose>>(who);
    let asked = [ann, bob, owl, rat].map(|who| asks(who).map(Ask::purpose));
    let purpose = Some("combat.initialization");
    assert_eq!(asked, [purpose, purpose, purpose, None]);
    let stakes = asks(ann).expect("is asked").noted();
    assert_eq!(stakes["foes"][0]["name"], "Owl");
    assert_eq!(fight.phase(), Phase::Reflected);
    fight.world().resource_mut::<EventQueue>().0.clear();
    fight.answer(ann, Prose("I fear the owl.".into()));
    fight.run(initialization::take_reflections);
    assert_eq!(fight.told(), [("mind", vec![ann])], "nobody else knows");
    assert_eq!(fight.phase(), Phase::Act);
}

#[test]
fn all_draw_at_the_beginning_of_a_round_or_each_at_its_turn() {
    let hands = |fight: &FightTest| {
        let queue = fight.tiny.setup.world.resource::<EventQueue>().0.iter();
        let drawn = queue.filter(|event| event.kind == CardsDrawn::TYPE);
        drawn
            .map(|event| {
                (
                    event.audience.clone(),
                    event.tags.get("draw_cards").cloned(),
                )
            })
            .collect::<Vec<_>>()
    };
    for (draw_each, count) in [(DrawEach::Round, 4), (DrawEach::Turn, 1)] {
        let mut fight = fight_with(Fights {
            reflect: false,
            draw_each,
            ..Fights::default()
        });
        let ann = fight.tiny.ann;
        fight.run(initialization::initialize_combat);
        fight.next_turn();
        let drawn = hands(&fight);
        assert_eq!(drawn.len(), count);
        assert!(drawn.contains(&(vec![ann], Some(1.into()))));
        let hand: &Hand = fight.get(ann);
        let mut skills: Vec<_> = hand.cards.iter().map(|card| &*card.skill).collect();
        skills.sort_unstable();
        assert_eq!((hand.round, &skills[..]), (1, &["Balm", "Cut"][..]));
        fight.turn(ann, without_cards(Action::Hold));
        assert_eq!(hands(&fight).len(), count.max(2), "nobody draws twice");
    }
}

#[test]
fn a_character_that_is_asked_words_each_skill_once_in_a_story() {
    let mut fight = fight_with(Fights {
        reflect: false,
        draw: Draw::Asked,
        summary: FightSummary::Record,
        ..Fights::default()
    });
    let [hall, ann, bob, owl, rat] = fight.entities();
    fight.run(initialization::initialize_combat);
    fight.next_turn();
    assert_eq!(fight.phase(), Phase::Drawn);
    let asks = |fight: &FightTest, who| {
        let ask = fight.tiny.setup.world.get::<Ask<HandWords>>(who);
        ask.map(|ask| ask.constraints().len())
    };
    let asked = [ann, bob, owl, rat].map(|who| asks(&fight, who));
    assert_eq!(asked, [Some(2), Some(2), Some(2), None]);
    let words = CardWords {
        skill: "Cut".into(),
        name: "Goodbye".into(),
        description: "A short sharp arc.".into(),
    };
    let cards = vec![words];
    fight.answer(ann, HandWords { cards });
    for who in [bob, owl] {
        fight.answer(who, HandWords::default());
    }
    fight.run(draw::take_drawn_cards);
    fight.run(turn::ask_turn);
    let ask: &Ask<CombatChoice> = fight.get(ann);
    let required = &ask.constrained_schema()["properties"]["cards"]["items"]["required"];
    assert_eq!(*required, serde_json::json!(["skill", "targets"]));
    let cut = Card {
        skill: "Cut".into(),
        targets: vec!["Rat".into()],
        ..Card::default()
    };
    fight.turn(ann, play([cut]));
    let queue = &fight.world().resource::<EventQueue>().0;
    let played = queue.iter().find(|event| event.kind == "card_played");
    let played = &played.expect("is played").data;
    assert_eq!(
        (&played["card"], &played["description"]),
        (&"Goodbye".into(), &"A short sharp arc.".into())
    );
    for who in [bob, owl, rat] {
        fight.turn(who, without_cards(Action::Hold));
    }
    assert_eq!(fight.get::<Combat>(fight.tiny.hall).round, 2);
    assert_eq!(asks(&fight, ann), None, "it has words for all its cards");
    assert_eq!(fight.asked(), [ann]);

    fight.run(narrate::ask_account);
    fight.answer(hall, Prose("Dust falls.".into()));
    fight.run(narrate::take_account);
    let hand: &Hand = fight.get(ann);
    assert_eq!((hand.cards.len(), hand.worded.len()), (0, 2));
}

/// A mind that never answers anything of use.
fn mute() -> ScriptMind {
    ScriptMind::by_rule(|_| {
        ScriptLine::fail(MindError::ScriptExhausted {
            entity: "all".into(),
            number: 0,
        })
    })
}

#[tokio::test]
async fn a_fight_without_a_single_answer_is_fought_summed_up_and_archived() {
    let mut fight = fight_test();
    let mut file = world_file();
    file.limits.combat_rounds = 3;
    fight.world().insert_resource(RpgWorld(Arc::new(file)));
    let (hall, ann, owl, rat) = (fight.tiny.hall, fight.tiny.ann, fight.owl, fight.rat);
    let mut engine = fight.tiny.engine(mute()).expect("every order is declared");
    engine.run(Some(2)).await.expect("runs");
    let world = &engine.world;
    assert!(
        world
            .get::<CurrentFight>(hall)
            .is_some_and(|fight| fight.end.is_some())
    );
    assert_eq!(world.get::<Phase>(hall), Some(&Phase::Idle));
    assert!(world.get::<FinishedFight>(hall).is_none());
    let chapters = |who| {
        world
            .get::<Chapters>(who)
            .map_or(0, |chapters| chapters.all().len())
    };
    assert_eq!(
        [hall, ann, owl, rat].map(chapters),
        [1, 1, 1, 0],
        "the rat is never met again"
    );
}

// --- the choice ---

fn legal(skill: &str, targets: &[&str]) -> PlayableSkill {
    PlayableSkill {
        skill: skill.into(),
        targets: targets.iter().map(|name| (*name).into()).collect(),
        is_worded: false,
    }
}

#[test]
fn every_broken_rule_of_a_choice_is_named() {
    let constraints = ChoiceConstraints {
        hand: vec![legal("Cut", &["Owl", "Rat"]), legal("Balm", &["Ann"])],
        facts: vec!["the-name".into()],
        known: vec!["made-1".into()],
        items: Vec::new(),
        may_yield: true,
        say_chars: 20,
    };
    assert!(
        play([card("Cut", &["Rat", "Owl"])])
            .check(&constraints)
            .is_empty()
    );
    assert!(without_cards(Action::Yield).check(&constraints).is_empty());
    let resolved = ChoiceConstraints {
        may_yield: false,
        ..constraints.clone()
    };
    let yields = without_cards(Action::Yield).check(&resolved);
    assert_eq!(yields[0].path, "action");
    let mut long = card("Cut", &["Ann"]);
    long.name = "x".repeat(41);
    long.description.clear();
    let bad = CombatChoice {
        say: Some("A long speech, not a word.".into()),
        tells: vec!["the-name".into(), "the-lie".into(), "made-1".into()],
        ..play([long, card("Cut", &[]), card("Curse", &["Owl"])])
    };
    let holding = CombatChoice {
        action: Some(Action::Hold),
        ..play([card("Curse", &["Owl"])])
    };
    let empty = CombatChoice::default();
    let told: Vec<_> = [bad, holding, empty]
        .iter()
        .flat_map(|choice| choice.check(&constraints))
        .map(|b| format!("{}: {}", b.path, b.rule))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    say: at most 20 characters; this has 26
    tells[1]: 'the-lie' is not one of: the-name
    cards[0].name: at most 40 characters; this has 41
    cards[0].targets[0]: 'Cut' can't be used on 'Ann'; choose from: Owl, Rat
    cards[1].targets: name at least one of: Owl, Rat
    cards[2].skill: 'Curse' is not in your hand, which holds: Cut, Balm
    cards: at most one card of 'Cut', not 2
    cards: cards are only for "play"
    action: must not be empty
    "#);
}

#[test]
fn the_schema_of_a_choice_is_constrained_to_what_is_legal() {
    let fight = FightTest::begun();
    let schema = fight
        .get::<Ask<CombatChoice>>(fight.tiny.ann)
        .constrained_schema();
    let card = &schema["properties"]["cards"]["items"]["properties"];
    assert_eq!(card["skill"]["enum"], serde_json::json!(["Cut"]));
    assert_eq!(
        card["targets"]["items"]["enum"],
        serde_json::json!(["Owl", "Rat"])
    );
    let constraints = ChoiceConstraints {
        hand: Vec::new(),
        facts: Vec::new(),
        known: Vec::new(),
        items: Vec::new(),
        may_yield: true,
        say_chars: 9,
    };
    let schema = CombatChoice::constrain_schema(&serde_json::Value::Null, &constraints);
    let schema = schema.expect("is constrained");
    assert!(schema["properties"].get("cards").is_none());
    let actions = &schema["properties"]["action"]["enum"];
    assert_eq!(*actions, serde_json::json!(["hold", "flee", "yield"]));
}

// --- the rules ---

fn combatant(number: usize, hero: bool, hp: i32, stats: Stats) -> Combatant {
    Combatant {
        entity: Entity::PLACEHOLDER,
        name: format!("C{number}").into(),
        faction: if hero { "hero" } else { "foe" }.into(),
        stats,
        skills: Vec::new(),
        health: Health { hp, max: stats.hp },
        effects: Vec::new(),
        wounded: false,
        resolve: 0,
        facts: Vec::new(),
        items: Vec::new(),
        hand: Hand::default(),
        departure: None,
    }
}

#[test]
fn the_faster_act_first_then_the_luckier_then_the_elder() {
    let of = |number, speed| {
        combatant(
            number,
            true,
            5,
            Stats {
                hp: 5,
                speed,
                ..Stats::default()
            },
        )
    };
    let combatants = [of(0, 2), of(1, 4), of(2, 4), of(3, 2)];
    assert_eq!(
        initiative(&combatants, |name| u32::from(name == "C2")),
        [2, 1, 0, 3]
    );
}

#[test]
fn healing_is_for_those_who_miss_most_and_attacks_for_the_weakest() {
    let stats = Stats {
        hp: 10,
        ..Stats::default()
    };
    let combatants = [
        (true, 10),
        (true, 3),
        (true, 6),
        (false, 9),
        (false, 2),
        (false, 0),
    ];
    let combatants: Vec<_> = combatants
        .iter()
        .enumerate()
        .map(|(index, (hero, hp))| combatant(index, *hero, *hp, stats))
        .collect();
    assert_eq!(legal_targets(SkillKind::Heal, 0, &combatants), [1, 2]);
    assert_eq!(legal_targets(SkillKind::Attack, 0, &combatants), [4, 3]);
    assert_eq!(legal_targets(SkillKind::Guard, 3, &combatants), [4, 3]);
}

fn kinds() -> impl Strategy<Value = SkillKind> {
    prop::sample::select(vec![
        SkillKind::Attack,
        SkillKind::Heal,
        SkillKind::Guard,
        SkillKind::Weaken,
        SkillKind::Strengthen,
    ])
}

fn skills() -> impl Strategy<Value = Vec<Skill>> {
    let skill = (kinds(), 1..2_000_000_000i32, 0..5i32, 0..=100i32, 0..4i32);
    prop::collection::vec(skill, 1..6).prop_map(|skills| {
        let named = skills.into_iter().enumerate().map(
            |(number, (kind, power, cost, accuracy, duration))| Skill {
                name: format!("S{number}"),
                kind,
                power,
                cost,
                accuracy,
                duration,
                about: String::new(),
            },
        );
        named.collect()
    })
}

fn fighters() -> impl Strategy<Value = Vec<Combatant>> {
    let fighter = (
        any::<bool>(),
        1..60i32,
        0..60i32,
        0..2_000_000_000i32,
        0..40i32,
        0..9i32,
    );
    prop::collection::vec(fighter, 2..7).prop_map(|fighters| {
        let named = fighters.into_iter().enumerate().map(
            |(number, (hero, hp, now, attack, defense, energy))| {
                let stats = Stats {
                    hp,
                    attack,
                    defense,
                    speed: energy,
                    energy,
                };
                combatant(number, hero, now.min(hp), stats)
            },
        );
        named.collect()
    })
}

proptest! {
    #[test]
    fn no_round_breaks_the_rules(
        before_round in fighters(),
        skills in skills(),
        wishes in prop::collection::vec((0..7usize, 0..7usize, 0..7usize), 0..30),
        rolls in prop::collection::vec(0..100i32, 1..9),
    ) {
        let mut now = before_round.clone();
        let mut rolls = rolls.iter().cycle();
        let find = |name: &str| skills.iter().find(|skill| skill.name == name);
        for by in initiative(&before_round, |_| 0) {
            if !now[by].is_standing() {
                continue;
            }
            let own = wishes.iter().filter(|(who, ..)| who % before_round.len() == by);
            let cards: Vec<_> = own
                .map(|(_, skill, target)| card(&format!("S{skill}"), &[&format!("C{target}")]))
                .collect();
            let before = now.clone();
            let roll = |_: &str, _: &str| *rolls.next().unwrap_or(&0);
            let mut spent = 0;
            let mut fallen = Vec::new();
            let played = play_cards(&mut now, by, &cards, find, roll);
            for (card, played) in cards.iter().zip(played) {
                let PlayedCard::Played(skill, target, result) = played else { continue };
                prop_assert!(card.targets.iter().any(|name| **name == *before_round[target].name));
                prop_assert!(before[target].is_standing() && !fallen.contains(&target));
                let hostile = matches!(skill.kind, SkillKind::Attack | SkillKind::Weaken);
                prop_assert_eq!(hostile, !before_round[by].is_ally_of(&before_round[target]));
                spent += skill.cost;
                if result.fell {
                    fallen.push(target);
                }
            }
            prop_assert!(spent <= before_round[by].stats.energy);
        }
        for (before, after) in before_round.iter().zip(&now) {
            prop_assert!((0..=after.health.max).contains(&after.health.hp));
            prop_assert!(before.is_standing() || !after.is_standing(), "nobody rises from the dead");
            prop_assert!(after.attack() >= 0 && after.defense() >= 0);
        }
        let before = now.clone();
        wear_off(&mut now);
        for (before, after) in before.iter().zip(&now) {
            let lasts = before.effects.iter().filter(|effect| effect.rounds > 1).count();
            prop_assert_eq!(after.effects.len(), lasts);
        }
    }
}
