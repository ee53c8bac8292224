//! Law 8: every loop, ask and expense has a limit that is checked before it is spent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::CurrentStage;
use playhouse_engine::engine::{Engine, EngineError, Signal, SpendLimits, StepSet, Stop};
use playhouse_engine::event::{DeferredCommands, EventWriter, Fault};
use playhouse_engine::exchange::{Answers, Ask, Budget, Ledger, Prose, ProseRules};
use playhouse_engine::journal::{Line, Recording};
use playhouse_engine::message::TokenUsage;
use playhouse_engine::mind::{Completion, Cost, Price, ScriptLine, ScriptMind};
use playhouse_engine::testing::tiny;
use proptest::prelude::*;

use super::block_on;
use super::game::{SMALL, deed, hash_of, of_name, outcomes, whole};

fn question(purpose: &'static str) -> Ask<Prose> {
    Ask::new(purpose, "Well?", ProseRules::default(), Prose("…".into()))
}

fn talker() -> ScriptMind {
    ScriptMind::by_rule(|_| ScriptLine::say("So."))
}

#[derive(Resource, Clone, Copy)]
struct Ann(Entity);

/// Runs the hall with these systems until the first error.
async fn error_of<M>(
    systems: impl bevy_ecs::schedule::IntoScheduleConfigs<bevy_ecs::system::ScheduleSystem, M>,
) -> EngineError {
    let mut tiny = tiny();
    let ann = Ann(tiny.ann);
    tiny.world().insert_resource(ann);
    tiny.setup.step.add_systems(systems);
    match tiny.engine(talker()) {
        Ok(mut engine) => {
            engine.settings.max_steps = 20;
            engine.run(Some(2)).await.unwrap_err()
        }
        Err(error) => error,
    }
}

fn ask_ann(ann: Res<Ann>, stage: Res<CurrentStage>, mut commands: Commands) {
    if matches!(*stage, CurrentStage::Place(_)) {
        commands.entity(ann.0).insert(question("first"));
    }
}

fn ask_ann_too(ann: Res<Ann>, mut commands: Commands) {
    commands.entity(ann.0).insert(question("second"));
}

fn take(mut answers: Answers<Prose>) {
    answers.take();
}

fn take_too(mut answers: Answers<Prose>) {
    answers.take();
}

#[tokio::test]
async fn a_stage_that_never_rests_is_named() {
    let error = error_of((take.in_set(StepSet::Take), ask_ann.in_set(StepSet::Ask))).await;
    assert!(
        matches!(&error, EngineError::NeverRests { place, steps: 20, turn: 0 } if place.to_string() == "Hall"),
        "{error}"
    );
}

#[tokio::test]
async fn a_second_ask_is_named_within_a_system_and_between_two() {
    fn twice(ann: Res<Ann>, mut commands: Commands) {
        let mut ann = commands.entity(ann.0);
        ann.insert(question("first")).insert(question("second"));
    }
    let errors = [
        error_of(twice.in_set(StepSet::Ask)).await,
        error_of((ask_ann, ask_ann_too).chain().in_set(StepSet::Ask)).await,
    ];
    for error in errors {
        let EngineError::Fault {
            fault:
                Fault::SecondAsk {
                    entity,
                    first,
                    second,
                },
            ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!((&**entity, &**first, &**second), ("Ann", "first", "second"));
    }
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_named() {
    let error = error_of(ask_ann.in_set(StepSet::Ask)).await;
    assert!(
        matches!(&error, EngineError::NotTaken { entity, reply: "prose", place, .. }
            if entity == "Ann" && place.to_string() == "Hall"),
        "{error}"
    );
}

#[tokio::test]
async fn two_takers_without_an_order_are_named() {
    let error = error_of((take, take_too).in_set(StepSet::Take)).await;
    let words = error.to_string();
    assert!(matches!(error, EngineError::Ambiguous(_)), "{words}");
    assert!(
        words.contains("take_too") && words.contains("Answer"),
        "{words}"
    );
}

#[tokio::test]
async fn crossings_that_never_end_are_named() {
    fn again(world: &mut World) {
        let more = |mut events: EventWriter| events.defer(again);
        bevy_ecs::system::RunSystemOnce::run_system_once(world, more).unwrap();
    }
    fn begin(mut events: EventWriter) {
        events.defer(again);
    }
    let error = error_of(begin.in_set(StepSet::Rules)).await;
    assert!(
        matches!(&error, EngineError::NeverRests { place, .. } if place.to_string() == "the meeting"),
        "{error}"
    );
}

#[tokio::test]
async fn crossings_of_crossings_end_in_the_same_meeting() {
    #[derive(Resource, Default)]
    struct Seen(u32);
    fn begin(mut events: EventWriter, stage: Res<CurrentStage>) {
        if matches!(*stage, CurrentStage::Place(_)) {
            events.defer(|world| {
                let more = |mut events: EventWriter| {
                    events.defer(|world| world.resource_mut::<Seen>().0 += 1)
                };
                bevy_ecs::system::RunSystemOnce::run_system_once(world, more).unwrap();
            });
        }
    }
    let mut tiny = tiny();
    tiny.world().init_resource::<Seen>();
    tiny.setup.step.add_systems(begin.in_set(StepSet::Rules));
    let mut engine = tiny.engine(talker()).unwrap();
    engine.run(Some(1)).await.unwrap();
    assert_eq!(engine.world.resource::<Seen>().0, 1);
    assert!(engine.world.resource::<DeferredCommands>().is_empty());
}

/// A mind that is paid. It stays below what is reserved for it: `factor` hundredths of the
/// estimated prompt and at most the tokens it is allowed.
fn paid(factor: u64, price: f64) -> ScriptMind {
    let mind = ScriptMind::by_rule(move |prompt| {
        let read = hash_of(&(prompt.entity, prompt.number, prompt.refused().count()));
        let text = match read % 7 {
            0 => "NOT JSON".to_owned(),
            _ => deed(prompt, read >> 8, "words"),
        };
        let mut said = Completion::instant("paid", text);
        said.usage = Some(TokenUsage {
            input: (prompt.tokens() * factor / 100).max(1),
            output: read % (u64::from(prompt.max_tokens) + 1),
            ..TokenUsage::default()
        });
        ScriptLine::complete(said)
    });
    mind.with_info(|info| {
        info.price = Some(Price {
            input: price,
            cached: price,
            output: 4.0 * price,
            currency: "USD".into(),
            date: "2026-11-01".into(),
            source: String::new(),
        });
    })
}

async fn play(
    limits: SpendLimits,
    width: usize,
    mind: ScriptMind,
    lines: &[Line],
) -> (Engine, Stop) {
    let mut engine = SMALL.engine(Arc::new(mind));
    engine.settings.limits = limits;
    engine.settings.width = width;
    engine.play_back(Recording::of(lines.iter().cloned()));
    let stop = engine.run(Some(3)).await.unwrap();
    (engine, stop)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cap_is_never_exceeded_and_spoils_nothing(
        which in 0u8..3, share in 1u64..100, factor in 50u64..120, price in 0.1f64..50.0, width in 1usize..40,
    ) {
        let mind = || paid(factor, price);
        let (mut free, _) = block_on(play(SpendLimits::default(), 16, mind(), &[]));
        let uncapped = free.totals().spent;
        let part = |whole: u64| Some(whole * share / 100);
        let limits = match which {
            0 => SpendLimits { calls: part(uncapped.calls), ..SpendLimits::default() },
            1 => SpendLimits { tokens: part(uncapped.usage.total()), ..SpendLimits::default() },
            _ => SpendLimits { cost: part(uncapped.cost.0).map(Cost), ..SpendLimits::default() },
        };
        let (capped, stop) = block_on(play(limits, width, mind(), &[]));
        prop_assert!(matches!(stop, Stop::LimitReached(_)), "{:?}", stop);
        let spent = capped.totals().spent;
        prop_assert!(spent.calls <= limits.calls.unwrap_or(u64::MAX));
        prop_assert!(spent.usage.total() <= limits.tokens.unwrap_or(u64::MAX));
        prop_assert!(spent.cost <= limits.cost.unwrap_or(Cost(u64::MAX)));
        let lines = capped.journal().lines();
        let (mut resumed, stop) = block_on(play(SpendLimits::default(), width, mind(), lines));
        prop_assert_eq!(stop, Stop::TurnReached(3));
        prop_assert!(whole(&mut resumed.world) == whole(&mut free.world));
    }

    #[test]
    fn a_budget_is_never_overspent_and_the_story_goes_on(
        tokens in 0u64..6_000, factor in 50u64..120,
    ) {
        let mut engine = SMALL.engine(Arc::new(paid(factor, 1.0)));
        let actor = of_name(&engine.world, "Actor1");
        let budget = Budget { tokens: Some(tokens), cost: None };
        engine.world.entity_mut(actor).insert(budget);
        let stop = block_on(engine.run(Some(3))).unwrap();
        prop_assert_eq!(stop, Stop::TurnReached(3));
        let spent = engine.world.get::<Ledger>(actor).unwrap().total();
        prop_assert!(spent.usage.total() <= tokens, "{} of {}", spent.usage.total(), tokens);
        prop_assert!(tokens > 400 || spent.fallbacks > 0);
    }
}

#[tokio::test]
async fn what_is_only_reserved_does_not_stop_a_run() {
    let mind = || paid(100, 1.0);
    let (free, _) = play(SpendLimits::default(), 16, mind(), &[]).await;
    let spent = free.totals().spent;
    // Room for all that is spent and the worst case of one call, not of sixteen.
    let limits = SpendLimits {
        tokens: Some(spent.usage.total() + 1_000),
        ..SpendLimits::default()
    };
    let (_, stop) = play(limits, 16, mind(), &[]).await;
    assert_eq!(stop, Stop::TurnReached(3));
}

#[tokio::test]
async fn a_server_that_reports_no_usage_is_capped_by_the_estimate() {
    let mind = ScriptMind::by_rule(|prompt| ScriptLine::say(deed(prompt, 7, "words")));
    let limits = SpendLimits {
        tokens: Some(2_000),
        ..SpendLimits::default()
    };
    let (engine, stop) = play(limits, 4, mind, &[]).await;
    assert!(matches!(stop, Stop::LimitReached(_)), "{stop:?}");
    let spent = engine.totals().spent.usage.total();
    assert!((1_000..=2_000).contains(&spent), "{spent}");
}

#[tokio::test]
async fn four_fifths_of_a_cap_are_warned_of_once() {
    let mut engine = SMALL.engine(Arc::new(paid(100, 1.0)));
    engine.settings.limits.calls = Some(10);
    engine.settings.width = 1;
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let (sink, ended) = (warnings.clone(), AtomicUsize::new(0));
    engine.on_signal(move |signal| match signal {
        Signal::CallStarted { .. } => {
            ended.fetch_add(1, Ordering::SeqCst);
        }
        Signal::LimitNear(words) => {
            let after = ended.load(Ordering::SeqCst);
            sink.lock().unwrap().push((after, words.to_string()));
        }
        _ => {}
    });
    let stop = engine.run(None).await.unwrap();
    assert!(matches!(stop, Stop::LimitReached(_)));
    let warnings = warnings.lock().unwrap();
    assert_eq!(*warnings, [(8, "8 of 10 calls are used".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_brake_stops_between_commits_and_loses_only_what_is_under_way() {
    let calls = Arc::new(AtomicUsize::new(0));
    let run = async |pull_at: Option<usize>, lines: Vec<Line>| {
        let counter = calls.clone();
        counter.store(0, Ordering::SeqCst);
        let mind = ScriptMind::by_rule(move |prompt| {
            counter.fetch_add(1, Ordering::SeqCst);
            let choice = hash_of(&(prompt.entity, prompt.number));
            let wait = std::time::Duration::from_millis(10 + choice % 50);
            ScriptLine::say(deed(prompt, choice, "words")).after(wait)
        });
        let mut engine = SMALL.engine(Arc::new(mind));
        engine.settings.width = 3;
        engine.play_back(Recording::of(lines));
        let brake = engine.cancellation_token();
        let mut ended = 0;
        engine.on_signal(move |signal| {
            if let Signal::CallEnded { .. } = signal {
                ended += 1;
                if Some(ended) == pull_at {
                    brake.cancel();
                }
            }
        });
        let stop = engine.run(Some(3)).await.unwrap();
        (engine, stop)
    };
    let (mut free, _) = run(None, Vec::new()).await;
    let wanted = whole(&mut free.world);
    let total = calls.load(Ordering::SeqCst);
    for pull_at in [1, 5, 9, 17] {
        let (braked, stop) = run(Some(pull_at), Vec::new()).await;
        assert_eq!(stop, Stop::Cancelled);
        let lines = braked.journal().lines().to_vec();
        let recorded = outcomes(&lines).len();
        assert!(recorded >= pull_at, "{recorded} of {pull_at}");
        assert!(
            calls.load(Ordering::SeqCst) - recorded <= 3,
            "at most the width is lost"
        );
        assert!(matches!(lines.last(), Some(Line::Stopped(_))));
        let (mut resumed, _) = run(None, lines).await;
        assert!(whole(&mut resumed.world) == wanted);
        assert_eq!(calls.load(Ordering::SeqCst), total - recorded);
    }
}

#[tokio::test]
async fn a_width_of_nothing_is_one() {
    let (engine, stop) = play(SpendLimits::default(), 0, paid(100, 1.0), &[]).await;
    assert_eq!(stop, Stop::TurnReached(3));
    assert!(engine.totals().spent.calls > 20);
}
