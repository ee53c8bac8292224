//! How long to wait before the next attempt, and when to give up.

use std::time::Duration;

use super::failure::RetryDecision;
use super::settings::{Retry, seconds};
use crate::mind::splitmix::{STEP, scramble};

/// What is left of the will to try again.
#[derive(Debug)]
pub(super) struct RetryPolicy {
    rule: Retry,
    seed: u64,
    waits: u32,
    /// Attempts that may be billed, after the first.
    paid: u32,
    left: Duration,
}

impl RetryPolicy {
    /// `seed` spreads the waits of calls that fail together.
    pub(super) fn new(rule: Retry, seed: u64) -> Self {
        Self {
            rule,
            seed,
            waits: 0,
            paid: 0,
            left: seconds(rule.patience),
        }
    }

    /// Whether another attempt may follow one that may be billed. Counts it.
    pub(super) fn may_pay_again(&mut self) -> bool {
        self.paid += 1;
        self.paid <= self.rule.billed
    }

    /// How long to wait before the next attempt; `None` to give up.
    pub(super) fn next_wait(&mut self, again: RetryDecision) -> Option<Duration> {
        if self.waits >= self.rule.times {
            return None;
        }
        let longest = self.rule.first_wait * 2f64.powi(self.waits.min(30) as i32);
        let own = seconds(longest.min(self.rule.longest_wait)).mul_f64(self.chance());
        let wait = match again {
            RetryDecision::Never => return None,
            RetryDecision::Soon => own.min(self.left),
            // A little later than asked, so that waiting calls don't come back all at once.
            RetryDecision::After(asked) if asked <= self.left => asked + own.min(asked / 4),
            RetryDecision::After(_) => return None,
        };
        self.waits += 1;
        self.left = self.left.saturating_sub(wait);
        Some(wait)
    }

    /// A number from 0 to 1, as good as random from call to call and attempt to attempt.
    fn chance(&self) -> f64 {
        let bits = scramble(self.seed ^ u64::from(self.waits + 1).wrapping_mul(STEP));
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule() -> Retry {
        Retry {
            times: 3,
            billed: 1,
            first_wait: 1.0,
            longest_wait: 2.0,
            patience: 10.0,
        }
    }

    #[test]
    fn what_may_be_billed_is_repeated_less_often() {
        let mut patience = RetryPolicy::new(rule(), 7);
        assert!(patience.may_pay_again());
        assert!(!patience.may_pay_again());
    }

    #[test]
    fn attempts_are_counted() {
        let mut patience = RetryPolicy::new(rule(), 7);
        let waits = std::iter::from_fn(|| patience.next_wait(RetryDecision::Soon));
        assert_eq!(waits.count(), 3);
        assert_eq!(
            RetryPolicy::new(rule(), 7).next_wait(RetryDecision::Never),
            None
        );
    }

    #[test]
    fn a_server_gets_the_delay_it_asks_for_or_is_given_up() {
        let asked = Duration::from_secs(6);
        let mut patience = RetryPolicy::new(rule(), 7);
        assert!(patience.next_wait(RetryDecision::After(asked)).unwrap() >= asked);
        assert_eq!(patience.next_wait(RetryDecision::After(asked)), None);
    }

    proptest! {
        #[test]
        fn waits_stay_below_their_limits(seed: u64, times in 0u32..9, longest in 0.0..5.0f64) {
            let rule = Retry { times, billed: 1, first_wait: 1.0, longest_wait: longest, patience: 6.0 };
            let mut patience = RetryPolicy::new(rule, seed);
            let waits: Vec<_> = std::iter::from_fn(|| patience.next_wait(RetryDecision::Soon)).collect();
            prop_assert_eq!(waits.len(), times as usize);
            for (attempt, wait) in waits.iter().enumerate() {
                let limit = longest.min(2f64.powi(attempt as i32));
                prop_assert!(wait.as_secs_f64() <= limit + 1e-9);
            }
            prop_assert!(waits.iter().sum::<Duration>() <= Duration::from_secs(6));
        }
    }
}
