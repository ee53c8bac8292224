//! FNV-1a (Fowler, Noll and Vo): a quick hash of words, equal on every machine.

/// A hash of what was added to it, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fnv(u64);

impl Fnv {
    /// The hash of nothing.
    pub(crate) const START: Self = Self(0xcbf2_9ce4_8422_2325);

    /// The hash of a text, byte by byte.
    pub(crate) fn of(text: &str) -> Self {
        text.bytes().fold(Self::START, Self::add)
    }

    /// The hash with a byte or a letter more.
    #[must_use]
    pub(crate) fn add(self, part: impl Into<u64>) -> Self {
        Self((self.0 ^ part.into()).wrapping_mul(0x0100_0000_01b3))
    }

    /// All bits of it.
    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// Half as many bits, to which all of them contribute.
    pub(crate) fn folded(self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_authors() {
        assert_eq!(Fnv::of("").value(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::of("a").value(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::of("foobar").value(), 0x8594_4171_f739_67e8);
        assert_eq!(Fnv::of("a").folded(), 0xaf63_dc4c ^ 0x8601_ec8c);
    }
}
