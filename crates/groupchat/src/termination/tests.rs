use playhouse_engine::message::Language;

use super::*;
use crate::functions::Functions;
use crate::message::{ChatContent, ChatMessage, FunctionCall, FunctionResult};

fn context(functions: &Functions) -> DeltaContext<'_> {
    DeltaContext {
        turns: 0,
        elapsed_ms: 0,
        external: false,
        functions,
        language: Language::En,
    }
}

/// The result of checking each delta in turn.
fn checked(
    condition: Termination,
    deltas: &[&[ChatMessage]],
) -> Vec<Result<Option<String>, AlreadyTerminated>> {
    let mut state = TerminationState::new(condition);
    let functions = Functions::default();
    let results = deltas.iter().map(|delta| {
        // A save between two checks changes nothing.
        let json = serde_json::to_string(&state).unwrap();
        state = serde_json::from_str(&json).unwrap();
        let stop = state.check(delta, context(&functions))?;
        Ok(stop.map(|stop| stop.content))
    });
    results.collect()
}

fn a(text: &str) -> ChatMessage {
    ChatMessage::text("a", text)
}

fn request(name: &str) -> ChatMessage {
    let call = FunctionCall {
        id: "1".into(),
        name: name.into(),
        arguments: "{}".into(),
    };
    ChatMessage::new("a", ChatContent::ToolCallRequest(vec![call]))
}

fn execution(name: &str) -> ChatMessage {
    let result = FunctionResult {
        content: "ok".into(),
        name: name.into(),
        call_id: "1".into(),
        is_error: false,
    };
    ChatMessage::new("a", ChatContent::ToolCallExecution(vec![result]))
}

#[test]
fn both_must_fire_or_one_in_their_orders() {
    let both = Termination::max_messages(2).and(Termination::mention("x"));
    let texts = checked(both, &[&[a("x")], &[a("y")], &[a("z")]]);
    assert_eq!(texts[0], Ok(None));
    assert_eq!(
        texts[1],
        Ok(Some(
            "Text 'x' mentioned, Maximum number of messages 2 reached, current message count: 2"
                .into()
        ))
    );
    assert_eq!(texts[2], Err(AlreadyTerminated));
    let either = Termination::max_messages(2).or(Termination::mention("x"));
    let texts = checked(either, &[&[a("x")], &[a("y")]]);
    assert_eq!(
        texts,
        [
            Ok(Some("Text 'x' mentioned".into())),
            Err(AlreadyTerminated)
        ]
    );
}

#[test]
fn time_runs_from_the_start_of_the_run() {
    let functions = Functions::default();
    let condition = Termination::Timeout {
        turns: Some(3),
        seconds: Some(0.05),
    };
    let mut state = TerminationState::new(condition);
    let context = |turns, elapsed_ms| DeltaContext {
        turns,
        elapsed_ms,
        ..context(&functions)
    };
    assert_eq!(state.check(&[], context(2, 49)), Ok(None));
    assert!(state.check(&[], context(2, 60)).unwrap().is_some());
    state.reset();
    assert!(state.check(&[], context(3, 0)).unwrap().is_some());
}

#[test]
fn functions_and_people_outside_can_end_a_run() {
    let functions = Functions::default().with_termination("long", |delta| delta.len() > 1);
    let mut state = TerminationState::new(Termination::Function {
        name: "long".into(),
    });
    assert_eq!(state.check(&[a("1")], context(&functions)), Ok(None));
    let stop = state.check(&[a("1"), a("2")], context(&functions));
    assert!(stop.unwrap().is_some());
    let mut state = TerminationState::new(Termination::External);
    assert_eq!(state.check(&[a("1")], context(&functions)), Ok(None));
    let asked = DeltaContext {
        external: true,
        ..context(&functions)
    };
    assert!(state.check(&[], asked).unwrap().is_some());
    assert_eq!(state.check(&[], asked), Err(AlreadyTerminated));
}

#[test]
fn tools_and_handoffs_are_seen() {
    let handoff = |to: &str| ChatMessage::handoff("a", to, "go");
    let rows: Vec<(Termination, Vec<ChatMessage>)> = vec![
        (
            Termination::Handoff { target: "p".into() },
            vec![handoff("q"), handoff("p")],
        ),
        (
            Termination::SourceMatch {
                sources: vec!["b".into()],
            },
            vec![a("x"), ChatMessage::text("b", "x")],
        ),
        (
            Termination::TextMessage { source: None },
            vec![ChatMessage::stop("a", "x"), ChatMessage::text("z", "x")],
        ),
        (
            Termination::FunctionCall {
                name: "approve".into(),
            },
            vec![request("approve"), execution("approve")],
        ),
        (
            Termination::StopMessage {
                text: String::new(),
            },
            vec![a("TERMINATE"), ChatMessage::stop("a", "")],
        ),
        (
            Termination::StopMessage {
                text: "TERMINATE".into(),
            },
            vec![a("go on"), a("Terminate.")],
        ),
        (
            Termination::TextMention {
                text: "Done".into(),
                sources: vec![],
                ignore_case: true,
                last_only: false,
            },
            vec![a("nothing"), a("all DONE!")],
        ),
    ];
    for (condition, messages) in rows {
        let deltas: Vec<_> = messages.iter().map(std::slice::from_ref).collect();
        let texts = checked(condition.clone(), &deltas);
        assert_eq!(texts[0], Ok(None), "{condition:?}");
        assert!(matches!(texts[1], Ok(Some(_))), "{condition:?}");
    }
    let last = Termination::TextMention {
        text: "x".into(),
        sources: vec![],
        ignore_case: false,
        last_only: true,
    };
    assert_eq!(checked(last, &[&[a("x"), a("y")]]), [Ok(None)]);
    let stop = Termination::StopMessage { text: "x".into() };
    assert_eq!(checked(stop, &[&[a("x"), a("y")]]), [Ok(None)]);
}

#[test]
fn impossible_conditions_are_found() {
    assert!(
        Termination::terminate()
            .or(Termination::max_messages(3))
            .is_certain()
    );
    assert!(
        !Termination::terminate()
            .and(Termination::max_messages(3))
            .is_certain()
    );
    let none = Termination::TokenUsage {
        total: None,
        prompt: None,
        completion: None,
    };
    assert!(none.mistake().is_some());
    assert!(Termination::All(vec![]).mistake().is_some());
    assert!(Termination::terminate().mistake().is_none());
}
