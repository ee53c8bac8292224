//! A span of turns or days, as readers write it: `3`, `3-7`, `3-` or `-7`.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// From one number to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    from: u64,
    to: u64,
}

impl Span {
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str, open: u64| match text.trim() {
            "" => Some(open),
            text => text.parse().ok(),
        };
        let (from, to) = match text.split_once(['-', '–', '—', '~', '～']) {
            Some((from, to)) => (number(from, 0)?, number(to, u64::MAX)?),
            None => {
                let turn = text.trim().parse().ok()?;
                (turn, turn)
            }
        };
        Some(Self { from, to })
    }

    pub(super) fn has(self, number: u64) -> bool {
        (self.from..=self.to).contains(&number)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        let text = String::deserialize(text)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format!("'{text}' is not a range")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_number_or_two() {
        let has = |text: &str, number| Span::parse(text).is_some_and(|span| span.has(number));
        assert!(has("3", 3) && !has("3", 4));
        assert!(has("3-7", 3) && has("3 – 7", 7) && !has("3-7", 8));
        assert!(has("3-", 9_000) && has("-7", 0) && !has("-7", 8));
        assert!(!has("three", 3) && !has("", 0));
    }
}
