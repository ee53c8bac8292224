//! What a message of a mind tells, in sentences: what it thought, said and tried, without the form
//! in which it answered.

use std::borrow::Cow;

use bevy_ecs::prelude::*;
use serde_json::Value;

use crate::message::{Body, Role};

/// A member of an answer that holds words, by its JSON pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// A thought, which stays private.
    Thought(&'static str),
    /// What is said aloud. Only own words may stand there, and none that were said lately.
    Spoken(&'static str),
    /// What is said in another way, such as the words of a promise.
    Given(&'static str),
    Tried(&'static str),
}

impl Words {
    /// Those that an answer has.
    fn of(self, answer: &Value) -> Option<&str> {
        let (Self::Thought(at) | Self::Spoken(at) | Self::Given(at) | Self::Tried(at)) = self;
        let words = answer.pointer(at)?.as_str()?.trim();
        (!words.is_empty()).then_some(words)
    }

    /// Their place in a memory: first what was thought, last what was tried.
    fn order(&self) -> u8 {
        match self {
            Self::Thought(_) => 0,
            Self::Spoken(_) => 1,
            Self::Given(_) => 2,
            Self::Tried(_) => 3,
        }
    }
}

/// The members with words of all types of replies.
#[derive(Resource, Clone, Debug, Default)]
pub struct AnswerWords(Vec<Words>);

impl AnswerWords {
    pub(crate) fn add(&mut self, words: &[Words]) {
        for words in words {
            if !self.0.contains(words) {
                self.0.push(*words);
            }
        }
        self.0.sort_by_key(Words::order);
    }

    /// Whether all of these are known.
    pub(crate) fn know(&self, words: &[Words]) -> bool {
        words.iter().all(|words| self.0.contains(words))
    }

    /// What was said aloud in an answer.
    pub(crate) fn spoken<'a>(&self, answer: &'a Value) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(|words| matches!(words, Words::Spoken(_)))
            .filter_map(|words| words.of(answer))
    }

    /// What a message says. Of an answer in JSON, what was thought, then what was said in quotation
    /// marks, then what was tried in brackets; of one of another form, nothing.
    pub(super) fn told<'b>(&self, role: Role, body: &'b Body) -> Cow<'b, str> {
        let text = body.full_text();
        if role != Role::Ai || !text.starts_with('{') {
            return text;
        }
        let Ok(answer @ Value::Object(_)) = serde_json::from_str(&text) else {
            return text;
        };
        let sentence = |words: &Words| {
            let told = words.of(&answer)?;
            Some(match words {
                Words::Thought(_) => told.to_owned(),
                Words::Spoken(_) | Words::Given(_) => format!("“{told}”"),
                Words::Tried(_) => format!("({told})"),
            })
        };
        let sentences: Vec<_> = self.0.iter().filter_map(sentence).collect();
        Cow::Owned(sentences.join(" "))
    }
}

/// The part of a message by which it is the same as another that tells the same: the words in
/// quotation marks, or else what comes after a colon; all of it if there is neither.
pub(super) fn gist(text: &str) -> &str {
    let quoted = || {
        let begin = text.find('“')? + '“'.len_utf8();
        let end = begin + text.get(begin..)?.rfind('”')?;
        text.get(begin..end)
    };
    let after_colon = || text.split_once(": ").or_else(|| text.split_once('：'));
    let gist = quoted()
        .or_else(|| Some(after_colon()?.1))
        .unwrap_or(text)
        .trim();
    if gist.is_empty() { text } else { gist }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(answer: &str) -> String {
        let mut words = AnswerWords::default();
        words.add(&[
            Words::Tried("/attempt/what"),
            Words::Given("/promise/words"),
        ]);
        words.add(&[
            Words::Thought("/mind"),
            Words::Spoken("/speak/text"),
            Words::Spoken("/say"),
        ]);
        words.told(Role::Ai, &Body::text(answer)).into_owned()
    }

    #[test]
    fn of_an_answer_what_was_spoken_is_in_quotation_marks() {
        let answer = r#"{"mind": "I must tell her.", "speak": {"target": "Bob", "text": "It was me."},
            "feels": {"about": "Bob", "change": 1, "why": "he listens to me"},
            "attempt": {"what": "open the door"}}"#;
        assert_eq!(
            words(answer),
            "I must tell her. “It was me.” (open the door)"
        );
        let vow = r#"{"promise":{"to":"Bob","words":"I will come."},"mind":"So be it."}"#;
        assert_eq!(words(vow), "So be it. “I will come.”");
    }

    #[test]
    fn neither_cards_nor_the_outcomes_that_might_have_been_are_remembered() {
        let play = r#"{"action":"play","cards":[{"skill":"Off the Quay","name":"To the Floor",
            "description":"She goes for its legs.","targets":["Tar Hound"]}],"say":"Keep your feet!"}"#;
        assert_eq!(words(play), "“Keep your feet!”");
        let ruling = r#"{"possible":true,"fully":"The door opens.","at_cost":"It opens at last.",
            "not":"It stays shut."}"#;
        assert_eq!(words(ruling), "");
    }

    #[test]
    fn the_gist_of_a_message_is_what_it_tells() {
        assert_eq!(gist("Bob promises Ann: “I will come.”"), "I will come.");
        assert_eq!(
            gist("Bob lets you know: The bell is cracked."),
            "The bell is cracked."
        );
        assert_eq!(gist("老闻让你知道：钟裂了。"), "钟裂了。");
        assert_eq!(gist("A gull lands."), "A gull lands.");
    }
}
