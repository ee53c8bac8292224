//! How an event is told.

use playhouse_engine::event::{EventStyle, Telling};
use serde::Serialize;

/// How a book sets an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Speech,
    Whisper,
    /// Words for everybody everywhere.
    Call,
    Thought,
    Narration,
    Look,
    Move,
    Deed,
    Choice,
    /// A heading: a day or a round begins.
    Day,
    /// A part of a day begins.
    Round,
    /// A heading: the party reaches a place.
    Place,
    /// A part of a contest, such as a fight.
    Contest,
    #[default]
    Note,
    Ending,
    /// Not part of the story.
    Own,
}

impl From<EventStyle> for Form {
    fn from(style: EventStyle) -> Self {
        use EventStyle as Style;
        match style {
            Style::Speech => Self::Speech,
            Style::Whisper => Self::Whisper,
            Style::Announcement => Self::Call,
            Style::Opening | Style::Thought => Self::Thought,
            Style::Scene | Style::Account | Style::Text | Style::SceneText => Self::Narration,
            Style::Past | Style::Told | Style::Outcome => Self::Narration,
            Style::Look => Self::Look,
            Style::Move => Self::Move,
            Style::Deed | Style::SharedDeed | Style::Showing => Self::Deed,
            Style::Fall | Style::Report => Self::Deed,
            Style::Choice => Self::Choice,
            Style::Day => Self::Day,
            Style::Round => Self::Round,
            Style::Departure | Style::Place => Self::Place,
            Style::ContestBegins | Style::Contest | Style::ContestEnds | Style::ContestNote => {
                Self::Contest
            }
            Style::Note | Style::Working | Style::HostDeed | Style::Lesson => Self::Note,
            Style::Ending => Self::Ending,
            Style::Memory | Style::Hidden => Self::Own,
        }
    }
}

impl Form {
    /// Whether it is a heading, to which readers may jump.
    pub fn is_heading(self) -> bool {
        matches!(self, Self::Day | Self::Place | Self::Ending)
    }

    /// The words that stand in its place; `None` if all of what was told does.
    pub fn words_of(self, telling: &dyn Telling) -> Option<&str> {
        let has_words = matches!(
            self,
            Self::Speech | Self::Whisper | Self::Call | Self::Thought | Self::Narration
        );
        telling.words().filter(|_| has_words)
    }
}

#[cfg(test)]
mod tests {
    use playhouse_engine::event::kinds::Speak;

    use super::*;

    #[test]
    fn words_are_those_that_were_said() {
        let said = Speak {
            target: "Jory".into(),
            message: "The lamp is out.".into(),
            ..Speak::default()
        };
        assert_eq!(Form::Speech.words_of(&said), Some("The lamp is out."));
        assert_eq!(Form::Own.words_of(&said), None);
        assert_eq!(said.target(), Some("Jory"));
        assert_eq!(Speak::default().target(), None);
    }
}
