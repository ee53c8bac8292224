//! Separating what a model thought from what it said.
//!
//! Servers send reasoning in a field of its own, or within the text, between tags. Both become
//! thinking, which is private. Tags are looked for in texts alone, never in the arguments of a
//! call.

use serde_json::{Map, Value};

use crate::message::Block;

/// How models mark the start and the end of a thought within their text.
const TAGS: [(&str, &str); 5] = [
    // DeepSeek-R1, Qwen 3, QwQ, GLM 4.5, MiniMax M2 and most others.
    ("<think>", "</think>"),
    // Claude and models distilled from it, if a prompt asks them to think aloud.
    ("<thinking>", "</thinking>"),
    // Seed-OSS.
    ("<seed:think>", "</seed:think>"),
    // Kimi-VL and Kimi K2 Thinking.
    ("◁think▷", "◁/think▷"),
    // Magistral and Ministral reasoning.
    ("[THINK]", "[/THINK]"),
];

/// An answer, split into thinking and text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitText {
    /// What was thought; several thoughts are joined by line breaks.
    pub thinking: String,
    /// What was said. It is trimmed if there was thinking.
    pub text: String,
}

impl SplitText {
    /// Splits an answer. A thought without an end tag extends to the end of the answer, even if its
    /// start tag was cut off; one without a start tag (some chat templates put it into the prompt)
    /// begins where the answer does.
    pub fn of(answer: &str) -> Self {
        let mut text = String::new();
        let mut thoughts = Vec::new();
        let mut rest = answer;
        loop {
            let Some((found, tag)) = next_tag(rest) else {
                text.push_str(without_partial_tag(rest));
                break;
            };
            let (before, after) = (&rest[..found], &rest[found + tag.len()..]);
            let Some(end) = end_of(tag) else {
                thoughts.push(before);
                rest = after;
                continue;
            };
            text.push_str(before);
            let cut_off = || (&after[..after.len() - partial_tag_len(after, &[end])], "");
            let (thought, after) = after.split_once(end).unwrap_or_else(cut_off);
            thoughts.push(thought);
            rest = after;
        }
        let thoughts = thoughts.iter().map(|thought| thought.trim());
        let thoughts: Vec<_> = thoughts.filter(|thought| !thought.is_empty()).collect();
        if !thoughts.is_empty() {
            text = text.trim().to_owned();
        }
        Self {
            thinking: thoughts.join("\n"),
            text,
        }
    }

    /// The same, with reasoning that came in a field of its own.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: &str) -> Self {
        let parts = [reasoning.trim(), &self.thinking];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.thinking = parts.join("\n");
        self
    }

    /// Its blocks: thinking, then text, each if there is any.
    pub fn into_blocks(self) -> Vec<Block> {
        let thinking = Some(self.thinking).filter(|thinking| !thinking.is_empty());
        let text = Some(self.text).filter(|text| !text.is_empty());
        let thinking = thinking.map(Block::thinking);
        thinking.into_iter().chain(text.map(Block::text)).collect()
    }
}

/// The first tag in a text, and its offset. Searches no further than that, so that splitting is
/// linear.
fn next_tag(text: &str) -> Option<(usize, &'static str)> {
    let mut candidates = text.match_indices(['<', '\u{25C1}', '[']);
    candidates.find_map(|(offset, _)| {
        let mut tags = TAGS.iter().flat_map(|(start, end)| [*start, *end]);
        let tag = tags.find(|tag| text[offset..].starts_with(tag))?;
        Some((offset, tag))
    })
}

/// The end tag that belongs to a start tag.
fn end_of(tag: &str) -> Option<&'static str> {
    let pair = TAGS.iter().find(|(start, _)| *start == tag);
    pair.map(|(_, end)| *end)
}

/// A text without a tag that was cut off at its end. A single character does not make a tag.
fn without_partial_tag(text: &str) -> &str {
    let all_tags = TAGS.map(|(start, end)| [start, end]);
    let kept = text.len() - partial_tag_len(text, all_tags.as_flattened());
    match text[kept..].chars().count() {
        0 | 1 => text,
        _ => &text[..kept],
    }
}

/// How many bytes at the end of a text may be the start of one of these tags.
fn partial_tag_len(text: &str, tags: &[&str]) -> usize {
    let prefixes = tags.iter().flat_map(|tag| {
        let ends = tag.char_indices().map(|(end, _)| end).skip(1);
        ends.map(|end| &tag[..end])
    });
    let found = prefixes.filter(|prefix| text.ends_with(prefix));
    found.map(str::len).max().unwrap_or_default()
}

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
    let texts = details.iter().filter_map(|detail| {
        ["text", "summary"]
            .iter()
            .find_map(|key| detail.get(*key)?.as_str())
    });
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// Text and reasoning of an answer, whole or delta by delta. No member of a delta is required.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerText {
    text: String,
    reasoning: String,
    /// Whether marks of thoughts within the text are part of what is said.
    keeps_marks: bool,
}

impl AnswerText {
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
            reasoning: String::new(),
            keeps_marks: true,
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

    /// Adds text.
    pub fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds reasoning.
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
            SplitText::of(&self.text)
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

/// Splits an answer while it is streamed. What it returns as text was not within a thought when it
/// arrived; [`Self::finish`] has the final result, since a thought without a start tag shows only
/// at its end.
#[derive(Clone, Debug, Default)]
pub struct StreamSplitter {
    answer: String,
    /// The end of the answer, not returned yet because it may be the start of a tag.
    pending: String,
    /// The end tag of the thought that is open.
    end_tag: Option<&'static str>,
    has_text: bool,
}

/// What the next part of a stream adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingDelta {
    /// More thinking.
    pub thinking: String,
    /// More text.
    pub text: String,
    /// Whether all text returned before was a thought: its end tag came without a start tag.
    pub was_thought: bool,
}

impl StreamSplitter {
    /// A splitter for an answer that begins within a thought, because the prompt opened it.
    pub fn within_thought() -> Self {
        let (start, end) = TAGS[0];
        Self {
            answer: start.into(),
            end_tag: Some(end),
            ..Self::default()
        }
    }

    /// Takes the next part of the answer, and returns what is known to be thinking or text.
    pub fn push(&mut self, part: &str) -> ThinkingDelta {
        self.answer.push_str(part);
        let joined = std::mem::take(&mut self.pending) + part;
        let mut rest = joined.as_str();
        let mut delta = ThinkingDelta::default();
        loop {
            let found = match self.end_tag {
                Some(end) => rest.find(end).map(|offset| (offset, end)),
                None => next_tag(rest),
            };
            let Some((offset, tag)) = found else { break };
            self.add(&rest[..offset], &mut delta);
            let was_open = self.end_tag.is_some();
            self.end_tag = end_of(tag);
            if !was_open && self.end_tag.is_none() {
                // An end tag without a start tag.
                delta.thinking += &std::mem::take(&mut delta.text);
                (delta.was_thought, self.has_text) = (true, false);
            }
            rest = &rest[offset + tag.len()..];
        }
        let all_tags = TAGS.map(|(start, end)| [start, end]);
        let partial = match self.end_tag {
            Some(end) => partial_tag_len(rest, &[end]),
            None => partial_tag_len(rest, all_tags.as_flattened()),
        };
        let (rest, pending) = rest.split_at(rest.len() - partial);
        self.pending = pending.to_owned();
        self.add(rest, &mut delta);
        delta
    }

    fn add(&mut self, part: &str, delta: &mut ThinkingDelta) {
        if self.end_tag.is_some() {
            delta.thinking.push_str(part);
            return;
        }
        let text = if self.has_text {
            part
        } else {
            part.trim_start()
        };
        self.has_text |= !text.is_empty();
        delta.text.push_str(text);
    }

    /// The whole answer, split.
    pub fn finish(self) -> SplitText {
        SplitText::of(&self.answer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn thinking_is_separated_from_the_answer() {
        for (words, text, thinking) in [
            ("plain < text", "plain < text", ""),
            (" plain ", " plain ", ""),
            ("<think>why</think>\n\nso", "so", "why"),
            ("<think>why", "", "why"),
            ("<think>why</thi", "", "why"),
            ("why</think> so", "so", "why"),
            ("a <think>1</think>b<think>2</think> c", "a b c", "1\n2"),
            ("<thin", "", ""),
            ("so<thi", "so", ""),
            ("<think></think>{}", "{}", ""),
            ("<thinking>why</thinking>so", "so", "why"),
            ("<seed:think>why</seed:think>so", "so", "why"),
            ("◁think▷why◁/think▷so", "so", "why"),
            ("◁think▷why◁/thi", "", "why"),
            ("[THINK]why[/THINK]so", "so", "why"),
            ("<think>a <thinking> b</think>so", "so", "a <thinking> b"),
            ("<think>a<think>b</think>c</think>d", "d", "a<think>b\nc"),
            ("x <", "x <", ""),
        ] {
            let split = SplitText::of(words);
            assert_eq!(
                (split.text.as_str(), split.thinking.as_str()),
                (text, thinking),
                "{words}"
            );
        }
    }

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

    fn streamed(parts: &[&str]) -> (ThinkingDelta, SplitText) {
        let mut splitter = StreamSplitter::default();
        let mut whole = ThinkingDelta::default();
        for part in parts {
            let delta = splitter.push(part);
            whole.text.push_str(&delta.text);
            whole.thinking.push_str(&delta.thinking);
        }
        (whole, splitter.finish())
    }

    #[test]
    fn a_thought_that_the_prompt_opened_is_never_text() {
        let mut splitter = StreamSplitter::within_thought();
        assert_eq!(splitter.push("why").text, "");
        assert_eq!(splitter.push("</think>so").text, "so");
        let split = splitter.finish();
        assert_eq!(
            (split.thinking.as_str(), split.text.as_str()),
            ("why", "so")
        );
    }

    #[test]
    fn an_end_tag_without_a_start_tag_retracts_the_text() {
        let mut splitter = StreamSplitter::default();
        assert_eq!(splitter.push("why ").text, "why ");
        let delta = splitter.push("not?</think> so");
        assert_eq!((delta.text.as_str(), delta.was_thought), ("so", true));
        assert_eq!(splitter.push(" be it").text, " be it");
        assert_eq!(splitter.finish().text, "so be it");
    }

    fn tags() -> impl Strategy<Value = (&'static str, &'static str)> {
        prop::sample::select(TAGS.to_vec())
    }

    fn cut(text: &str, offset: usize) -> &str {
        let end = (0..=offset.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end));
        &text[..end.unwrap_or_default()]
    }

    proptest! {
        #[test]
        fn a_thought_never_leaks(
            (begin, end) in tags(), before in "[a-z ]{0,5}", secret in "[A-Z]{1,9}", after in "[a-z{} ]{0,9}",
            offset in 0usize..60,
        ) {
            let whole = format!("{before}{begin}{secret}{end}{after}");
            // Bracket tags are upper-case themselves; theirs is a thought all the same.
            let secret = |text: &str| text.chars().any(|char| char.is_ascii_uppercase());
            let text = SplitText::of(cut(&whole, offset)).text;
            prop_assert!(!secret(&text), "{text}");
        }

        #[test]
        fn a_stream_cut_anywhere_says_what_the_whole_does(
            (begin, end) in tags(), before in "[a-z<\\[◁ ]{0,5}", secret in "[A-Z<]{0,9}", after in "[a-z{} ]{0,9}",
            cuts in prop::collection::vec(0usize..60, 0..6),
        ) {
            let whole = format!("{before}{begin}{secret}{end}{after}");
            let mut cuts: Vec<_> = cuts.iter().map(|offset| cut(&whole, *offset).len()).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let parts: Vec<_> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            let (deltas, split) = streamed(&parts);
            prop_assert_eq!(&split, &SplitText::of(&whole));
            prop_assert_eq!(deltas.text.trim(), split.text.trim());
            prop_assert_eq!(deltas.thinking.trim(), split.thinking);
        }

        #[test]
        fn any_text_can_be_split(words in "(<|/|think|>|\\[THINK\\]|◁|[a-z]){0,12}", offset in 0usize..40) {
            let head = cut(&words, offset);
            let (_, split) = streamed(&[head, &words[head.len()..]]);
            prop_assert_eq!(split, SplitText::of(&words));
        }

        #[test]
        fn any_json_can_be_pushed(text in "\\PC{0,20}", key in "content|reasoning|thinking|reasoning_details") {
            let mut answer = AnswerText::default();
            answer.push(&Value::from(text.clone()));
            answer.push(&json!({key: [{"text": text}, text, 7, null]}));
        }
    }
}
