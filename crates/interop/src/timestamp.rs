//! Timestamps in other formats. They are kept as text; only their spelling changes, and only if it
//! can be changed without knowing a time zone.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::cards::pattern;

/// How a format spells timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Instant,
    Spaced,
    Iso,
}

/// Date, clock, digits after the point, and zone: `Z`, an offset, or nothing.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})",
        r"(?:\.([0-9]*))?(Z|[+-][0-9]{2}:[0-9]{2}|)$",
    ))
});

/// The time in a spelling; unchanged if it can't be parsed, or if the spelling can't express its
/// zone.
pub(super) fn spelled(time: &str, spelling: Spelling) -> Cow<'_, str> {
    let Some(found) = TIME.captures(time) else {
        return Cow::Borrowed(time);
    };
    let part = |number| found.get(number).map_or("", |part| part.as_str());
    let [date, clock, fraction, zone] = [1, 2, 3, 4].map(part);
    let point = if fraction.is_empty() { "" } else { "." };
    match (spelling, zone) {
        (Spelling::Instant, "") => Cow::Owned(format!("{date}T{clock}{point}{fraction}Z")),
        (Spelling::Spaced, "" | "Z" | "+00:00") => {
            let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
            Cow::Owned(format!("{date} {clock}.{fraction}"))
        }
        (Spelling::Iso, zone) => Cow::Owned(format!("{date}T{clock}{point}{fraction}{zone}")),
        _ => Cow::Borrowed(time),
    }
}

#[cfg(test)]
mod tests {
    use playhouse_engine::testing::each_row;

    use super::*;

    #[test]
    fn times_are_spelled_as_each_format_expects() {
        each_row(
            r#"
                2024-01-15T10:30:00Z => 2024-01-15T10:30:00Z => 2024-01-15 10:30:00.000 => 2024-01-15T10:30:00Z
                2024-01-15 10:30:00.120 => 2024-01-15T10:30:00.120Z => 2024-01-15 10:30:00.120 => 2024-01-15T10:30:00.120
                2024-01-15T10:30:00.123456 => 2024-01-15T10:30:00.123456Z => 2024-01-15 10:30:00.123 => 2024-01-15T10:30:00.123456
            "#,
            |[time, instant, spaced, iso]| {
                assert_eq!(spelled(time, Spelling::Instant), instant);
                assert_eq!(spelled(time, Spelling::Spaced), spaced);
                assert_eq!(spelled(time, Spelling::Iso), iso);
            },
        );
        let zone = "2024-01-15T10:30:00+08:00";
        for time in [
            zone,
            "yesterday at tea",
            "2024-01-15 noon",
            "二〇二四 年一月十五日",
        ] {
            for spelling in [Spelling::Instant, Spelling::Spaced, Spelling::Iso] {
                assert_eq!(spelled(time, spelling), time);
            }
        }
    }
}
