//! The systems of a fight, each run alone on a small stage, and the rules under random rounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_ecs::system::{IntoSystem, RunSystemOnce};
use proptest::prelude::*;

use super::arena::Combatant;
use super::hand::{Card, Hand, PlayableSkill};
use super::rules::{initiative, legal_targets, play_round, wear_off};
use super::{Combat, FinishedFight, begin, draw, narrate, outcome, play};
use crate::cast::{Appearance, Dead, Faction, Kind, spawn};
use crate::context::Chapters;
use crate::event::{By, EventQueue};
use crate::exchange::{Answer, Ask, Prose, Reply};
use crate::mind::{MindError, ScriptLine, ScriptMind};
use crate::rpg::components::{
    CurrentFight, Effect, Effects, FightResult, Fighter, Foe, Health, LastFight, RpgWorld,
};
use crate::rpg::phase::Phase;
use crate::rpg::world_file::{Dungeon, Fight, Skill, SkillKind, Stats, WorldFile};
use crate::testing::{TinyWorld, newcomer, tiny};

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
        ..WorldFile::default()
    }
}

pub(crate) fn fight_test() -> FightTest {
    let mut tiny = tiny();
    let setup = &mut tiny.setup;
    crate::rpg::events::register(&mut setup.world);
    crate::rpg::components::plugin(setup);
    crate::rpg::phase::plugin(setup);
    super::plugin(setup);
    crate::rpg::archive::plugin(setup);
    let world = tiny.world();
    world.insert_resource(RpgWorld(Arc::new(world_file())));
    let mut enter =
        |name: &str| spawn(world, newcomer(name, Kind::Actor, Some("Hall"))).expect("a new name");
    let (owl, rat) = (enter("Owl"), enter("Rat"));
    let (hall, ann, bob) = (tiny.hall, tiny.ann, tiny.bob);
    let world = tiny.world();
    for (who, camp, speed) in [
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
            Faction(camp.into()),
            Health::full(20),
            Fighter { stats, skills },
            Effects::default(),
            Appearance("somebody".into()),
        ));
    }
    world.entity_mut(owl).insert(Foe { returns: true });
    world.entity_mut(rat).insert(Foe { returns: false });
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

    /// The fight under way, before its first draw.
    fn begun() -> Self {
        let mut fight = fight_test();
        fight.run(begin::begin_fight);
        let everybody = fight.everybody();
        for who in everybody {
            fight.world().entity_mut(who).remove::<Ask<Prose>>();
        }
        fight.world().resource_mut::<EventQueue>().0.clear();
        fight
    }

    fn everybody(&self) -> [Entity; 4] {
        [self.tiny.ann, self.tiny.bob, self.owl, self.rat]
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
            .insert(Answer::new(reply, By::Mind));
    }

    fn wound(&mut self, who: Entity, hp: i32) {
        self.world().entity_mut(who).insert(Health { hp, max: 20 });
    }

    fn told(&self) -> Vec<(&'static str, Vec<Entity>)> {
        let queue = self.tiny.setup.world.resource::<EventQueue>();
        let told = queue
            .0
            .iter()
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

fn hand(cards: impl IntoIterator<Item = Card>) -> Hand {
    Hand {
        cards: cards.into_iter().collect(),
    }
}

#[test]
fn a_beginning_is_told_to_the_stage_and_everybody_is_asked_with_its_tags() {
    let mut fight = fight_test();
    fight.run(begin::begin_fight);
    assert_eq!(fight.told(), [("combat_start", vec![fight.tiny.hall])]);
    for who in fight.everybody() {
        let ask: &Ask<Prose> = fight.get(who);
        assert_eq!(ask.purpose(), "combat.initiation");
        assert_eq!(ask.tags().text("combat_initialization"), Some("Hall"));
        assert_eq!(ask.tags().text("combat_id"), Some("Hall/1"));
        assert!(ask.fallback().check(ask.constraints()).is_empty());
    }
    let notes = fight.get::<Ask<Prose>>(fight.rat).noted();
    assert_eq!(notes["allies"], serde_json::json!(["Owl"]));
    assert_eq!(notes["foes"][0]["name"], "Ann");
    assert_eq!(fight.phase(), Phase::FightBegun);
}

#[test]
fn the_fallen_of_an_earlier_fight_take_no_part() {
    let mut fight = fight_test();
    let bob = fight.tiny.bob;
    fight.world().entity_mut(bob).insert(Dead);
    fight.run(begin::begin_fight);
    assert!(fight.world().get::<Ask<Prose>>(bob).is_none());
    assert_eq!(fight.get::<Combat>(fight.tiny.hall).heroes, ["Ann".into()]);
}

#[test]
fn first_thoughts_stay_private() {
    let mut fight = FightTest::begun();
    let ann = fight.tiny.ann;
    fight.answer(ann, Prose("I am afraid.".into()));
    fight.run(begin::take_first_thoughts);
    assert!(fight.told().is_empty());
    assert_eq!(fight.phase(), Phase::Draw);
}

#[test]
fn everybody_sees_the_round_and_draws_what_is_of_use() {
    let mut fight = FightTest::begun();
    let (hall, ann, rat) = (fight.tiny.hall, fight.tiny.ann, fight.rat);
    fight
        .world()
        .get_mut::<Fighter>(rat)
        .expect("fights")
        .skills
        .clear();
    fight.run(draw::draw_hands);
    let all = [vec![hall], fight.everybody().to_vec()].concat();
    assert_eq!(fight.told(), [("combat_round", all)]);
    // Nobody is hurt, so nobody holds a balm.
    let targets = vec!["Owl".into(), "Rat".into()];
    let ask: &Ask<Hand> = fight.get(ann);
    assert_eq!(
        *ask.constraints(),
        [PlayableSkill {
            skill: "Cut".into(),
            targets
        }]
    );
    assert!(ask.fallback().check(ask.constraints()).is_empty());
    assert!(ask.short().is_some());
    assert!(
        fight.world().get::<Ask<Hand>>(rat).is_none(),
        "without skills one passes"
    );
    assert_eq!(fight.phase(), Phase::Play);
}

#[test]
fn the_hurt_are_healed_by_rule_and_by_choice() {
    let mut fight = FightTest::begun();
    let (ann, bob) = (fight.tiny.ann, fight.tiny.bob);
    fight.wound(bob, 4);
    fight.run(draw::draw_hands);
    let notes = fight.get::<Ask<Hand>>(ann).noted().clone();
    let balm = notes["hand"]
        .as_array()
        .expect("is a list")
        .iter()
        .find(|card| card["skill"] == "Balm");
    assert_eq!(
        balm.expect("is in hand")["legal"],
        serde_json::json!(["Bob"])
    );
    fight.world().entity_mut(ann).remove::<Ask<Hand>>();
    fight.answer(ann, hand([card("Balm", &["Bob"])]));
    fight.run(play::play_hands);
    assert_eq!(fight.get::<Health>(bob).hp, 9);
}

#[test]
fn a_card_hurts_and_everybody_learns_of_it() {
    let mut fight = FightTest::begun();
    let (hall, ann, rat) = (fight.tiny.hall, fight.tiny.ann, fight.rat);
    fight.answer(ann, hand([card("Cut", &["Rat"])]));
    fight.run(play::play_hands);
    assert_eq!(fight.get::<Health>(rat).hp, 20 - (5 + 3 - 1));
    let all = [vec![hall], fight.everybody().to_vec()].concat();
    assert_eq!(fight.told(), [("card_played", all)]);
    let action = &fight.get::<Combat>(hall).actions[0];
    assert_eq!(
        (&*action.by, &*action.target, action.amount, action.fell),
        ("Ann", "Rat", 7, false)
    );
    assert_eq!(fight.phase(), Phase::Narrate);
}

#[test]
fn the_fallen_learn_of_their_death_and_of_nothing_after() {
    let mut fight = FightTest::begun();
    let (hall, ann, bob, owl, rat) = (
        fight.tiny.hall,
        fight.tiny.ann,
        fight.tiny.bob,
        fight.owl,
        fight.rat,
    );
    fight.wound(rat, 1);
    fight.answer(ann, hand([card("Cut", &["Rat"])]));
    fight.answer(bob, hand([card("Cut", &["Rat"])]));
    fight.answer(rat, hand([card("Cut", &["Ann"])]));
    fight.run(play::play_hands);
    let everybody = vec![hall, ann, bob, owl, rat];
    let others = vec![hall, ann, bob, owl];
    let told = [
        ("card_played", everybody.clone()),
        ("death", everybody),
        ("card_played", others),
    ];
    assert_eq!(fight.told(), told);
    assert!(fight.world().get::<Dead>(rat).is_some());
    // Bob's card found another; the fallen rat's own was never played.
    assert_eq!(fight.get::<Health>(owl).hp, 13);
    assert_eq!(fight.get::<Health>(ann).hp, 20);
}

#[test]
fn the_stage_tells_the_round_to_all_but_itself() {
    let mut fight = FightTest::begun();
    let hall = fight.tiny.hall;
    fight.run(narrate::ask_narration);
    let ask: &Ask<Prose> = fight.get(hall);
    assert_eq!(ask.purpose(), "combat.narrate");
    assert!(ask.short().is_some() && ask.fallback().check(ask.constraints()).is_empty());
    fight.world().entity_mut(hall).remove::<Ask<Prose>>();
    fight.answer(hall, Prose("Dust falls.".into()));
    fight.run(narrate::take_narration);
    assert_eq!(fight.told(), [("narration", fight.everybody().to_vec())]);
}

#[test]
fn an_outcome_reaches_the_fallen_too_and_brings_its_gain() {
    let mut fight = FightTest::begun();
    let (hall, ann, bob, owl, rat) = (
        fight.tiny.hall,
        fight.tiny.ann,
        fight.tiny.bob,
        fight.owl,
        fight.rat,
    );
    for fallen in [bob, owl, rat] {
        fight.wound(fallen, 0);
        fight.world().entity_mut(fallen).insert(Dead);
    }
    let effect = Effect {
        skill: "Ward".into(),
        attack: 0,
        defense: 5,
        rounds: 2,
    };
    fight.world().entity_mut(ann).insert(Effects(vec![effect]));
    fight.run(outcome::end_fight);
    assert_eq!(
        fight.told(),
        [("combat_outcome", vec![hall, ann, bob, owl, rat])]
    );
    let FinishedFight { outcome, .. } = fight.get(hall);
    assert_eq!(outcome.result, FightResult::Won);
    assert_eq!(
        (&outcome.fallen[..], &outcome.felled[..]),
        (
            &["Bob".to_owned()][..],
            &["Owl".to_owned(), "Rat".to_owned()][..]
        )
    );
    assert_eq!(outcome.gains, ["A brass key."]);
    assert_eq!(fight.get::<CurrentFight>(hall).end, Some(FightResult::Won));
    assert_eq!(
        fight.get::<LastFight>(bob).foes,
        ["Owl".into(), "Rat".into()]
    );
    assert!(fight.get::<Effects>(ann).0.is_empty());
    assert_eq!(fight.phase(), Phase::Summarize);
}

#[test]
fn a_fight_is_lost_without_heroes_and_drawn_when_its_rounds_run_out() {
    let mut fight = FightTest::begun();
    let (hall, ann, bob) = (fight.tiny.hall, fight.tiny.ann, fight.tiny.bob);
    fight.run(outcome::end_fight);
    assert_eq!(fight.get::<CurrentFight>(hall).end, None, "it goes on");
    fight
        .world()
        .get_mut::<Combat>(hall)
        .expect("a fight")
        .round = 1_000;
    fight.run(outcome::end_fight);
    assert_eq!(
        fight.get::<CurrentFight>(hall).end,
        Some(FightResult::Drawn)
    );
    assert!(fight.get::<FinishedFight>(hall).outcome.gains.is_empty());
    fight.wound(ann, 0);
    fight.wound(bob, 0);
    fight.run(outcome::end_fight);
    assert_eq!(fight.get::<CurrentFight>(hall).end, Some(FightResult::Lost));
}

#[test]
fn effects_wear_off_at_the_end_of_a_round_and_everybody_hears() {
    let mut fight = FightTest::begun();
    let ann = fight.tiny.ann;
    let effect = |rounds| Effect {
        skill: format!("Ward {rounds}").into(),
        attack: 0,
        defense: 5,
        rounds,
    };
    fight
        .world()
        .entity_mut(ann)
        .insert(Effects(vec![effect(1), effect(2)]));
    fight.run(outcome::next_round);
    assert_eq!(fight.told().len(), 1);
    assert_eq!(fight.told()[0].0, "status_change");
    assert_eq!(fight.get::<Effects>(ann).0[0].rounds, 1);
    assert_eq!(fight.phase(), Phase::Draw);
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
    let fight = fight_test();
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

// --- the hand ---

#[test]
fn every_broken_rule_of_a_hand_is_named() {
    let legal = |skill: &str, targets: &[&str]| PlayableSkill {
        skill: skill.into(),
        targets: targets.iter().map(|name| (*name).into()).collect(),
    };
    let facts = vec![legal("Cut", &["Owl", "Rat"]), legal("Balm", &["Ann"])];
    let good = hand([card("Balm", &["Ann"]), card("Cut", &["Rat", "Owl"])]);
    assert!(good.check(&facts).is_empty());
    let mut long = card("Cut", &["Rat", "Ann"]);
    long.name = "x".repeat(41);
    long.description.clear();
    let bad = hand([long, card("Cut", &[]), card("Curse", &["Owl"])]);
    let told: Vec<_> = bad
        .check(&facts)
        .into_iter()
        .map(|b| format!("{}: {}", b.path, b.rule))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    cards[0].name: at most 40 characters; this has 41
    cards[0].description: must not be empty
    cards[0].targets[1]: 'Cut' can't be used on 'Ann'; choose from: Owl, Rat
    cards[1].targets: name at least one of: Owl, Rat
    cards[2].skill: 'Curse' is not in your hand, which holds: Cut, Balm
    cards: exactly one card of 'Cut', not 2
    cards: a card of 'Balm' is missing
    ");
}

#[test]
fn the_schema_of_a_hand_is_narrowed_to_what_is_legal() {
    let mut fight = FightTest::begun();
    fight.run(draw::draw_hands);
    let schema = fight.get::<Ask<Hand>>(fight.tiny.ann).constrained_schema();
    let cards = &schema["properties"]["cards"];
    assert_eq!(
        (&cards["minItems"], &cards["maxItems"]),
        (&1.into(), &1.into())
    );
    let card = &cards["items"]["properties"];
    assert_eq!(card["skill"]["enum"], serde_json::json!(["Cut"]));
    assert_eq!(
        card["targets"]["items"]["enum"],
        serde_json::json!(["Owl", "Rat"])
    );
}

// --- the rules ---

fn combatant(number: usize, hero: bool, hp: i32, stats: Stats) -> Combatant {
    Combatant {
        entity: Entity::PLACEHOLDER,
        name: format!("C{number}").into(),
        faction: if hero { "hero" } else { "foe" }.into(),
        look: "".into(),
        stats,
        skills: Vec::new(),
        health: Health { hp, max: stats.hp },
        effects: Vec::new(),
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
    let all = [of(0, 2), of(1, 4), of(2, 4), of(3, 2)];
    assert_eq!(
        initiative(&all, |name| u32::from(name == "C2")),
        [2, 1, 0, 3]
    );
}

#[test]
fn healing_is_for_those_who_miss_most_and_attacks_for_the_weakest() {
    let stats = Stats {
        hp: 10,
        ..Stats::default()
    };
    let all = [
        (true, 10),
        (true, 3),
        (true, 6),
        (false, 9),
        (false, 2),
        (false, 0),
    ];
    let all: Vec<_> = all
        .iter()
        .enumerate()
        .map(|(at, (hero, hp))| combatant(at, *hero, *hp, stats))
        .collect();
    assert_eq!(legal_targets(SkillKind::Heal, 0, &all), [1, 2]);
    assert_eq!(legal_targets(SkillKind::Attack, 0, &all), [4, 3]);
    assert_eq!(legal_targets(SkillKind::Guard, 3, &all), [4, 3]);
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
    let one = (kinds(), 1..2_000_000_000i32, 0..5i32, 0..=100i32, 0..4i32);
    prop::collection::vec(one, 1..6).prop_map(|all| {
        let named =
            all.into_iter()
                .enumerate()
                .map(|(number, (kind, power, cost, accuracy, duration))| Skill {
                    name: format!("S{number}"),
                    kind,
                    power,
                    cost,
                    accuracy,
                    duration,
                    about: String::new(),
                });
        named.collect()
    })
}

fn fighters() -> impl Strategy<Value = Vec<Combatant>> {
    let one = (
        any::<bool>(),
        1..60i32,
        0..60i32,
        0..2_000_000_000i32,
        0..40i32,
        0..9i32,
    );
    prop::collection::vec(one, 2..7).prop_map(|all| {
        let named = all.into_iter().enumerate().map(
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
        all in fighters(),
        skills in skills(),
        wishes in prop::collection::vec((0..7usize, 0..7usize, 0..7usize), 0..30),
        rolls in prop::collection::vec(0..100i32, 1..9),
    ) {
        let mut hands: BTreeMap<usize, Hand> = BTreeMap::new();
        for (by, skill, target) in wishes {
            let wish = card(&format!("S{skill}"), &[&format!("C{target}")]);
            hands.entry(by % all.len()).or_default().cards.push(wish);
        }
        let order = initiative(&all, |_| 0);
        let mut now = all.clone();
        let mut rolls = rolls.iter().cycle();
        let find = |name: &str| skills.iter().find(|skill| skill.name == name);
        let played = play_round(&mut now, &order, &hands, find, |_, _| *rolls.next().unwrap_or(&0));
        for (before, after) in all.iter().zip(&now) {
            prop_assert!((0..=after.health.max).contains(&after.health.hp));
            prop_assert!(before.is_standing() || !after.is_standing(), "nobody rises from the dead");
            prop_assert!(after.attack() >= 0 && after.defense() >= 0);
        }
        let mut spent = vec![0; all.len()];
        let mut fallen: Vec<usize> = (0..all.len()).filter(|at| !all[*at].is_standing()).collect();
        for one in &played {
            prop_assert!(!fallen.contains(&one.by) && !fallen.contains(&one.target));
            let hostile = matches!(one.skill.kind, SkillKind::Attack | SkillKind::Weaken);
            prop_assert_eq!(hostile, !all[one.by].is_ally_of(&all[one.target]));
            spent[one.by] += one.skill.cost;
            if one.result.fell {
                fallen.push(one.target);
            }
        }
        for (one, spent) in all.iter().zip(spent) {
            prop_assert!(spent <= one.stats.energy);
        }
        let lasting = |all: &[Combatant]| all.iter().map(|one| one.effects.len()).sum::<usize>();
        let before = lasting(&now);
        let ended = wear_off(&mut now).len();
        prop_assert_eq!(before, ended + lasting(&now));
    }
}
