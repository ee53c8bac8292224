//! What a message of a mind tells, in sentences: what it thought, said and tried, without the form
//! in which it answered.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::message::{Body, Role};

/// Members of an answer in JSON that hold what was said to others.
const SAID: [&str; 6] = ["speak", "whisper", "announce", "say", "promise", "reason"];
/// Members of one of these that hold the words.
const WORDS: [&str; 2] = ["text", "words"];

/// What a message says. Of an answer in JSON, what was thought, then what was spoken in quotation
/// marks, then what was tried in brackets; of one of another form, nothing.
pub(super) fn words_of(role: Role, body: &Body) -> Cow<'_, str> {
    let text = body.full_text();
    if role != Role::Ai || !text.starts_with('{') {
        return text;
    }
    let Ok(Value::Object(answer)) = serde_json::from_str(&text) else {
        return text;
    };
    let thought = answer.get("mind").and_then(Value::as_str);
    let thought = thought.map(str::trim).filter(|thought| !thought.is_empty());
    let mut sentences: Vec<_> = thought.map(str::to_owned).into_iter().collect();
    sentences.extend(said(&answer).map(|words| format!("“{words}”")));
    let tried = answer
        .get("attempt")
        .and_then(|attempt| attempt.get("what"));
    sentences.extend(
        tried
            .and_then(Value::as_str)
            .map(|tried| format!("({tried})")),
    );
    Cow::Owned(sentences.join(" "))
}

/// What an answer of a mind says to others.
pub fn spoken_words(answer: &str) -> Vec<String> {
    match serde_json::from_str(answer) {
        Ok(Value::Object(answer)) => said(&answer).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn said(answer: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let members = SAID.iter().filter_map(|name| answer.get(*name));
    let words = members.filter_map(|member| match member {
        Value::Object(speech) => WORDS.iter().find_map(|name| speech.get(*name)?.as_str()),
        member => member.as_str(),
    });
    words.map(str::trim).filter(|words| !words.is_empty())
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
    let gist = quoted().or_else(|| Some(after_colon()?.1));
    let gist = gist.unwrap_or(text).trim();
    if gist.is_empty() { text } else { gist }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(answer: &str) -> String {
        words_of(Role::Ai, &Body::text(answer)).into_owned()
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
        assert_eq!(spoken_words(vow), ["I will come."]);
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
