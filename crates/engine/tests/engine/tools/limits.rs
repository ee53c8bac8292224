//! Every loop has its bounds, and whatever goes wrong with a call is told to the mind.

use std::time::Duration;

use playhouse_engine::context::buffer;
use playhouse_engine::engine::{EngineError, Stop};
use playhouse_engine::exchange::{Budget, Ledger};
use playhouse_engine::mind::{Completion, FinishReason, ScriptLine};
use playhouse_engine::tool::{ToolCall, ToolSet, Toolbox};
use serde_json::{Value, json};

use super::parlour::{Parlour, by_rounds};
use super::rounds::{context, engine, named};

/// What the mind read after one round of these calls.
async fn told(calls: Value, change: impl FnOnce(&mut Toolbox)) -> String {
    let rounds = [calls];
    let (mut engine, _) = engine(&Parlour::default(), move |prompt| {
        by_rounds(prompt, &rounds, "So.")
    });
    change(&mut engine.world.resource_mut::<Toolbox>());
    engine.run(Some(1)).await.unwrap();
    buffer(context(&engine, "Ann"))
}

#[tokio::test(start_paused = true)]
async fn what_goes_wrong_with_a_call_becomes_its_result() {
    for (call, said) in [
        (
            json!(["teleport", {}]),
            "there is no tool 'teleport'; there are: oracle, roll_dice, look_around",
        ),
        (
            json!(["oracle", {"about": 3}]),
            "about: invalid type: integer `3`, expected a string",
        ),
        (json!(["oracle", {}]), "missing field `about`"),
        (json!(["oracle", "nonsense"]), "no JSON object"),
        (json!(["oracle", {"about": "Fail"}]), "the oracle is silent"),
        (
            json!(["oracle", {"about": "Never"}]),
            "did not answer within 30 s",
        ),
        (json!(["roll_dice", {"dice": 1000}]), "1 to 100 dice"),
        (json!(["roll_dice", {"dice": -1}]), "dice: invalid value"),
    ] {
        let told = told(json!([call]), |_| {}).await;
        assert!(told.contains("✗") && told.contains(said), "{call}: {told}");
        assert!(told.contains("AI(Ann): So."), "the mind goes on: {told}");
    }
}

#[tokio::test]
async fn a_long_result_is_cut_and_says_so() {
    let long = json!([["oracle", {"about": "雨".repeat(100)}]]);
    let told = told(long, |tools| tools.limits.result_chars = 50).await;
    let line = told.lines().find(|line| line.starts_with("Tool:")).unwrap();
    assert!(
        line.contains("left_out") && line.matches('雨').count() < 50,
        "{line}"
    );
}

#[tokio::test]
async fn calls_over_the_limit_of_a_reply_are_left_out() {
    let many: Vec<_> = (0..20)
        .map(|n| json!(["oracle", {"about": format!("{n}.")}]))
        .collect();
    let told = told(Value::Array(many), |tools| tools.limits.calls = 3).await;
    assert!(told.contains("with 2.") && !told.contains("3."), "{told}");
}

#[tokio::test]
async fn calls_before_the_cut_of_an_answer_are_made() {
    let (mut engine, _) = engine(&Parlour::default(), |prompt| {
        if !prompt.rounds.is_empty() {
            return ScriptLine::say("So.");
        }
        let mut cut_off = Completion::instant("script", "");
        cut_off.finish = FinishReason::Length;
        cut_off.calls = vec![
            ToolCall::new("1", "oracle", r#"{"about": "Rain"}"#),
            ToolCall::new("2", "oracle", r#"{"about": "Sno"#),
        ];
        ScriptLine::complete(cut_off)
    });
    engine.run(Some(1)).await.unwrap();
    let told = buffer(context(&engine, "Ann"));
    assert!(told.contains("Rain") && !told.contains("Sno"), "{told}");
    assert!(told.contains("AI(Ann): So."), "{told}");
}

#[tokio::test]
async fn after_the_last_round_the_mind_is_told_to_answer() {
    let call = || ScriptLine::call([("roll_dice", json!({}))]);
    let (mut engine, mind) = engine(&Parlour::default(), move |prompt| {
        if prompt.tools.callable {
            call()
        } else {
            ScriptLine::say("Enough.")
        }
    });
    engine.world.resource_mut::<Toolbox>().limits.rounds = 3;
    engine.run(Some(1)).await.unwrap();
    let of_ann = mind.heard().into_iter().filter(|(who, _)| who == "Ann");
    let prompts: Vec<_> = of_ann.map(|(_, prompt)| prompt).collect();
    assert_eq!(prompts.len(), 4);
    assert!(prompts[3].contains("tools/used_up") && !prompts[2].contains("tools/used_up"));
    assert!(
        !buffer(context(&engine, "Ann")).contains("used_up"),
        "it never enters a context"
    );
    assert!(
        prompts
            .iter()
            .all(|prompt| prompt.starts_with("Tools: oracle, ")),
        "the prefix stays"
    );
}

#[tokio::test]
async fn a_mind_that_never_stops_calling_falls_back() {
    let (mut engine, mind) = engine(&Parlour::default(), |_| {
        ScriptLine::call([("roll_dice", json!({}))])
    });
    engine.world.resource_mut::<Toolbox>().limits.rounds = 2;
    engine.run(Some(1)).await.unwrap();
    let of_ann = mind
        .heard()
        .into_iter()
        .filter(|(who, _)| who == "Ann")
        .count();
    assert_eq!(
        of_ann,
        2 + 1 + 2,
        "two rounds, an answer that is none, and two repairs"
    );
    let spent = engine
        .world
        .get::<Ledger>(named(&engine, "Ann"))
        .unwrap()
        .total();
    assert_eq!((spent.calls, spent.fallbacks), (5, 1));
    assert!(buffer(context(&engine, "Ann")).contains("AI(Ann): …"));
}

#[tokio::test]
async fn caps_and_budgets_are_looked_at_before_each_round() {
    let call = |prompt: &playhouse_engine::mind::Prompt<'_>| {
        if prompt.tools.callable {
            ScriptLine::call([("roll_dice", json!({}))])
        } else {
            ScriptLine::say("So.")
        }
    };
    let (mut engine, mind) = engine(&Parlour::default(), call);
    engine.settings.limits.calls = Some(2);
    engine.settings.width = 1;
    let stop = engine.run(Some(1)).await.unwrap();
    assert!(matches!(stop, Stop::LimitReached(_)), "{stop:?}");
    assert_eq!(mind.heard().len(), 2);

    let (mut engine, mind) = super::rounds::engine(&Parlour::default(), call);
    let ann = named(&engine, "Ann");
    let budget = Budget {
        tokens: Some(1_500),
        cost: None,
    };
    engine.world.entity_mut(ann).insert(budget);
    engine.run(Some(1)).await.unwrap();
    let asked = mind.heard().iter().filter(|(who, _)| who == "Ann").count();
    assert!((1..4).contains(&asked), "{asked} calls");
    let spent = engine.world.get::<Ledger>(ann).unwrap().total();
    assert!(
        spent.usage.total() <= 1_500 && spent.fallbacks == 1,
        "{spent:?}"
    );
    // What it had called it knows, although the rules answered.
    assert!(buffer(context(&engine, "Ann")).contains("[roll_dice"));
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_named_before_anything_is_asked() {
    let (mut engine, mind) = engine(&Parlour::default(), |_| ScriptLine::say("So."));
    let ann = named(&engine, "Ann");
    engine
        .world
        .entity_mut(ann)
        .insert(ToolSet::of(["roll_dice", "teleport"]));
    let error = engine.run(Some(1)).await.unwrap_err();
    assert!(
        matches!(&error, EngineError::UnknownTool { tool, .. } if tool == "teleport"),
        "{error}"
    );
    engine
        .world
        .entity_mut(ann)
        .insert(ToolSet::of(["weather.now"]));
    let error = engine.run(Some(1)).await.unwrap_err().to_string();
    assert!(
        error.contains("'weather'") && error.contains("model file"),
        "{error}"
    );
    assert!(mind.heard().is_empty());
    engine.settings.without_servers = true;
    assert_eq!(engine.run(Some(1)).await.unwrap(), Stop::TurnReached(1));
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_have_another_limit_of_time() {
    let short = json!([["oracle", {"about": "Never"}]]);
    let told = told(short, |tools| {
        tools.change("oracle", |tool| {
            tool.with_time_limit(Duration::from_millis(1_500))
        });
    })
    .await;
    assert!(told.contains("within 1.5 s"), "{told}");
}
