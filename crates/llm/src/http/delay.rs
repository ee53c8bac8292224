//! When a server wants to be asked again, in every way in which servers say that.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::settings::seconds;

/// The delay that a server asks for in a header.
pub(super) fn delay_in_headers(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let millis = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| requested(millis / 1e3)) {
        return Some(wait);
    }
    let wait = text("retry-after")?;
    let until = || Some(http_date(wait)? - now(headers)?);
    wait.parse().ok().or_else(until).and_then(requested)
}

/// When the limits are renewed that a server tells with each of its responses.
pub(super) fn reset_in_headers(headers: &HeaderMap) -> Option<Duration> {
    let is_reset = |name: &str| name.contains("ratelimit") && name.contains("reset");
    let headers_of_limits = headers.iter().filter(|(name, _)| is_reset(name.as_str()));
    let waits = headers_of_limits.filter_map(|(_, value)| {
        // A large number is a point in time: seconds, or milliseconds, since 1970.
        match parse_span(value.to_str().ok()?.trim())? {
            point if point > 1e12 => requested(point / 1e3 - now(headers)?),
            point if point > 1e9 => requested(point - now(headers)?),
            wait => requested(wait),
        }
    });
    waits.min()
}

/// The delay in an error: Gemini's `{"@type": "…RetryInfo", "retryDelay": "34.07s"}`, or a member
/// of a proxy's own.
pub(super) fn delay_in_members(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array().into_iter().flatten();
    let mut delays = details.filter_map(|detail| detail["retryDelay"].as_str());
    if let Some(wait) = delays.find_map(parse_span) {
        return requested(wait);
    }
    let number = |name: &str| match &error[name] {
        Value::String(text) => parse_span(text),
        value => value.as_f64(),
    };
    let millis = number("retry_after_ms").map(|millis| millis / 1e3);
    millis.or_else(|| number("retry_after")).and_then(requested)
}

/// The delay that a message names: "try again in 1.5s", "请在 3 秒后重试".
pub(super) fn delay_in_text(text: &str) -> Option<Duration> {
    let phrases = ["try again in ", "retry in ", "retry after ", "again after "];
    let rest = phrases.iter().find_map(|phrase| text.split_once(phrase));
    if let Some(wait) = rest.and_then(|(_, rest)| leading_span(rest)) {
        return requested(wait);
    }
    let (before, _) = text.split_once("秒后")?;
    let before = before.trim_end();
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let digits = before.trim_end_matches(is_digit).len();
    before.get(digits..)?.parse().ok().and_then(requested)
}

/// The seconds of the span at the start of a text, whose unit may be a word of its own.
fn leading_span(text: &str) -> Option<f64> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let span = words.next()?.trim_end_matches('.');
    let Ok(number) = span.parse::<f64>() else {
        return parse_span(span);
    };
    Some(match words.next().unwrap_or_default() {
        unit if unit.starts_with("ms") || unit.starts_with("mil") => number / 1e3,
        unit if unit.starts_with('m') => number * 60.0,
        unit if unit.starts_with('h') => number * 3600.0,
        _ => number,
    })
}

/// A delay in seconds, as a server asks for it; `None` for one that is over or makes no sense, so
/// that the wait is our own. A huge one is clamped, and ends the call: see `RetryState`.
fn requested(wait: f64) -> Option<Duration> {
    (wait > 0.0).then(|| seconds(wait))
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

/// The server's own time, in seconds since 1970.
fn now(headers: &HeaderMap) -> Option<f64> {
    http_date(headers.get("date")?.to_str().ok()?.trim())
}

/// Seconds since 1970 of a date in a header.
fn http_date(text: &str) -> Option<f64> {
    let date: SystemTime = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(UNIX_EPOCH).ok()?.as_secs_f64())
}
