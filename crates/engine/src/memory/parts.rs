//! The parts of an index, which can be left out one by one.

/// Something that lifts an index above plain BM25, or adds to its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum IndexPart {
    /// Forms of a word are one word.
    Stems,
    /// Words that say nothing, such as "the", don't count.
    StopWords,
    /// Messages of people whom the question names count more, and their names no longer as words.
    Speakers,
    /// Messages before and after a hit count more.
    Neighbours,
    /// Messages of a session that fits the question count more.
    Sessions,
    /// Messages of a time that the question names count more, and those that say when something was
    /// if it asks when.
    Times,
    /// Related words count, too: a dog is a pet.
    Related,
    /// Messages with two characters of Chinese side by side as in the question count more.
    Pairs,
    /// Long messages count hardly less, and mere questions less than other messages.
    Shape,
}

impl IndexPart {
    pub const ALL: [Self; 9] = [
        Self::Stems,
        Self::StopWords,
        Self::Speakers,
        Self::Neighbours,
        Self::Sessions,
        Self::Times,
        Self::Related,
        Self::Pairs,
        Self::Shape,
    ];
}

/// A set of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts(u16);

impl Parts {
    /// Whether a part is in the set.
    pub(super) fn has(self, part: IndexPart) -> bool {
        self.0 & (1 << part as u8) != 0
    }

    /// The set with a part.
    pub(super) fn with(self, part: IndexPart) -> Self {
        Self(self.0 | 1 << part as u8)
    }
}
