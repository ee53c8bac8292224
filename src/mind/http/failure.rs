//! What a failed attempt means: which error it is, and whether and when to retry.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;

use super::pace::Wait;
use super::server_error::{error_message, find_error};
use super::settings::seconds;
use crate::locale::{Localize, UiText, text};
use crate::message::TokenUsage;
use crate::mind::completion::{Awaited, MindError};
use crate::secrets::redact;

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: MindError,
    pub(super) retry: RetryDecision,
    pub(super) schema: SchemaBlame,
    /// What the attempt cost, if the server reported it.
    pub(super) usage: Option<TokenUsage>,
    /// Whether the server may bill the attempt all the same: it began to answer, or had time to.
    pub(super) billable: bool,
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

/// Whether the schema is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaBlame {
    /// It is not.
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
        if is_dns {
            text!(mind_dns_failed, reason)
        } else {
            reason
        }
    }

    /// What an HTML page says in its title, if a body is one. Proxies and wrong URLs send them.
    pub(super) fn html_page(&self, body: &str) -> Option<UiText> {
        if !body.trim_start().starts_with('<') {
            return None;
        }
        let title = body.split_once("<title>");
        let title = title.and_then(|(_, rest)| rest.split_once("</title>"));
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
            reason: self.root_cause(error),
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
        let json = serde_json::from_str::<Value>(body).unwrap_or_default();
        let error = find_error(&json);
        let reason = match headers.get(LOCATION).and_then(|value| value.to_str().ok()) {
            Some(location) if status.is_redirection() => {
                text!(mind_redirected, location = self.sanitized(location))
            }
            _ => match error {
                Some(error) => UiText::verbatim(self.sanitized(&error_message(error))),
                None => self.plain_reason(body),
            },
        };
        let window = is_prompt_too_long(status, body).then(|| window_in(body, error));
        let server = Arc::clone(&self.server);
        let status = status.as_u16();
        if let Some(window) = window {
            return Failure::permanent(MindError::PromptTooLong {
                server,
                status,
                reason,
                window,
            });
        }
        let lower = body.to_lowercase();
        let delay = error.and_then(delay_in_error);
        // Gemini mentions plan and billing whenever a quota per minute is used up, but with a
        // delay.
        let lacks_money = status == 429 && is_about_money(&lower) && delay.is_none();
        let is_denied = matches!(status, 401..=403) || (status == 400 && is_about_access(&lower));
        let error = match status {
            _ if is_denied || lacks_money => MindError::Denied {
                server,
                status,
                reason,
            },
            408 | 425 | 429 | 503 | 529 => MindError::Busy {
                server,
                status,
                reason,
            },
            500.. => MindError::ServerFailed {
                server,
                status,
                reason,
            },
            _ => MindError::Rejected {
                server,
                status,
                reason,
            },
        };
        let retry = if error.is_transient() {
            let delay = delay.or_else(|| delay_in_headers(headers));
            delay.map_or(RetryDecision::Soon, RetryDecision::After)
        } else {
            RetryDecision::Never
        };
        let schema = match status {
            400 | 422 | 500 if names_schema(&lower) => SchemaBlame::Named,
            400 | 422 | 500 => SchemaBlame::Possible,
            _ => SchemaBlame::None,
        };
        Failure {
            error,
            retry,
            schema,
            usage: None,
            billable: false,
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
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Whether a limit is about money. "Load balancer" is not.
fn is_about_money(body: &str) -> bool {
    let body = body.replace("balancer", "").replace("balancing", "");
    [
        "insufficient_quota",
        "current quota",
        "balance",
        "billing",
        "credits",
        "余额",
    ]
    .iter()
    .any(|word| body.contains(word))
}

/// Whether status 400 means a lack of money or a wrong key, in the words of those who use it so.
fn is_about_access(body: &str) -> bool {
    // Anthropic, DashScope, Gemini.
    let spellings = ["credit balance", "arrearage", "api key not valid"];
    spellings.iter().any(|spelling| body.contains(spelling))
}

fn names_schema(body: &str) -> bool {
    [
        "response_format",
        "schema",
        "grammar",
        "output_config",
        "mime",
        "tool_choice",
    ]
    .iter()
    .any(|word| body.contains(word))
}

/// Whether a prompt was too long for the model.
fn is_prompt_too_long(status: StatusCode, body: &str) -> bool {
    const SPELLINGS: [&str; 12] = [
        "exceed_context_size_error",
        "context_length_exceeded",
        "maximum context length",
        "exceeds the available context size",
        "exceed context window",
        "exceeds the context window",
        "greater than the context length",
        "prompt is too long",
        "input is too long",
        // Gemini, DashScope, Ollama.
        "exceeds the maximum number of tokens allowed",
        "range of input length should be",
        "exceeds maximum context",
    ];
    let lower = body.to_lowercase();
    matches!(status.as_u16(), 400 | 413 | 422 | 500)
        && SPELLINGS.iter().any(|spelling| lower.contains(spelling))
}

/// The context window that an error names, in tokens.
fn window_in(body: &str, error: Option<&Value>) -> Option<u64> {
    let exact = error.and_then(|error| error["n_ctx"].as_u64());
    let phrases = [
        "context size",
        "context length",
        "context",
        "tokens >",
        "tokens allowed",
        "input length should be",
    ];
    let lower = body.to_lowercase();
    exact.or_else(|| {
        phrases
            .iter()
            .find_map(|phrase| number_after(&lower, phrase))
    })
}

/// The first number of at least three digits shortly after a phrase.
fn number_after(text: &str, phrase: &str) -> Option<u64> {
    text.match_indices(phrase).find_map(|(start, _)| {
        let near: String = text[start..].chars().take(60).collect();
        let near = near.replace(',', "");
        let mut numbers = near.split(|c: char| !c.is_ascii_digit());
        let number = numbers.find(|digits| digits.len() >= 3)?;
        number.parse().ok()
    })
}

/// The delay that a server asks for, in any of the headers in use.
fn delay_in_headers(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let now = || http_date(text("date")?);
    let millis = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| requested(millis / 1e3)) {
        return Some(wait);
    }
    if let Some(wait) = text("retry-after") {
        let until = || Some(http_date(wait)? - now()?);
        return wait.parse().ok().or_else(until).and_then(requested);
    }
    let resets = [
        "x-ratelimit-reset",
        "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens",
        "ratelimit-reset",
    ];
    let wait = resets.iter().find_map(|name| parse_span(text(name)?))?;
    // A large number is a point in time: seconds, or milliseconds, since 1970.
    let wait = match wait {
        point if point > 1e12 => point / 1e3 - now()?,
        point if point > 1e9 => point - now()?,
        wait => wait,
    };
    requested(wait)
}

/// A delay in seconds, as a server asks for it; `None` for one that is over or makes no sense, so
/// that the wait is our own. A huge one is clamped, and ends the call: see `RetryState`.
fn requested(wait: f64) -> Option<Duration> {
    (wait > 0.0).then(|| seconds(wait))
}

/// The delay that Gemini asks for in an error: `{"@type": "…RetryInfo", "retryDelay": "34.07s"}`.
fn delay_in_error(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array()?;
    let wait = details
        .iter()
        .find_map(|detail| detail["retryDelay"].as_str())?;
    parse_span(wait).and_then(requested)
}

/// The seconds of a span such as `1.5`, `20ms`, `6m0s` or `1h2m3s`.
fn parse_span(text: &str) -> Option<f64> {
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let unit = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        sum += number.parse::<f64>().ok()?
            * match unit {
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return None,
            };
        rest = after;
    }
    Some(sum)
}

/// Seconds since 1970 of a date in a header.
fn http_date(text: &str) -> Option<f64> {
    let date: SystemTime = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(UNIX_EPOCH).ok()?.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secret;
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn context() -> ErrorContext {
        ErrorContext {
            server: "http://x/v1".into(),
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
        for (status, body) in [
            (400, "{}"),
            (401, r#"{"error": {"message": "bad key"}}"#),
            (402, "{}"),
            (403, ""),
            (404, r#"{"detail": "Not Found"}"#),
            (422, ""),
            (429, r#"{"error": {"code": "insufficient_quota"}}"#),
            (429, "Insufficient Balance"),
        ] {
            let failure = refused(status, &[("retry-after", "1")], body);
            assert_eq!(failure.retry, RetryDecision::Never, "{status} {body}");
        }
        assert_eq!(refused(500, &[], "").retry, RetryDecision::Soon);
        assert_eq!(
            refused(429, &[], "the load balancer is busy").retry,
            RetryDecision::Soon
        );
    }

    #[test]
    fn the_delay_of_a_server_is_read_in_every_spelling() {
        for (headers, millis) in [
            (&[("retry-after", "7")][..], 7_000),
            (&[("retry-after", "0.5")], 500),
            (&[("retry-after-ms", "30"), ("retry-after", "7")], 30),
            (&[("x-ratelimit-reset", "12")], 12_000),
            (&[("x-ratelimit-reset-requests", "1m0.5s")], 60_500),
            (&[("x-ratelimit-reset-tokens", "20ms")], 20),
            (
                &[
                    ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                    ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"),
                ],
                30_000,
            ),
            (
                &[
                    ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                    ("x-ratelimit-reset", "2000000000"),
                ],
                1_000_000_000,
            ),
        ] {
            let retry = refused(429, headers, "").retry;
            assert_eq!(
                retry,
                RetryDecision::After(Duration::from_millis(millis)),
                "{headers:?}"
            );
        }
    }

    #[test]
    fn a_delay_that_makes_no_sense_is_our_own_and_a_huge_one_is_clamped() {
        for senseless in ["soon", "-5", "0", "NaN", "-inf", "-1e999", ""] {
            let headers = [
                "retry-after",
                "retry-after-ms",
                "x-ratelimit-reset",
                "ratelimit-reset",
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
    fn a_quota_per_minute_is_waited_for_but_not_a_debt() {
        let quota = r#"[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}]"#;
        assert_eq!(
            refused(429, &[], quota).retry,
            RetryDecision::After(Duration::from_millis(34_500))
        );
        for body in [
            r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}}"#,
            r#"{"code": "Arrearage", "message": "Access denied, please make sure your account is in good standing."}"#,
        ] {
            let failure = refused(400, &[], body);
            assert!(
                matches!(failure.error, MindError::Denied { .. }),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn an_error_names_the_server_the_problem_and_what_to_do() {
        for (status, body, said) in [
            (
                401,
                r#"{"error": {"message": "bad key"}}"#,
                "bad key; `playhouse config`",
            ),
            (
                402,
                r#"{"error": {"message": "Insufficient Balance"}}"#,
                "Insufficient Balance; the account has no money",
            ),
            (
                404,
                r#"{"detail": "Not Found"}"#,
                "Not Found; correct `base_url` or `model`",
            ),
            (
                422,
                r#"{"code": "InvalidParameter", "message": "no such field"}"#,
                "no such field; correct the model's settings",
            ),
            (
                422,
                r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}"#,
                "body.top_k: Extra inputs are not permitted; correct the model's settings",
            ),
            (
                529,
                r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
                "Overloaded; resume later",
            ),
        ] {
            let shown = refused(status, &[], body).error.to_string();
            assert!(
                shown.contains(&status.to_string()) && shown.contains(said),
                "{shown}"
            );
            assert!(shown.starts_with("http://x/v1 "), "{shown}");
        }
    }

    #[test]
    fn a_prompt_too_long_is_recognized_in_every_spelling() {
        for (status, body, window) in [
            (
                400,
                r#"{"error": {"type": "exceed_context_size_error", "n_ctx": 4096, "message": "m"}}"#,
                Some(4096),
            ),
            (
                400,
                r#"{"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 128,000 tokens."}}"#,
                Some(128_000),
            ),
            (
                400,
                "Requested tokens (900) exceed context window of 512",
                Some(512),
            ),
            (500, "prompt is too long", None),
            (
                400,
                r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 212345 tokens > 200000 maximum"}}"#,
                Some(200_000),
            ),
            (
                400,
                r#"{"error": {"code": 400, "message": "The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}"#,
                Some(1_048_576),
            ),
            (
                400,
                r#"{"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]", "request_id": "r"}"#,
                Some(30_720),
            ),
        ] {
            let failure = refused(status, &[], body);
            let shown = failure.error.to_string();
            let MindError::PromptTooLong { window: named, .. } = failure.error else {
                panic!("{body}: {shown}");
            };
            assert_eq!(named, window, "{body}");
            assert!(shown.contains(&format!("({status}): ")), "{shown}");
            assert!(shown.contains("set the model's `window`"), "{shown}");
        }
    }

    #[test]
    fn errors_show_neither_keys_nor_control_characters_nor_pages() {
        let _key = Secret::from("sk-secret");
        let failure = refused(401, &[], "Incorrect key \u{1b}[31m sk-secret\n\n provided");
        let shown = failure.error.to_string();
        assert!(
            shown.contains("***") && !shown.contains("sk-secret"),
            "{shown}"
        );
        assert!(
            !shown.contains('\u{1b}') && !shown.contains('\n'),
            "{shown}"
        );
        let page = refused(502, &[], "<html><title>Bad Gateway</title><body>…");
        assert!(page.error.to_string().contains("(Bad Gateway)"));
        let long = refused(400, &[], &"长".repeat(9_000));
        assert!(long.error.to_string().chars().count() < 700);
    }

    /// JSON that is nearly an error.
    fn any_error() -> impl Strategy<Value = Value> {
        const NAMES: [&str; 10] = [
            "error",
            "detail",
            "message",
            "code",
            "n_ctx",
            "details",
            "retryDelay",
            "loc",
            "msg",
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

    #[test]
    fn a_refused_schema_is_blamed() {
        assert_eq!(
            refused(400, &[], "unknown response_format").schema,
            SchemaBlame::Named
        );
        assert_eq!(refused(500, &[], "oops").schema, SchemaBlame::Possible);
        assert_eq!(refused(429, &[], "schema").schema, SchemaBlame::None);
    }
}
