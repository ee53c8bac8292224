//! Questions that are sent in their short form: everything else is as with whole ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use playhouse_engine::context::AgentContext;
use playhouse_engine::engine::{Engine, EngineError, Stop};
use playhouse_engine::event::guard::{Guard, GuardVerdict, Guards, Judged, Point};
use playhouse_engine::journal::Recording;
use playhouse_engine::locale::UiText;
use playhouse_engine::message::Role;
use playhouse_engine::mind::{Minds, ScriptLine, ScriptMind, prompt_text};
use playhouse_engine::testing::journal;

use super::game::{Game, by_entity, deed, outcomes, reader, unfolded, whole};

const TURNS: u64 = 4;
const SHORT: &str = "Human: What do you do?";

fn game(short_questions: bool) -> Game {
    Game {
        short_questions,
        ..Game::default()
    }
}

/// A played game and every prompt of it.
async fn played(short_questions: bool) -> (Engine, BTreeMap<String, Vec<String>>) {
    let mind = Arc::new(reader(0, Arc::default()).listening());
    let mut engine = game(short_questions).engine(mind.clone());
    engine.run(Some(TURNS)).await.unwrap();
    (engine, by_entity(mind.heard()))
}

fn replay(engine: &Engine, short_questions: bool) -> Engine {
    let mut replay = game(short_questions).engine(Arc::new(ScriptMind::lines([])));
    replay.settings.replay = true;
    replay.play_back(Recording::of(engine.journal().lines().iter().cloned()));
    replay
}

#[tokio::test]
async fn minds_read_the_short_form_and_contexts_keep_the_whole() {
    let (engine, heard) = played(true).await;
    let actors = || heard.iter().filter(|(name, _)| name.starts_with("Actor"));
    for (name, prompts) in actors() {
        assert!(
            prompts.iter().all(|prompt| prompt.contains(SHORT)),
            "{name}"
        );
        assert!(
            prompts
                .iter()
                .all(|prompt| !prompt.contains("With you are"))
        );
    }
    let questions = engine
        .world
        .iter_entities()
        .filter(|entity| entity.contains::<AgentContext>())
        .flat_map(|entity| unfolded(&engine.world, entity.id()))
        .filter(|held| held.message.body.short().is_some());
    let mut count = 0;
    for held in questions {
        assert_eq!(held.message.role, Role::Human);
        assert!(held.message.body.full_text().contains("With you are"));
        count += 1;
    }
    assert!(count > 20, "{count}");
    let asked = outcomes(engine.journal().lines());
    let asked = asked.iter().filter(|outcome| outcome.purpose == "deed");
    assert!(
        asked
            .clone()
            .all(|outcome| outcome.asked.contains("With you are"))
    );
    let (whole, _) = played(false).await;
    let sent = |engine: &Engine| {
        let calls = engine.totals().calls.clone();
        let asked = calls
            .iter()
            .map(|call| call.prompt_bytes.asked)
            .sum::<u64>();
        asked / calls.len() as u64
    };
    assert!(
        sent(&engine) < sent(&whole),
        "the figures are of what is sent"
    );
}

#[tokio::test]
async fn a_replay_shows_the_requests_that_were_sent_and_makes_the_same_world() {
    let (mut engine, heard) = played(true).await;
    let mut again = replay(&engine, true);
    let shown = Arc::new(Mutex::new(Vec::new()));
    let seen = shown.clone();
    let nobody: Arc<ScriptMind> = Arc::new(ScriptMind::lines([]));
    again.on_request(
        move |_| Some(nobody.clone()),
        move |request| {
            let entity = request.prompt.entity.to_string();
            seen.lock()
                .unwrap()
                .push((entity, prompt_text(&request.prompt)));
        },
    );
    assert_eq!(
        again.run(Some(TURNS)).await.unwrap(),
        Stop::TurnReached(TURNS)
    );
    assert!(whole(&mut again.world) == whole(&mut engine.world));
    let shown = by_entity(shown.lock().unwrap().clone());
    let short = |prompts: &BTreeMap<String, Vec<String>>| {
        let all = prompts.values().flatten();
        all.filter(|prompt| prompt.contains(SHORT)).count()
    };
    assert!(short(&shown) > 20 && short(&shown) <= short(&heard));
    for (entity, prompts) in &shown {
        assert!(
            prompts.iter().all(|prompt| heard[entity].contains(prompt)),
            "{entity}"
        );
    }

    let error = replay(&engine, false).run(Some(TURNS)).await.unwrap_err();
    assert!(matches!(error, EngineError::OtherRequest { .. }), "{error}");
}

#[tokio::test]
async fn the_estimate_and_the_window_are_those_of_what_is_sent() {
    let mut folded = Vec::new();
    for short_questions in [false, true] {
        let mind = ScriptMind::by_rule(|prompt| {
            assert!(prompt.tokens() + 200 <= 600, "{}", prompt.tokens());
            ScriptLine::say(deed(prompt, 0, "words"))
        })
        .with_info(|info| (info.window, info.max_output) = (Some(600), 200));
        let setup = game(short_questions).setup();
        let mut engine = Engine::new(setup, Minds::all(Arc::new(mind)), journal()).unwrap();
        engine.run(Some(TURNS)).await.unwrap();
        let outcomes = outcomes(engine.journal().lines()).into_iter();
        let deeds = outcomes.filter(|outcome| outcome.purpose == "deed");
        folded.push(deeds.filter(|outcome| outcome.folded > 0).count());
    }
    let [whole, short] = folded[..] else { return };
    assert!(short < whole, "{short} {whole}");
}

/// Hides a part of every question's short form.
struct Hider;

impl Guard for Hider {
    fn name(&self) -> &str {
        "hider"
    }

    fn points(&self) -> &[Point] {
        &[Point::Ask]
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        if message.text != "What do you do?" {
            return GuardVerdict::Pass;
        }
        GuardVerdict::Mask {
            text: "What now?".into(),
            reason: UiText::verbatim("a test"),
        }
    }
}

#[tokio::test]
async fn guards_judge_the_short_form_too() {
    let mind = Arc::new(reader(0, Arc::default()).listening());
    let mut setup = game(true).setup();
    setup.world.resource_mut::<Guards>().add(Hider);
    let mut engine = Engine::new(setup, Minds::all(mind.clone()), journal()).unwrap();
    engine.run(Some(1)).await.unwrap();
    let heard = by_entity(mind.heard());
    for (name, prompts) in heard.iter().filter(|(name, _)| name.starts_with("Actor")) {
        let is_masked = |prompt: &String| prompt.contains("What now?") && !prompt.contains(SHORT);
        assert!(prompts.iter().all(is_masked), "{name}");
    }
}
