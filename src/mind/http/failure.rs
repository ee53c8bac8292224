//! What a failed attempt means: which error it is, and whether and when to try again.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::reply::{error_in, error_text};
use super::settings::seconds;
use crate::message::TokenUsage;
use crate::mind::MindError;

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: MindError,
    pub(super) again: RetryDecision,
    pub(super) schema: SchemaBlame,
    /// What the attempt cost, where the server told.
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
    /// After the delay that the server named.
    After(Duration),
}

/// Whether the schema is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaBlame {
    /// The server did not object to the request's form.
    None,
    /// The server objects and does not say to what.
    Possible,
    /// The server names the schema.
    Named,
}

impl Failure {
    /// A failure that may pass.
    pub(super) fn passing(error: MindError) -> Self {
        Self {
            error,
            again: RetryDecision::Soon,
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

    /// A failure that stays.
    pub(super) fn lasting(error: MindError) -> Self {
        Self {
            again: RetryDecision::Never,
            ..Self::passing(error)
        }
    }

    /// The same failure, with what it cost.
    pub(super) fn costing(self, usage: Option<TokenUsage>) -> Self {
        Self { usage, ..self }
    }
}

/// A server as errors name it, and the key that must not show in them.
#[derive(Debug)]
pub(super) struct ErrorContext {
    /// The model's alias and the server's address.
    pub(super) server: String,
    pub(super) key: Option<SecretString>,
}

impl ErrorContext {
    /// The server's words, fit to be shown: the key masked, control characters gone, cut to length.
    pub(super) fn quote(&self, text: &str) -> String {
        const LONGEST: usize = 500;
        let key = self.key.as_ref().map(ExposeSecret::expose_secret);
        let masked = match key {
            Some(key) if !key.is_empty() => text.replace(key, "***"),
            _ => text.to_owned(),
        };
        let words: Vec<_> = masked
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let line = words.join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// An answer that can't be used.
    pub(super) fn unreadable(&self, reason: &str) -> MindError {
        MindError::Unreadable {
            server: self.server.clone(),
            reason: self.quote(reason),
        }
    }

    /// Nobody spoke for this long.
    pub(super) fn silent(&self, after: Duration, waiting_for: &'static str) -> MindError {
        MindError::Silent {
            server: self.server.clone(),
            seconds: after.as_secs_f64().ceil() as u64,
            waiting_for,
        }
    }

    /// What a request that got no answer means.
    pub(super) fn unanswered(&self, error: reqwest::Error, connect: Duration) -> Failure {
        if error.is_timeout() {
            return Failure::passing(self.silent(connect, "the connection"));
        }
        let (never, reached) = (error.is_builder(), !error.is_connect());
        let error = MindError::Unreachable {
            server: self.server.clone(),
            reason: self.quote(&with_causes(error.without_url())),
        };
        match (never, reached) {
            (true, _) => Failure::lasting(error),
            (_, true) => Failure::passing(error).billable(),
            (_, false) => Failure::passing(error),
        }
    }

    /// What an answer with another status than success means.
    pub(super) fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Failure {
        let json = serde_json::from_str::<Value>(body).unwrap_or_default();
        let error = error_in(&json);
        let said = match headers.get(LOCATION).and_then(|value| value.to_str().ok()) {
            Some(place) if status.is_redirection() => {
                format!("it sends us on to {place}; is that the base URL?")
            }
            _ => error.map_or_else(|| plain(body), error_text),
        };
        let (server, reason) = (self.server.clone(), self.quote(&said));
        if let Some(window) = too_long(status, body, error) {
            return Failure::lasting(MindError::TooLong {
                server: server.into(),
                status: status.as_u16(),
                reason: reason.into(),
                window,
            });
        }
        let status = status.as_u16();
        let lower = body.to_lowercase();
        let asked = error.and_then(delay_in);
        let wait = || {
            asked
                .or_else(|| delay(headers))
                .map_or(RetryDecision::Soon, RetryDecision::After)
        };
        let (error, again) = match status {
            401..=403 => (denied(server, status, reason), RetryDecision::Never),
            400 if names_denial(&lower) => (denied(server, status, reason), RetryDecision::Never),
            // Gemini speaks of plan and billing whenever a minute's quota is used up, but says how
            // long.
            429 if is_about_money(&lower) && asked.is_none() => {
                (denied(server, status, reason), RetryDecision::Never)
            }
            408 | 425 | 429 | 503 | 529 => (busy(server, status, reason), wait()),
            500.. => (failed(server, status, reason), wait()),
            _ => (rejected(server, status, reason), RetryDecision::Never),
        };
        let schema = match status {
            400 | 422 | 500 if names_schema(&lower) => SchemaBlame::Named,
            400 | 422 | 500 => SchemaBlame::Possible,
            _ => SchemaBlame::None,
        };
        Failure {
            error,
            again,
            schema,
            usage: None,
            billable: false,
        }
    }
}

fn denied(server: String, status: u16, reason: String) -> MindError {
    MindError::Denied {
        server,
        status,
        reason,
    }
}

fn busy(server: String, status: u16, reason: String) -> MindError {
    MindError::Busy {
        server,
        status,
        reason,
    }
}

fn failed(server: String, status: u16, reason: String) -> MindError {
    MindError::ServerFailed {
        server,
        status,
        reason,
    }
}

fn rejected(server: String, status: u16, reason: String) -> MindError {
    MindError::Rejected {
        server,
        status,
        reason,
    }
}

/// An error and what caused it, as one line.
fn with_causes(error: reqwest::Error) -> String {
    let mut line = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        line = format!("{line}: {error}");
        cause = error.source();
    }
    line
}

/// The words of a body that is no JSON.
fn plain(body: &str) -> String {
    match body.trim() {
        "" => "no reason given".into(),
        page if is_html(page) => format!("an HTML page{}", title(page)),
        text => text.into(),
    }
}

/// Whether a body is a web page, as proxies and wrong addresses send them.
pub(super) fn is_html(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

/// A page's title, in brackets.
pub(super) fn title(page: &str) -> String {
    let title = page.split_once("<title>");
    let title = title.and_then(|(_, rest)| rest.split_once("</title>"));
    title.map_or(String::new(), |(title, _)| format!(" ({})", title.trim()))
}

/// Whether a limit is one of money; "load balancer" is none.
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

/// Whether a request is refused for want of money or of a good key, in the words of those who
/// answer it with 400.
fn names_denial(body: &str) -> bool {
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

/// Whether a prompt was too long for the model, and the window where the server told it.
fn too_long(status: StatusCode, body: &str, error: Option<&Value>) -> Option<Option<u64>> {
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
    let told = SPELLINGS.iter().any(|spelling| lower.contains(spelling));
    let may_tell = matches!(status.as_u16(), 400 | 413 | 422 | 500);
    (may_tell && told).then(|| {
        let exact = error.and_then(|error| error["n_ctx"].as_u64());
        let spelled = [
            "context size",
            "context length",
            "context",
            "tokens >",
            "tokens allowed",
            "input length should be",
        ];
        exact.or_else(|| spelled.iter().find_map(|words| number_after(&lower, words)))
    })
}

/// The first number of at least three digits after a word; servers write the window like that.
fn number_after(text: &str, word: &str) -> Option<u64> {
    text.match_indices(word).find_map(|(at, _)| {
        let near: String = text[at..].chars().take(60).collect();
        let near = near.replace(',', "");
        let mut numbers = near.split(|c: char| !c.is_ascii_digit());
        let number = numbers.find(|digits| digits.len() >= 3)?;
        number.parse().ok()
    })
}

/// The delay that a server asks for, in any of the headers that are in use.
fn delay(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let today = || http_date(text("date")?);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Some(seconds(millis / 1e3));
    }
    if let Some(wait) = text("retry-after") {
        let until = || Some(http_date(wait)?.saturating_sub(today()?) as f64);
        return wait.parse().ok().or_else(until).map(seconds);
    }
    let resets = [
        "x-ratelimit-reset",
        "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens",
        "ratelimit-reset",
    ];
    let wait = resets.iter().find_map(|name| span(text(name)?))?;
    // A number this great is a point in time: seconds, or thousandths, since 1970.
    let wait = match wait {
        point if point > 1e12 => point / 1e3 - today()? as f64,
        point if point > 1e9 => point - today()? as f64,
        wait => wait,
    };
    Some(seconds(wait))
}

/// The delay that Gemini asks for within an error: `{"@type": "…RetryInfo", "retryDelay":
/// "34.07s"}`.
fn delay_in(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array()?;
    let wait = details
        .iter()
        .find_map(|detail| detail["retryDelay"].as_str())?;
    span(wait).map(seconds)
}

/// Seconds of a span such as `1.5`, `20ms`, `6m0s` or `1h2m3s`.
fn span(text: &str) -> Option<f64> {
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

/// Seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next().filter(|name| name.len() == 3)?;
    let month = MONTHS.find(month)? as u64 / 3 + 1;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words
        .next()?
        .split(':')
        .map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let in_calendar = (1970..10_000).contains(&year) && (1..=31).contains(&day);
    if !in_calendar || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days of a calendar whose years begin in March, so that leap days come last.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leaps = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leaps + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn witness() -> ErrorContext {
        ErrorContext {
            server: "http://x/v1".into(),
            key: Some("sk-secret".into()),
        }
    }

    fn refused(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Failure {
        let headers = headers.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        let status = StatusCode::from_u16(status).unwrap();
        witness().refused(status, &headers.collect(), body)
    }

    #[test]
    fn what_can_not_pass_is_not_tried_again() {
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
            assert_eq!(failure.again, RetryDecision::Never, "{status} {body}");
        }
        assert_eq!(refused(500, &[], "").again, RetryDecision::Soon);
        assert_eq!(
            refused(429, &[], "the load balancer is busy").again,
            RetryDecision::Soon
        );
    }

    #[test]
    fn the_servers_delay_is_read_in_each_spelling() {
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
            let again = refused(429, headers, "").again;
            assert_eq!(
                again,
                RetryDecision::After(Duration::from_millis(millis)),
                "{headers:?}"
            );
        }
        let unclear = refused(429, &[("retry-after", "soon")], "");
        assert_eq!(unclear.again, RetryDecision::Soon);
    }

    #[test]
    fn a_quota_of_a_minute_is_waited_for_and_a_debt_is_not() {
        let quota = r#"[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}]"#;
        assert_eq!(
            refused(429, &[], quota).again,
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
    fn an_error_says_whose_it_is_what_it_is_and_what_to_do() {
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
    fn dates_count_from_1970() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(
            http_date("Thu, 29 Feb 2024 12:00:00 GMT"),
            Some(1_709_208_000)
        );
        assert_eq!(http_date("yesterday"), None);
        assert_eq!(
            http_date("Sun, 06 Nov 1994 9999999999999999999:00:00 GMT"),
            None
        );
    }

    #[test]
    fn a_prompt_too_long_is_known_in_each_spelling() {
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
            let MindError::TooLong { window: told, .. } = failure.error else {
                panic!("{body}: {shown}");
            };
            assert_eq!(told, window, "{body}");
            assert!(shown.contains(&format!("({status}): ")), "{shown}");
            assert!(shown.contains("set the model's `window`"), "{shown}");
        }
    }

    #[test]
    fn errors_show_no_key_no_control_characters_and_no_page() {
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
        assert!(!format!("{:?}", witness()).contains("sk-secret"));
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
                    witness().refused(status, &headers, &body);
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
    fn a_refused_schema_is_suspected() {
        assert_eq!(
            refused(400, &[], "unknown response_format").schema,
            SchemaBlame::Named
        );
        assert_eq!(refused(500, &[], "oops").schema, SchemaBlame::Possible);
        assert_eq!(refused(429, &[], "schema").schema, SchemaBlame::None);
    }
}
