//! A person at a seat: asks become a dialogue on a console, with the legal choices shown.
//!
//! [`HumanMind`] is a mind like any other. What it asks for is read from the ask alone: free text,
//! or any JSON schema (`form`), whose closed lists become menus. A game may teach it better words
//! and dialogues ([`SeatLessons`]). A person is asked in words for people: the template
//! `seats/home_plan` of the world's prompts for the purpose `home.plan`, filled with the notes of
//! the ask, or `home/seats/plan`, where a game has a folder of its own. Where there is a template
//! whose name ends in `_skipped`, an empty line answers with its text. Without templates, the
//! question of models is shown, less what is about its form. The person types on a thread of its
//! own, so that other places continue meanwhile. When the input ends, the seat is empty and the run
//! stops with a save.

mod console;
mod dialogue;
mod form;
mod lessons;
mod question;
mod seat_form;
#[cfg(test)]
mod tests;

pub use console::{Console, TextConsole, read_line};
pub use dialogue::Dialogue;
use dialogue::is_taken_back;
pub use lessons::{SeatLessons, SeatSkill};
pub use question::{OptionCost, Question, SeatAnswer, SeatOption, UNDO, is_back};
pub use seat_form::{Chosen, Filled, FormAnswer, SeatField, SeatForm, WORDS};

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{
    AnswerForm, Answering, Completion, Language, Mind, MindError, MindInfo, Notes, Prompt,
};
use crate::locale::{UiText, text};

/// The alias of a person in signals and ledgers.
pub const ALIAS: &str = "human";
/// The model of an answer that the seat gave without a question to the person.
pub const UNASKED: &str = "human, not asked";

/// A person who answers for one entity, in the language of the interface.
pub struct HumanMind {
    info: MindInfo,
    seat: Arc<Mutex<Seat<dyn Console>>>,
    lessons: Arc<SeatLessons>,
}

/// Where the person sits.
struct Seat<C: ?Sized> {
    /// The last answer, and how it was filled in.
    last: (String, Filled),
    console: C,
}

impl HumanMind {
    pub fn new(console: impl Console + 'static, language: Language) -> Self {
        Self::taught(console, language, |_| ())
    }

    /// A person at this console, at a seat that games have taught, each by a function of its own.
    pub fn taught(
        console: impl Console + 'static,
        language: Language,
        teach: impl FnOnce(&mut SeatLessons),
    ) -> Self {
        let mut info = MindInfo::unmetered(ALIAS);
        info.width = 1;
        let mut lessons = SeatLessons::new(language);
        teach(&mut lessons);
        Self {
            info,
            seat: Arc::new(Mutex::new(Seat {
                last: Default::default(),
                console,
            })),
            lessons: Arc::new(lessons),
        }
    }
}

impl Mind for HumanMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (seat, lessons) = (self.seat.clone(), self.lessons.clone());
        let question = SeatAsk::of(prompt);
        Box::pin(async move {
            let entity = question.entity.to_string();
            let typing = tokio::task::spawn_blocking(move || {
                let mut seat = seat.lock().unwrap_or_else(PoisonError::into_inner);
                question.put_until_given(&lessons, &mut *seat)
            });
            match typing.await {
                Ok(Ok((model, answer))) => Ok(Completion::instant(model, answer)),
                // The input ended or broke, or the program ends.
                Ok(Err(_)) | Err(_) => Err(MindError::SeatEmpty { entity }.into()),
            }
        })
    }
}

/// An ask, as far as a person needs it.
struct SeatAsk {
    entity: Arc<str>,
    purpose: String,
    /// The question as models read it.
    text: String,
    /// The answer that could not be used, and why.
    refused: Option<(String, String)>,
    notes: Value,
    /// The schema of the answer; `None` for free text.
    schema: Option<Value>,
}

impl SeatAsk {
    fn of(prompt: &Prompt<'_>) -> Self {
        let schema = match prompt.form {
            AnswerForm::Prose { .. } => None,
            AnswerForm::Json { constrained, .. } => Some(constrained.clone()),
        };
        let refused = prompt.refused().next_back();
        let refused = refused.map(|refused| {
            let texts = [&refused.answer, &refused.complaint];
            texts.map(|text| text.as_str().to_owned()).into()
        });
        Self {
            entity: prompt.entity.clone(),
            purpose: prompt.purpose.to_owned(),
            text: prompt.question.full_text().into_owned(),
            refused,
            notes: prompt.notes().clone(),
            schema,
        }
    }

    /// Puts the question, again if the person takes back what it typed. Returns the answer, and
    /// which model it counts as.
    fn put_until_given(
        &self,
        lessons: &SeatLessons,
        seat: &mut Seat<dyn Console>,
    ) -> io::Result<(&'static str, String)> {
        let (answer, filled) = std::mem::take(&mut seat.last);
        let is_again = self
            .refused
            .as_ref()
            .is_some_and(|(refused, _)| *refused == answer);
        let before = if is_again { filled } else { Filled::default() };
        loop {
            let console = &mut seat.console;
            let mut dialogue = Dialogue::new(console, lessons.language(), before.clone());
            match self.put(lessons, &mut dialogue) {
                Err(error) if is_taken_back(&error) => {
                    dialogue.show(text!(mind_seat_taken_back))?
                }
                answer => {
                    let model = if dialogue.has_begun() { ALIAS } else { UNASKED };
                    let (answer, filled) = (answer?, dialogue.filled().clone());
                    seat.last = (answer.clone(), filled);
                    return Ok((model, answer));
                }
            }
        }
    }

    fn put(&self, lessons: &SeatLessons, dialogue: &mut Dialogue<'_>) -> io::Result<String> {
        dialogue.turn(&self.entity)?;
        let mut label = UiText::default();
        match &self.refused {
            // The question was read already.
            Some((_, complaint)) => {
                dialogue.show(text!(mind_seat_not_usable))?;
                dialogue.show(UiText::verbatim(reasons(complaint)))?;
            }
            None => {
                let question = lessons.phrase(&self.purpose, "", &self.notes);
                let question = question.unwrap_or_else(|| without_form(&self.text));
                // In a team, what was said before is the question.
                if question.trim().is_empty() {
                    label = text!(mind_seat_words);
                }
                dialogue.show(UiText::verbatim(question))?;
            }
        }
        match &self.schema {
            None => self.words(label, lessons, dialogue),
            Some(schema) => Ok(self.form(schema, lessons, dialogue)?.to_string()),
        }
    }

    /// Asks for words, which may be left out where the game has words for that.
    fn words(
        &self,
        label: UiText,
        lessons: &SeatLessons,
        dialogue: &mut Dialogue<'_>,
    ) -> io::Result<String> {
        let typed = self.refused.as_ref().map(|(answer, _)| answer.as_str());
        let question = Question::words(label).typed(typed.unwrap_or_default());
        let skipped = lessons.phrase(&self.purpose, "_skipped", &self.notes);
        let question = match &skipped {
            None => question,
            Some(_) => question.or(text!(mind_seat_skip)),
        };
        match dialogue.ask(&question)? {
            SeatAnswer::Words(words) => Ok(words),
            _ => Ok(skipped.unwrap_or_default()),
        }
    }

    fn form(
        &self,
        schema: &Value,
        lessons: &SeatLessons,
        dialogue: &mut Dialogue<'_>,
    ) -> io::Result<Value> {
        if let Some(skill) = lessons.skill_for(&self.purpose)
            && let Some(answer) = skill.answer(Notes::new(&self.notes), dialogue)?
        {
            return Ok(answer);
        }
        form::fill(dialogue, lessons, schema)
    }
}

/// The question of models for a person, who has menus: without headings, and without the
/// paragraphs that tell which JSON to write.
fn without_form(question: &str) -> String {
    let paragraphs = question.split("\n\n");
    paragraphs
        .filter(|text| !text.contains("JSON"))
        .map(|text| text.trim_start_matches("# "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// What is wrong with an answer: the list within what a model is told, without the members of its
/// JSON that are meant.
fn reasons(complaint: &str) -> String {
    let reasons = complaint.lines().filter_map(|line| line.strip_prefix("- "));
    let reasons = reasons.map(|reason| match reason.split_once([':', '：']) {
        Some((member, why)) if is_member(member) => why.trim_start(),
        _ => reason,
    });
    let reasons: Vec<_> = reasons.map(|reason| format!("- {reason}")).collect();
    if reasons.is_empty() {
        complaint.to_owned()
    } else {
        reasons.join("\n")
    }
}

/// Whether a word is the path of a member, such as `speak.text` or `cards[0].targets`.
fn is_member(word: &str) -> bool {
    let is_of_path =
        |letter: char| letter.is_ascii_lowercase() || "._[]0123456789".contains(letter);
    word.chars().all(is_of_path)
}
