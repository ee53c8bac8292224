//! A seeded stream of choices. Equal seeds give equal choices on every machine.

/// The stream: SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }

    /// A number below `end`; 0 where there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        match u64::try_from(end) {
            Ok(end) if end > 0 => (self.next() % end) as usize,
            _ => 0,
        }
    }

    /// Whether something happens that does so `percent` times in a hundred.
    pub(super) fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// The place of one of these weights, greater ones more often.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> Option<usize> {
        let sum: usize = weights.clone().map(|weight| weight as usize).sum();
        let mut left = self.below(sum);
        weights.into_iter().position(|weight| {
            let here = left < weight as usize;
            left = left.saturating_sub(weight as usize);
            here
        })
    }
}

/// A hash of some text (FNV-1a, scrambled).
pub(super) fn hash(text: &str) -> u64 {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    scramble(text.bytes().fold(0xcbf2_9ce4_8422_2325, fnv))
}

/// One number from many.
pub(super) fn mix(parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(0, |all, part| scramble(all.wrapping_add(STEP) ^ part))
}

fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
