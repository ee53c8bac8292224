//! SplitMix64 (Steele, Lea and Flood, 2014): seeded choices, equal on every machine.

use crate::wording::Fnv;

/// What the state grows by from number to number.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of choices. Equal seeds give equal choices.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        match u64::try_from(end) {
            Ok(end) if end > 0 => (self.next_number() % end) as usize,
            _ => 0,
        }
    }

    /// Whether something happens that does so `percent` times in a hundred.
    pub fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some items; `None` if there are none.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }

    /// The index of one of these weights, greater ones more often; `None` if all are 0.
    pub fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> Option<usize> {
        let sum: usize = weights.clone().map(|weight| weight as usize).sum();
        let mut left = self.below(sum);
        weights.into_iter().position(|weight| {
            let is_chosen = left < weight as usize;
            left = left.saturating_sub(weight as usize);
            is_chosen
        })
    }
}

/// A hash of some text (FNV-1a, scrambled).
pub fn hash(text: &str) -> u64 {
    scramble(Fnv::of(text).value())
}

/// One number from many.
pub fn mix(parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(0, |mixed, part| scramble(mixed.wrapping_add(STEP) ^ part))
}

/// The finalizer: a number that differs in about half of its bits for any change of `x`.
pub(crate) fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
