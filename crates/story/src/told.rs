//! What readers were told: the same is told once a turn, and each look once.

use std::collections::BTreeSet;

use playhouse_engine::event::{EventRecord, EventStyle, Recipients, Sight, Telling};
use playhouse_engine::locale::Language;
use playhouse_engine::message::Digest;

use super::event::Form;

#[derive(Default)]
pub struct Told {
    /// In this turn.
    lines: BTreeSet<Digest>,
    looks: BTreeSet<Digest>,
}

fn digest(parts: [&str; 3]) -> Digest {
    Digest::of(parts.join("\0").as_bytes())
}

impl Told {
    /// Whether readers were told the same before this event. Notes that they are now.
    pub fn repeats(&mut self, event: &EventRecord, telling: &dyn Telling) -> bool {
        use EventStyle as Style;
        let style = telling.style();
        match style {
            Style::Look => telling
                .sight()
                .is_some_and(|sight| !self.is_new_look(sight)),
            // Those elsewhere hear of it later than those who saw it, or in events of their own.
            Style::Opening
            | Style::Scene
            | Style::Account
            | Style::Text
            | Style::SceneText
            | Style::Past
            | Style::Told
            | Style::Outcome
            | Style::Announcement
            | Style::Move
            | Style::Departure
            | Style::Place
            | Style::Choice
            | Style::SharedDeed
            | Style::Day
            | Style::Round
            | Style::Ending => {
                let to = Recipients {
                    names: &[],
                    language: Language::En,
                };
                // Whoever leaves a place arrives at another: that is one walk.
                let line = telling.line(&to).or_else(|| telling.third_person(&to));
                let line = line.map(|line| line.in_language(to.language));
                let words = telling.words().filter(|words| !words.is_empty());
                let words = words.or(line.as_deref()).unwrap_or(&event.text);
                let speaker = event.speaker.as_deref().unwrap_or_default();
                let form = match style {
                    Style::Opening => Form::Narration,
                    style => style.into(),
                };
                !self.is_new(form, speaker, words)
            }
            _ => false,
        }
    }

    /// Whether nobody was heard to say this in this turn, as speech, narration or otherwise.
    pub fn is_new(&mut self, form: Form, speaker: &str, words: &str) -> bool {
        let form = form as u8;
        self.lines
            .insert(digest([&form.to_string(), speaker, words]))
    }

    pub fn is_new_look(&mut self, Sight { what, look }: Sight<'_>) -> bool {
        self.looks.insert(digest([what, look, ""]))
    }

    /// Whether it was told that somebody or something looks so.
    pub fn knows_look(&self, what: &str, look: &str) -> bool {
        self.looks.contains(&digest([what, look, ""]))
    }

    /// Forgets what was told in the turn that is over.
    pub fn end_turn(&mut self) {
        self.lines.clear();
    }
}
