//! Scenes of a fight, and the rules under random rounds.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::context::Chapters;
use playhouse_engine::engine::Engine;
use playhouse_engine::event::EventQueue;
use playhouse_engine::exchange::Reply;
use playhouse_engine::mind::{MindError, ScriptLine, ScriptMind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::FinishedFight;
use super::arena::Combatant;
use super::choice::{Action, Card, ChoiceConstraints, CombatChoice, PlayableSkill};
use super::draw::draw_cards;
use super::rules::{PlayedCard, initiative, legal_targets, play_cards, wear_off};
use super::state::Hand;
use super::wounds::heal_wounds;
use crate::campaign_phase::{CampaignPhase, CampaignState, FightPlace};
use crate::components::{CurrentFight, Health, LastFight, Wounded};
use crate::journey::continue_journey;
use crate::testing::{play_all, ron, scene};
use crate::world_file::{Skill, SkillKind, Stats};

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
fn scenes_of_a_fight() {
    play_all(include_str!("tests.scenes"));
}

#[test]
fn a_wound_heals_at_home() {
    let mut scene = scene("");
    scene.play(r#"! Wound("Ann", 2)"#);
    scene.events.clear();
    scene.at_meeting(heal_wounds);
    scene.play("=> no wound");
    scene.at_meeting(heal_wounds);
    scene.play("=> wound to Ann, Bob, Hall");
    assert!(!scene.has::<Wounded>("Ann"));
}

#[test]
fn whoever_has_fought_keeps_the_foes_and_its_words_and_puts_its_hand_down() {
    let mut scene = scene("");
    scene.play(
        "fight
        Ann: hold
        Bob: hold
        Owl: yield
        Rat: yield
        Den: Dust falls.",
    );
    let foes = &scene.get::<LastFight>("Bob").foes;
    assert_eq!(*foes, ["Owl".into(), "Rat".into()]);
    assert!(!scene.has::<Hand>("Ann") || scene.get::<Hand>("Ann").cards.is_empty());
}

#[test]
fn a_hand_is_told_with_its_round_as_a_tag() {
    let mut scene = scene("");
    scene.fight();
    scene.insert("Ann", Hand::default());
    scene.world().run_system_once(draw_cards).expect("runs");
    let told = &scene.world().resource::<EventQueue>().0;
    assert_eq!(told[0].tags.get("draw_cards").cloned(), Some(1.into()));
}

#[tokio::test]
async fn a_fight_without_a_single_answer_is_fought_summed_up_and_archived() {
    let mut scene = scene("limits: (combat_rounds: 3)");
    let [ann, den] = ["Ann", "Den"].map(|name| scene.find(name));
    scene.play(r#"! Move("Ann", "Den"), Move("Bob", "Den"), Join("Bob")"#);
    let at = FightPlace {
        dungeon: "Cellar".into(),
        fight: 0,
    };
    let travel = CampaignPhase::Travel { at };
    let phase = scene.at_meeting(|world| continue_journey(world, travel));
    scene.world().insert_resource(CampaignState {
        phase: phase.expect("there is a fight"),
        ..CampaignState::default()
    });
    let [owl, rat] = ["Owl", "Rat"].map(|name| scene.find(name));
    let mute = ScriptMind::by_rule(|_| {
        ScriptLine::fail(MindError::ScriptExhausted {
            entity: "all".into(),
            number: 0,
        })
    });
    let mut engine = Engine::in_memory(scene.setup, mute).expect("every order is declared");
    engine.run(Some(1)).await.expect("runs");
    let world = &engine.world;
    let fight = world.get::<CurrentFight>(den);
    assert!(fight.is_some_and(|fight| fight.end.is_some()));
    assert!(world.get::<FinishedFight>(den).is_none());
    let chapters = |who| world.get::<Chapters>(who).map_or(0, |all| all.all().len());
    let expected = [1, 1, 1, 0];
    assert_eq!(
        [den, ann, owl, rat].map(chapters),
        expected,
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
    let mut fight = scene("");
    fight.fight();
    let schema = fight.ask::<CombatChoice>("Ann").constrained_schema();
    let card = &schema["properties"]["cards"]["items"]["properties"];
    assert_eq!(card["skill"]["enum"], json!(["Cut", "Ward"]));
    let targets = &card["targets"]["items"]["enum"];
    assert_eq!(*targets, json!(["Owl", "Rat", "Ann", "Bob"]));
    let constraints = ChoiceConstraints {
        may_yield: true,
        ..ChoiceConstraints::default()
    };
    let schema =
        CombatChoice::constrain_schema(&Value::Null, &constraints).expect("is constrained");
    assert!(schema["properties"].get("cards").is_none());
    let actions = &schema["properties"]["action"]["enum"];
    assert_eq!(*actions, json!(["hold", "flee", "yield"]));
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
    let of = |number, speed: i32| {
        let stats: Stats = ron(&format!("(hp: 5, speed: {speed})"));
        combatant(number, true, 5, stats)
    };
    let combatants = [of(0, 2), of(1, 4), of(2, 4), of(3, 2)];
    assert_eq!(
        initiative(&combatants, |name| u32::from(name == "C2")),
        [2, 1, 0, 3]
    );
}

#[test]
fn healing_is_for_those_who_miss_most_and_attacks_for_the_weakest() {
    let stats: Stats = ron("(hp: 10)");
    let hp = [10, 3, 6, 9, 2, 0].into_iter().enumerate();
    let combatants = hp.map(|(index, hp)| combatant(index, index < 3, hp, stats));
    let combatants: Vec<_> = combatants.collect();
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
