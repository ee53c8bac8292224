//! How an event is told.

use playhouse_engine::event::EventRecord;
use serde::Serialize;
use serde_json::Value;

/// How a book sets an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventStyle {
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
    Fight,
    Note,
    Ending,
    /// Not part of the story.
    Own,
}

impl EventStyle {
    /// The form of an event, by its type and, for a few types, by what it holds.
    pub fn of(record: &EventRecord, is_by_stage: bool) -> Self {
        let part = record.data.get("part").and_then(Value::as_str);
        match record.kind.as_str() {
            "speak" | "chat_said" | "undercover_description" | "epilogue" => Self::Speech,
            "whisper" | "chat_whispered" | "chat_handed" => Self::Whisper,
            "announce" => Self::Call,
            "kickoff" if !is_by_stage => Self::Thought,
            "mind" => Self::Thought,
            "kickoff" | "scene" | "narration" | "scene_opens" | "scene_text" | "told_by_host"
            | "attempt_outcome" => Self::Narration,
            "appearance" => Self::Look,
            "leave" | "arrive" => Self::Move,
            "choice" | "vote" | "attempt" | "undercover_votes" => Self::Choice,
            "day" if part == Some("begin") => Self::Day,
            "day" if part == Some("round") => Self::Round,
            "undercover_round" => Self::Day,
            "dungeon" => Self::Place,
            "combat_initialization"
            | "combat_round"
            | "card_played"
            | "card_held"
            | "combat_move"
            | "combat_outcome" => Self::Fight,
            "query" | "refusal" | "learned" | "masked" | "wound" | "cards_drawn"
            | "nothing_new" | "feels" | "undercover_deal" | "host_deed" => Self::Note,
            "judged" if record.data.get("holds") == Some(&Value::Bool(true)) => Self::Note,
            "homecoming" | "story_closes" | "undercover_end" => Self::Ending,
            "day" | "judged" | "effect_skipped" | "archive" | "news" | "chat_recalled"
            | "chat_own" | "chat_noted" | "chat_inside" => Self::Own,
            _ => Self::Deed,
        }
    }

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
pub fn words(form: EventStyle, data: &Value) -> Option<&str> {
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
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_those_that_were_said() {
        let said = json!({"actor": "Pell", "target": "Jory", "message": "The lamp is out."});
        assert_eq!(words(EventStyle::Speech, &said), Some("The lamp is out."));
        assert_eq!(target(&said), Some("Jory"));
        assert_eq!(words(EventStyle::Move, &said), None);
        let of_team = json!({"message": {"source": "Ada", "content": "Yes."}});
        assert_eq!(words(EventStyle::Speech, &of_team), Some("Yes."));
        assert_eq!(target(&json!({"target": "all"})), None);
        // What a guard has emptied for a seat.
        assert_eq!(words(EventStyle::Speech, &Value::Null), None);
    }
}
