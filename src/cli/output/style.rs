//! What a piece of text is, and how that looks on a terminal.

/// What a piece of text is; with colour, each looks different.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// The story's own text.
    #[default]
    Plain,
    /// Less important than the text around it.
    Dim,
    Bold,
    Hero,
    /// The name of a character without a side.
    Neutral,
    Foe,
    Place,
    /// The name of a world agent, or an announcement.
    Voice,
    Whisper,
    Thought,
    Good,
    Warn,
    Bad,
}

impl Style {
    /// The parameters of the escape sequence that switches to this style; empty for none.
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
