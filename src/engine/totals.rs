//! What a run spent, what it may spend, and how long its calls took.

use std::time::Duration;

use crate::exchange::Spent;
use crate::message::TokenUsage;
use crate::mind::Cost;
use crate::tool::Allowance;

/// The most that one run of the program may spend. Changes no answer: it only stops the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpendLimits {
    /// Requests to minds.
    pub calls: Option<u64>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Money.
    pub cost: Option<Cost>,
}

/// The figures of one call, for tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFigures {
    /// From first byte to last.
    pub latency: Duration,
    /// Bytes of the prompt's text.
    pub prompt_bytes: u64,
    /// Bytes at its start that the entity's previous prompt had too.
    pub repeated_bytes: u64,
    /// The tokens that its provider reported, else those that were estimated.
    pub usage: TokenUsage,
}

impl CallFigures {
    /// The prompt tokens that we expect its provider to read from a cache: the share of them that the
    /// repeated bytes are of all. What different entities share is not counted.
    pub fn predicted_cached(&self) -> u64 {
        let share = self.repeated_bytes as f64 / self.prompt_bytes.max(1) as f64;
        (self.usage.input as f64 * share) as u64
    }
}

/// What a run has spent so far and what is reserved for calls under way.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Spent on calls that ended.
    pub spent: Spent,
    /// The worst case of calls under way.
    pub reserved: Spent,
    /// One row for every call that ended.
    pub calls: Vec<CallFigures>,
    warned: bool,
}

impl Totals {
    /// Why a call with this worst case is not allowed, if it is not.
    pub fn refuses(&self, caps: &SpendLimits, worst: &Spent) -> Option<String> {
        let after = |part: fn(&Spent) -> u64| {
            part(&self.spent)
                .saturating_add(part(&self.reserved))
                .saturating_add(part(worst))
        };
        let over = |name: &str, cap: Option<u64>, would: u64| {
            let cap = cap.filter(|cap| would > *cap)?;
            Some(format!(
                "the next call could bring the run to {would} {name}; the cap is {cap}"
            ))
        };
        over("calls", caps.calls, after(|spent| spent.calls))
            .or_else(|| over("tokens", caps.tokens, after(|spent| spent.usage.total())))
            .or_else(|| {
                let would = Cost(after(|spent| spent.cost.0));
                let cap = caps.cost.filter(|cap| would > *cap)?;
                Some(format!(
                    "the next call could bring the run to {would} in cost; the cap is {cap}"
                ))
            })
    }

    /// The part of what the caps leave that each of so many may spend.
    pub(super) fn allowance(&self, caps: &SpendLimits, shares: usize) -> Allowance {
        let left = |cap: u64, part: fn(&Spent) -> u64| {
            let gone = part(&self.spent).saturating_add(part(&self.reserved));
            cap.saturating_sub(gone) / (shares as u64).max(1)
        };
        Allowance {
            calls: caps.calls.map(|cap| left(cap, |spent| spent.calls)),
            tokens: caps
                .tokens
                .map(|cap| left(cap, |spent| spent.usage.total())),
            cost: caps.cost.map(|cap| Cost(left(cap.0, |spent| spent.cost.0))),
        }
    }

    /// Words for the first time that four fifths of a cap are spent.
    pub fn warning(&mut self, caps: &SpendLimits) -> Option<String> {
        let near = |name: &str, cap: Option<u64>, spent: u64| {
            let cap = cap.filter(|cap| spent.saturating_mul(5) >= cap.saturating_mul(4))?;
            Some(format!("{spent} of {cap} {name} are spent"))
        };
        let spent = &self.spent;
        let words = near("calls", caps.calls, spent.calls)
            .or_else(|| near("tokens", caps.tokens, spent.usage.total()))
            .or_else(|| {
                let cap = caps.cost?;
                let near = spent.cost.0.saturating_mul(5) >= cap.0.saturating_mul(4);
                near.then(|| format!("{} of {cap} in cost are spent", spent.cost))
            });
        match words {
            Some(words) if !self.warned => {
                self.warned = true;
                Some(words)
            }
            _ => None,
        }
    }

    /// Reserves the worst case of a call.
    pub(super) fn reserve(&mut self, worst: Spent) {
        self.reserved += worst;
    }

    /// Gives a reservation back and books what the call really spent.
    pub(super) fn settle(&mut self, worst: Spent, real: Spent) {
        self.reserved.calls -= worst.calls;
        self.reserved.usage.input -= worst.usage.input;
        self.reserved.usage.output -= worst.usage.output;
        self.reserved.cost.0 -= worst.cost.0;
        self.spent += real;
    }

    /// The latency below which this share of calls stayed (0.5 for the median).
    pub fn latency(&self, share: f64) -> Duration {
        let mut all: Vec<_> = self.calls.iter().map(|call| call.latency).collect();
        all.sort_unstable();
        let last = all.len().saturating_sub(1);
        let at = (last as f64 * share.clamp(0.0, 1.0)).round() as usize;
        all.get(at).copied().unwrap_or_default()
    }

    /// The prompt tokens that we expect providers to have read from their caches; compare
    /// `spent.usage.cached`.
    pub fn predicted_cached(&self) -> u64 {
        self.calls.iter().map(CallFigures::predicted_cached).sum()
    }

    /// The share of prompt bytes that repeat the start of the entity's previous prompt, 0 to 1.
    pub fn repeated_share(&self) -> f64 {
        let bytes: u64 = self.calls.iter().map(|call| call.prompt_bytes).sum();
        let repeated: u64 = self.calls.iter().map(|call| call.repeated_bytes).sum();
        if bytes == 0 {
            0.0
        } else {
            repeated as f64 / bytes as f64
        }
    }
}

/// The worst case of one call, of which so many attempts may be billed.
pub(super) fn worst_case(
    prompt_tokens: u64,
    answer_tokens: u32,
    attempts: u32,
    price: impl Fn(TokenUsage) -> Cost,
) -> Spent {
    let usage = TokenUsage {
        // Estimates are within 15 %; a little more is reserved.
        input: (prompt_tokens + prompt_tokens / 5) * u64::from(attempts),
        output: u64::from(answer_tokens) * u64::from(attempts),
        ..TokenUsage::default()
    };
    Spent {
        calls: 1,
        usage,
        cost: price(usage),
        ..Spent::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cached_tokens_are_foretold_by_the_repeated_bytes() {
        let call = |prompt_bytes, repeated_bytes, input| CallFigures {
            prompt_bytes,
            repeated_bytes,
            usage: TokenUsage {
                input,
                ..TokenUsage::default()
            },
            ..CallFigures::default()
        };
        let totals = Totals {
            calls: vec![call(0, 0, 0), call(900, 0, 300), call(1_200, 900, 400)],
            ..Totals::default()
        };
        assert_eq!(totals.predicted_cached(), 300);
        assert!((totals.repeated_share() - 900.0 / 2_100.0).abs() < 1e-9);
    }
}
