//! Errors as servers report them, in whatever form and place, and what they mean.
//!
//! The same reading serves a response that refuses a request, an error within an answer, and one
//! within a stream. Codes, types and numbers count before words, since every server words its
//! errors in its own way.

use std::time::Duration;

use playhouse_engine::mind::LengthDoubt;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::delay::{delay_in_headers, delay_in_members, delay_in_text, reset_in_headers};

/// How much of a message is looked at, in characters.
const MOST_CHARS: usize = 4_000;
/// How deep codes are looked for, and how many of them.
const DEEPEST: usize = 6;
const MOST_CODES: usize = 40;

/// What an error means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Diagnosis {
    /// The prompt does not fit into the window, which may be named.
    TooLong {
        window: Option<u64>,
    },
    /// The account has no money, or no quota that time alone renews.
    NoMoney,
    /// The key or the account may not do this.
    NoAccess,
    /// What was asked is against the rules of the provider.
    Moderated,
    UnknownModel,
    /// The server can't answer now: a limit, overload, a model that is being loaded.
    Busy,
    Failed,
    /// The server does not accept the request.
    Rejected,
}

/// Parts of codes and types, or whole ones after `=`, without case and punctuation, and what they
/// mean; what comes first counts. Numbers are those of Zhipu.
const CODES: [(Diagnosis, &str); 7] = [
    // A single member is too long, such as a name.
    (Diagnosis::Rejected, "stringabove|arrayabove"),
    (
        Diagnosis::TooLong { window: None },
        "contextlength|contextsize|contextwindow|toolong|toolarge|maxlength|=1261",
    ),
    (
        Diagnosis::NoMoney,
        "insufficient|billing|arrear|paymentrequired|creditbalance|outofcredit|\
         exceededcurrentquota|=1113",
    ),
    (
        Diagnosis::Moderated,
        "contentfilter|contentpolicy|moderation|inspection|responsibleai|sensitive|\
         promptblocked|flagged|inappropriate|safety|invalidprompt|=1301",
    ),
    (
        Diagnosis::NoAccess,
        "apikey|authentication|unauthorized|unauthenticated|permission|accessdenied|\
         =forbidden|deactivated",
    ),
    (
        Diagnosis::Busy,
        "ratelimit|toomanyrequest|throttl|exhausted|overload|unavailable|loading|capacity|\
         busy|=1302|=1303|=1305",
    ),
    (
        Diagnosis::UnknownModel,
        "modelnot|notfound|nosuchmodel|decommissioned|deprecated",
    ),
];

/// An error that a server reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ServerError {
    /// For people; empty if it says nothing.
    pub(super) message: String,
    /// The HTTP status, or the one that an error within an answer names.
    pub(super) status: Option<u16>,
    /// Codes and types, without case and punctuation.
    codes: Vec<String>,
    /// The message in lower case.
    text: String,
    /// The tokens of the prompt and of the window, if they are members.
    prompt: Option<u64>,
    window: Option<u64>,
    /// The delay that it asks for.
    pub(super) delay: Option<Duration>,
    /// When limits are renewed, as servers tell with every response.
    pub(super) reset: Option<Duration>,
}

impl ServerError {
    /// The error that a value is or holds, if there is one.
    pub(super) fn find(response: &Value) -> Option<Self> {
        find_error(response).map(Self::of)
    }

    pub(super) fn of(error: &Value) -> Self {
        let mut codes = Vec::new();
        add_codes(error, 0, &mut codes);
        let named = codes.iter().filter_map(|code| code.parse::<u16>().ok());
        let said = Self::saying(&error_message(error));
        Self {
            status: named.clone().find(|status| (400..600).contains(status)),
            codes,
            prompt: error["n_prompt_tokens"].as_u64(),
            window: error["n_ctx"].as_u64(),
            delay: delay_in_members(error).or(said.delay),
            ..said
        }
    }

    /// An error of which there is only a text.
    pub(super) fn saying(message: &str) -> Self {
        let text: String = message.chars().take(MOST_CHARS).collect();
        let text = text.to_lowercase();
        Self {
            message: message.to_owned(),
            delay: delay_in_text(&text),
            text,
            ..Self::default()
        }
    }

    /// The same, as the response says it.
    pub(super) fn of_response(self, status: StatusCode, headers: &HeaderMap) -> Self {
        Self {
            status: Some(status.as_u16()),
            delay: delay_in_headers(headers).or(self.delay),
            reset: reset_in_headers(headers),
            ..self
        }
    }

    pub(super) fn diagnosis(&self) -> Diagnosis {
        let coded = self.coded();
        let status = self.status.unwrap_or_default();
        let sizes = self.prompt.zip(self.window);
        let is_too_long = coded == Some(Diagnosis::TooLong { window: None })
            || sizes.is_some_and(|(prompt, window)| prompt > window);
        let may_be_too_long = matches!(status, 0 | 400 | 413 | 422 | 429 | 500);
        let rate = self.exceeds_rate();
        match (status, coded) {
            _ if is_too_long || rate == Some(true) => self.too_long(),
            (402, _) | (_, Some(Diagnosis::NoMoney)) => Diagnosis::NoMoney,
            (_, Some(Diagnosis::Moderated)) => Diagnosis::Moderated,
            (401, _) => Diagnosis::NoAccess,
            (_, Some(Diagnosis::Rejected)) => Diagnosis::Rejected,
            // A server that says when to come back wants to be asked again.
            _ if self.delay.is_some() => Diagnosis::Busy,
            (429, _) if self.says("please wait") => Diagnosis::Busy,
            _ if may_be_too_long && rate.is_none() && self.names_excess() => self.too_long(),
            (413, _) => self.too_long(),
            (0 | 400 | 403 | 422 | 451, _) if self.says(MODERATED) => Diagnosis::Moderated,
            (_, Some(coded)) => coded,
            (0 | 200 | 400 | 403 | 429, _) if self.says(MONEY) => Diagnosis::NoMoney,
            (429, _) if self.is_about_money() && !self.is_about_rate() => Diagnosis::NoMoney,
            (403, _) => Diagnosis::NoAccess,
            (400, _) if self.says("api key not valid") => Diagnosis::NoAccess,
            (408 | 425 | 429 | 503 | 529, _) => Diagnosis::Busy,
            // A chat template that refuses the conversation refuses it every time.
            (500.., _) if self.says("jinja|must alternate") => Diagnosis::Rejected,
            // A model that is too large for the machine stays so.
            (500.., _) if self.says("more system memory") => Diagnosis::Rejected,
            (500.., _) if self.says(SYSTEM_ROLE) => Diagnosis::Rejected,
            (0 | 500.., _) => Diagnosis::Failed,
            (404 | 405, _) => Diagnosis::UnknownModel,
            _ => Diagnosis::Rejected,
        }
    }

    /// Whether a shorter prompt might be accepted, though nothing says so: then the error has no
    /// better reason, or speaks of lengths.
    pub(super) fn length_doubt(&self) -> LengthDoubt {
        match (self.diagnosis(), self.status) {
            (Diagnosis::Rejected, Some(400 | 422)) => LengthDoubt::AtOnce,
            (Diagnosis::Failed, _) if self.is_about_length() => LengthDoubt::AtOnce,
            (Diagnosis::Failed, Some(500)) => LengthDoubt::AtLast,
            _ => LengthDoubt::None,
        }
    }

    /// Whether it says one of these words, in lower case and between bars.
    pub(super) fn says(&self, words: &str) -> bool {
        words.split('|').any(|word| self.text.contains(word))
    }

    fn coded(&self) -> Option<Diagnosis> {
        let is_meant = |part: &str| {
            self.codes.iter().any(|code| match part.strip_prefix('=') {
                Some(whole) => code == whole,
                None => code.contains(part),
            })
        };
        let found = CODES
            .iter()
            .find(|(_, parts)| parts.split('|').any(is_meant));
        found.map(|(diagnosis, _)| *diagnosis)
    }

    fn too_long(&self) -> Diagnosis {
        Diagnosis::TooLong {
            window: self.window.or_else(|| window_in(&self.text)),
        }
    }

    fn is_about_length(&self) -> bool {
        self.says(LENGTHS)
    }

    /// Whether the request alone exceeds the limit of a rate, so that it will never be accepted;
    /// `None` if it is not about a rate.
    fn exceeds_rate(&self) -> Option<bool> {
        let is_rate = self.says("rate limit|per min|per day|tpm|quota");
        let limit = number_after(&self.text, "limit", 3);
        let requested = number_after(&self.text, "requested", 3);
        is_rate.then(|| requested > limit && limit.is_some())
    }

    /// Whether it says that more was sent than there may be: of something that has a length, with
    /// two numbers or a word for too much.
    fn names_excess(&self) -> bool {
        // The length of the answer is ours to set.
        let of_answer = self.says("max_tokens|max_completion_tokens|max_new_tokens")
            && !self.says("prompt|input|context");
        let mut numbers = numbers_in(&self.text);
        numbers.sort_unstable();
        numbers.dedup();
        let names_both = numbers.len() > 1 && self.says(UNITS);
        !of_answer && (names_both || self.is_about_length() && self.says(EXCESS))
    }

    /// Whether limits of a rate are told, which time renews.
    fn is_about_rate(&self) -> bool {
        self.reset.is_some() || self.says("rate limit")
    }

    fn is_about_money(&self) -> bool {
        // "Load balancer" is not.
        let text = self.text.replace("balancer", "").replace("balancing", "");
        let words = ["current quota", "balance", "billing", "credits"];
        words.iter().any(|word| text.contains(word))
    }
}

/// What chat templates and servers say that take no system message.
pub(super) const SYSTEM_ROLE: &str =
    "system role|system message|user and assistant roles|support 'system'";

/// Words for lengths in numbers.
const UNITS: &str = "token|context|length|window|n_ctx|上下文|长度";
/// Words for what has a length.
const LENGTHS: &str = "token|context|length|prompt|input|window|上下文|长度|输入|提示词";
/// Words for more than there may be.
const EXCESS: &str = "exceed|too long|too large|too many|longer than|larger than|greater than|maximum|limit|\
    overflow|not enough|超|过长|太长|should be [|must be <";
/// What providers say of what they don't want to read.
const MODERATED: &str = "content exists risk|flagged|moderation|content policy|content management policy|\
    safety system|usage policies|usage guidelines|敏感|违规";
/// What providers say to those who owe them money, with whatever status.
const MONEY: &str = "credit balance|insufficient balance|arrear|余额|欠费";

/// The error that a response holds, if it is one: the member `error` of most servers, FastAPI's
/// `detail`, a `code` with a `message`, MiniMax's `base_resp`; each maybe in a list, as Gemini
/// sends it. One that says nothing is none.
fn find_error(response: &Value) -> Option<&Value> {
    let response = match response {
        Value::Array(list) => list.first()?,
        value => value,
    };
    let members = ["error", "errors", "detail"].map(|name| &response[name]);
    if let Some(error) = members.into_iter().find(|member| !says_nothing(member)) {
        return Some(if error.is_boolean() { response } else { error });
    }
    let base = &response["base_resp"];
    if !says_nothing(&base["status_code"]) {
        return Some(base);
    }
    let is_answer = ["output", "choices", "candidates", "content"]
        .iter()
        .any(|name| !response[*name].is_null());
    let code = &response["code"];
    let is_code = !says_nothing(code) && *code != 200;
    (is_code && response["message"].is_string() && !is_answer).then_some(response)
}

/// Whether a member is there only because a server always sends it.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.iter().all(says_nothing),
        Value::Object(members) => members.values().all(says_nothing),
    }
}

pub(super) fn error_message(error: &Value) -> String {
    let names = ["message", "error", "msg", "status_msg"];
    let message = names.iter().find_map(|name| error[*name].as_str());
    let Some(text) = error.as_str().or(message) else {
        return validation_errors(error).unwrap_or_else(|| error.to_string());
    };
    // Our words follow, so that a full stop would end nothing.
    let text = text.trim_end().trim_end_matches(['.', '。']);
    // OpenRouter's words for whatever its provider said.
    match error["metadata"]["raw"].as_str() {
        Some(raw) => format!("{text}: {raw}"),
        None => text.into(),
    }
}

/// FastAPI's validation errors:
/// `[{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]`.
fn validation_errors(error: &Value) -> Option<String> {
    let message = |error: &Value| {
        let steps = error["loc"]
            .as_array()?
            .iter()
            .map(|step| match step.as_str() {
                Some(name) => name.to_owned(),
                None => step.to_string(),
            });
        let path = steps.collect::<Vec<_>>().join(".");
        Some(format!("{path}: {}", error["msg"].as_str()?))
    };
    let messages: Option<Vec<_>> = error.as_array()?.iter().map(message).collect();
    let messages = messages.filter(|messages| !messages.is_empty())?;
    Some(messages.join("; "))
}

/// Adds the codes and types of an error, and of those within it.
fn add_codes(error: &Value, depth: usize, codes: &mut Vec<String>) {
    if depth > DEEPEST || codes.len() >= MOST_CODES {
        return;
    }
    match error {
        Value::Array(values) => values
            .iter()
            .for_each(|value| add_codes(value, depth + 1, codes)),
        Value::Object(members) => {
            for (name, value) in members {
                let is_code = [
                    "code", "type", "status", "reason", "status_code", "error_code",
                ];
                match value {
                    Value::String(text) if is_code.contains(&name.as_str()) => {
                        codes.push(bare(text));
                    }
                    Value::Number(number) if is_code.contains(&name.as_str()) => {
                        codes.push(number.to_string());
                    }
                    inner => add_codes(inner, depth + 1, codes),
                }
            }
        }
        _ => {}
    }
}

/// A code without case and punctuation.
fn bare(code: &str) -> String {
    let letters = code.chars().take(80).filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The context window that a message names, in tokens.
fn window_in(text: &str) -> Option<u64> {
    let phrases = [
        "context size", "context length", "context window", "tokens >", "tokens allowed",
        "length should be", "maximum", "limit", "context",
    ];
    let named = phrases
        .iter()
        .find_map(|phrase| number_after(text, phrase, 3));
    named.or_else(|| match numbers_in(text)[..] {
        [a, b] => Some(a.min(b)),
        _ => None,
    })
}

/// The first number of at least so many digits shortly after a phrase.
fn number_after(text: &str, phrase: &str, digits: usize) -> Option<u64> {
    text.match_indices(phrase).find_map(|(start, _)| {
        let near: String = text[start..].chars().take(60).collect();
        let near = near.replace(',', "");
        let mut numbers = near.split(|c: char| !c.is_ascii_digit());
        numbers.find(|number| number.len() >= digits)?.parse().ok()
    })
}

/// The numbers of a text that have three digits or more and are not part of a name.
fn numbers_in(text: &str) -> Vec<u64> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ',');
    let numbers = text.split(|c: char| !is_part(c)).filter_map(|word| {
        let word = word.trim_matches(['.', ',', '-']).replace(',', "");
        (word.len() >= 3).then(|| word.parse().ok())?
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use playhouse_engine::testing::each_row;
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    /// What a response means that refuses a request.
    fn refused(status: u16, headers: &[(&str, &str)], body: &str) -> ServerError {
        let headers = headers.iter().map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        });
        let json = serde_json::from_str(body).unwrap_or_default();
        let error = ServerError::find(&json).unwrap_or_else(|| ServerError::saying(body));
        error.of_response(StatusCode::from_u16(status).unwrap(), &headers.collect())
    }

    /// Messages of servers whose window a prompt did not fit, as they were seen.
    const TOO_LONG: &str = r#"
        400 => {"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":5213,"n_ctx":4096}}
        500 => {"error":{"code":500,"message":"the request exceeds the available context size, try increasing it","type":"server_error"}}
        500 => {"error":{"code":500,"message":"input is too large to process. increase the physical batch size","type":"server_error"}}
        400 => {"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5200 tokens (4600 in the messages, 600 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}
        400 => {"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5213 tokens.","type":"BadRequestError","param":null,"code":400}
        400 => {"error":{"message":"The decoder prompt (length 5213) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.","type":"BadRequestError","code":400}}
        400 => {"error":"Trying to keep the first 5213 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}
        400 => {"error":"Cannot truncate prompt with n_keep (5213) >= n_ctx (4096)"}
        400 => {"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input."}
        400 => {"error":"Reached context length of 4096 tokens with model (arch: qwen3) that does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat."}
        400 => {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212345 tokens > 200000 maximum"}}
        400 => {"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 199000 + 2048 > 200000, decrease input length or `max_tokens` and try again"}}
        413 => {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}
        400 => {"error":{"code":400,"message":"The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}
        400 => {"code":"InvalidParameter","message":"Range of input length should be [1, 30720]","request_id":"r"}
        400 => {"code":"Some resource has been exhausted","error":"This model's maximum prompt length is 131072 but the request contains 150213 tokens."}
        422 => {"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5213 `inputs` tokens and 600 `max_new_tokens`","error_type":"validation"}
        400 => {"error":{"message":"Invalid request: Your request exceeded model token limit: 8192 (requested: 9213)","type":"invalid_request_error"}}
        400 => {"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}
        400 => {"error":{"code":"1261","message":"Prompt 超长"}}
        200 => {"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit"}}
        400 => {"detail":"Prompt length 5213 is greater than max_seq_len 4096"}
        400 => {"message":"too many tokens: size limit exceeded by 904 tokens. Try using shorter or fewer inputs. The limit for this model is 4081 tokens."}
        413 => {"error":{"message":"Request too large for model `m` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8342, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}
        429 => {"error":{"message":"Request too large for m in organization o on tokens per min (TPM): Limit 30000, Requested 31213. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}
        413 => <html><head><title>413 Request Entity Too Large</title></head></html>
        400 => {"error":{"message":"Prompt has 5213 tokens, but the configured context size is 4096 tokens","code":400}}
        400 => {"message":"Input is too long for requested model."}
        400 => {"error":{"object":"error","type":"invalid_request_error","message":"The prompt is too long: 9213, model maximum context length: 8191"}}
        400 => {"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 40213 tokens (39613 of text input, 600 in the output).","code":400}}
        400 => {"error":{"message":"The input (5213 tokens) is longer than the model's context length (4096 tokens).","type":"BadRequestError","code":400}}
        500 => {"error":"the input length exceeds the context length"}
    "#;

    #[test]
    fn a_prompt_too_long_is_known_in_whatever_words() {
        each_row(TOO_LONG, |[status, body]| {
            let error = match status {
                "200" => ServerError::find(&serde_json::from_str(body).unwrap()).unwrap(),
                status => {
                    let status = status.parse().unwrap();
                    refused(status, &[("x-ratelimit-reset-tokens", "6m0s")], body)
                }
            };
            let diagnosis = error.diagnosis();
            assert!(
                matches!(diagnosis, Diagnosis::TooLong { .. }),
                "{body}: {diagnosis:?}"
            );
        });
        // Without a number and a word for too much, what was answered before decides.
        each_row(
            r#"
                500 => {"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}
                422 => {"error":{"message":"sum of input and new tokens must stay below 4096"}}
                400 => {"error":{"message":"bad request"}}
        "#,
            |[status, body]| {
                let doubt = refused(status.parse().unwrap(), &[], body).length_doubt();
                assert_eq!(doubt, LengthDoubt::AtOnce);
            },
        );
        assert_eq!(refused(500, &[], "{}").length_doubt(), LengthDoubt::AtLast);
        assert_eq!(refused(503, &[], "{}").length_doubt(), LengthDoubt::None);
    }

    #[test]
    fn errors_mean_the_same_in_whatever_place_and_words() {
        each_row(MEANINGS, |[meaning, status, body]| {
            let (status, headers) = status.split_once(' ').unwrap_or((status, ""));
            let headers: Vec<_> = headers.split_once('=').into_iter().collect();
            let body = body.replace("(nothing)", "");
            let found = refused(status.parse().unwrap(), &headers, &body).diagnosis();
            assert_eq!(format!("{found:?}"), meaning, "{body}");
        });
        each_row(WITHIN_ANSWERS, |[meaning, error]| {
            let found = ServerError::find(&serde_json::from_str(error).unwrap()).unwrap();
            assert_eq!(format!("{:?}", found.diagnosis()), meaning, "{error}");
        });
    }

    const MEANINGS: &str = r#"
        // Limits that pass.
        Busy => 429 retry-after=1 => {"error":{"message":"Rate limit reached for m on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. You can increase your rate limit by adding a payment method to your account at https://example.org/account/billing.","type":"requests","code":"rate_limit_exceeded"}}
        Busy => 429 => {"error":{"message":"Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested 1200. Please try again in 400ms.","code":"rate_limit_exceeded"}}
        Busy => 429 => {"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details."}}
        Busy => 429 x-ratelimit-reset=7 => You exceeded your current quota
        Busy => 403 => {"error":{"message":"busy, please retry after 5 seconds"}}
        Busy => 400 => {"code":"Throttling.RateQuota","message":"Requests rate limit exceeded"}
        Busy => 503 => {"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}
        Busy => 529 => {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
        Busy => 500 => {"error":{"type":"overloaded_error","message":"Overloaded"}}
        Busy => 429 => (nothing)
        Busy => 429 => {"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free requests per day","code":429}}
        Busy => 429 => {"message":"Too many tokens, please wait before trying again."}
        // One member of the request.
        Rejected => 400 => {"error":{"message":"Invalid 'messages[3].name': string too long. Expected a string with maximum length 64, but got a string with length 81 instead.","type":"invalid_request_error","param":"messages[3].name","code":"string_above_max_length"}}
        // Content.
        Moderated => 400 => {"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
        // Money.
        NoMoney => 429 retry-after=1 => {"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}
        NoMoney => 402 retry-after=1 => (nothing)
        NoMoney => 429 => {"error":{"code":"1113","message":"您的账户已欠费，请充值后重试"}}
        NoMoney => 400 => {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}
        NoMoney => 400 => {"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}
        NoMoney => 403 => {"error":{"message":"insufficient balance"}}
        // Keys.
        NoAccess => 401 retry-after=1 => {"error":{"message":"Incorrect API key","code":"invalid_api_key"}}
        NoAccess => 400 => {"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}
        NoAccess => 403 => (nothing)
        // What providers don't want to read.
        Moderated => 403 => {"error":{"message":"m requires moderation. Your input was flagged for \"violence\".","code":403,"metadata":{"reasons":["violence"]}}}
        Moderated => 400 => {"error":{"message":"The response was filtered due to the prompt triggering our content management policy.","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}
        Moderated => 400 => {"code":"DataInspectionFailed","message":"Input data may contain inappropriate content."}
        Moderated => 400 => {"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}
        // What is never accepted.
        UnknownModel => 404 => {"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}
        UnknownModel => 404 => {"error":"model 'm' not found"}
        Rejected => 400 x-ratelimit-reset-requests=1s => {"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}
        Rejected => 400 => {"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens."}}
        Rejected => 500 => {"error":{"code":500,"message":"Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}
        Rejected => 422 => {"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted"}]}
        Rejected => 302 => (nothing)
        Failed => 502 => <html><title>Bad Gateway</title></html>
        Failed => 500 => oops
    "#;

    const WITHIN_ANSWERS: &str = r#"
        NoMoney => {"error": {"message": "No credits left.", "code": 402}}
        Busy => {"error": {"message": "Slow down", "code": 429}}
        Failed => {"error": {"message": "Provider returned error", "code": 502, "metadata": {"raw": "upstream"}}}
        Failed => {"error": "overloaded_error"}
        Busy => {"error": {"type": "overloaded_error"}}
        NoAccess => {"errors": [{"code": 401, "message": "no"}]}
        Failed => {"error": true, "message": "oops"}
    "#;

    #[test]
    fn an_error_that_says_nothing_is_none() {
        for error in [
            json!(null),
            json!(""),
            json!({}),
            json!(false),
            json!({"message": ""}),
            json!([]),
            json!({"code": 0, "message": null}),
            json!(" "),
        ] {
            let answer = json!({"error": error, "code": 0, "message": "ok", "choices": [{}]});
            assert_eq!(ServerError::find(&answer), None, "{answer}");
        }
        let answer = json!({"code": "200", "message": "Success", "choices": [{}]});
        assert_eq!(ServerError::find(&answer), None);
    }

    #[test]
    fn a_delay_is_read_wherever_it_stands() {
        each_row(
            r#"
                {"error":{"message":"Please try again in 1.5s."}} => 1_500
                {"error":{"message":"try again in 6m0s, or upgrade"}} => 360_000
                {"error":{"message":"Please retry after 20 seconds."}} => 20_000
                {"error":{"message":"try again in 2 minutes"}} => 120_000
                {"error":{"message":"try again in 28ms"}} => 28
                {"error":{"message":"请求过多，请在 3 秒后重试"}} => 3_000
                {"error":{"message":"slow","retry_after":4}} => 4_000
                {"error":{"message":"slow","retry_after_ms":40}} => 40
                [{"error":{"details":[{"retryDelay":"34.5s"}]}}] => 34_500
        "#,
            |[body, millis]| {
                let millis = millis.replace('_', "").parse().unwrap();
                let delay = refused(429, &[], body).delay;
                assert_eq!(delay, Some(Duration::from_millis(millis)), "{body}");
            },
        );
        assert_eq!(refused(429, &[], "try again in a while").delay, None);
    }
}
