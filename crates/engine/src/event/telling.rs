//! How events are told to people who watch, in a terminal or on a page. What those who get an event
//! read is in its phrase.

use serde_json::Value;

use crate::locale::{Argument, Language, UiText, text};

/// What an event is to readers, by which a terminal and a page set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventStyle {
    /// First words: what a character thinks or a place looks like when the story begins.
    Opening,
    /// A place describes itself.
    Scene,
    /// A place tells as a whole what was told piece by piece.
    Account,
    /// Words of the world file.
    Text,
    /// Words of the world file with which a scene begins.
    SceneText,
    /// Words of the world file on what one knew before the story began. Only whoever plays it is
    /// told.
    Past,
    /// Words of a host.
    Told,
    /// What came of an attempt.
    Outcome,
    Speech,
    Whisper,
    /// Words for everybody everywhere.
    Announcement,
    Thought,
    /// How a character looks.
    Look,
    Move,
    #[default]
    Deed,
    /// A deed of which those elsewhere hear in the same words.
    SharedDeed,
    /// A deed by which something is seen; it ends with how that looks.
    Showing,
    Choice,
    /// A character falls or dies.
    Fall,
    /// A day begins.
    Day,
    /// A part of a day begins.
    Round,
    /// A journey begins.
    Departure,
    /// A journey reaches a place.
    Place,
    /// A contest begins, such as a fight.
    ContestBegins,
    Contest,
    ContestEnds,
    /// A note on a contest for those who look behind the story.
    ContestNote,
    /// What only those need to know whom it concerns.
    Note,
    /// A note for those who look behind the story.
    Working,
    HostDeed,
    Lesson,
    /// A part of a past became a memory.
    Memory,
    /// What those elsewhere hear of what was told.
    Report,
    Ending,
    Hidden,
}

/// Who got an event, and the language in which that is told.
#[derive(Clone, Copy, Debug)]
pub struct Recipients<'a> {
    pub names: &'a [String],
    pub language: Language,
}

impl Recipients<'_> {
    /// Their names as the subject of a sentence.
    pub fn subject(&self) -> String {
        subject(self.names, self.language)
    }
}

/// Names as the subject of a sentence.
pub fn subject(names: &[String], language: Language) -> String {
    match (names, language) {
        ([first @ .., last], Language::En) if !first.is_empty() => {
            format!("{} and {last}", first.join(", "))
        }
        _ => text!(cli_list, items = Argument::list(names)).in_language(language),
    }
}

/// Something that an event shows, and how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight<'a> {
    pub what: &'a str,
    pub look: &'a str,
}

/// How an event is told to people who watch; `#[derive(AgentEvent)]` writes it.
pub trait Telling {
    fn style(&self) -> EventStyle;

    /// The event as it is told to one who only watches; `None` if its own words are right for
    /// everybody.
    fn third_person(&self, _to: &Recipients<'_>) -> Option<UiText> {
        None
    }

    /// The line of a printed story that says it shorter than its words.
    fn line(&self, _to: &Recipients<'_>) -> Option<UiText> {
        None
    }

    /// The words alone, without who says them.
    fn words(&self) -> Option<&str> {
        None
    }

    /// To whom something is said or given, or where somebody goes, by name.
    fn target(&self) -> Option<&str> {
        None
    }

    /// What is seen by it; its words end with how that looks.
    fn sight(&self) -> Option<Sight<'_>> {
        None
    }

    /// The day that begins with it.
    fn day(&self) -> Option<u32> {
        None
    }

    /// The heading over what begins with it.
    fn heading(&self) -> Option<UiText> {
        None
    }

    /// The place to which it belongs, empty for none, if that is not where it was told.
    fn place(&self) -> Option<&str> {
        None
    }

    /// What a page shows of it beside its words, such as how those in a contest stand.
    fn board(&self) -> Option<Value> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_subject_of_a_sentence() {
        let names = ["Pell", "Jory", "Brant"].map(String::from);
        assert_eq!(subject(&names, Language::En), "Pell, Jory and Brant");
        assert_eq!(subject(&names[..1], Language::En), "Pell");
        assert_eq!(subject(&names, Language::Zh), "Pell、Jory、Brant");
    }
}
