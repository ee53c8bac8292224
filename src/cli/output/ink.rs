//! Inks: what a piece of text is, and how that looks on a terminal.

/// What a piece of text is; on a terminal with colour each looks different.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ink {
    /// The story's own words.
    #[default]
    Plain,
    /// Something aside.
    Dim,
    /// Headings.
    Bold,
    /// A hero's name.
    Hero,
    /// The name of somebody who takes no side.
    Neutral,
    /// A foe's name.
    Foe,
    /// A place, and what it tells.
    Place,
    /// A voice of the world.
    Voice,
    /// Words for one pair of ears.
    Whisper,
    /// A thought.
    Thought,
    /// Health, victory.
    Good,
    /// Wounds, things to be wary of.
    Warn,
    /// Death, defeat, errors.
    Bad,
}

impl Ink {
    /// The parameters of the escape sequence that switches to this ink; empty for none.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "2",
            Self::Bold => "1",
            Self::Hero => "1;36",
            Self::Neutral => "1;32",
            Self::Foe => "1;31",
            Self::Place => "34",
            Self::Voice => "1;33",
            Self::Whisper => "35",
            Self::Thought => "2;3",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "31",
        }
    }
}
