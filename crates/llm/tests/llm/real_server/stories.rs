//! Whole games: a campaign with its replay and its cache, loops of tools, thoughts that stay
//! private.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use playhouse_engine::cast::EntityName;
use playhouse_engine::context::{AgentContext, buffer};
use playhouse_engine::engine::{CallFigures, Engine, Stop};
use playhouse_engine::event::{AnswerRecord, AnsweredBy, Feed, Record};
use playhouse_engine::message::{Block, CallPairs, Message, Role};
use playhouse_engine::mind::Minds;
use playhouse_engine::session::{Session, replay};
use playhouse_engine::testing::journal;
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;

use super::parlour::{Parlour, TOOLS};
use super::server::{Server, USUAL, figure};

/// The answers of a run, as they come.
pub(super) fn answers_of(engine: &mut Engine) -> Arc<Mutex<Vec<AnswerRecord>>> {
    let answers = Arc::new(Mutex::new(Vec::new()));
    let sink = answers.clone();
    engine.add_feed(Feed::observer(move |record| {
        if let Record::Answer(answer) = record {
            sink.lock().unwrap().push(answer.clone());
        }
    }));
    answers
}

pub(super) fn percent(part: u64, whole: u64) -> u64 {
    100 * part / whole.max(1)
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn a_campaign_is_played_replayed_and_read_from_the_cache_as_predicted() {
    let server = Server::start("plain").await;
    for world in ["zhaoying-ban", "drowned-assize"] {
        let production = Campaign::load(&DataFolder::at("../../data").unwrap(), world).unwrap();
        let saves = tempfile::tempdir().unwrap();
        let mind = server.mind(&format!("{USUAL}, extra: {{\"seed\": 1}}"));
        let mut session =
            Session::start(saves.path(), world, &production, 1, Minds::all(mind)).unwrap();
        let answers = answers_of(&mut session.engine);
        let began = Instant::now();
        let stop = session.engine.run(None).await.unwrap();
        assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
        let seconds = began.elapsed().as_secs();
        check_answers(&format!("{world}: {seconds} s"), &answers.lock().unwrap());
        let spent = session.engine.totals().spent;
        assert_eq!(spent.retries, 0, "every request was taken as it was");
        check_cache(world, &session.engine);

        let slot = session.slot().clone();
        drop(session);
        let replayed = replay(&slot, &production, None).await.unwrap();
        let saved = slot.read_world().unwrap().unwrap();
        assert!(replayed.snapshot == saved, "the replay is another world");
    }
    assert_eq!(server.busy().await, 0);
}

/// Counts who made the answers. The model makes no sense, so some are refused, such as a summary
/// without its facts.
fn check_answers(run: &str, answers: &[AnswerRecord]) {
    let count =
        |of: fn(&AnsweredBy) -> bool| answers.iter().filter(|answer| of(&answer.by)).count();
    let at_once = count(|by| *by == AnsweredBy::Mind);
    let repaired = count(|by| matches!(by, AnsweredBy::Repaired(_)));
    let fallbacks = count(|by| matches!(by, AnsweredBy::Fallback(_)));
    figure(&format!(
        "{run}; {at_once} answers at once, {repaired} after repair, {fallbacks} fallbacks"
    ));
    assert!(
        4 * at_once > answers.len(),
        "many answers of a real server are used"
    );
}

/// Compares what the server says it read from its cache with what we predict, in all and call by
/// call.
fn check_cache(world: &str, engine: &Engine) {
    let totals = engine.totals();
    let usage = totals.spent.usage;
    let calls = &totals.calls;
    let nearly = |call: &&CallFigures| {
        call.usage.cached.abs_diff(call.predicted_cached()) * 20 <= call.usage.input
    };
    let near = calls.iter().filter(nearly).count() as u64;
    let less =
        |call: &&CallFigures| call.usage.cached + call.usage.input / 20 < call.predicted_cached();
    let less = calls.iter().filter(less).count() as u64;
    let count = calls.len() as u64;
    let (cached, predicted) = (
        percent(usage.cached, usage.input),
        percent(totals.predicted_cached(), usage.input),
    );
    figure(&format!(
        "{world}: {count} calls, {} prompt tokens, {} of answers; cached {cached} %, predicted {predicted} %; \
         {} % of calls within 5 points, {} % with less than predicted",
        usage.input,
        usage.output,
        percent(near, count),
        percent(less, count),
    ));
    assert!(cached > 60 && predicted > 60);
    assert!(
        cached.abs_diff(predicted) <= 10,
        "cached {cached}, predicted {predicted}"
    );
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn tools_are_called_in_loops_and_every_call_has_its_result() {
    let server = Server::start("tools").await;
    let parlour = Parlour::default();
    let mind = server.mind(&format!("{USUAL}, extra: {{\"seed\": 1}}"));
    let mut engine = Engine::new(parlour.opening(7), Minds::all(mind), journal()).unwrap();
    let answers = answers_of(&mut engine);
    assert_eq!(engine.run(Some(4)).await.unwrap(), Stop::TurnReached(4));

    let answers = answers.lock().unwrap();
    let calls: Vec<_> = answers.iter().flat_map(|answer| &answer.calls).collect();
    let rounds = answers
        .iter()
        .flat_map(|answer| answer.calls.iter().map(|call| call.round + 1).max());
    let done = calls.iter().filter(|call| !call.is_error).count();
    figure(&format!(
        "{} answers after {} rounds of tools; {} calls, {done} of them done",
        answers.len(),
        rounds.clone().sum::<u32>(),
        calls.len(),
    ));
    assert!(
        rounds.clone().any(|rounds| rounds > 1),
        "a call, its result, and another call"
    );
    for call in &calls {
        assert!(TOOLS.contains(&&*call.tool), "{call:?}");
        // The grammar holds the arguments to the schema.
        assert!(call.arguments.is_object() && !call.is_error, "{call:?}");
    }
    let mut contexts = engine.world.query::<(&EntityName, &AgentContext)>();
    let mut paired = 0;
    for (name, context) in contexts.iter(&engine.world) {
        let messages: Vec<Message> = context.messages().map(|held| held.message).collect();
        let pairs = CallPairs::of(&messages);
        assert!(
            pairs.orphans.is_empty() && pairs.unanswered().count() == 0,
            "{name}"
        );
        let own = answers.iter().filter(|answer| answer.entity == name.0);
        assert_eq!(
            pairs.pairs.len(),
            own.map(|answer| answer.calls.len()).sum::<usize>()
        );
        paired += pairs.pairs.len();
    }
    assert_eq!(paired, calls.len());
    let totals = engine.totals();
    let usage = totals.spent.usage;
    let (cached, predicted) = (usage.cached, totals.predicted_cached());
    figure(&format!(
        "of {} prompt tokens {cached} were cached, {predicted} predicted",
        usage.input
    ));
    assert_eq!(totals.spent.retries, 0);
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn what_a_model_thinks_stays_with_it() {
    let server = Server::start("deepseek").await;
    let mind = server.mind(&format!(
        "{USUAL}, extra: {{\"seed\": 1, \"chat_template_kwargs\": {{\"thinking\": true}}}}"
    ));
    let mut engine =
        Engine::new(Parlour::default().opening(7), Minds::all(mind), journal()).unwrap();
    engine.run(Some(6)).await.unwrap();
    let mut contexts = engine.world.query::<(&EntityName, &AgentContext)>();
    let contexts: Vec<_> = contexts.iter(&engine.world).collect();
    // The model has few words, and may say what somebody else only thinks. Events stand in quotes.
    let answers = contexts.iter().flat_map(|(_, context)| context.messages());
    let said: Vec<_> = answers
        .filter(|held| held.message.role == Role::Ai)
        .map(|held| format!("{}\"", held.message.body.joined_text("\n")))
        .collect();
    let mut thoughts = 0;
    for (thinker, context) in &contexts {
        for held in context.messages() {
            let thinking = held
                .message
                .body
                .listed_blocks()
                .iter()
                .find_map(|block| match block {
                    Block::Thinking { thinking, .. } => Some(thinking),
                    _ => None,
                });
            let Some(thinking) = thinking.filter(|thinking| {
                let is_secret = !said.iter().any(|words| words.contains(&***thinking));
                thinking.len() > 20 && is_secret
            }) else {
                continue;
            };
            thoughts += 1;
            for (other, context) in &contexts {
                let read = buffer(context);
                let line = read.lines().find(|line| line.contains(&**thinking));
                assert!(
                    !read.contains(&**thinking),
                    "{other} reads what {thinker} thinks, {thinking:?}: {line:?}"
                );
            }
        }
    }
    figure(&format!("{thoughts} thoughts, each in one context alone"));
    assert!(thoughts > 0);
}
