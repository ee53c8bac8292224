//! What a message of a server says and what it reasons.
//!
//! Servers send reasoning in a field of its own, or within the text, between marks. Both become
//! thinking, which is private. Marks are looked for in texts alone, never in the arguments of a
//! call.

use playhouse_engine::reading::{OwnMarks, SplitText};
use serde_json::{Map, Value};

/// The reasoning that a message or a delta has in a field of its own: `reasoning_content`
/// (DeepSeek, vLLM, llama.cpp), `reasoning` (OpenRouter, Groq), `thinking` (Ollama), or the
/// readable entries of `reasoning_details` (OpenRouter).
pub fn reasoning_of(message: &Map<String, Value>) -> Option<String> {
    let fields = ["reasoning_content", "reasoning", "thinking"];
    let field = fields
        .iter()
        .find_map(|field| message.get(*field)?.as_str());
    if let Some(text) = field {
        return Some(text.to_owned());
    }
    let details = message.get("reasoning_details")?.as_array()?;
    let texts: Vec<_> = details
        .iter()
        .filter_map(|detail| {
            ["text", "summary"]
                .iter()
                .find_map(|key| detail.get(*key)?.as_str())
        })
        .collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// Text and reasoning of an answer, whole or delta by delta. No member of a delta is required.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerText {
    text: String,
    reasoning: String,
    /// The model's own marks of thoughts.
    own_marks: OwnMarks,
    /// Whether marks of thoughts within the text are part of what is said.
    keeps_marks: bool,
}

impl AnswerText {
    /// An answer of a model that has marks of its own for thoughts.
    pub fn with_marks(own_marks: OwnMarks) -> Self {
        Self {
            own_marks,
            ..Self::default()
        }
    }

    /// Adds the `message` of an answer, or the `delta` of a stream.
    pub fn push(&mut self, message: &Value) {
        let Value::Object(message) = message else {
            return;
        };
        if let Some(text) = reasoning_of(message) {
            self.reasoning.push_str(&text);
        }
        match message.get("content") {
            Some(Value::String(text)) => self.text.push_str(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.push_part(part)),
            _ => {}
        }
    }

    /// Adds a content part, as Mistral's reasoning models send them.
    fn push_part(&mut self, part: &Value) {
        match (part.get("text"), part.get("thinking")) {
            (Some(Value::String(text)), _) => self.text.push_str(text),
            (_, Some(thinking)) => self.reasoning.push_str(&thinking_text(thinking)),
            _ => {}
        }
    }

    /// An answer without thoughts, whatever marks are in it.
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            keeps_marks: true,
            ..Self::default()
        }
    }

    /// Marks of thoughts within the text are part of what is said.
    pub fn keep_marks(&mut self) {
        self.keeps_marks = true;
    }

    /// The text so far, including thoughts between tags.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The reasoning so far that came in a field of its own.
    pub fn reasoning(&self) -> &str {
        &self.reasoning
    }

    pub fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn push_reasoning(&mut self, reasoning: &str) {
        self.reasoning.push_str(reasoning);
    }

    /// How many bytes there are so far.
    pub fn len(&self) -> usize {
        self.text.len() + self.reasoning.len()
    }

    /// Whether there is neither text nor reasoning.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Text and thinking so far.
    pub fn split(&self) -> SplitText {
        let split = if self.keeps_marks {
            SplitText {
                text: self.text.clone(),
                thinking: String::new(),
            }
        } else {
            SplitText::with_marks(&self.text, &self.own_marks)
        };
        split.with_reasoning(&self.reasoning)
    }
}

/// The thought in a `thinking` member: a text, or Mistral's list of text parts.
pub(super) fn thinking_text(thinking: &Value) -> String {
    match thinking {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use playhouse_engine::message::Block;

    #[test]
    fn reasoning_fields_are_thinking() {
        for message in [
            json!({"content": "Hello", "reasoning_content": "secret plan"}),
            json!({"content": "Hello", "reasoning": "secret plan"}),
            json!({"content": "Hello", "thinking": "secret plan"}),
            json!({"content": "Hello", "reasoning_details": [
                {"type": "reasoning.text", "text": "secret "}, {"type": "reasoning.encrypted", "data": "x"},
                {"type": "reasoning.summary", "summary": "plan"}]}),
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "secret plan"}]},
                {"type": "text", "text": "Hello"}]}),
        ] {
            let mut answer = AnswerText::default();
            answer.push(&message);
            let blocks = answer.split().into_blocks();
            assert_eq!(
                blocks,
                [Block::thinking("secret plan"), Block::text("Hello")],
                "{message}"
            );
        }
    }

    #[test]
    fn both_kinds_of_thinking_are_kept() {
        let mut answer = AnswerText::default();
        answer.push(&json!({"reasoning": "one"}));
        answer.push(&json!({"content": "<think>two</think>so"}));
        let split = answer.split();
        assert_eq!(
            (split.thinking.as_str(), split.text.as_str()),
            ("one\ntwo", "so")
        );
        assert_eq!(answer.len(), "one".len() + "<think>two</think>so".len());
    }

    proptest! {
        #[test]
        fn any_json_can_be_pushed(text in "\\PC{0,20}", key in "content|reasoning|thinking|reasoning_details") {
            let mut answer = AnswerText::default();
            answer.push(&Value::from(text.clone()));
            answer.push(&json!({key: [{"text": text}, text, 7, null]}));
        }
    }
}
