//! What is claimed of conditions, compared with how they are evaluated.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    CastList, Dead, Faction, Kind, OnStage, SpawnSpec, WorldSeed, WorldTurn, spawn,
};
use playhouse_engine::knowledge::{Fact, FactBook, Knowledge, Today};
use playhouse_engine::locale::Localize;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const PEOPLE: [&str; 3] = ["Ann", "Bob", "Cy"];
const STAGES: [&str; 2] = ["Hall", "Yard"];
const ITEMS: [&str; 2] = ["log", "cup"];
const FACTS: [&str; 2] = ["order", "boy"];
const CLAIMS: [&str; 2] = ["It rains.", "It is late."];

/// A scene that is played once and one that is not.
const SCENES: [&str; 2] = ["once", "again"];
const OPTIONS: [&str; 2] = ["a", "b"];

/// A world of which nothing is known, except that one scene is played only once.
struct Anywhere;

impl ConditionContext for Anywhere {
    fn settles(&self, _: &Condition) -> Option<(bool, Impossible)> {
        None
    }

    fn first_day(&self, _: &Condition) -> u32 {
        0
    }

    fn holds_alone(&self, condition: &Condition) -> bool {
        matches!(condition, Condition::Chose(scene, _) if scene == "once")
    }
}

fn names(list: &'static [&'static str]) -> impl Strategy<Value = String> + Clone {
    select(list).prop_map(str::to_owned)
}

fn who() -> impl Strategy<Value = String> + Clone {
    select(vec!["Ann", "Bob", "Cy", PARTY]).prop_map(str::to_owned)
}

fn occasion() -> impl Strategy<Value = Occasion> + Clone {
    select(vec![Occasion::Morning, Occasion::Travel, Occasion::Return])
}

fn goal() -> impl Strategy<Value = GoalState> + Clone {
    select(vec![GoalState::Open, GoalState::Met, GoalState::Lost])
}

fn result() -> impl Strategy<Value = FightResult> + Clone {
    select(vec![FightResult::Won, FightResult::Lost])
}

/// Any condition on the few names of the test's world.
fn condition() -> impl Strategy<Value = Condition> + Clone {
    let holder = prop_oneof![who(), names(&STAGES)];
    let simple = prop_oneof![
        1 => Just(Condition::Always),
        1 => Just(Condition::Never),
        3 => (who(), names(&FACTS)).prop_map(|(who, fact)| Condition::Knows(who, fact)),
        5 => (holder, names(&ITEMS)).prop_map(|(who, item)| Condition::Holds(who, item)),
        8 => (who(), names(&STAGES)).prop_map(|(who, stage)| Condition::At(who, stage)),
        5 => prop::collection::vec(who(), 0..3).prop_map(Condition::Together),
        4 => who().prop_map(Condition::Alive),
        5 => (-1..5i32).prop_map(|least| Condition::Quality("lamp".into(), least)),
        5 => (who(), names(&PEOPLE), -4..5i32)
            .prop_map(|(from, to, least)| Condition::Bond(from, to, least)),
        5 => (0..4u32).prop_map(Condition::Day),
        4 => occasion().prop_map(Condition::Now),
        2 => names(&STAGES).prop_map(Condition::Voted),
        2 => (names(&STAGES), result())
            .prop_map(|(stage, result)| Condition::Fought(stage, result)),
        2 => who().prop_map(Condition::Fell),
        4 => names(&SCENES).prop_map(Condition::Happened),
        6 => (names(&SCENES), names(&OPTIONS)).prop_map(|(of, id)| Condition::Chose(of, id)),
        2 => (who(), names(&PEOPLE)).prop_map(|(from, to)| Condition::Promised(from, to)),
        4 => (who(), 0..2usize, goal()).prop_map(|(who, number, is)| Condition::Goal(who, number, is)),
        2 => select(vec![0, 50, 100]).prop_map(Condition::Chance),
        2 => (names(&CLAIMS), prop::collection::vec(names(&CLAIMS), 0..2))
            .prop_map(|(claim, signs)| Condition::Judged { claim, signs }),
    ];
    simple.prop_recursive(3, 12, 3, |inner| {
        let parts = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            3 => parts.clone().prop_map(Condition::All),
            2 => parts.prop_map(Condition::Any),
            2 => inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<CastList>();
    world.insert_resource(FactBook::new(FACTS.map(|id| Fact {
        id: id.into(),
        ..Fact::default()
    })));
    world.insert_resource(WorldSeed(7));
    world.init_resource::<History>();
    world.init_resource::<Judgements>();
    world.init_resource::<Today>();
    world.init_resource::<WorldTurn>();
    world.init_resource::<Occasion>();
    world.init_resource::<Qualities>();
    let mut enter = |name: &str, kind, stage: Option<&str>| {
        let spec = SpawnSpec {
            name: name.into(),
            kind,
            rules: None,
            identity: "I am.".into(),
            stage: stage.map(Into::into),
        };
        spawn(&mut world, spec).expect("a new name")
    };
    for stage in STAGES {
        enter(stage, Kind::Stage, None);
    }
    for name in PEOPLE {
        enter(name, Kind::Actor, Some("Hall"));
    }
    world
}

/// Numbers of which a state is made, and which run out at 0.
struct Dice<'a>(std::slice::Iter<'a, u8>);

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % sides
    }

    fn some<'n>(&mut self, names: &[&'n str]) -> Vec<&'n str> {
        names
            .iter()
            .copied()
            .filter(|_| self.roll(2) == 1)
            .collect()
    }
}

/// Puts a world into any state that a story could reach.
fn set(world: &mut World, rolls: &[u8]) {
    let mut dice = Dice(rolls.iter());
    let holders = [&PEOPLE[..], &STAGES].concat();
    let held = ITEMS.map(|item| (item, dice.roll(holders.len() + 1)));
    for (number, name) in holders.iter().enumerate() {
        let entity = by_name(world, name);
        let held = held.iter().filter(|(_, holder)| *holder == number);
        let held = held.map(|(item, _)| (*item).into()).collect();
        let knowledge = Knowledge::at_start(dice.some(&FACTS));
        world
            .entity_mut(entity)
            .insert((Belongings(held), knowledge));
    }
    for name in PEOPLE {
        let entity = by_name(world, name);
        let stage = by_name(world, STAGES[dice.roll(2)]);
        let is_hero = dice.roll(3) > 0;
        let side = if is_hero { "hero" } else { "neutral" };
        let bonds = PEOPLE.map(|other| {
            let value = dice.roll(7) as i32 - 3;
            let word = "".into();
            (other.into(), Bond { word, value })
        });
        let promises = dice.some(&PEOPLE).into_iter().map(|to| Promise {
            to: to.into(),
            ..Promise::default()
        });
        let states = [GoalState::Open, GoalState::Met, GoalState::Lost];
        let goals = Goals(vec![states[dice.roll(3)]; dice.roll(3)]);
        let promises = Promises(promises.collect());
        let is_dead = dice.roll(3) == 0;
        let mut entity = world.entity_mut(entity);
        entity.insert((
            OnStage(stage),
            Faction(side.into()),
            Bonds(bonds.into()),
            promises,
            goals,
        ));
        entity.remove::<Dead>();
        if is_dead {
            entity.insert(Dead);
        }
    }
    let mut history = History {
        fallen: dice.some(&PEOPLE).into_iter().map(Into::into).collect(),
        ..History::default()
    };
    for scene in dice.some(&SCENES) {
        history.scenes.push((scene.into(), 1));
        let most = if scene == "once" { 1 } else { 2 };
        for option in dice.some(&OPTIONS).into_iter().take(most) {
            let choice = (scene.into(), option.into(), "Ann".into());
            history.choices.push(choice);
        }
    }
    for stage in STAGES {
        let ends = [FightResult::Won, FightResult::Lost];
        let ends = ends.into_iter().filter(|_| dice.roll(2) == 1);
        history.fights.extend(ends.map(|end| (stage.into(), end)));
    }
    let votes = dice.some(&STAGES);
    history.votes = votes.into_iter().map(|won| (won.into(), 1)).collect();
    world.insert_resource(history);
    let found = dice.some(&CLAIMS);
    let found = found
        .into_iter()
        .map(|claim| (claim.into(), Finding::default()));
    let found = found.collect();
    world.insert_resource(Judgements {
        found,
        ..Judgements::default()
    });
    let occasions = [Occasion::Morning, Occasion::Travel, Occasion::Return];
    world.insert_resource(occasions[dice.roll(3)]);
    world.insert_resource(Today(dice.roll(5) as u32));
    world.insert_resource(WorldTurn(dice.roll(9) as u64));
    let lamp = dice.roll(4) as i32;
    world.insert_resource(Qualities([("lamp".into(), lamp)].into()));
}

fn by_name(world: &World, name: &str) -> Entity {
    let list = world.resource::<CastList>();
    list.by_name(name).expect("is there")
}

fn states() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 90), 32)
}

fn cases(condition: &Condition) -> Option<Cases<'_>> {
    Cases::of(&[(condition, true)], &Anywhere)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_called_impossible_never_holds(
        parts in prop::collection::vec(condition(), 1..4),
        states in states(),
    ) {
        let whole = Condition::All(parts);
        let Some(cases) = cases(&whole) else { return Ok(()) };
        let (why, is_certain) = (cases.impossible(), cases.is_certain());
        if why.is_none() && !is_certain {
            return Ok(());
        }
        let mut world = world();
        for state in states {
            set(&mut world, &state);
            prop_assert_eq!(whole.holds(&world, "key"), is_certain, "{:?}", why);
        }
    }

    #[test]
    fn what_is_implied_holds_whenever_the_other_does(
        first in condition(),
        second in condition(),
        more in condition(),
        states in states(),
    ) {
        let both = Condition::All(vec![first.clone(), more.clone()]);
        let either = Condition::Any(vec![first.clone(), more]);
        let mut world = world();
        let pairs = [(&first, &second), (&both, &first), (&first, &either), (&both, &second)];
        for (strong, weak) in pairs {
            let (Some(strong_cases), Some(weak_cases)) = (cases(strong), cases(weak)) else {
                continue;
            };
            if !strong_cases.imply([&weak_cases]) {
                continue;
            }
            for state in &states {
                set(&mut world, state);
                let (strong, weak) = (strong.holds(&world, "a"), weak.holds(&world, "b"));
                prop_assert!(!strong || weak);
            }
        }
    }
}

fn read(text: &str) -> Condition {
    ron::from_str(text).expect("a condition")
}

#[test]
fn contradictions_are_found_and_named() {
    let why = |text: &str| {
        let condition = read(text);
        let impossible = cases(&condition).expect("few cases").impossible();
        impossible.map(|why| why.why().text().to_string())
    };
    for (text, said) in [
        ("Never", "it is Never"),
        ("All([All([Never])])", "it is Never"),
        ("Any([])", "list of conditions is empty"),
        ("Not(All([]))", "list of conditions is empty"),
        ("Not(Always)", "Always always holds"),
        ("Not(Chance(100))", "Chance(100) always holds"),
        ("Chance(0)", "the chance is 0"),
        ("Not(Together([]))", "always holds"),
        ("Bond(\"Ann\", \"Bob\", 4)", "the maximum value is 3"),
        (
            "All([Day(1), Not(Day(1))])",
            "Day(1) and Not(Day(1)) can't both hold",
        ),
        ("All([Day(3), Not(Day(2))])", "Not(Day(2))"),
        (
            "All([Now(Morning), Any([Now(Travel), Now(Return)])])",
            "Now(Morning) and Now(Travel)",
        ),
        (
            "All([At(\"Ann\", \"Hall\"), At(\"Ann\", \"Yard\")])",
            "can't both hold",
        ),
        (
            "All([At(\"Ann\", \"Hall\"), Not(Alive(\"Ann\"))])",
            "Not(Alive(\"Ann\"))",
        ),
        (
            "All([Together([\"Ann\", \"Bob\"]), At(\"Ann\", \"Hall\"), At(\"Bob\", \"Yard\")])",
            "At(\"Bob\",\"Yard\")",
        ),
        (
            "All([Together([\"Ann\", \"Bob\"]), At(\"Ann\", \"Hall\"), Not(At(\"Bob\", \"Hall\"))])",
            "Together",
        ),
        (
            "All([Holds(\"Ann\", \"log\"), Holds(\"Hall\", \"log\")])",
            "can't both hold",
        ),
        (
            "All([Goal(\"Ann\", 0, Met), Goal(\"Ann\", 0, Lost)])",
            "Goal(\"Ann\", 0, Lost)",
        ),
        (
            "All([Chose(\"once\", \"a\"), Chose(\"once\", \"b\")])",
            "can't both hold",
        ),
        (
            "All([Chose(\"once\", \"a\"), Not(Happened(\"once\"))])",
            "can't both hold",
        ),
        (
            "All([Quality(\"lamp\", 3), Not(Quality(\"lamp\", 2))])",
            "can't both hold",
        ),
        (
            "All([Judged(claim: \"a\", signs: [\"b\"]), Not(Judged(claim: \"a\"))])",
            "can't both hold",
        ),
    ] {
        let found = why(text).unwrap_or_else(|| panic!("{text} is taken for possible"));
        assert!(found.contains(said), "{text}: {found}");
    }
    for text in [
        "All([Chance(50), Not(Chance(50))])",
        "All([At(\"party\", \"Hall\"), At(\"party\", \"Yard\")])",
        "All([Chose(\"again\", \"a\"), Chose(\"again\", \"b\")])",
        "All([Fought(\"Hall\", Won), Fought(\"Hall\", Lost)])",
        "Any([Never, Day(2)])",
        "Not(Never)",
    ] {
        assert_eq!(why(text), None, "{text}");
    }
}

#[test]
fn what_one_condition_says_of_another_is_found() {
    let implies = |strong: &str, weak: &str| {
        let (strong, weak) = (read(strong), read(weak));
        let cases = (cases(&strong), cases(&weak));
        let (Some(strong), Some(weak)) = cases else {
            panic!("few cases")
        };
        strong.imply([&weak])
    };
    for (strong, weak) in [
        (
            "All([Happened(\"a\"), Day(2)])",
            "Any([Happened(\"a\"), Happened(\"b\")])",
        ),
        ("Day(3)", "Day(2)"),
        ("Not(Day(2))", "Not(Day(3))"),
        ("Chose(\"a\", \"b\")", "Happened(\"a\")"),
        (
            "Together([\"Ann\", \"Bob\", \"Cy\"])",
            "Together([\"Cy\", \"Ann\"])",
        ),
        ("Now(Morning)", "Not(Now(Travel))"),
        ("Any([Day(3), All([Day(2), Happened(\"a\")])])", "Day(2)"),
        ("Happened(\"a\")", "Not(Never)"),
        ("Never", "Happened(\"a\")"),
    ] {
        assert!(implies(strong, weak), "{strong} implies {weak}");
        assert!(
            strong == "Never" || !implies(weak, strong),
            "{weak} implies {strong}"
        );
    }
    assert!(!implies("Chance(50)", "Chance(50)"));
}

#[test]
fn of_what_has_too_many_cases_nothing_is_claimed() {
    let either = |number: u32| {
        let day = |day| Condition::Not(Box::new(Condition::Day(day)));
        Condition::Any(vec![day(number), Condition::Happened(format!("{number}"))])
    };
    let many = |count| Condition::All((1..=count).map(either).collect());
    assert!(cases(&many(4)).is_some());
    assert!(cases(&many(200)).is_none());
}
