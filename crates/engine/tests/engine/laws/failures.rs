//! Law 3: prepare, call, check, commit. Whatever fails, an exchange is whole or it is not there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::CastList;
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::engine::{AskCount, Engine, Stop};
use playhouse_engine::exchange::{Ledger, OpenAsks};
use playhouse_engine::journal::{AskEnding, Outcome};
use playhouse_engine::locale::UiText;
use playhouse_engine::message::{Role, Tag, TokenUsage};
use playhouse_engine::mind::{
    Completion, FailedCall, FinishReason, LengthDoubt, MindError, Price, Prompt, ScriptLine,
    ScriptMind,
};
use playhouse_engine::tool::ToolCall;
use proptest::prelude::*;

use super::block_on;
use super::game::{SMALL, by_entity, deed, hash_of, mishap, of_name, outcomes, unfolded};

/// A mind in whose calls goes wrong what the script says, entity by entity.
fn clumsy(script: Vec<u64>) -> ScriptMind {
    let asked: Mutex<BTreeMap<String, usize>> = Mutex::default();
    ScriptMind::by_rule(move |prompt| {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(prompt.entity.to_string()).or_default();
        *times += 1;
        let index = (hash_of(prompt.entity) as usize % 97 + *times) % script.len();
        let choice = hash_of(&(prompt.entity, prompt.number));
        mishap(prompt, script[index])
            .unwrap_or_else(|| ScriptLine::say(deed(prompt, choice, "words")))
    })
    .listening()
}

/// What holds of every context after any run.
fn check(engine: &Engine) -> Result<(), TestCaseError> {
    let world = &engine.world;
    for (id, entity) in world.resource::<CastList>().all() {
        let messages = unfolded(world, entity);
        // No message is lost: ids count up from 1.
        let ids: Vec<_> = messages.iter().map(|held| held.id.0).collect();
        prop_assert_eq!(
            &ids,
            &(1..=ids.len() as u32).collect::<Vec<_>>(),
            "entity {}",
            id
        );
        let is_question = |index: usize| {
            let tags = &messages[index].message.tags;
            tags.text(Tag::DAY_BEGIN.as_str())
                .or(tags.text(Tag::DAY_END.as_str()))
                .is_some()
        };
        // Questions and answers are pairs.
        let answers: Vec<_> = (0..messages.len())
            .filter(|index| messages[*index].message.role == Role::Ai)
            .collect();
        let questions: Vec<_> = (0..messages.len())
            .filter(|index| is_question(*index))
            .collect();
        let after: Vec<_> = questions.iter().map(|index| index + 1).collect();
        prop_assert_eq!(&answers, &after, "entity {}", id);
        let done = world.get::<AskCount>(entity).unwrap().0 as usize
            - usize::from(world.resource::<OpenAsks>().has(entity));
        prop_assert_eq!(answers.len(), done, "entity {}", id);
        let asks = world.get::<Ledger>(entity).unwrap().total().asks;
        prop_assert_eq!(asks as usize, done, "entity {}", id);
        // No tag stands twice, and no repair was kept.
        let mut tags = BTreeSet::new();
        for held in &messages {
            for (key, value) in held.message.tags.iter() {
                if key.starts_with("day_") {
                    prop_assert!(tags.insert(format!("{key} {value}")), "{} {}", key, value);
                }
            }
            let text = held.message.body.full_text();
            for refused in ["NOT JSON", "WRONG TARGET", "CHECK FAILED", "engine/repair"] {
                prop_assert!(!text.contains(refused), "{}", text);
            }
        }
        // What was folded is in a chapter, with a note in its place.
        let context = world.get::<AgentContext>(entity).unwrap();
        let chapters = world.get::<Chapters>(entity).unwrap().all();
        prop_assert_eq!(context.revisions() as usize, chapters.len());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_failure_leaves_half_an_exchange(script in prop::collection::vec(0u64..16, 1..40)) {
        let mut engine = SMALL.engine(Arc::new(clumsy(script.clone())));
        let stop = block_on(engine.run(Some(3))).unwrap();
        let may_stop = script.iter().any(|mishap| [14, 15].contains(mishap));
        prop_assert!(stop == Stop::TurnReached(3) || (may_stop && stop == Stop::Cancelled));
        check(&engine)?;
    }
}

/// Plays two turns in which every call goes wrong in one way.
async fn all_go(mishap: u64) -> (Engine, Stop, BTreeMap<String, Vec<String>>) {
    let mind = Arc::new(clumsy(vec![mishap]));
    let mut engine = SMALL.engine(mind.clone());
    let stop = engine.run(Some(2)).await.unwrap();
    check(&engine).unwrap();
    (engine, stop, by_entity(mind.heard()))
}

#[tokio::test]
async fn every_failure_falls_back_and_says_why() {
    for kind in (4..=13).filter(|kind| *kind != 9) {
        let (engine, stop, heard) = all_go(kind).await;
        assert_eq!(stop, Stop::TurnReached(2), "{kind}");
        for outcome in outcomes(engine.journal().lines()) {
            assert!(matches!(outcome.ending, AskEnding::Failed { .. }) && outcome.calls == 1);
        }
        assert_eq!(heard["Actor1"].len(), 4);
        let actor = of_name(&engine.world, "Actor1");
        let total = engine.world.get::<Ledger>(actor).unwrap().total();
        assert_eq!((total.asks, total.fallbacks, total.repairs), (4, 4, 0));
        let last = unfolded(&engine.world, actor).into_iter().rev();
        let mut answers = last.filter(|held| held.message.role == Role::Ai);
        let metadata = answers.next().unwrap().message.body.response().cloned();
        assert!(metadata.unwrap().to_map().contains_key("fallback"));
    }
}

#[tokio::test]
async fn a_run_that_stops_in_an_ask_leaves_nothing_of_it() {
    for kind in [14, 15] {
        let (engine, stop, _) = all_go(kind).await;
        assert_eq!(stop, Stop::Cancelled);
        assert!(outcomes(engine.journal().lines()).is_empty());
        for (_, entity) in engine.world.resource::<CastList>().all() {
            assert_eq!(engine.world.get::<AgentContext>(entity).unwrap().len(), 1);
        }
    }
}

#[tokio::test]
async fn repairs_are_bounded_and_all_that_was_said_is_recorded() {
    for kind in [1, 2, 3] {
        let (engine, _, heard) = all_go(kind).await;
        assert_eq!(
            heard["Actor1"].len(),
            4 * 3,
            "first tries and two repairs each"
        );
        assert!(heard["Actor1"][1].starts_with(&heard["Actor1"][0]));
        assert!(heard["Actor1"][1].contains("engine/repair"));
        for outcome in outcomes(engine.journal().lines()) {
            assert_eq!((outcome.calls, outcome.refused.len()), (3, 3));
            assert!(outcome.refused[2].complaint.is_empty());
        }
        let actor = of_name(&engine.world, "Actor1");
        let total = engine.world.get::<Ledger>(actor).unwrap().total();
        assert_eq!((total.calls, total.repairs, total.fallbacks), (12, 8, 4));
    }
}

/// Plays two turns in which the first `cut` answers to each ask are cut off at their limit.
async fn all_are_cut(cut: usize, calls: bool) -> Vec<Outcome> {
    let mind = ScriptMind::by_rule(move |prompt| {
        let mut completion = Completion::instant("script", deed(prompt, 0, "words"));
        if prompt.refused().count() < cut {
            completion.finish = FinishReason::Length;
            if prompt.purpose == "deed" {
                completion.text = "{\"act\": \"speak\", \"words".into();
            }
            if calls {
                completion.calls = vec![ToolCall::new("1", "dice", "{\"sides\": ")];
            }
        }
        ScriptLine::complete(completion)
    });
    let mut engine = SMALL.engine(Arc::new(mind));
    engine.run(Some(2)).await.unwrap();
    check(&engine).unwrap();
    let outcomes = outcomes(engine.journal().lines()).into_iter();
    outcomes.cloned().collect()
}

#[tokio::test]
async fn an_answer_cut_at_its_limit_is_asked_for_again() {
    for calls in [false, true] {
        for outcome in all_are_cut(1, calls).await {
            assert_eq!((outcome.calls, outcome.refused.len()), (2, 1));
            let complaint = &outcome.refused[0].complaint;
            assert!(complaint.contains("cut off"), "{complaint}");
            assert!(matches!(outcome.ending, AskEnding::Answered { .. }));
        }
    }
    for outcome in all_are_cut(9, false).await {
        match outcome.ending {
            // Prose is taken the second time, and the journal says how it ended.
            AskEnding::Answered { finish, .. } => {
                assert_eq!((&*outcome.purpose, finish), ("news", FinishReason::Length));
                assert_eq!(outcome.calls, 2);
            }
            AskEnding::Failed { reason } => {
                assert_eq!((&*outcome.purpose, outcome.calls), ("deed", 3));
                assert!(reason.to_string().contains("cut off"), "{reason}");
            }
        }
    }
    for outcome in all_are_cut(9, true).await {
        assert!(matches!(outcome.ending, AskEnding::Failed { .. }));
    }
}

#[tokio::test]
async fn a_context_that_is_too_long_is_folded_into_a_chapter_and_asked_again() {
    folds_what_is_too_long(|prompt| mishap(prompt, 9).unwrap()).await;
    // Its server does not say why it fails.
    for length_doubt in [LengthDoubt::AtOnce, LengthDoubt::AtLast] {
        folds_what_is_too_long(move |_| {
            let error = MindError::ServerFailed {
                server: "test".into(),
                status: 500,
                reason: UiText::verbatim("made up"),
            };
            ScriptLine::fail(FailedCall {
                length_doubt,
                ..error.into()
            })
        })
        .await;
    }
}

async fn folds_what_is_too_long(
    refuse: impl Fn(&Prompt<'_>) -> ScriptLine + Send + Sync + 'static,
) {
    // Too long while it holds more than ten messages.
    let mind = ScriptMind::by_rule(move |prompt| {
        if prompt.history.len() > 10 {
            refuse(prompt)
        } else {
            ScriptLine::say(deed(prompt, 0, "words"))
        }
    });
    let mut engine = SMALL.engine(Arc::new(mind));
    engine.run(Some(6)).await.unwrap();
    check(&engine).unwrap();
    let folded = outcomes(engine.journal().lines()).into_iter();
    let folded: Vec<_> = folded.filter(|outcome| outcome.folded > 0).collect();
    assert!(folded.len() >= 4, "{}", folded.len());
    for outcome in folded {
        assert!(matches!(outcome.ending, AskEnding::Answered { .. }));
        assert!(outcome.calls > 1);
    }
    let actor = of_name(&engine.world, "Actor1");
    let context = engine.world.get::<AgentContext>(actor).unwrap();
    let note = context.entries()[1].body().full_text().into_owned();
    assert!(note.contains("engine/folded"), "{note}");
    assert!(
        !engine
            .world
            .get::<Chapters>(actor)
            .unwrap()
            .all()
            .is_empty()
    );
}

#[tokio::test]
async fn a_window_that_is_known_is_kept_without_asking() {
    let mind = ScriptMind::by_rule(|prompt| {
        assert!(prompt.tokens() + 200 <= 600, "{}", prompt.tokens());
        assert_eq!(prompt.max_tokens, 200);
        ScriptLine::say(deed(prompt, 0, "words"))
    })
    .with_info(|info| {
        (info.window, info.max_output, info.thought_tokens) = (Some(600), 150, 50);
    });
    let mut engine = SMALL.engine(Arc::new(mind));
    engine.run(Some(8)).await.unwrap();
    check(&engine).unwrap();
    let outcomes = outcomes(engine.journal().lines());
    assert!(
        outcomes
            .iter()
            .any(|outcome| outcome.folded > 0 && outcome.calls == 1)
    );
}

#[tokio::test]
async fn what_failed_calls_cost_is_booked_everywhere() {
    let mind = ScriptMind::by_rule(|prompt| {
        let mut lost = FailedCall::from(MindError::InvalidResponse {
            server: "test".into(),
            reason: UiText::verbatim("cut"),
        });
        (lost.retries, lost.usage) = (2, Some(usage(70, 3)));
        if prompt.number == 2 {
            return ScriptLine::fail(lost);
        }
        let mut said = Completion::instant("paid", deed(prompt, 7, ""));
        said.usage = Some(usage(100, 10));
        ScriptLine::complete(said)
    })
    .with_info(|info| {
        info.price = Some(Price {
            input: 1.0,
            cached: 0.5,
            output: 10.0,
            currency: "USD".into(),
            date: "2026-11-01".into(),
            source: String::new(),
        });
    });
    let mut engine = SMALL.engine(Arc::new(mind));
    engine.run(Some(1)).await.unwrap();
    let failed = outcomes(engine.journal().lines())[..].to_vec();
    let failed: Vec<_> = failed.into_iter().filter(|o| o.number == 2).collect();
    assert_eq!(failed.len(), 5);
    for outcome in &failed {
        assert_eq!((outcome.usage, outcome.retries), (usage(70, 3), 2));
        assert_eq!(
            outcome.estimated, 0,
            "three attempts teach nothing about one prompt"
        );
    }
    let mut ledgers = playhouse_engine::exchange::Spent::default();
    for (_, entity) in engine.world.resource::<CastList>().all() {
        ledgers += engine.world.get::<Ledger>(entity).unwrap().total();
    }
    assert_eq!(ledgers.usage, usage(5 * 170, 5 * 13));
    let spent = engine.totals().spent;
    assert_eq!((spent.usage, spent.cost), (ledgers.usage, ledgers.cost));
    assert_eq!((spent.calls, spent.retries), (10, 10));
    assert_eq!(spent.cost.0, (5 * 170 + 50 * 13) * 1_000);
}

fn usage(input: u64, output: u64) -> TokenUsage {
    TokenUsage {
        input,
        output,
        ..TokenUsage::default()
    }
}
