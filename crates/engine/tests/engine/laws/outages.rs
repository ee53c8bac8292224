//! A failure is never story: what could not be asked is asked again, and useless answers are not
//! taken for a story for long.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use playhouse_engine::engine::{Engine, Signal, Stop};
use playhouse_engine::journal::{Line, Recording};
use playhouse_engine::locale::UiText;
use playhouse_engine::mind::{
    FailedCall, MaxDefaults, MindAlias, MindError, MindInfo, Minds, ScriptLine, ScriptMind,
    prompt_text,
};

use playhouse_engine::testing::journal;

use super::game::{SMALL, by_entity, deed, hash_of, of_name, outcomes, whole};

#[derive(Clone, Copy, Debug)]
enum Failing {
    Key,
    Model,
    Overload,
    Broken,
}

fn error(failing: Failing) -> FailedCall {
    let (server, reason) = ("test".into(), UiText::verbatim("made up"));
    let error = match failing {
        Failing::Key => MindError::Denied {
            server,
            status: 401,
            advice: reason.clone(),
            reason,
        },
        Failing::Model => MindError::Rejected {
            server,
            status: 404,
            advice: reason.clone(),
            reason,
        },
        Failing::Overload => MindError::Busy {
            server,
            status: 503,
            reason,
        },
        Failing::Broken => MindError::InvalidResponse { server, reason },
    };
    FailedCall {
        billable: matches!(failing, Failing::Broken),
        ..error.into()
    }
}

struct Run {
    engine: Engine,
    stop: Stop,
    /// The prompts that were answered, and all that were sent.
    answered: Vec<(String, String)>,
    sent: usize,
}

/// Three turns with a mind that fails between two numbers of its calls.
async fn run(lines: Vec<Line>, failing: Failing, fails: std::ops::Range<usize>) -> Run {
    let sent = Arc::new(AtomicUsize::new(0));
    let answered = Arc::new(Mutex::new(Vec::new()));
    let (counter, log) = (sent.clone(), answered.clone());
    let mind = ScriptMind::by_rule(move |prompt| {
        let call = counter.fetch_add(1, Ordering::SeqCst);
        let wait = Duration::from_millis(10 + hash_of(&(prompt.entity, prompt.number)) % 50);
        if fails.contains(&call) {
            return ScriptLine::fail(error(failing)).after(wait);
        }
        let said = (prompt.entity.to_string(), prompt_text(prompt));
        log.lock().unwrap().push(said);
        let choice = hash_of(&(prompt.entity, prompt.number));
        ScriptLine::say(deed(prompt, choice, "words")).after(wait)
    });
    let mind = mind.with_info(|info| info.patience = Duration::from_secs(60));
    let mut engine = SMALL.engine(Arc::new(mind));
    engine.settings.falls_back = false;
    engine.settings.width = 3;
    engine.play_back(Recording::of(lines));
    let stop = engine.run(Some(3)).await.unwrap();
    let answered = answered.lock().unwrap().clone();
    Run {
        engine,
        stop,
        answered,
        sent: sent.load(Ordering::SeqCst),
    }
}

#[tokio::test(start_paused = true)]
async fn a_story_is_the_same_with_an_outage_in_the_middle() {
    let mut free = run(Vec::new(), Failing::Key, 0..0).await;
    let wanted = whole(&mut free.engine.world);
    for failing in [
        Failing::Key,
        Failing::Model,
        Failing::Overload,
        Failing::Broken,
    ] {
        for from in [0, 1, 7, 14] {
            let cut = run(Vec::new(), failing, from..usize::MAX).await;
            let Stop::ServerDown(reason) = &cut.stop else {
                panic!("{failing:?} {from}: {:?}", cut.stop);
            };
            assert!(reason.to_string().contains("made up"), "{reason}");
            assert!(reason.to_string().contains("Actor"), "{reason}");
            let mut lines = cut.engine.journal().lines().to_vec();
            // Everything that was answered is recorded, and nothing else.
            assert_eq!(outcomes(&lines).len(), cut.answered.len());
            assert_eq!(cut.answered.len(), from);
            // While it lasts, resuming changes nothing.
            for _ in 0..3 {
                let again = run(lines.clone(), failing, 0..usize::MAX).await;
                assert!(matches!(again.stop, Stop::ServerDown(_)));
                let new = again.engine.journal().lines();
                assert!(outcomes(new).is_empty() && again.answered.is_empty());
                lines.extend_from_slice(new);
            }
            let mut resumed = run(lines, failing, 0..0).await;
            assert!(
                whole(&mut resumed.engine.world) == wanted,
                "{failing:?} {from}"
            );
            assert_eq!(from + resumed.sent, free.sent, "nothing is asked twice");
            let mut both = cut.answered;
            both.extend(resumed.answered);
            assert!(by_entity(both) == by_entity(free.answered.clone()));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_is_waited_for_by_one_call_at_a_time() {
    let mut free = run(Vec::new(), Failing::Overload, 0..0).await;
    for from in [0, 7] {
        let mut waited = run(Vec::new(), Failing::Overload, from..from + 6).await;
        assert_eq!(waited.stop, Stop::TurnReached(3));
        let answered = |run: &Run| by_entity(run.answered.clone());
        assert!(answered(&waited) == answered(&free));
        assert_eq!(waited.sent, free.sent + 6);
        let tries = waited.engine.totals().spent.calls;
        assert_eq!(tries as usize, waited.sent);
        let texts = |run: &mut Run| run.engine.conversations();
        assert!(texts(&mut waited) == texts(&mut free));
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_has_an_end_and_money_a_shorter_one() {
    for (failing, most) in [(Failing::Overload, 3 + 7), (Failing::Broken, 3)] {
        let began = tokio::time::Instant::now();
        let waited = run(Vec::new(), failing, 0..usize::MAX).await;
        assert!(
            matches!(waited.stop, Stop::ServerDown(_)),
            "{:?}",
            waited.stop
        );
        assert!(waited.sent <= most, "{failing:?}: {}", waited.sent);
        assert!(began.elapsed() < Duration::from_secs(65));
    }
}

/// An engine in which the first actor has a model of its own, whose server is down.
fn with_a_dead_model(falls_back: bool, failing: Failing) -> Engine {
    let info = |alias: &'static str| {
        move |info: &mut MindInfo| {
            *info = MindInfo::embedded(alias);
            info.patience = Duration::from_secs(30);
        }
    };
    let dead = ScriptMind::by_rule(move |_| ScriptLine::fail(error(failing)));
    let others = ScriptMind::by_rule(|prompt| {
        let choice = hash_of(&(prompt.entity, prompt.number));
        ScriptLine::say(deed(prompt, choice, "words")).after(Duration::from_secs(1))
    });
    let minds = Minds::all(Arc::new(others.with_info(info("alive"))))
        .with_alias("dead", Arc::new(dead.with_info(info("dead"))));
    let mut engine = Engine::new(SMALL.setup(), minds, journal()).unwrap();
    let actor = of_name(&engine.world, "Actor1");
    engine
        .world
        .entity_mut(actor)
        .insert(MindAlias("dead".into()));
    engine.settings.falls_back = falls_back;
    engine
}

#[tokio::test(start_paused = true)]
async fn a_dead_model_of_one_character_stops_the_run_whatever_the_others_do() {
    for failing in [Failing::Key, Failing::Overload] {
        let mut engine = with_a_dead_model(false, failing);
        let waits = Arc::new(Mutex::new(Vec::new()));
        let sink = waits.clone();
        engine.on_signal(move |signal| {
            if let Signal::ServerAwaited {
                mind,
                entities,
                is_first,
                ..
            } = signal
            {
                sink.lock().unwrap().push((mind, entities, is_first));
            }
        });
        let stop = engine.run(Some(9)).await.unwrap();
        let Stop::ServerDown(reason) = stop else {
            panic!("{stop:?}");
        };
        assert!(reason.to_string().contains("Actor1"), "{reason}");
        // What was under way is used.
        let recorded = outcomes(engine.journal().lines());
        let who: BTreeSet<_> = recorded.iter().map(|outcome| &*outcome.entity).collect();
        assert!(!who.contains("Actor1") && who.len() >= 3, "{who:?}");
        let waits = waits.lock().unwrap();
        assert_eq!(waits.is_empty(), matches!(failing, Failing::Key));
        for (index, (mind, entities, is_first)) in waits.iter().enumerate() {
            assert_eq!((mind.as_str(), &*entities[0]), ("dead", "Actor1"));
            assert_eq!(*is_first, index == 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_falls_back_waits_once_and_goes_on() {
    let mut engine = with_a_dead_model(true, Failing::Overload);
    let began = tokio::time::Instant::now();
    assert_eq!(engine.run(Some(3)).await.unwrap(), Stop::TurnReached(3));
    assert!(began.elapsed() < Duration::from_secs(60));
    let recorded = outcomes(engine.journal().lines());
    let dead = recorded
        .iter()
        .filter(|outcome| &*outcome.entity == "Actor1");
    assert_eq!(dead.count(), 6);
}

#[tokio::test]
async fn an_answer_that_was_sent_back_is_not_asked_for_again() {
    let run = async |lines: Vec<Line>, fails_from: usize| {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        let mind = ScriptMind::by_rule(move |prompt| {
            if counter.fetch_add(1, Ordering::SeqCst) >= fails_from {
                return ScriptLine::fail(error(Failing::Key));
            }
            match prompt.refused().count() {
                0 => ScriptLine::say("NOT JSON {"),
                _ => ScriptLine::say(deed(prompt, 7, "")),
            }
        });
        let mut engine = SMALL.engine(Arc::new(mind));
        engine.settings.falls_back = false;
        engine.settings.width = 1;
        engine.play_back(Recording::of(lines));
        let stop = engine.run(Some(2)).await.unwrap();
        (engine, stop, calls.load(Ordering::SeqCst))
    };
    let (free, _, wanted) = run(Vec::new(), usize::MAX).await;
    let (cut, stop, _) = run(Vec::new(), 7).await;
    assert!(matches!(stop, Stop::ServerDown(_)));
    let mut lines = cut.journal().lines().to_vec();
    for _ in 0..2 {
        let (again, ..) = run(lines.clone(), 0).await;
        let new = again.journal().lines();
        assert!(
            new.iter()
                .all(|line| matches!(line, Line::Header(_) | Line::Sent(_) | Line::Stopped(_)))
        );
        lines.extend_from_slice(new);
    }
    let (resumed, _, calls) = run(lines, usize::MAX).await;
    assert_eq!(7 + calls, wanted);
    assert!(resumed.conversations() == free.conversations());
}

// --- useless answers ---

/// Runs with a mind whose answers to some asks, by their number in the run, are rubbish.
async fn with_rubbish(
    lines: Vec<Line>,
    max_defaults: Option<u64>,
    is_rubbish: impl Fn(usize) -> bool + Send + Sync + 'static,
) -> (Engine, Stop) {
    let asked = AtomicUsize::new(0);
    let mind = ScriptMind::by_rule(move |prompt| {
        let first = prompt.refused().count() == 0;
        let ask = asked.fetch_add(usize::from(first), Ordering::SeqCst) + usize::from(first);
        if is_rubbish(ask) {
            return ScriptLine::say("zerod  exbar/?");
        }
        ScriptLine::say(deed(prompt, 7, ""))
    })
    .with_info(|info| info.max_defaults = MaxDefaults::default());
    let mut engine = SMALL.engine(Arc::new(mind));
    // One after the other.
    engine.settings.width = 1;
    engine.settings.max_defaults = max_defaults;
    engine.play_back(Recording::of(lines));
    let stop = engine.run(Some(9)).await.unwrap();
    (engine, stop)
}

fn defaults(engine: &Engine) -> usize {
    let recorded = outcomes(engine.journal().lines()).into_iter();
    recorded
        .filter(|outcome| outcome.has_no_usable_answer())
        .count()
}

#[tokio::test]
async fn a_model_that_writes_rubbish_is_stopped_and_resuming_does_not_wear_the_story_down() {
    let (engine, stop) = with_rubbish(Vec::new(), None, |_| true).await;
    let Stop::NoUsableAnswers(reason) = stop else {
        panic!("{stop:?}");
    };
    for said in [
        "5 asks in a row",
        "“zerod exbar/?”",
        "schema",
        "thought_tokens",
    ] {
        assert!(reason.to_string().contains(said), "{reason}");
    }
    assert_eq!(defaults(&engine), 4);
    let mut lines = engine.journal().lines().to_vec();
    for _ in 0..3 {
        let (again, stop) = with_rubbish(lines.clone(), None, |_| true).await;
        assert!(matches!(stop, Stop::NoUsableAnswers(_)));
        assert_eq!(outcomes(again.journal().lines()).len(), 0);
        // The answers that were sent back are in the journal; only the last one is asked for again.
        assert_eq!(again.totals().spent.calls, 1);
        lines.extend_from_slice(again.journal().lines());
    }
    // Another model goes on where it was.
    let (mended, stop) = with_rubbish(lines, None, |_| false).await;
    assert_eq!((stop, defaults(&mended)), (Stop::TurnReached(9), 0));
}

#[tokio::test]
async fn a_third_of_the_last_thirty_is_too_much_and_less_is_not() {
    let (engine, stop) = with_rubbish(Vec::new(), None, |ask| ask % 3 == 0).await;
    assert!(
        matches!(&stop, Stop::NoUsableAnswers(reason) if reason.to_string().contains("10 of the last 30")),
        "{stop:?}"
    );
    assert_eq!(defaults(&engine), 9);
    let (_, stop) = with_rubbish(Vec::new(), None, |ask| ask % 4 == 0).await;
    assert_eq!(stop, Stop::TurnReached(9));
}

#[tokio::test]
async fn a_run_may_allow_fewer_defaults_or_more() {
    for (most, is_stopped) in [(0, true), (2, true), (90, false)] {
        let (engine, stop) = with_rubbish(Vec::new(), Some(most), |ask| ask % 3 == 0).await;
        assert_eq!(
            matches!(stop, Stop::NoUsableAnswers(_)),
            is_stopped,
            "{stop:?}"
        );
        let used = defaults(&engine) as u64;
        assert!(if is_stopped { used == most } else { used > 9 }, "{used}");
    }
}

#[tokio::test]
async fn a_replay_is_never_stopped() {
    let (played, _) = with_rubbish(Vec::new(), Some(u64::MAX), |_| true).await;
    let lines = played.journal().lines().to_vec();
    let mind = ScriptMind::by_rule(|_| ScriptLine::say(""))
        .with_info(|info| info.max_defaults = MaxDefaults::default());
    let mut replay = SMALL.engine(Arc::new(mind));
    replay.settings.replay = true;
    replay.settings.max_defaults = Some(0);
    replay.play_back(Recording::of(lines));
    assert_eq!(replay.run(Some(9)).await.unwrap(), Stop::TurnReached(9));
}
