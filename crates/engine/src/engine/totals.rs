//! What a run spent, and how long its calls took.

use std::time::Duration;

use crate::exchange::Spent;
use crate::message::{Cost, PromptBytes, TokenUsage};

/// The figures of one call, for tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFigures {
    /// From first byte to last.
    pub latency: Duration,
    /// Bytes of the prompt's text, by whether they repeat the entity's previous prompt.
    pub prompt_bytes: PromptBytes,
    /// The tokens that its provider reported, or else the estimated ones.
    pub usage: TokenUsage,
}

impl CallFigures {
    /// The prompt tokens that the provider is expected to read from its cache: as large a share of
    /// them as the repeated bytes are of all bytes. What different entities share is not counted.
    pub fn predicted_cached(&self) -> u64 {
        (self.usage.input as f64 * self.prompt_bytes.repeated_share()) as u64
    }
}

/// What a run has spent so far.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Spent on calls that ended.
    pub spent: Spent,
    /// The worst case of running calls.
    pub(super) reserved: Spent,
    /// One row for every call that ended.
    pub calls: Vec<CallFigures>,
}

impl Totals {
    /// A quantile of the latencies: 0.5 for the median.
    pub fn latency(&self, share: f64) -> Duration {
        let mut latencies: Vec<_> = self.calls.iter().map(|call| call.latency).collect();
        latencies.sort_unstable();
        let last = latencies.len().saturating_sub(1);
        let index = (last as f64 * share.clamp(0.0, 1.0)).round() as usize;
        latencies.get(index).copied().unwrap_or_default()
    }

    /// The prompt tokens that providers are expected to have read from their caches; compare
    /// `spent.usage.cached`.
    pub fn predicted_cached(&self) -> u64 {
        self.calls.iter().map(CallFigures::predicted_cached).sum()
    }

    /// The share of prompt bytes that repeat the start of the entity's previous prompt, 0 to 1.
    pub fn repeated_share(&self) -> f64 {
        let mut bytes = PromptBytes::default();
        for call in &self.calls {
            bytes += call.prompt_bytes;
        }
        bytes.repeated_share()
    }
}

/// The worst case of one call of which this many attempts may be billed.
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
    fn cached_tokens_are_predicted_from_repeated_bytes() {
        let call = |sent, repeated, input| CallFigures {
            prompt_bytes: PromptBytes {
                sent,
                repeated,
                ..PromptBytes::default()
            },
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
