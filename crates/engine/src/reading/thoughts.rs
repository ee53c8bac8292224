//! Separating what a model thought from what it said, whole or while it is streamed.
//!
//! Thoughts are private. What marks them is in a table; a model's own marks can be added. Special
//! tokens are removed at both ends of a text, since chat templates put them there; within a text
//! a character may speak of them.

use super::marks::{End, Mark, Match, OwnMarks, Seen, mark_at, matches, may_begin};
use crate::message::Block;

/// An answer, split into thinking and text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitText {
    /// What was thought; several thoughts are joined by line breaks.
    pub thinking: String,
    /// What was said. It is trimmed if anything was removed.
    pub text: String,
}

impl SplitText {
    /// Its blocks: thinking, then text, each if there is any.
    pub fn into_blocks(self) -> Vec<Block> {
        let thinking = Some(self.thinking).filter(|thinking| !thinking.is_empty());
        let text = Some(self.text).filter(|text| !text.is_empty());
        let blocks = thinking.map(Block::thinking).into_iter();
        blocks.chain(text.map(Block::text)).collect()
    }

    /// Splits an answer. A thought without an end extends to the end of the answer, even if the
    /// mark of its start was cut off; one without a start (some chat templates put it into the
    /// prompt) begins where the answer does.
    pub fn of(answer: &str) -> Self {
        Self::with_marks(answer, &OwnMarks::default())
    }

    /// The same with a model's own marks.
    pub fn with_marks(answer: &str, marks: &OwnMarks) -> Self {
        let mut splitter = StreamSplitter::with_marks(marks.clone());
        splitter.push(answer);
        splitter.finish()
    }

    /// The same, with reasoning that came in a field of its own.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: &str) -> Self {
        let parts: Vec<_> = [reasoning.trim(), &self.thinking]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        self.thinking = parts.join("\n");
        self
    }
}

/// What the next part of a stream adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingDelta {
    pub thinking: String,
    pub text: String,
    /// Whether all text returned before was a thought: its end came without a start.
    pub was_thought: bool,
}

/// Splits an answer while it is streamed. What it returns as text was not within a thought when it
/// arrived; [`Self::finish`] has the final result, since a thought without a start shows only at
/// its end.
#[derive(Clone, Debug, Default)]
pub struct StreamSplitter {
    own: OwnMarks,
    text: String,
    thoughts: Vec<String>,
    /// What was added since the last part.
    delta: ThinkingDelta,
    /// The end of the answer that may be the beginning of a mark.
    pending: String,
    /// Special tokens and blanks after the text, which belong to it only if more text follows.
    held: String,
    /// How the open thought ends; empty if none is open.
    ends: Vec<End>,
    /// What is said before the open thought if it turns out to be none.
    doubtful: Option<String>,
    /// Whether another turn has begun.
    is_over: bool,
    /// Whether anything was removed.
    is_changed: bool,
}

impl StreamSplitter {
    /// A splitter that knows a model's own marks, too.
    pub fn with_marks(own: OwnMarks) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }

    /// Takes the next part of the answer, and returns what is known to be thinking or text.
    pub fn push(&mut self, part: &str) -> ThinkingDelta {
        let joined = std::mem::take(&mut self.pending) + part;
        let read = self.read(&joined);
        self.pending = joined.get(read..).unwrap_or_default().to_owned();
        std::mem::take(&mut self.delta)
    }

    /// The whole answer, split.
    pub fn finish(mut self) -> SplitText {
        self.end();
        let thoughts: Vec<_> = self
            .thoughts
            .iter()
            .map(|thought| thought.trim())
            .filter(|thought| !thought.is_empty())
            .collect();
        let text = if self.is_changed {
            self.text.trim().to_owned()
        } else {
            self.text
        };
        SplitText {
            thinking: thoughts.join("\n"),
            text,
        }
    }

    /// Reads as far as it is clear what a text means, and returns how far that is.
    fn read(&mut self, text: &str) -> usize {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let was_open = !self.ends.is_empty();
            let read = if self.is_over {
                rest.len()
            } else if was_open {
                self.read_thought(rest)
            } else {
                self.read_text(rest)
            };
            at += read;
            if read == 0 && was_open != self.ends.is_empty() {
                break;
            }
        }
        at
    }

    /// Reads of an open thought.
    fn read_thought(&mut self, rest: &str) -> usize {
        let found = rest.char_indices().find_map(|(offset, _)| {
            let rest = rest.get(offset..)?;
            let mut ends = self.ends.iter();
            let end = ends.find(|end| matches(rest, &end.text) == Match::Whole)?;
            let length = if end.is_next { 0 } else { end.text.len() };
            Some((offset, offset + length))
        });
        let is_ended = found.is_some();
        let kept = || rest.len() - partial_end(rest, &self.ends);
        let (thought, read) = found.unwrap_or_else(|| (kept(), kept()));
        self.think(rest.get(..thought).unwrap_or_default());
        if is_ended {
            self.ends.clear();
            self.doubtful = None;
        }
        read
    }

    /// Reads what is said.
    fn read_text(&mut self, rest: &str) -> usize {
        let begun = rest.trim_start();
        if self.text.trim().is_empty() && !begun.is_empty() {
            let blank = rest.len() - begun.len();
            match beginning(begun, self.is_changed) {
                Seen::Partial => {
                    self.say(rest.get(..blank).unwrap_or_default());
                    return blank;
                }
                Seen::Mark(length, mark) => {
                    self.act(begun.get(..length).unwrap_or_default(), mark);
                    return blank + length;
                }
                Seen::Nothing => {}
            }
        }
        let found = rest.char_indices().find_map(|(offset, char)| {
            let may_begin = may_begin(char, &self.own);
            let seen = mark_at(rest.get(offset..).filter(|_| may_begin)?, &self.own);
            (seen != Seen::Nothing).then_some((offset, seen))
        });
        let (offset, seen) = found.unwrap_or((rest.len(), Seen::Nothing));
        self.say(rest.get(..offset).unwrap_or_default());
        let Seen::Mark(length, mark) = seen else {
            return offset;
        };
        let end = offset + length;
        self.act(rest.get(offset..end).unwrap_or_default(), mark);
        end
    }

    fn act(&mut self, shown: &str, mark: Mark) {
        self.is_changed |= mark != Mark::Text;
        match mark {
            Mark::Open(ends) => {
                self.ends = ends;
                self.thoughts.push(String::new());
            }
            Mark::Perhaps(ends) => {
                self.doubtful = Some(std::mem::take(&mut self.text) + shown);
                self.act(shown, Mark::Open(ends));
            }
            Mark::Close => {
                let said = std::mem::take(&mut self.text) + std::mem::take(&mut self.held).as_str();
                self.delta.thinking += &std::mem::take(&mut self.delta.text);
                self.delta.was_thought = true;
                self.thoughts.push(said);
            }
            Mark::Token { begins_turn } if !self.text.trim().is_empty() => {
                self.is_over |= begins_turn && !self.held.trim().is_empty();
                self.held.push_str(shown);
            }
            Mark::Token { .. } | Mark::Final => {}
            Mark::Text => self.say(shown),
        }
    }

    fn think(&mut self, part: &str) {
        if let Some(thought) = self.thoughts.last_mut() {
            thought.push_str(part);
            self.delta.thinking.push_str(part);
        }
    }

    fn say(&mut self, part: &str) {
        if !self.held.is_empty() && part.trim().is_empty() {
            return self.held.push_str(part);
        }
        let is_first = self.text.trim().is_empty();
        let part = std::mem::take(&mut self.held) + part;
        let shown = if is_first { part.trim_start() } else { &part };
        self.delta.text.push_str(shown);
        self.text.push_str(&part);
    }

    /// The answer is over: what might have become a mark is one that was cut off, or text.
    fn end(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if let Some(said) = self.doubtful.take() {
            self.text = said + self.thoughts.pop().unwrap_or_default().as_str() + pending.as_str();
        } else if self.ends.is_empty() && !is_cut_mark(&pending, !self.text.is_empty()) {
            self.say(&pending);
        } else {
            self.is_changed |= !pending.is_empty();
        }
    }
}

/// Whether a text is a mark that was cut off, of more than a character, or the role of a turn.
fn is_cut_mark(pending: &str, follows_text: bool) -> bool {
    let is_mark = pending.starts_with(['<', '[', '◁']) || pending.starts_with("&lt;");
    let is_role = pending.trim().eq_ignore_ascii_case("assistant") && follows_text;
    is_role || is_mark && pending.chars().nth(1).is_some()
}

/// Words with which thoughts begin and end: of Granite, and of what Ollama prints.
const TOLD: [(&str, &str); 3] = [
    ("Here is my thought process:", "Here is my response:"),
    ("Here's my thought process:", "Here's my response:"),
    ("Thinking...\n", "...done thinking."),
];

/// What stands where a text begins: the role of a turn, or the name of a channel of which the marks
/// were removed.
fn beginning(text: &str, is_changed: bool) -> Seen {
    const TOKEN: Mark = Mark::Token { begins_turn: false };
    let glued = [
        ("assistantfinal", "assistantfinal", Mark::Final),
        ("assistantanalysis", "assistant", TOKEN),
    ];
    let roles: Vec<_> = [("assistant", true), ("model", is_changed)]
        .into_iter()
        .filter(|(_, is_role)| *is_role)
        .flat_map(|(role, _)| [format!("{role}\n"), format!("{role}<")])
        .collect();
    let lines = roles
        .iter()
        .map(|line| (&**line, &line[..line.len() - 1], TOKEN));
    let mut is_partial = false;
    for (whole, removed, mark) in glued.into_iter().chain(lines) {
        match matches(text, whole) {
            Match::Whole => return Seen::Mark(removed.len(), mark),
            found => is_partial |= found == Match::Partial,
        }
    }
    for (begin, end) in TOLD {
        match matches(text, begin) {
            Match::Whole => return Seen::Mark(begin.len(), Mark::Perhaps(vec![End::new(end)])),
            found => is_partial |= found == Match::Partial,
        }
    }
    match analysis_at(text) {
        Seen::Nothing if is_partial => Seen::Partial,
        seen => seen,
    }
}

/// `analysisThe user wants …assistantfinalHello`. Without a blank it is no English word; with one,
/// its end tells.
fn analysis_at(text: &str) -> Seen {
    const NAME: &str = "analysis";
    let next = text.get(NAME.len()..).and_then(|rest| rest.chars().next());
    let ends = || {
        vec![
            End::new("assistantfinal"),
            End::new("<|channel|>final<|message|>"),
        ]
    };
    match (matches(text, NAME), next) {
        // At the beginning of a sentence it has a capital letter.
        _ if text.starts_with('A') => Seen::Nothing,
        (Match::None, _) => Seen::Nothing,
        (Match::Partial, _) | (Match::Whole, None) => Seen::Partial,
        (Match::Whole, Some(next)) if next.is_uppercase() || next == '<' || !next.is_ascii() => {
            Seen::Mark(NAME.len(), Mark::Open(ends()))
        }
        (Match::Whole, Some(_)) => Seen::Mark(NAME.len(), Mark::Perhaps(ends())),
    }
}

/// How many bytes at the end of a text may be the beginning of one of these ends.
fn partial_end(text: &str, ends: &[End]) -> usize {
    let longest = ends
        .iter()
        .map(|end| end.text.len())
        .max()
        .unwrap_or_default();
    let from = text.ceil_char_boundary(text.len().saturating_sub(longest));
    let mut rests = text.get(from..).unwrap_or_default().char_indices();
    let found = rests.find(|(offset, _)| {
        let rest = text.get(from + offset..).unwrap_or_default();
        ends.iter()
            .any(|end| matches(rest, &end.text) == Match::Partial)
    });
    found.map_or(0, |(offset, _)| text.len() - from - offset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::rows;

    /// What an answer says and what was thought.
    const ANSWERS: &str = r#"
        plain < text => plain < text => -
        ␣plain␣ => ␣plain␣ => -
        <think>why</think>\n\nso => so => why
        <think>why => - => why
        <think>why</thi => - => why
        why</think> so => so => why
        a <think>1</think>b<think>2</think> c => a b c => 1\n2
        <thin => - => -
        so<thi => so => -
        <think></think>{} => {} => -
        <think>a <thinking> b</think>so => so => a <thinking> b
        <think>a<think>b</think>c</think>d => d => a<think>b\nc
        x < => x < => -
        // Tags: in any case, with attributes, escaped.
        <THINK>why</THINK>so => so => why
        <Think time="3">why</think>so => so => why
        <think\n>why</think>so => so => why
        <thinking>why</thinking>so => so => why
        <thought>\nwhy\n</thought>\nso => so => why
        <thoughts>why</thoughts>so => so => why
        <reasoning>why</reasoning>so => so => why
        <reflection>why</reflection>so => so => why
        <inner_monologue>why</inner_monologue>so => so => why
        <scratchpad>why</scratchpad>so => so => why
        <antThinking>why</antThinking>so => so => why
        <seed:think>why</seed:think>so => so => why
        why</reasoning>so => so => why
        &lt;think&gt;why&lt;/think&gt;so => so => why
        ＜think＞why＜／think＞so => so => why
        <思考>\nwhy\n</思考>so => so => why
        [gMASK]<sop>so => so => -
        so<turn|> => so => -
        [|assistant|]so[|endofturn|] => so => -
        <analysis>why</analysis>so => so => why
        <thinking>why</think>so => so => why
        \u003cthink\u003ewhy\u003c/think\u003eso => so => why
        <|inner_prefix|>why<|inner_suffix|>so => so => why
        【思考过程】\nwhy\n【最终回答】\nso => so => why
        &lt;Thought&gt;why&lt;/Thought&gt;\nso => so => why
        <details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n> why\n</details>\nso => so => <summary>Thought for 3 seconds</summary>\n> why
        <details><summary>more</summary>so</details> => <details><summary>more</summary>so</details> => -
        <thinker>so</thinker> => <thinker>so</thinker> => -
        a & b &lt; c => a & b &lt; c => -
        // Other marks.
        ◁think▷why◁/think▷so => so => why
        ◁think▷why◁/thi => - => why
        [THINK]why[/THINK]so => so => why
        <|begin_of_thought|>why<|end_of_thought|>\n\n<|begin_of_solution|>so<|end_of_solution|> => so => why
        <|START_THINKING|>why<|END_THINKING|><|START_RESPONSE|>so<|END_RESPONSE|> => so => why
        <unused94>thought\nwhy<unused95>so => so => thought\nwhy
        <|channel>thought\nwhy\n<channel|>so => so => thought\nwhy
        <|think|>why<|/think|>so => so => why
        <｜begin▁of▁thinking｜>why<｜end▁of▁thinking｜>so => so => why
        // Harmony, with its marks and without.
        <|channel|>analysis<|message|>why<|end|><|start|>assistant<|channel|>final<|message|>so<|return|> => so => why
        <|channel|>final<|message|>so => so => -
        <|start|>assistant<|channel|>final<|message|>so<|end|> => so => -
        <|channel|>analysis<|message|>why => - => why
        <|channel|>analysis<|message|>one<|channel|>commentary<|message|>two<|end|><|channel|>final<|message|>so => so => one\ntwo
        analysis<|message|>why<|end|><|start|>assistant<|channel|>final<|message|>so => so => <|message|>why<|end|><|start|>assistant
        analysisThe user wants so.assistantfinalso => so => The user wants so.
        analysis我想一想assistantfinal好 => 好 => 我想一想
        assistantanalysisWhy?assistantfinalso => so => Why?
        analysis of the tides: why.assistantfinalso => so => of the tides: why.
        analysis of the tides => analysis of the tides => -
        Analysis: the tide is out. => Analysis: the tide is out. => -
        analysisThe user wants => - => The user wants
        // Special tokens at both ends.
        so<|im_end|> => so => -
        so<|eot_id|> => so => -
        so</s> => so => -
        <s>so</s>\n => so => -
        so<end_of_turn>\n => so => -
        so<eos> => so => -
        [INST] [/INST] so => so => -
        so [/INST] => so => -
        <|im_start|>assistant\nso<|im_end|> => so => -
        <|start_header_id|>assistant<|end_header_id|>\n\nso<|eot_id|> => so => -
        <start_of_turn>model\nso<end_of_turn> => so => -
        assistant\n\nso => so => -
        Assistant\nso => so => -
        so\nassistant => so => -
        so\n\nassistant\n\n => so => -
        so\nassistants are many => so\nassistants are many => -
        model\nso => model\nso => -
        so<|im_end|>\n<|im_start|>user\nand?<|im_end|>\n<|im_start|>assistant\nno => so => -
        so<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nand? => so => -
        so<｜end▁of▁sentence｜> => so => -
        so<|endoftext|><|endoftext|> => so => -
        The token <|im_end|> ends a turn. => The token <|im_end|> ends a turn. => -
        </s> so </s> => so => -
        Thinking...\nwhy\n...done thinking.\n\nso => so => why
        Thinking...\nwhy => Thinking...\nwhy => -
        why\n[BEGIN FINAL RESPONSE]\nso\n[END FINAL RESPONSE] => so => why
        <think>why</think>\n\nso<|im_end|> => so => why
        // Marks of calls belong to the text.
        <|python_tag|>{} => <|python_tag|>{} => -
        <tool_call>{}</tool_call> => <tool_call>{}</tool_call> => -
    "#;

    /// Answers, their texts and their thoughts: `-` is nothing, `␣` a blank, `\n` a line break.
    fn answers() -> impl Iterator<Item = [String; 3]> {
        rows(ANSWERS).map(|row| {
            row.map(|part| part.replace("\\n", "\n").replace('␣', " "))
                .map(|part| if part == "-" { String::new() } else { part })
        })
    }

    #[test]
    fn thinking_is_separated_from_the_answer() {
        for [answer, text, thinking] in answers() {
            let split = SplitText::of(&answer);
            assert_eq!([split.text, split.thinking], [text, thinking], "{answer}");
        }
    }

    #[test]
    fn a_model_may_have_marks_of_its_own() {
        let own: OwnMarks = vec![
            ("(( ".to_owned(), " ))".to_owned()),
            ("§§".into(), "§/§".into()),
        ]
        .into();
        for (answer, text, thinking) in [
            ("(( why )) so", "so", "why"),
            ("§§why§/§so", "so", "why"),
            ("why ))so", "so", "why"),
            ("<think>why</think>so", "so", "why"),
            ("((", "((", ""),
        ] {
            let split = SplitText::with_marks(answer, &own);
            assert_eq!(
                (split.text.as_str(), split.thinking.as_str()),
                (text, thinking),
                "{answer}"
            );
        }
    }

    fn streamed(parts: &[&str]) -> (ThinkingDelta, SplitText) {
        let mut splitter = StreamSplitter::default();
        let mut whole = ThinkingDelta::default();
        for part in parts {
            let delta = splitter.push(part);
            if delta.was_thought {
                whole.thinking += &std::mem::take(&mut whole.text);
            }
            whole.text.push_str(&delta.text);
            whole.thinking.push_str(&delta.thinking);
        }
        (whole, splitter.finish())
    }

    #[test]
    fn what_people_watch_is_never_a_thought() {
        for [answer, text, _] in answers() {
            let parts: Vec<_> = answer.split_inclusive(|_| true).collect();
            let (shown, split) = streamed(&parts);
            assert_eq!(split, SplitText::of(&answer), "{answer}");
            let is_text = text.trim().starts_with(shown.text.trim());
            assert!(is_text, "{answer}: {}", shown.text);
        }
    }

    #[test]
    fn an_end_without_a_start_retracts_the_text() {
        let mut splitter = StreamSplitter::default();
        assert_eq!(splitter.push("why ").text, "why ");
        let delta = splitter.push("not?</think> so");
        assert_eq!((delta.text.as_str(), delta.was_thought), ("so", true));
        assert_eq!(splitter.push(" be it").text, " be it");
        assert_eq!(splitter.finish().text, "so be it");
    }

    #[test]
    fn hostile_marks_are_read_to_their_end() {
        for hostile in [
            "<think ",
            "<|channel|>",
            "<|",
            "&lt;",
            "<|channel|>a<|message|><|end|>",
            "<details a",
            "[INST]",
            "\nassistant",
        ] {
            let text = hostile.repeat(100_000 / hostile.len());
            SplitText::of(&text);
        }
    }

    fn marks() -> impl Strategy<Value = (&'static str, &'static str)> {
        prop::sample::select(vec![
            ("<think>", "</think>"),
            ("<THINK a=1>", "</think>"),
            ("<reasoning>", "</reasoning>"),
            ("&lt;think&gt;", "&lt;/think&gt;"),
            ("[THINK]", "[/THINK]"),
            ("◁think▷", "◁/think▷"),
            ("<|channel>", "<channel|>"),
            ("<|channel|>analysis<|message|>", "<|end|>"),
            ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ])
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
            (begin, end) in marks(), before in "[a-z ]{0,5}", secret in "[ÄÖÜ]{1,9}", after in "[a-z{} ]{0,9}",
            offset in 0usize..90,
        ) {
            let whole = format!("{before}{begin}{secret}{end}{after}");
            let text = SplitText::of(cut(&whole, offset)).text;
            prop_assert!(!text.contains(['Ä', 'Ö', 'Ü']), "{text}");
        }

        #[test]
        fn a_stream_cut_anywhere_says_what_the_whole_does(
            (begin, end) in marks(), before in "[a-z<\\[◁&\n ]{0,5}", secret in "[A-Z<]{0,9}", after in "[a-z{}< ]{0,9}",
            cuts in prop::collection::vec(0usize..90, 0..6),
        ) {
            let whole = format!("{before}{begin}{secret}{end}{after}");
            let mut cuts: Vec<_> = cuts.iter().map(|offset| cut(&whole, *offset).len()).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let parts: Vec<_> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            let (shown, split) = streamed(&parts);
            prop_assert_eq!(&split, &SplitText::of(&whole));
            prop_assert!(split.text.trim().starts_with(shown.text.trim()));
        }

        #[test]
        fn any_text_can_be_split(
            words in "(<|/|\\||think|>|\\[THINK\\]|◁|&lt;|\n|assistant|analysis|channel|[a-z]){0,12}", offset in 0usize..40,
        ) {
            let head = cut(&words, offset);
            let (_, split) = streamed(&[head, &words[head.len()..]]);
            prop_assert_eq!(&split, &SplitText::of(&words));
            prop_assert!(split.text.len() + split.thinking.len() <= words.len());
        }
    }
}
