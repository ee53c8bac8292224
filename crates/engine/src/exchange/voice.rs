//! Who speaks in an answer, and what it said lately.

use serde_json::Value;

use super::Violation;
use super::prompts::Rule;
use crate::context::AgentContext;
use crate::memory::{AnswerWords, Words};
use crate::message::Role;
use crate::reading::{is_told_of, letters, own_words};

/// How many of the last answers are known.
const LATELY: usize = 3;
/// Fewer letters may be said again.
const FEW_LETTERS: usize = 24;

/// Who speaks in an answer, in front of whom, and what it said lately.
#[derive(Clone, Debug, Default)]
pub struct Voice {
    name: String,
    others: Vec<String>,
    lately: Vec<String>,
}

impl Voice {
    /// A speaker in front of others.
    pub fn new(name: &str, others: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            others: others.to_vec(),
            lately: Vec::new(),
        }
    }

    /// With what it said lately, by its context.
    #[must_use]
    pub fn lately(mut self, context: &AgentContext, words: &AnswerWords) -> Self {
        let newest_first = context.entries().iter().rev();
        let answers = newest_first.filter(|entry| entry.role() == Role::Ai);
        for answer in answers.take(LATELY) {
            let value: Value = serde_json::from_str(&answer.body().full_text()).unwrap_or_default();
            self.lately.extend(words.spoken(&value).map(compared));
        }
        self
    }

    /// Leaves only its own words in an answer. Returns whether that changed any.
    pub(super) fn keep_own_words(&self, answer: &mut Value, words: &[Words]) -> bool {
        let mut changed = false;
        let own = words.iter().filter_map(|words| match words {
            Words::Spoken(at) | Words::Thought(at) => Some(at),
            _ => None,
        });
        for path in own {
            let Some(Value::String(said)) = answer.pointer_mut(path) else {
                continue;
            };
            let own = own_words(said, &self.name, &self.others);
            if own != *said {
                *said = own.into_owned();
                changed = true;
            }
        }
        changed
    }

    /// What it says word for word as it did lately, or what tells of it instead. It is told once.
    pub(super) fn fault(&self, answer: &Value, words: &[Words]) -> Option<Violation> {
        spoken(words).find_map(|path| {
            let said = answer.pointer(path)?.as_str()?;
            let path = path.trim_start_matches('/').replace('/', ".");
            let is_repeated = letters(said) >= FEW_LETTERS && self.lately.contains(&compared(said));
            let violation = if is_repeated {
                let rule = "you said this lately, word for word; say something else or nothing";
                Violation::new(path, rule).with_prompt(&Rule::SaidBefore)
            } else if is_told_of(said, &self.name) {
                let rule = "write only the words that you say aloud";
                Violation::new(path, rule).with_prompt(&Rule::Aloud)
            } else {
                return None;
            };
            Some(violation.only_once())
        })
    }
}

/// Where answers have words that are said aloud.
fn spoken(words: &[Words]) -> impl Iterator<Item = &'static str> {
    words.iter().filter_map(|words| match words {
        Words::Spoken(at) => Some(*at),
        _ => None,
    })
}

/// A text as it is compared: letters and digits in lower case.
fn compared(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WORDS: [Words; 3] = [
        Words::Thought("/mind"),
        Words::Spoken("/speak/text"),
        Words::Spoken("/say"),
    ];

    #[test]
    fn only_own_words_are_left_and_none_twice() {
        let voice = Voice {
            lately: vec![compared("I'll stand where the water was, Mrs Hollis.")],
            ..Voice::new("Odile Marsh", &["Edda Hollis".to_owned()])
        };
        let mut answer = json!({
            "mind": "She lies.\nEdda Hollis: And what then?",
            "speak": {"text": "Odile: Sit.\nEdda Hollis: No."}, "say": "Odile.",
        });
        assert!(voice.keep_own_words(&mut answer, &WORDS));
        let own = json!({"mind": "She lies.", "speak": {"text": "Sit."}, "say": "Odile."});
        assert_eq!(answer, own);
        assert!(!voice.keep_own_words(&mut answer, &WORDS));
        assert_eq!(voice.fault(&answer, &WORDS), None);
        let again = json!({"say": "I'll stand where the water was, Mrs. Hollis!"});
        let told = voice.fault(&again, &WORDS).expect("is told");
        assert_eq!((&*told.path, told.only_once), ("say", true));
    }
}
