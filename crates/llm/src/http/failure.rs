//! What a failed attempt means: which error it is, and whether and when to retry.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::TokenUsage;
use playhouse_engine::mind::{Awaited, LengthDoubt, MindError};
use playhouse_engine::secrets::redact;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;

use super::pace::Wait;
use super::server_error::{Diagnosis, SYSTEM_ROLE, ServerError};

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: MindError,
    pub(super) retry: RetryDecision,
    pub(super) schema: SchemaBlame,
    /// What the attempt cost, if the server reported it.
    pub(super) usage: Option<TokenUsage>,
    /// Whether the server may bill the attempt all the same: it began to answer, or had time to.
    pub(super) billable: bool,
    /// Whether a shorter prompt might have been accepted.
    pub(super) length_doubt: LengthDoubt,
}

/// Whether the same request is worth another attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RetryDecision {
    /// It would fail again.
    Never,
    /// After a wait of our own choice.
    Soon,
    /// After the delay that the server asked for.
    After(Duration),
}

impl RetryDecision {
    /// The delay that the server asked for.
    pub(super) fn delay(self) -> Option<Duration> {
        match self {
            Self::After(delay) => Some(delay),
            Self::Never | Self::Soon => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaBlame {
    None,
    /// The server refused the request and did not say why.
    Possible,
    /// The server named the schema.
    Named,
}

impl Failure {
    /// A failure that a retry may avoid.
    pub(super) fn transient(error: MindError) -> Self {
        Self {
            error,
            retry: RetryDecision::Soon,
            schema: SchemaBlame::None,
            usage: None,
            billable: false,
            length_doubt: LengthDoubt::None,
        }
    }

    /// The same failure, of an attempt that the server may bill.
    pub(super) fn billable(self) -> Self {
        Self {
            billable: true,
            ..self
        }
    }

    /// A failure that every retry would meet again.
    pub(super) fn permanent(error: MindError) -> Self {
        Self {
            retry: RetryDecision::Never,
            ..Self::transient(error)
        }
    }

    /// The same failure, with what it cost.
    pub(super) fn costing(self, usage: Option<TokenUsage>) -> Self {
        Self { usage, ..self }
    }
}

/// What errors need to know.
#[derive(Debug)]
pub(super) struct ErrorContext {
    /// The model's alias and the server's address.
    pub(super) server: Arc<str>,
    /// The environment variable with the proxy through which the server is reached.
    pub(super) proxy: Option<String>,
}

impl ErrorContext {
    /// A server's text, fit to be shown: on one line, with secrets masked, and of limited length.
    pub(super) fn sanitized(&self, text: &str) -> String {
        const MAX_CHARS: usize = 500;
        let line = one_line(&redact(text));
        match line.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// The innermost cause of a failed connection, which says most.
    fn root_cause(&self, error: reqwest::Error) -> UiText {
        let error = error.without_url();
        let mut cause: &(dyn Error + 'static) = &error;
        let mut is_dns = false;
        while let Some(source) = cause.source() {
            is_dns |= source.to_string().starts_with("dns error");
            cause = source;
        }
        let reason = match cause.downcast_ref::<io::Error>() {
            Some(error) => error.text(),
            None => UiText::verbatim(self.sanitized(&cause.to_string())),
        };
        let said = reason.to_string();
        if is_dns {
            text!(mind_dns_failed, reason)
        } else if said.contains("invalid peer certificate") {
            text!(mind_name_certificate, reason)
        } else if said.contains("InvalidContentType") {
            text!(mind_no_tls, reason)
        } else {
            reason
        }
    }

    /// Why there is no connection. Behind a proxy, that may be the proxy's fault.
    fn no_connection(&self, error: reqwest::Error) -> UiText {
        let reason = self.root_cause(error);
        match &self.proxy {
            Some(variable) => text!(mind_through_proxy, reason, variable),
            None => reason,
        }
    }

    /// What an HTML page says in its title, if a body is one. Proxies and wrong URLs send them.
    pub(super) fn html_page(&self, body: &str) -> Option<UiText> {
        if !body.trim_start().starts_with('<') {
            return None;
        }
        let title = body
            .split_once("<title>")
            .and_then(|(_, rest)| rest.split_once("</title>"));
        Some(match title {
            Some((title, _)) => text!(mind_html_page_titled, title = self.sanitized(title)),
            None => text!(mind_html_page),
        })
    }

    /// The error of a response that is not an answer.
    pub(super) fn invalid(&self, reason: UiText) -> MindError {
        MindError::InvalidResponse {
            server: Arc::clone(&self.server),
            reason,
        }
    }

    /// The error of an answer without a word.
    pub(super) fn empty(&self) -> MindError {
        MindError::Empty {
            server: Arc::clone(&self.server),
        }
    }

    /// The error of a response that broke off.
    pub(super) fn broke_off(&self, error: reqwest::Error) -> MindError {
        let reason = self.root_cause(error);
        MindError::InvalidResponse {
            server: Arc::clone(&self.server),
            reason: text!(mind_answer_broke_off, reason),
        }
    }

    /// The error of a server that took longer than this.
    pub(super) fn timed_out(&self, wait: Wait) -> MindError {
        MindError::TimedOut {
            server: Arc::clone(&self.server),
            seconds: wait.limit.as_secs_f64().ceil() as u64,
            awaited: wait.awaited,
        }
    }

    /// The error of a server that was slower than allowed for this long.
    pub(super) fn too_slow(&self, took: Duration) -> MindError {
        MindError::TimedOut {
            server: Arc::clone(&self.server),
            seconds: took.as_secs_f64().ceil() as u64,
            awaited: Awaited::EnoughBytes,
        }
    }

    /// The failure of a request without a response.
    pub(super) fn unanswered(&self, error: reqwest::Error, connect: Duration) -> Failure {
        if error.is_timeout() {
            return Failure::transient(self.timed_out(Wait {
                time: connect,
                limit: connect,
                awaited: Awaited::Connection,
            }));
        }
        let (is_invalid, is_connected) = (error.is_builder(), !error.is_connect());
        let error = MindError::Unreachable {
            server: Arc::clone(&self.server),
            reason: self.no_connection(error),
        };
        if is_invalid {
            Failure::permanent(error)
        } else if is_connected {
            Failure::transient(error).billable()
        } else {
            Failure::transient(error)
        }
    }

    /// The failure of a response with an error status.
    pub(super) fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Failure {
        let body = body.trim_start_matches('\u{feff}');
        let json = serde_json::from_str::<Value>(body).unwrap_or_default();
        let found = ServerError::find(&json);
        let reason = match headers.get(LOCATION).and_then(|value| value.to_str().ok()) {
            Some(location) if status.is_redirection() => {
                text!(mind_redirected, location = self.sanitized(location))
            }
            _ => match &found {
                Some(error) => UiText::verbatim(self.sanitized(&error.message)),
                None => self.plain_reason(body),
            },
        };
        let error = found
            .unwrap_or_else(|| ServerError::saying(body))
            .of_response(status, headers);
        self.failure(&error, reason)
    }

    /// The failure of an answer that is, or holds, an error.
    pub(super) fn reported(&self, error: &ServerError) -> Failure {
        let reason = if error.message.trim().is_empty() {
            text!(mind_no_reason)
        } else {
            UiText::verbatim(self.sanitized(&error.message))
        };
        self.failure(error, reason)
    }

    fn failure(&self, error: &ServerError, reason: UiText) -> Failure {
        const OK: u16 = 200;
        let (server, diagnosis) = (Arc::clone(&self.server), error.diagnosis());
        let status = error.status.unwrap_or(OK);
        let mind_error = match diagnosis {
            Diagnosis::TooLong { window } => MindError::PromptTooLong {
                server,
                status,
                reason,
                window,
            },
            Diagnosis::NoMoney | Diagnosis::NoAccess => MindError::Denied {
                server,
                status,
                reason,
                advice: match diagnosis {
                    Diagnosis::NoMoney => text!(mind_no_money),
                    _ => text!(mind_check_key),
                },
            },
            Diagnosis::Moderated => MindError::Moderated {
                server,
                status,
                reason,
            },
            Diagnosis::UnknownModel | Diagnosis::Rejected => MindError::Rejected {
                server,
                status,
                reason,
                advice: advice(error, diagnosis),
            },
            Diagnosis::Busy => MindError::Busy {
                server,
                status,
                reason,
            },
            Diagnosis::Failed if status == OK => self.invalid(reason),
            Diagnosis::Failed => MindError::ServerFailed {
                server,
                status,
                reason,
            },
        };
        let retry = match error.delay.or(error.reset) {
            _ if !mind_error.is_transient() => RetryDecision::Never,
            Some(delay) => RetryDecision::After(delay),
            None => RetryDecision::Soon,
        };
        let may_be_schema = matches!(diagnosis, Diagnosis::Rejected | Diagnosis::Failed);
        let schema = match status {
            OK | 400 | 422 | 500 if may_be_schema && error.says(SCHEMA) => SchemaBlame::Named,
            400 | 422 | 500 if may_be_schema => SchemaBlame::Possible,
            _ => SchemaBlame::None,
        };
        Failure {
            error: mind_error,
            retry,
            schema,
            usage: None,
            billable: false,
            length_doubt: error.length_doubt(),
        }
    }

    /// The reason in a body without an error of JSON.
    fn plain_reason(&self, body: &str) -> UiText {
        match self.html_page(body) {
            Some(page) => page,
            None if body.trim().is_empty() => text!(mind_no_reason),
            None => UiText::verbatim(self.sanitized(body)),
        }
    }
}

/// A text on one line, without control characters.
fn one_line(text: &str) -> String {
    let words: Vec<_> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// Words of errors about a schema.
const SCHEMA: &str = "response_format|schema|grammar|output_config|mime|tool_choice";

/// What servers say of a request that they refuse, and the member of the model file to set; what
/// comes first counts.
const REMEDIES: [(&str, fn() -> UiText); 9] = [
    ("alternate", || text!(mind_set_merge_turns)),
    (SYSTEM_ROLE, || text!(mind_set_system_role)),
    ("max_completion_tokens|max_tokens", || {
        text!(mind_set_limit_field)
    }),
    ("stream_options", || text!(mind_set_stream_usage)),
    ("stream", || text!(mind_set_stream)),
    ("temperature", || text!(mind_set_temperature)),
    ("tools|tool use|tool choice|function call", || {
        text!(mind_set_prompted_tools)
    }),
    (SCHEMA, || text!(mind_set_schema)),
    ("content must be a string|list of parts", || {
        text!(mind_set_parts)
    }),
];

/// What to change so that a request is accepted.
fn advice(error: &ServerError, diagnosis: Diagnosis) -> UiText {
    let status = error.status.unwrap_or_default();
    if (300..400).contains(&status) {
        return text!(mind_check_base_url);
    }
    let says = |(words, _): &&(&str, fn() -> UiText)| error.says(words);
    match REMEDIES.iter().find(says) {
        Some((_, remedy)) if diagnosis != Diagnosis::UnknownModel => remedy(),
        _ if diagnosis == Diagnosis::UnknownModel => text!(mind_check_base_url_and_model),
        _ => text!(mind_check_settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::seconds;
    use playhouse_engine::secrets::Secret;
    use playhouse_engine::testing::each_row;
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn context() -> ErrorContext {
        ErrorContext {
            server: "http://x/v1".into(),
            proxy: None,
        }
    }

    fn refused(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Failure {
        let headers = headers.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        let status = StatusCode::from_u16(status).unwrap();
        context().refused(status, &headers.collect(), body)
    }

    #[test]
    fn permanent_failures_are_not_retried() {
        for (status, body, whenever) in [
            (400, "{}", false),
            (401, r#"{"error": {"message": "bad key"}}"#, true),
            (402, "{}", true),
            (403, "", false),
            (404, r#"{"detail": "Not Found"}"#, false),
            (422, "", false),
            (429, r#"{"error": {"code": "insufficient_quota"}}"#, true),
        ] {
            let failure = refused(status, &[], body);
            assert_eq!(failure.retry, RetryDecision::Never, "{status} {body}");
            let failure = refused(status, &[("retry-after", "1")], body);
            let wanted = if whenever {
                RetryDecision::Never
            } else {
                RetryDecision::After(Duration::from_secs(1))
            };
            assert_eq!(failure.retry, wanted, "{status} {body}");
        }
        let retry = |status, body: &str| refused(status, &[], body).retry;
        assert_eq!(retry(429, "Insufficient Balance"), RetryDecision::Never);
        assert_eq!(retry(500, ""), RetryDecision::Soon);
        let balancer = "the load balancer is busy";
        assert_eq!(retry(429, balancer), RetryDecision::Soon);
    }

    #[test]
    fn the_delay_of_a_server_is_read_in_every_spelling() {
        let now = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        let then = ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT");
        for (headers, millis) in [
            (&[("retry-after", "7")][..], 7_000),
            (&[("retry-after", "0.5")], 500),
            (&[("retry-after-ms", "30"), ("retry-after", "7")], 30),
            (&[("x-ratelimit-reset", "12")], 12_000),
            (&[("x-ratelimit-reset-requests", "1m0.5s")], 60_500),
            (&[("x-ratelimit-reset-tokens", "20ms")], 20),
            (&[now, then], 30_000),
            (&[now, ("x-ratelimit-reset", "2000000000")], 1_000_000_000),
        ] {
            let retry = refused(429, headers, "").retry;
            let after = RetryDecision::After(Duration::from_millis(millis));
            assert_eq!(retry, after, "{headers:?}");
        }
    }

    #[test]
    fn a_delay_that_makes_no_sense_is_our_own_and_a_huge_one_is_clamped() {
        for senseless in ["soon", "-5", "0", "NaN", "-inf", "-1e999", ""] {
            let headers = [
                "retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit-reset",
            ];
            for header in headers {
                let retry = refused(429, &[(header, senseless)], "").retry;
                assert_eq!(retry, RetryDecision::Soon, "{header}: {senseless}");
            }
        }
        let both = [("retry-after-ms", "NaN"), ("retry-after", "7")];
        let seven = RetryDecision::After(Duration::from_secs(7));
        assert_eq!(refused(429, &both, "").retry, seven);
        let past = [
            ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT"),
        ];
        assert_eq!(refused(429, &past, "").retry, RetryDecision::Soon);
        for huge in ["1e300", "inf", "99999999999999999999"] {
            let RetryDecision::After(wait) = refused(429, &[("retry-after", huge)], "").retry
            else {
                panic!("{huge}");
            };
            assert_eq!(wait, seconds(f64::MAX), "{huge}");
        }
    }

    #[test]
    fn an_error_names_the_server_the_problem_and_what_to_do() {
        each_row(
            r#"
                401 => {"error": {"message": "bad key"}} => bad key; `playhouse config`
                400 => no such thing => no such thing
                400 => {"error": {"code": null, "message": "no such thing"}} => no such thing
                400 => {"error": {"code": "bad", "message": "no such thing"}} => no such thing
                400 => {"detail": "no such thing"} => no such thing
                400 => {"detail": [{"type": "extra_forbidden", "loc": ["body", "n", 0], "msg": "no such thing"}]} => no such thing
                400 => {"error": {"message": "litellm.BadRequestError: OpenAIException - no such thing"}} => no such thing
                400 => {"error": {"message": "No connected db.", "type": "no_db_connection", "code": "400"}} => No connected db;
                402 => {"error": {"message": "Insufficient Balance"}} => Insufficient Balance; the account has no money
                404 => {"detail": "Not Found"} => Not Found; correct `base_url` or `model`
                422 => {"code": "InvalidParameter", "message": "no such field"} => no such field; correct the model's settings
                422 => {"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]} => body.top_k: Extra inputs are not permitted; correct the model's settings
                529 => {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}} => Overloaded; lower `width`
        "#,
            |[status, body, said]| {
                let failure = refused(status.parse().unwrap(), &[], body);
                let shown = failure.error.to_string();
                assert!(shown.contains(status) && shown.contains(said), "{shown}");
                assert!(shown.starts_with("http://x/v1 "), "{shown}");
            },
        );
    }

    #[test]
    fn a_refused_request_names_the_member_to_set() {
        each_row(
            r#"
                400 => Conversation roles must alternate user/assistant => merge_turns: true
                500 => Jinja Exception: System role not supported => system_role: false
                400 => Only user and assistant roles are supported! => system_role: false
                400 => 'messages[0].role' does not support 'system' with this model. => system_role: false
                400 => Unsupported parameter: 'max_tokens' => limit_field: max_completion_tokens
                422 => body.stream_options: Extra inputs are not permitted => stream_usage: false
                400 => unknown field stream_options => stream_usage: false
                400 => streaming is not allowed => stream: false
                400 => 'temperature' does not support 0.7 with this model => `temperature`
                400 => registry.ollama.ai/library/x does not support tools => prompted_tools: true
                400 => "auto" tool choice requires --enable-auto-tool-choice => prompted_tools: true
                400 => response_format is not supported => schema: text
                422 => messages.0: content must be a string => parts: false
                404 => no tools or streams here => `model`
                400 => no => the model's settings
        "#,
            |[status, message, member]| {
                let body = serde_json::json!({"error": {"message": message}}).to_string();
                let failure = refused(status.parse().unwrap(), &[], &body);
                let shown = failure.error.to_string();
                assert!(shown.contains(member), "{message}: {shown}");
            },
        );
    }

    #[test]
    fn a_prompt_too_long_is_recognized_in_every_spelling() {
        each_row(
            r#"
                400 => {"error": {"type": "exceed_context_size_error", "n_ctx": 4096, "message": "m"}} => 4096
                400 => {"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 128,000 tokens."}} => 128000
                400 => Requested tokens (900) exceed context window of 512 => 512
                500 => prompt is too long => None
                400 => input exceeds maximum context length => None
                400 => {"error": {"code": "400", "message": "litellm.ContextWindowExceededError: the request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it"}} => 4096
                400 => {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 212345 tokens > 200000 maximum"}} => 200000
                400 => {"error": {"code": 400, "message": "The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}} => 1048576
                400 => {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]", "request_id": "r"} => 30720
        "#,
            |[status, body, window]| {
                let failure = refused(status.parse().unwrap(), &[], body);
                let shown = failure.error.to_string();
                let MindError::PromptTooLong { window: named, .. } = failure.error else {
                    panic!("{body}: {shown}");
                };
                assert_eq!(named, window.parse().ok(), "{body}");
                assert!(shown.contains(&format!("({status}): ")), "{shown}");
                assert!(shown.contains("set the model's `window`"), "{shown}");
            },
        );
    }

    #[test]
    fn errors_show_neither_keys_nor_control_characters_nor_pages() {
        let _key = Secret::from("sk-secret");
        let failure = refused(401, &[], "Incorrect key \u{1b}[31m sk-secret\n\n provided");
        let shown = failure.error.to_string();
        assert!(shown.contains("***"), "{shown}");
        for hidden in ["sk-secret", "\u{1b}", "\n"] {
            assert!(!shown.contains(hidden), "{shown}");
        }
        let page = refused(502, &[], "<html><title>Bad Gateway</title><body>…");
        assert!(page.error.to_string().contains("(Bad Gateway)"));
        let long = refused(400, &[], &"长".repeat(9_000));
        assert!(long.error.to_string().chars().count() < 700);
    }

    /// JSON that is nearly an error.
    fn any_error() -> impl Strategy<Value = Value> {
        const NAMES: [&str; 10] = [
            "error", "detail", "message", "code", "n_ctx", "details", "retryDelay", "loc", "msg",
            "output",
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "prompt is too long|[0-9]{1,30}(s|ms|h)?|\\PC{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 30, 4, move |inner| {
            let members = prop::collection::btree_map(
                prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
                inner.clone(),
                0..4,
            );
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                members.prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_header_or_body_is_too_strange(header in "[ -~]{0,30}", number: f64, body in "\\PC{0,60}", status in 300u16..600) {
            for text in [header, number.to_string(), format!("{number}s")] {
                let value = HeaderValue::from_str(&text).unwrap();
                for name in ["retry-after", "retry-after-ms", "x-ratelimit-reset", "date", "location"] {
                    let headers = HeaderMap::from_iter([(HeaderName::from_static(name), value.clone())]);
                    let status = StatusCode::from_u16(status).unwrap();
                    context().refused(status, &headers, &body);
                }
            }
        }

        #[test]
        fn no_error_is_too_strange(body in any_error(), status in 300u16..600) {
            let failure = refused(status, &[], &body.to_string());
            let shown = failure.error.to_string();
            prop_assert!(shown.starts_with("http://x/v1 "), "{}", shown);
        }
    }
}
