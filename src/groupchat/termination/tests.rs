use super::*;
use crate::groupchat::message::{FunctionCall, FunctionResult};

fn look(functions: &BTreeMap<String, Predicate>) -> DeltaContext<'_> {
    DeltaContext {
        turns: 0,
        elapsed_ms: 0,
        external: false,
        functions,
        language: Language::En,
    }
}

/// What a rule says to each delta in turn.
fn said(rule: Rule, deltas: &[&[ChatMessage]]) -> Vec<Result<Option<String>, Reached>> {
    let mut watch = Termination::new(rule);
    let functions = BTreeMap::new();
    let looks = deltas.iter();
    let said = looks.map(|delta| {
        // What is saved between two looks goes on as if nothing had happened.
        let json = serde_json::to_string(&watch).unwrap();
        watch = serde_json::from_str(&json).unwrap();
        let stop = watch.check(delta, look(&functions))?;
        Ok(stop.map(|stop| stop.content))
    });
    said.collect()
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
    ChatMessage::new("a", Content::ToolCallRequest(vec![call]))
}

fn execution(name: &str) -> ChatMessage {
    let result = FunctionResult {
        content: "ok".into(),
        name: name.into(),
        call_id: "1".into(),
        is_error: false,
    };
    ChatMessage::new("a", Content::ToolCallExecution(vec![result]))
}

#[test]
fn both_must_fire_or_one_in_their_orders() {
    let both = Rule::max_messages(2).and(Rule::mention("x"));
    let texts = said(both, &[&[a("x")], &[a("y")], &[a("z")]]);
    assert_eq!(texts[0], Ok(None));
    assert_eq!(
        texts[1],
        Ok(Some(
            "Text 'x' mentioned, Maximum number of messages 2 reached, current message count: 2"
                .into()
        ))
    );
    assert_eq!(texts[2], Err(Reached));
    let either = Rule::max_messages(2).or(Rule::mention("x"));
    let texts = said(either, &[&[a("x")], &[a("y")]]);
    assert_eq!(texts, [Ok(Some("Text 'x' mentioned".into())), Err(Reached)]);
}

#[test]
fn time_runs_from_the_start_of_the_run() {
    let functions = BTreeMap::new();
    let rule = Rule::Timeout {
        turns: Some(3),
        seconds: Some(0.05),
    };
    let mut watch = Termination::new(rule);
    let at = |turns, elapsed_ms| DeltaContext {
        turns,
        elapsed_ms,
        ..look(&functions)
    };
    assert_eq!(watch.check(&[], at(2, 49)), Ok(None));
    assert!(watch.check(&[], at(2, 60)).unwrap().is_some());
    watch.reset();
    assert!(watch.check(&[], at(3, 0)).unwrap().is_some());
}

#[test]
fn functions_and_people_outside_can_end_it() {
    let long: Predicate = Arc::new(|delta| delta.len() > 1);
    let functions = BTreeMap::from([("long".to_owned(), long)]);
    let mut watch = Termination::new(Rule::Function {
        name: "long".into(),
    });
    assert_eq!(watch.check(&[a("1")], look(&functions)), Ok(None));
    let stop = watch.check(&[a("1"), a("2")], look(&functions));
    assert!(stop.unwrap().is_some());
    let mut watch = Termination::new(Rule::External);
    assert_eq!(watch.check(&[a("1")], look(&functions)), Ok(None));
    let asked = DeltaContext {
        external: true,
        ..look(&functions)
    };
    assert!(watch.check(&[], asked).unwrap().is_some());
    assert_eq!(watch.check(&[], asked), Err(Reached));
}

#[test]
fn tools_and_handoffs_are_seen() {
    let handoff = |to: &str| ChatMessage::handoff("a", to, "go");
    let rows: Vec<(Rule, Vec<ChatMessage>)> = vec![
        (
            Rule::Handoff { target: "p".into() },
            vec![handoff("q"), handoff("p")],
        ),
        (
            Rule::SourceMatch {
                sources: vec!["b".into()],
            },
            vec![a("x"), ChatMessage::text("b", "x")],
        ),
        (
            Rule::TextMessage { source: None },
            vec![ChatMessage::stop("a", "x"), ChatMessage::text("z", "x")],
        ),
        (
            Rule::FunctionCall {
                name: "approve".into(),
            },
            vec![request("approve"), execution("approve")],
        ),
        (
            Rule::StopMessage,
            vec![a("TERMINATE"), ChatMessage::stop("a", "")],
        ),
        (
            Rule::TextMention {
                text: "Done".into(),
                sources: vec![],
                ignore_case: true,
                last_only: false,
            },
            vec![a("nothing"), a("all DONE!")],
        ),
    ];
    for (rule, messages) in rows {
        let deltas: Vec<_> = messages.iter().map(std::slice::from_ref).collect();
        let texts = said(rule.clone(), &deltas);
        assert_eq!(texts[0], Ok(None), "{rule:?}");
        assert!(matches!(texts[1], Ok(Some(_))), "{rule:?}");
    }
    let last = Rule::TextMention {
        text: "x".into(),
        sources: vec![],
        ignore_case: false,
        last_only: true,
    };
    assert_eq!(said(last, &[&[a("x"), a("y")]]), [Ok(None)]);
}

#[test]
fn what_can_never_fire_or_makes_no_sense_is_known() {
    assert!(Rule::terminate().or(Rule::max_messages(3)).surely_fires());
    assert!(!Rule::terminate().and(Rule::max_messages(3)).surely_fires());
    let none = Rule::TokenUsage {
        total: None,
        prompt: None,
        completion: None,
    };
    assert!(none.mistake().is_some());
    assert!(Rule::All(vec![]).mistake().is_some());
    assert!(Rule::terminate().mistake().is_none());
}
