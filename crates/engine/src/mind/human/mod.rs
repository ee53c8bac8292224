//! A person at a seat: asks become a dialogue on a console, with the legal choices shown.
//!
//! [`HumanMind`] is a mind like any other. What it asks for is read from the ask alone: free text,
//! or any JSON schema (`form`), whose closed lists become menus. A game may teach it better words
//! and dialogues ([`SeatLessons`]). The person types on a thread of its own, so that other places
//! continue meanwhile. When the input ends, the seat is empty and the run stops with a save. Start
//! reading at [`HumanMind`].

mod console;
mod dialogue;
mod form;
mod lessons;
#[cfg(test)]
mod tests;

pub use console::{Console, TextConsole, prompt};
pub use dialogue::{Chosen, Dialogue, position_of_name};
pub use lessons::{SeatLessons, SeatSkill};

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{
    AnswerForm, Answering, Completion, Language, Mind, MindError, MindInfo, Notes, Prompt,
};
use crate::locale::{UiText, text};

/// The alias of a person in signals and ledgers.
pub const ALIAS: &str = "human";

/// A person who answers for one entity, in the language of the interface.
pub struct HumanMind {
    info: MindInfo,
    console: Arc<Mutex<dyn Console>>,
    lessons: Arc<SeatLessons>,
}

impl HumanMind {
    /// A person at this console.
    pub fn new(console: impl Console + 'static, language: Language) -> Self {
        Self::taught(console, language, |_| ())
    }

    /// A person at this console, at a seat that games have taught, each by a function of its own.
    pub fn taught(
        console: impl Console + 'static,
        language: Language,
        teach: impl FnOnce(&mut SeatLessons),
    ) -> Self {
        let mut info = MindInfo::embedded(ALIAS);
        info.width = 1;
        let mut lessons = SeatLessons::new(language);
        teach(&mut lessons);
        Self {
            info,
            console: Arc::new(Mutex::new(console)),
            lessons: Arc::new(lessons),
        }
    }
}

impl Mind for HumanMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (console, lessons) = (self.console.clone(), self.lessons.clone());
        let question = SeatAsk::of(prompt, &lessons);
        Box::pin(async move {
            let entity = question.entity.to_string();
            let typing = tokio::task::spawn_blocking(move || {
                let mut console = console.lock().unwrap_or_else(PoisonError::into_inner);
                let mut dialogue = Dialogue::new(&mut *console, lessons.language());
                question.put(&lessons, &mut dialogue)
            });
            match typing.await {
                Ok(Ok(answer)) => Ok(Completion::instant(ALIAS, answer)),
                // The input ended or broke, or the program ends.
                Ok(Err(_)) | Err(_) => Err(MindError::SeatEmpty { entity }.into()),
            }
        })
    }
}

/// An ask, as far as a person needs it.
struct SeatAsk {
    entity: Arc<str>,
    text: String,
    recalled: Option<String>,
    complaint: Option<String>,
    wanted: Wanted,
}

/// In which form the answer is wanted.
enum Wanted {
    Prose,
    Json {
        schema: Value,
        /// A dialogue of the game, and the notes that it reads.
        skill: Option<(Arc<dyn SeatSkill>, Value)>,
    },
}

impl SeatAsk {
    fn of(prompt: &Prompt<'_>, lessons: &SeatLessons) -> Self {
        let wanted = match prompt.form {
            AnswerForm::Prose { .. } => Wanted::Prose,
            AnswerForm::Json {
                constrained, notes, ..
            } => Wanted::Json {
                schema: constrained.clone(),
                skill: lessons
                    .skill_for(prompt.purpose)
                    .map(|skill| (skill.clone(), notes.clone())),
            },
        };
        let complaint = prompt.refused().next_back();
        Self {
            entity: prompt.entity.clone(),
            text: prompt.question.full_text().into_owned(),
            recalled: prompt.recalled.map(|text| text.as_str().to_owned()),
            complaint: complaint.map(|refused| refused.complaint.as_str().to_owned()),
            wanted,
        }
    }

    fn put(&self, lessons: &SeatLessons, dialogue: &mut Dialogue<'_>) -> io::Result<String> {
        dialogue.show(UiText::verbatim("\n"))?;
        dialogue.show(text!(mind_seat_your_turn, entity = &*self.entity))?;
        // Who is asked again has read the question already.
        let question = match (&self.complaint, &self.wanted) {
            (Some(complaint), _) => complaint.clone(),
            (None, Wanted::Prose) => self.text.clone(),
            (None, Wanted::Json { .. }) => without_format(&self.text),
        };
        dialogue.show(UiText::verbatim(question))?;
        if let (Some(recalled), None) = (&self.recalled, &self.complaint) {
            dialogue.show(UiText::verbatim(format!("\n{recalled}")))?;
        }
        let Wanted::Json { schema, skill } = &self.wanted else {
            return dialogue.text(UiText::default());
        };
        if let Some((skill, notes)) = skill
            && let Some(answer) = skill.answer(Notes::new(notes), dialogue)?
        {
            return Ok(answer.to_string());
        }
        Ok(form::fill(dialogue, lessons, schema)?.to_string())
    }
}

/// The question without the paragraphs that tell models which JSON to write: a person has menus.
fn without_format(question: &str) -> String {
    let paragraphs = question.split("\n\n");
    let kept: Vec<_> = paragraphs.filter(|text| !text.contains("JSON")).collect();
    kept.join("\n\n")
}
