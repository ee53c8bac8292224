//! Timestamps in other formats. They are kept as text; only their spelling changes, and only if it
//! can be changed without knowing a time zone.

use std::borrow::Cow;

/// How a format spells timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Instant,
    Spaced,
    Iso,
}

/// The time in a spelling; unchanged if it can't be parsed, or if the spelling can't express its
/// zone.
pub(super) fn spelled(time: &str, spelling: Spelling) -> Cow<'_, str> {
    let Some(parts) = Parts::of(time) else {
        return Cow::Borrowed(time);
    };
    let Parts {
        date,
        clock,
        fraction,
        ..
    } = parts;
    let point = if fraction.is_empty() { "" } else { "." };
    match (spelling, parts.zone) {
        (Spelling::Instant, "") => Cow::Owned(format!("{date}T{clock}{point}{fraction}Z")),
        (Spelling::Spaced, "" | "Z" | "+00:00") => {
            let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
            Cow::Owned(format!("{date} {clock}.{fraction}"))
        }
        (Spelling::Iso, zone) => Cow::Owned(format!("{date}T{clock}{point}{fraction}{zone}")),
        _ => Cow::Borrowed(time),
    }
}

struct Parts<'a> {
    date: &'a str,
    clock: &'a str,
    /// Digits after the point.
    fraction: &'a str,
    /// `Z`, an offset, or nothing.
    zone: &'a str,
}

impl<'a> Parts<'a> {
    fn of(time: &'a str) -> Option<Self> {
        let (date, rest) = time.split_once(['T', ' '])?;
        let fits = |text: &str, pattern: &str| {
            text.len() == pattern.len()
                && text
                    .bytes()
                    .zip(pattern.bytes())
                    .all(|(byte, wanted)| match wanted {
                        b'0' => byte.is_ascii_digit(),
                        _ => byte == wanted,
                    })
        };
        let (clock, rest) = rest.split_at_checked(8)?;
        let (fraction, zone) = match rest.strip_prefix('.') {
            Some(rest) => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                rest.split_at(digits)
            }
            None => ("", rest),
        };
        let known_zone =
            matches!(zone, "" | "Z") || (zone.starts_with(['+', '-']) && fits(&zone[1..], "00:00"));
        let fits = fits(date, "0000-00-00") && fits(clock, "00:00:00") && known_zone;
        fits.then_some(Self {
            date,
            clock,
            fraction,
            zone,
        })
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
