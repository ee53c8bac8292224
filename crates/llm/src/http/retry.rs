//! How long to wait before the next attempt, and when to give up.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::failure::RetryDecision;
use super::settings::{RetryPolicy, seconds};

#[derive(Debug)]
pub(super) struct RetryState {
    policy: RetryPolicy,
    jitter: ChaCha8Rng,
    waits: u32,
    /// Attempts that may have been billed.
    billed: u32,
    remaining: Duration,
}

impl RetryState {
    /// `seed` spreads the waits of calls that fail together.
    pub(super) fn new(policy: RetryPolicy, seed: u64) -> Self {
        Self {
            policy,
            jitter: ChaCha8Rng::seed_from_u64(seed),
            waits: 0,
            billed: 0,
            remaining: seconds(policy.longest_total_wait),
        }
    }

    /// Counts an attempt that may have been billed; returns whether another one may follow.
    pub(super) fn may_bill_again(&mut self) -> bool {
        self.billed += 1;
        self.billed <= self.policy.billed
    }

    /// How long to wait before the next attempt; `None` to give up.
    pub(super) fn next_wait(&mut self, decision: RetryDecision) -> Option<Duration> {
        if self.waits >= self.policy.times {
            return None;
        }
        let max = self.policy.first_wait * 2f64.powi(self.waits.min(30) as i32);
        let own = seconds(max.min(self.policy.longest_wait)).mul_f64(self.jitter.random());
        let wait = match decision {
            RetryDecision::Never => return None,
            RetryDecision::Soon => own.min(self.remaining),
            // A little later than asked, so that waiting calls don't come back all at once.
            RetryDecision::After(delay) if delay <= self.remaining => delay + own.min(delay / 4),
            RetryDecision::After(_) => return None,
        };
        self.waits += 1;
        self.remaining = self.remaining.saturating_sub(wait);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn policy() -> RetryPolicy {
        RetryPolicy {
            times: 3,
            billed: 1,
            first_wait: 1.0,
            longest_wait: 2.0,
            longest_total_wait: 10.0,
            patience: 0.0,
        }
    }

    #[test]
    fn attempts_that_may_be_billed_are_repeated_less_often() {
        let mut retries = RetryState::new(policy(), 7);
        assert!(retries.may_bill_again());
        assert!(!retries.may_bill_again());
    }

    #[test]
    fn attempts_are_counted() {
        let mut retries = RetryState::new(policy(), 7);
        let waits = std::iter::from_fn(|| retries.next_wait(RetryDecision::Soon));
        assert_eq!(waits.count(), 3);
        assert_eq!(
            RetryState::new(policy(), 7).next_wait(RetryDecision::Never),
            None
        );
    }

    #[test]
    fn the_delay_of_a_server_is_respected_or_the_call_fails() {
        let delay = Duration::from_secs(6);
        let mut retries = RetryState::new(policy(), 7);
        assert!(retries.next_wait(RetryDecision::After(delay)).unwrap() >= delay);
        assert_eq!(retries.next_wait(RetryDecision::After(delay)), None);
    }

    proptest! {
        #[test]
        fn waits_stay_below_their_limits(seed: u64, times in 0u32..9, longest in 0.0..5.0f64) {
            let policy = RetryPolicy { times, billed: 1, first_wait: 1.0, longest_wait: longest, longest_total_wait: 6.0, patience: 0.0 };
            let mut retries = RetryState::new(policy, seed);
            let waits: Vec<_> = std::iter::from_fn(|| retries.next_wait(RetryDecision::Soon)).collect();
            prop_assert_eq!(waits.len(), times as usize);
            for (attempt, wait) in waits.iter().enumerate() {
                let limit = longest.min(2f64.powi(attempt as i32));
                prop_assert!(wait.as_secs_f64() <= limit + 1e-9);
            }
            prop_assert!(waits.iter().sum::<Duration>() <= Duration::from_secs(6));
        }
    }
}
