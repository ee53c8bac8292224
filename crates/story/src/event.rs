//! How an event is told.

use playhouse_engine::event::EventStyle;
use serde::Serialize;
use serde_json::Value;

/// How a book sets an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
            Style::Told | Style::Outcome => Self::Narration,
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

    fn has_words(self) -> bool {
        matches!(
            self,
            Self::Speech | Self::Whisper | Self::Call | Self::Thought | Self::Narration
        )
    }
}

/// The words alone, without who says them.
pub fn words(form: Form, data: &Value) -> Option<&str> {
    if !form.has_words() {
        return None;
    }
    let words = data.get("message").or_else(|| data.get("description"))?;
    // A message of a team is an object.
    words.as_str().or_else(|| words.get("content")?.as_str())
}

/// To whom it is said or given, by name.
pub fn target(data: &Value) -> Option<&str> {
    let target = data.get("target").or_else(|| data.get("to"))?.as_str()?;
    (!target.is_empty() && target != "all").then_some(target)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_those_that_were_said() {
        let said = json!({"actor": "Pell", "target": "Jory", "message": "The lamp is out."});
        assert_eq!(words(Form::Speech, &said), Some("The lamp is out."));
        assert_eq!(target(&said), Some("Jory"));
        assert_eq!(words(Form::Move, &said), None);
        let of_team = json!({"message": {"source": "Ada", "content": "Yes."}});
        assert_eq!(words(Form::Speech, &of_team), Some("Yes."));
        assert_eq!(target(&json!({"target": "all"})), None);
        // What a guard has emptied for a seat.
        assert_eq!(words(Form::Speech, &Value::Null), None);
    }
}
