//! What a model thought, parted from what it said.
//!
//! Servers give reasoning in a field of its own, or leave it within the words, between tags. Both
//! become thinking, which is private. Tags are looked for in words alone, never in the arguments of
//! a call.

use serde_json::{Map, Value};

use crate::message::Block;

/// How models mark the begin and the end of a thought within their words.
const TAGS: [(&str, &str); 5] = [
    // DeepSeek-R1, Qwen 3, QwQ, GLM 4.5, MiniMax M2 and most others.
    ("<think>", "</think>"),
    // Claude and models distilled from it, where a prompt asks them to think aloud.
    ("<thinking>", "</thinking>"),
    // Seed-OSS.
    ("<seed:think>", "</seed:think>"),
    // Kimi-VL and Kimi K2 Thinking.
    ("◁think▷", "◁/think▷"),
    // Magistral and Ministral reasoning.
    ("[THINK]", "[/THINK]"),
];

/// Words, and the thinking that was among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    /// What was thought; several thoughts are joined by line ends.
    pub thinking: String,
    /// What was said. Space around it is cut where there was thinking.
    pub text: String,
}

impl Parted {
    /// Parts the words of an answer from its thoughts. A thought whose end is missing goes on to
    /// the end, also where its first tag itself was cut; one whose begin is missing (some chat
    /// templates put it into the prompt) began where the words did.
    pub fn of(words: &str) -> Self {
        let mut text = String::new();
        let mut thoughts = Vec::new();
        let mut rest = words;
        loop {
            let Some((found, tag)) = next_tag(rest) else {
                text.push_str(uncut(rest));
                break;
            };
            let (before, after) = (&rest[..found], &rest[found + tag.len()..]);
            let Some(end) = end_of(tag) else {
                thoughts.push(before);
                rest = after;
                continue;
            };
            text.push_str(before);
            let cut = || (&after[..after.len() - cut_tag(after, &[end])], "");
            let (thought, after) = after.split_once(end).unwrap_or_else(cut);
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

    /// The same, where reasoning came in a field of its own beside the words.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: &str) -> Self {
        let parts = [reasoning.trim(), &self.thinking];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.thinking = parts.join("\n");
        self
    }

    /// The blocks of it: thinking, then text, where there are any.
    pub fn into_blocks(self) -> Vec<Block> {
        let thinking = Some(self.thinking).filter(|thinking| !thinking.is_empty());
        let text = Some(self.text).filter(|text| !text.is_empty());
        let thinking = thinking.map(Block::thinking);
        thinking.into_iter().chain(text.map(Block::text)).collect()
    }
}

/// The first tag in these words and where it stands. Looks no further than it, so that parting many
/// thoughts takes as long as reading them.
fn next_tag(words: &str) -> Option<(usize, &'static str)> {
    let mut signs = words.match_indices(['<', '\u{25C1}', '[']);
    signs.find_map(|(at, _)| {
        let mut all = TAGS.iter().flat_map(|(begin, end)| [*begin, *end]);
        let tag = all.find(|tag| words[at..].starts_with(tag))?;
        Some((at, tag))
    })
}

/// The end that belongs to a begin.
fn end_of(tag: &str) -> Option<&'static str> {
    let pair = TAGS.iter().find(|(begin, _)| *begin == tag);
    pair.map(|(_, end)| *end)
}

/// Words without a tag that was cut off at their end. A single character is no sign of a tag.
fn uncut(words: &str) -> &str {
    let kept = words.len() - cut_tag(words, TAGS.map(|(begin, end)| [begin, end]).as_flattened());
    match words[kept..].chars().count() {
        0 | 1 => words,
        _ => &words[..kept],
    }
}

/// How many bytes at the end of these words are the begin of one of these tags.
fn cut_tag(words: &str, tags: &[&str]) -> usize {
    let begins = tags.iter().flat_map(|tag| {
        let ends = tag.char_indices().map(|(at, _)| at).skip(1);
        ends.map(|end| &tag[..end])
    });
    let found = begins.filter(|begin| words.ends_with(begin));
    found.map(str::len).max().unwrap_or_default()
}

/// The reasoning that a message or a piece of a stream gives in a field of its own:
/// `reasoning_content` (DeepSeek, vLLM, llama.cpp), `reasoning` (OpenRouter, Groq), `thinking`
/// (Ollama), or the readable entries of `reasoning_details` (OpenRouter).
pub fn reasoning_of(said: &Map<String, Value>) -> Option<String> {
    let fields = ["reasoning_content", "reasoning", "thinking"];
    let field = fields.iter().find_map(|field| said.get(*field)?.as_str());
    if let Some(text) = field {
        return Some(text.to_owned());
    }
    let details = said.get("reasoning_details")?.as_array()?;
    let texts = details.iter().filter_map(|detail| {
        ["text", "summary"]
            .iter()
            .find_map(|key| detail.get(*key)?.as_str())
    });
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// What a model says, whole or piece by piece, words and reasoning apart. Nothing is required of a
/// piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    words: String,
    reasoning: String,
}

impl Spoken {
    /// Takes the `message` of an answer, or the `delta` of a piece of a stream.
    pub fn take(&mut self, said: &Value) {
        let Value::Object(said) = said else { return };
        if let Some(text) = reasoning_of(said) {
            self.reasoning.push_str(&text);
        }
        match said.get("content") {
            Some(Value::String(text)) => self.words.push_str(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.take_part(part)),
            _ => {}
        }
    }

    /// A content part, as Mistral's reasoning models send them.
    fn take_part(&mut self, part: &Value) {
        match (part.get("text"), part.get("thinking")) {
            (Some(Value::String(text)), _) => self.words.push_str(text),
            (_, Some(thinking)) => self.reasoning.push_str(&thinking_text(thinking)),
            _ => {}
        }
    }

    /// The words as far as they have come, thoughts between tags included.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Takes words.
    pub fn take_words(&mut self, words: &str) {
        self.words.push_str(words);
    }

    /// Takes reasoning.
    pub fn take_reasoning(&mut self, reasoning: &str) {
        self.reasoning.push_str(reasoning);
    }

    /// How many bytes were said so far.
    pub fn length(&self) -> usize {
        self.words.len() + self.reasoning.len()
    }

    /// Words and thinking as far as they have come.
    pub fn parted(&self) -> Parted {
        Parted::of(&self.words).with_reasoning(&self.reasoning)
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

/// Parts a stream of words while it comes, for whoever shows it at once. What it has given as text
/// was not within a thought when it came; [`Self::finish`] has the last word, since only the end of
/// a thought whose begin is missing shows that it was one.
#[derive(Clone, Debug, Default)]
pub struct StreamSplitter {
    words: String,
    /// What of the words is not given yet, because it may be the begin of a tag.
    held: String,
    /// The end of the thought that is open.
    open: Option<&'static str>,
    said: bool,
}

/// What a piece of a stream added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingDelta {
    /// To what was thought.
    pub thinking: String,
    /// To what was said.
    pub text: String,
    /// Whether the text that was given before was a thought after all: its end came, and its begin
    /// is missing.
    pub was_thought: bool,
}

impl StreamSplitter {
    /// A splitter of an answer that begins within a thought, because the prompt opened it.
    pub fn within_thought() -> Self {
        Self {
            words: TAGS[0].0.into(),
            open: Some(TAGS[0].1),
            ..Self::default()
        }
    }

    /// Takes the next words, and gives what can be given now.
    pub fn push(&mut self, words: &str) -> ThinkingDelta {
        self.words.push_str(words);
        let mut rest = std::mem::take(&mut self.held) + words;
        let mut piece = ThinkingDelta::default();
        loop {
            let found = match self.open {
                Some(end) => rest.find(end).map(|at| (at, end)),
                None => next_tag(&rest),
            };
            let Some((at, tag)) = found else { break };
            self.give(&rest[..at], &mut piece);
            let was_open = self.open.is_some();
            self.open = end_of(tag);
            if !was_open && self.open.is_none() {
                // An end without a begin.
                piece.thinking += &std::mem::take(&mut piece.text);
                (piece.was_thought, self.said) = (true, false);
            }
            rest.drain(..at + tag.len());
        }
        let cut = match self.open {
            Some(end) => cut_tag(&rest, &[end]),
            None => cut_tag(&rest, TAGS.map(|(begin, end)| [begin, end]).as_flattened()),
        };
        self.held = rest.split_off(rest.len() - cut);
        self.give(&rest, &mut piece);
        piece
    }

    fn give(&mut self, words: &str, piece: &mut ThinkingDelta) {
        if self.open.is_some() {
            piece.thinking.push_str(words);
            return;
        }
        let words = if self.said { words } else { words.trim_start() };
        self.said |= !words.is_empty();
        piece.text.push_str(words);
    }

    /// The whole answer, parted.
    pub fn finish(self) -> Parted {
        Parted::of(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn thinking_is_parted_from_the_answer() {
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
            let parted = Parted::of(words);
            assert_eq!(
                (parted.text.as_str(), parted.thinking.as_str()),
                (text, thinking),
                "{words}"
            );
        }
    }

    #[test]
    fn reasoning_fields_are_thinking() {
        for said in [
            json!({"content": "Hello", "reasoning_content": "secret plan"}),
            json!({"content": "Hello", "reasoning": "secret plan"}),
            json!({"content": "Hello", "thinking": "secret plan"}),
            json!({"content": "Hello", "reasoning_details": [
                {"type": "reasoning.text", "text": "secret "}, {"type": "reasoning.encrypted", "data": "x"},
                {"type": "reasoning.summary", "summary": "plan"}]}),
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "secret plan"}]},
                {"type": "text", "text": "Hello"}]}),
        ] {
            let mut spoken = Spoken::default();
            spoken.take(&said);
            let blocks = spoken.parted().into_blocks();
            assert_eq!(
                blocks,
                [Block::thinking("secret plan"), Block::text("Hello")],
                "{said}"
            );
        }
    }

    #[test]
    fn both_kinds_of_thinking_are_kept() {
        let mut spoken = Spoken::default();
        spoken.take(&json!({"reasoning": "one"}));
        spoken.take(&json!({"content": "<think>two</think>so"}));
        let parted = spoken.parted();
        assert_eq!(
            (parted.thinking.as_str(), parted.text.as_str()),
            ("one\ntwo", "so")
        );
        assert_eq!(spoken.length(), "one".len() + "<think>two</think>so".len());
    }

    fn streamed(pieces: &[&str]) -> (ThinkingDelta, Parted) {
        let mut splitter = StreamSplitter::default();
        let mut all = ThinkingDelta::default();
        for piece in pieces {
            let piece = splitter.push(piece);
            all.text.push_str(&piece.text);
            all.thinking.push_str(&piece.thinking);
        }
        (all, splitter.finish())
    }

    #[test]
    fn a_thought_that_the_prompt_opened_is_never_given_as_text() {
        let mut splitter = StreamSplitter::within_thought();
        assert_eq!(splitter.push("why").text, "");
        assert_eq!(splitter.push("</think>so").text, "so");
        let parted = splitter.finish();
        assert_eq!(
            (parted.thinking.as_str(), parted.text.as_str()),
            ("why", "so")
        );
    }

    #[test]
    fn the_end_of_a_thought_without_a_begin_takes_the_text_back() {
        let mut splitter = StreamSplitter::default();
        assert_eq!(splitter.push("why ").text, "why ");
        let piece = splitter.push("not?</think> so");
        assert_eq!((piece.text.as_str(), piece.was_thought), ("so", true));
        assert_eq!(splitter.push(" be it").text, " be it");
        assert_eq!(splitter.finish().text, "so be it");
    }

    fn tags() -> impl Strategy<Value = (&'static str, &'static str)> {
        prop::sample::select(TAGS.to_vec())
    }

    fn cut(text: &str, at: usize) -> &str {
        let end = (0..=at.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end));
        &text[..end.unwrap_or_default()]
    }

    proptest! {
        #[test]
        fn a_thought_never_leaks(
            (begin, end) in tags(), before in "[a-z ]{0,5}", secret in "[A-Z]{1,9}", after in "[a-z{} ]{0,9}",
            at in 0usize..60,
        ) {
            let whole = format!("{before}{begin}{secret}{end}{after}");
            // Bracket tags are upper-case themselves; theirs is a thought all the same.
            let secret = |text: &str| text.chars().any(|char| char.is_ascii_uppercase());
            let text = Parted::of(cut(&whole, at)).text;
            prop_assert!(!secret(&text), "{text}");
        }

        #[test]
        fn a_stream_cut_anywhere_says_what_the_whole_does(
            (begin, end) in tags(), before in "[a-z<\\[◁ ]{0,5}", secret in "[A-Z<]{0,9}", after in "[a-z{} ]{0,9}",
            cuts in prop::collection::vec(0usize..60, 0..6),
        ) {
            let whole = format!("{before}{begin}{secret}{end}{after}");
            let mut cuts: Vec<_> = cuts.iter().map(|at| cut(&whole, *at).len()).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            let (given, parted) = streamed(&pieces);
            prop_assert_eq!(&parted, &Parted::of(&whole));
            prop_assert_eq!(given.text.trim(), parted.text.trim());
            prop_assert_eq!(given.thinking.trim(), parted.thinking);
        }

        #[test]
        fn any_words_can_be_parted(words in "(<|/|think|>|\\[THINK\\]|◁|[a-z]){0,12}", at in 0usize..40) {
            let head = cut(&words, at);
            let (_, parted) = streamed(&[head, &words[head.len()..]]);
            prop_assert_eq!(parted, Parted::of(&words));
        }

        #[test]
        fn any_json_can_be_taken(text in "\\PC{0,20}", key in "content|reasoning|thinking|reasoning_details") {
            let mut spoken = Spoken::default();
            spoken.take(&Value::from(text.clone()));
            spoken.take(&json!({key: [{"text": text}, text, 7, null]}));
        }
    }
}
