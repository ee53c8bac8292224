//! A person who types lines that are known beforehand.

use std::io::{self, Cursor};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::context::AgentContext;
use crate::message::Body;
use crate::mind::human::{HumanMind, SeatLessons, TextConsole};
use crate::mind::{AnswerForm, ExchangeRound, Language, Mind, MindError, Prompt, Refused};

#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl io::Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct PersonAsk<'a> {
    purpose: &'a str,
    constrained: Option<Value>,
    notes: Value,
    complaint: &'a str,
    teach: fn(&mut SeatLessons),
}

impl<'a> PersonAsk<'a> {
    /// A question for an answer in prose.
    pub fn new(purpose: &'a str) -> Self {
        Self {
            purpose,
            constrained: None,
            notes: Value::Null,
            complaint: "",
            teach: |_| (),
        }
    }

    /// The same for an answer of this schema.
    pub fn json(mut self, constrained: Value) -> Self {
        self.constrained = Some(constrained);
        self
    }

    /// The same with the data of a prompt.
    pub fn notes(mut self, notes: Value) -> Self {
        self.notes = notes;
        self
    }

    /// The same after an answer that was refused for this reason.
    pub fn refused(mut self, complaint: &'a str) -> Self {
        self.complaint = complaint;
        self
    }

    /// The same at a seat that a game has taught.
    pub fn taught(mut self, teach: fn(&mut SeatLessons)) -> Self {
        self.teach = teach;
        self
    }

    /// What a person who types these lines answers, and what it saw.
    pub async fn answer(
        &self,
        language: Language,
        typed: &str,
    ) -> (Result<String, MindError>, String) {
        let shown = Shown::default();
        let console = TextConsole::new(Cursor::new(typed.to_owned()), shown.clone());
        let mind = HumanMind::taught(console, language, self.teach);
        let schema: Arc<str> = "{}".into();
        let form = match &self.constrained {
            None => AnswerForm::Prose { notes: &self.notes },
            Some(constrained) => AnswerForm::Json {
                name: "reply",
                schema: &schema,
                constrained,
                notes: &self.notes,
            },
        };
        let refused = [ExchangeRound::Refused(Refused {
            answer: "".into(),
            complaint: self.complaint.into(),
        })];
        let answering = mind.answer(&Prompt {
            language,
            rounds: if self.complaint.is_empty() {
                &[]
            } else {
                &refused
            },
            form,
            ..Prompt::new(
                self.purpose,
                &AgentContext::new("Mira"),
                &Body::text("The tavern is full."),
            )
        });
        let result = answering
            .await
            .map(|completion| completion.text)
            .map_err(|failed| failed.error);
        let shown = String::from_utf8(shown.0.lock().unwrap().clone()).unwrap();
        (result, shown)
    }
}

/// An answer as JSON.
///
/// # Panics
/// It is none.
pub fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
