//! How OpenAI-compatible servers differ, row by row: llama-server, llama-cpp-python, transformers
//! serve, the LiteLLM proxy and aimock, each played on loopback as it was measured to behave.
#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic and look at the clock"
)]

mod played;

use crate::has;
use crate::openai::{Server, whole};
use crate::question::Question;
use played::{Played, Schema, Usage};
use playhouse_engine::message::{Block, Message, Role};
use playhouse_engine::mind::{Completion, Mind, MindError};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    Prose,
    Json,
    /// Words, with dice at hand.
    Call,
}

async fn ask(mind: &dyn Mind, json: bool) -> Result<Completion, MindError> {
    let wanted = if json { Wanted::Json } else { Wanted::Prose };
    ask_for(mind, wanted).await
}

async fn ask_for(mind: &dyn Mind, wanted: Wanted) -> Result<Completion, MindError> {
    let mut question = match wanted {
        Wanted::Prose => Question::default(),
        Wanted::Json => Question::as_json(),
        Wanted::Call => Question::with_dice(),
    };
    let call = Block::tool_use("call_1", "dice", json!({"sides": 6}));
    let called = Message::new(Role::Ai, vec![call]);
    let returned = Message::new(Role::Tool, vec![Block::tool_result("call_1", "4")]);
    question.history.add_message(called).unwrap();
    question.history.add_message(returned).unwrap();
    question.answered(mind).await
}

fn figures(completion: &Completion) -> Option<[u64; 3]> {
    let usage = completion.usage?;
    Some([usage.input, usage.output, usage.cached])
}

#[tokio::test]
async fn the_limit_goes_under_the_name_that_every_server_knows() {
    let yes = json!({"choices": [{"message": {"content": "Yes."}}]});
    let server = Server::always(whole(&yes)).await;
    let names = ["max_tokens", "max_completion_tokens"];
    for (request, settings) in ["", "limit_field: max_completion_tokens"]
        .iter()
        .enumerate()
    {
        ask(&*server.mind(settings), false).await.unwrap();
        let body = server.body(request);
        assert_eq!(body[names[request]], 100);
        assert_eq!(body[names[1 - request]], Value::Null);
    }
}

/// A server that behaves like one of them.
async fn play(played: Played) -> Server {
    Server::ruled(move |received| played.answer(received)).await
}

#[tokio::test]
async fn each_of_them_is_asked_for_words_json_and_calls_whole_and_in_pieces() {
    for played in played::ALL {
        for stream in [true, false] {
            let server = play(played).await;
            let mind = server.mind(&format!("stream: {stream}, stream_usage: {stream}"));
            for wanted in [Wanted::Prose, Wanted::Json, Wanted::Call] {
                let about = format!("{}, stream: {stream}, {wanted:?}", played.name);
                let completion = ask_for(&*mind, wanted).await.expect(&about);
                let text = match (wanted, played.schema) {
                    (Wanted::Call, _) => "",
                    (Wanted::Json, Schema::Grammar | Schema::WantsObject) => "{\"ready\": true}",
                    // Whoever asked finds out that a schema was ignored.
                    (Wanted::Json, Schema::Ignored) | (Wanted::Prose, _) => "Yes, I am.",
                };
                assert_eq!(completion.text, text, "{about}");
                let calls = completion.calls.iter();
                let calls = calls.map(|call| (&*call.id, &*call.name, &*call.arguments));
                let calls: Vec<_> = calls.collect();
                let expected: &[_] = match wanted {
                    Wanted::Call => &[("call_9", "dice", "{\"sides\": 6}")],
                    Wanted::Prose | Wanted::Json => &[],
                };
                assert_eq!(calls, expected, "{about}");
                let told = !stream || played.usage != Usage::Never;
                let cached = if played.cached { 5 } else { 0 };
                let expected = told.then_some([9, 2, cached]);
                assert_eq!(figures(&completion), expected, "{about}");
                let stepped = wanted == Wanted::Json && played.schema == Schema::WantsObject;
                assert_eq!(completion.retries, u32::from(stepped), "{about}");
            }
        }
    }
}

#[tokio::test]
async fn what_each_of_them_refuses_is_told_with_its_words_and_what_to_do() {
    type Answered = Result<Completion, MindError>;
    let refused = |name: &str, answered: Answered, status: Option<u16>, said: &[&str]| match (
        answered, status,
    ) {
        (Ok(completion), None) => assert_eq!(completion.text, "Yes, I am.", "{name}"),
        (Err(error), Some(status)) => {
            let shown = error.to_string();
            assert!(shown.starts_with("m (http://127.0.0.1"), "{name}: {shown}");
            assert!(!shown.contains("sk-not-it"), "{name}: {shown}");
            has(&shown, &[&[&*status.to_string()], said].concat());
        }
        (answered, status) => panic!("{name}: {answered:?}, expected {status:?}"),
    };
    for played in played::ALL {
        let (server, name) = (play(played).await, played.name);
        let vendor = server.mind("extra: {\"top_k\": 4}");
        let said = ["Unexpected keys", "top_k", "correct the model's settings"];
        let answered = ask(&*vendor, false).await;
        refused(name, answered, played.unknown_field, &said);

        let other = server.models_as(Some("sk-very-secret"), "no-such-model");
        let answered = ask(&*other.mind("m").unwrap(), false).await;
        let said = ["no-such-model", "not found", "correct"];
        refused(name, answered, played.unknown_model, &said);

        for key in [None, Some("sk-not-it")] {
            let other = server.models_as(key, "test-model");
            let answered = ask(&*other.mind("m").unwrap(), false).await;
            refused(name, answered, played.wrong_key, &["a wrong key"]);
        }
    }
}
