//! The marks that models and servers leave in a text: of thoughts, of turns, of channels.
//!
//! Marks are compared without case. A tag may have attributes, and may be escaped as HTML.

use std::sync::Arc;

/// Tags around thoughts: `<think>…</think>`, `<THINK time="3">…`, `&lt;think&gt;…`.
const TAGS: [&str; 19] = [
    // DeepSeek-R1, Qwen 3, QwQ, GLM 4.5, MiniMax M2 and most others.
    "think",
    // Claude and models distilled from it, if a prompt asks them to think aloud.
    "thinking",
    "antthinking",
    "thought",
    "thoughts",
    "reasoning",
    "reasoning_content",
    "reflection",
    "analysis",
    "scratchpad",
    "inner_thought",
    "inner_thoughts",
    "inner_monologue",
    "internal_monologue",
    "chain_of_thought",
    // Seed-OSS.
    "seed:think",
    "seed:cot_budget_reflect",
    "思考",
    "思考过程",
];

/// The tag in which Open WebUI keeps reasoning: `<details type="reasoning">`.
const DETAILS: &str = "details";

/// Other marks around thoughts.
const PAIRS: [(&str, &str); 10] = [
    // Kimi-VL and Kimi K2 Thinking.
    ("◁think▷", "◁/think▷"),
    // Magistral and Ministral reasoning.
    ("[THINK]", "[/THINK]"),
    // Gemma 4.
    ("<|channel>", "<channel|>"),
    // MedGemma.
    ("<unused94>", "<unused95>"),
    // Apertus.
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("【思考过程】", "【最终回答】"),
    ("【思考】", "【回答】"),
    // Apriel begins with its thoughts, without a mark.
    ("", "[BEGIN FINAL RESPONSE]"),
    ("<|think|>", "<|/think|>"),
    ("<|thinking|>", "<|/thinking|>"),
];

/// Special tokens that don't look like `<|…|>`.
const TOKENS: [&str; 19] = [
    "</s>",
    "<s>",
    "<eos>",
    "<bos>",
    "<eot>",
    "<pad>",
    "<unk>",
    "<end_of_turn>",
    "<start_of_turn>",
    "[/INST]",
    "[INST]",
    "[END FINAL RESPONSE]",
    "<|endoftext|>",
    // Gemma 4.
    "<|turn>",
    "<turn|>",
    // GLM.
    "[gMASK]",
    "<sop>",
    // Seed-OSS.
    "<seed:eos>",
    "<seed:bos>",
];

/// Special tokens with which a turn begins.
const TURNS: [&str; 6] = [
    "<|im_start|>",
    "<|start_header_id|>",
    "<|start|>",
    "<|startoftext|>",
    "<start_of_turn>",
    "[INST]",
];

/// The maximum number of bytes of a tag's attributes, or of a channel's header.
const MAX_MARK: usize = 240;
/// The maximum number of bytes of a token.
const MAX_TOKEN: usize = 64;

/// What a mark means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A thought begins, and ends with the first of these.
    Open(Vec<End>),
    /// The same, if it ends with one of these; otherwise it is said.
    Perhaps(Vec<End>),
    Close,
    Token {
        begins_turn: bool,
    },
    /// The header of a channel with an answer.
    Final,
    /// A part of the text that only looks like a mark.
    Text,
}

/// How a thought ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) text: String,
    /// Whether the text belongs to what follows the thought.
    pub(super) is_next: bool,
}

impl End {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_next: false,
        }
    }

    fn next(text: &str) -> Self {
        Self {
            is_next: true,
            ..Self::new(text)
        }
    }
}

/// What stands at the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// What may become a mark, as far as the text goes.
    Partial,
    /// A mark of this many bytes.
    Mark(usize, Mark),
}

/// How much of a mark a text begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    None,
    /// The text ends within it.
    Partial,
    Whole,
}

/// Whether a text begins with a mark.
pub(super) fn matches(text: &str, mark: &str) -> Match {
    let (text, mark) = (text.as_bytes(), mark.as_bytes());
    let common = text.len().min(mark.len());
    match (text.get(..common), mark.get(..common)) {
        (Some(a), Some(b)) if !a.eq_ignore_ascii_case(b) => Match::None,
        _ if common == mark.len() => Match::Whole,
        _ => Match::Partial,
    }
}

/// The marks of a model that are not in the tables: start and end of its thoughts.
pub type OwnMarks = Arc<[(String, String)]>;

/// The mark with which a text begins.
pub(super) fn mark_at(text: &str, own: &[(String, String)]) -> Seen {
    let own = own
        .iter()
        .map(|(start, end)| (start.as_str(), end.as_str()))
        .map(|pair| pair_at(text, pair));
    let pairs = PAIRS.iter().map(|pair| pair_at(text, *pair));
    let others: &[fn(&str) -> Seen] = match text.as_bytes().first() {
        Some(b'<' | b'&') => &[tag_at, token_at],
        Some(b'[') => &[token_at],
        Some(b'\\') => &[tag_at],
        _ if text.starts_with('＜') => &[tag_at],
        Some(b'\n') => &[role_line_at],
        _ => &[],
    };
    match channel_at(text) {
        Seen::Nothing => first_of(own.chain(pairs).chain(others.iter().map(|at| at(text)))),
        seen => seen,
    }
}

/// Whether a mark may begin with this character.
pub(super) fn may_begin(char: char, own: &[(String, String)]) -> bool {
    let begins = |mark: &String| mark.starts_with(char);
    matches!(
        char,
        '<' | '＜' | '&' | '[' | '\n' | '\\' | '【' | '\u{25C1}'
    ) || own.iter().any(|(start, end)| begins(start) || begins(end))
}

/// The first mark; what may become one only if there is none.
fn first_of(seen: impl Iterator<Item = Seen>) -> Seen {
    let mut best = Seen::Nothing;
    for seen in seen {
        match seen {
            Seen::Mark(..) => return seen,
            Seen::Partial => best = Seen::Partial,
            Seen::Nothing => {}
        }
    }
    best
}

fn pair_at(text: &str, (start, end): (&str, &str)) -> Seen {
    match (matches(text, start), matches(text, end)) {
        (Match::Whole, _) if !start.is_empty() => {
            Seen::Mark(start.len(), Mark::Open(vec![End::new(end)]))
        }
        (_, Match::Whole) if !end.is_empty() => Seen::Mark(end.len(), Mark::Close),
        (Match::Partial, _) | (_, Match::Partial) => Seen::Partial,
        _ => Seen::Nothing,
    }
}

/// How tags are written: what they begin with, what ends what they hold, and what they end with.
const TAG_FORMS: [[&str; 3]; 4] = [
    ["<", "</", ">"],
    ["&lt;", "&lt;/", "&gt;"],
    ["＜", "＜／", "＞"],
    ["\\u003c", "\\u003c/", "\\u003e"],
];

/// A tag, or the beginning of one.
fn tag_at(text: &str) -> Seen {
    let found = TAG_FORMS.iter().map(|form| (form, matches(text, form[0])));
    let mut found = found.filter(|(_, found)| *found != Match::None);
    let ([begin, end_begin, end], inside) = match found.next() {
        Some((form, Match::Whole)) => (form, text.get(form[0].len()..).unwrap_or_default()),
        Some(_) => return Seen::Partial,
        None => return Seen::Nothing,
    };
    let escaped = *begin != "<";
    let name = inside.strip_prefix(['/', '／']).unwrap_or(inside);
    let is_end = name.len() < inside.len();
    let length = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '_')));
    let Some(length) = length else {
        return partial_if(is_begun(name));
    };
    let (name, after) = name.split_at(length);
    let is_details = name.eq_ignore_ascii_case(DETAILS);
    if !is_details && !TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)) {
        return Seen::Nothing;
    }
    let rest = head(after, MAX_MARK);
    let Some((attributes, _)) = rest.split_once(end) else {
        return partial_if(rest.len() == after.len() && !rest.contains('<'));
    };
    let is_one = attributes.is_empty() || attributes.starts_with([' ', '/', '\t', '\n']);
    let is_thought = || attributes.contains("reason") || sums_up_thoughts(after);
    if !is_one || attributes.contains('<') || is_details && !is_end && !is_thought() {
        return Seen::Nothing;
    }
    let size = text.len() - after.len() + attributes.len() + end.len();
    let mark = match is_end {
        true if is_details => return Seen::Nothing,
        true => Mark::Close,
        false if attributes.ends_with('/') => Mark::Token { begins_turn: false },
        false => {
            let alike = escaped.then(|| End::new(format!("{end_begin}{name}{end}")));
            // Some models begin with one and end with another.
            let kin = ["think", "thinking", "thought"];
            let kin = kin
                .iter()
                .filter(|_| kin.iter().any(|kin| kin.eq_ignore_ascii_case(name)));
            let kin = kin.filter(|kin| !kin.eq_ignore_ascii_case(name));
            let ends = std::iter::once(&name)
                .chain(kin)
                .map(|name| End::new(format!("</{name}>")));
            Mark::Open(ends.chain(alike).collect())
        }
    };
    Seen::Mark(size, mark)
}

fn partial_if(is_partial: bool) -> Seen {
    if is_partial {
        Seen::Partial
    } else {
        Seen::Nothing
    }
}

/// Whether what is folded away is called thoughts: `<summary>Thinking</summary>`.
fn sums_up_thoughts(after: &str) -> bool {
    let summary = head(after, MAX_MARK).split_once("<summary>");
    let title = summary.and_then(|(_, rest)| rest.split_once("</summary>"));
    title.is_some_and(|(title, _)| {
        let title = title.to_lowercase();
        ["think", "thought", "reason", "思考", "推理"]
            .iter()
            .any(|word| title.contains(word))
    })
}

/// Whether the name of a tag begins with these letters.
fn is_begun(letters: &str) -> bool {
    let mut names = TAGS.into_iter().chain([DETAILS]);
    names.any(|name| matches(letters, name) != Match::None && letters.len() <= name.len())
}

/// The beginning of a text, of at most so many bytes.
fn head(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    text.get(..end).unwrap_or_default()
}

/// The header of a channel: `<|channel|>analysis<|message|>`. What is not said on the channel
/// `final` is thought, unless it is a call, which the beginning of the turn may say, too.
fn channel_at(text: &str) -> Seen {
    const CHANNEL: &str = "<|channel|>";
    const START: &str = "<|start|>";
    const MESSAGE: &str = "<|message|>";
    let begin = match (matches(text, CHANNEL), matches(text, START)) {
        (Match::Whole, _) => CHANNEL,
        (_, Match::Whole) => START,
        (Match::None, Match::None) => return Seen::Nothing,
        _ => return Seen::Partial,
    };
    let header = head(text.get(begin.len()..).unwrap_or_default(), MAX_MARK);
    let Some(end) = header.find(MESSAGE) else {
        return match begin {
            CHANNEL => partial_if(header.len() < MAX_MARK),
            _ => partial_if(header.len() < MAX_MARK && !header.contains('\n')),
        };
    };
    let name = header.get(..end).unwrap_or_default();
    let size = begin.len() + end + MESSAGE.len();
    let mark = if name.contains("to=") {
        Mark::Text
    } else if begin == START {
        return Seen::Nothing;
    } else if name.trim_start().starts_with("final") {
        Mark::Final
    } else {
        let ends = ["<|end|>", "<|return|>"].map(End::new);
        let next = ["<|start|>", CHANNEL].map(End::next);
        Mark::Open(ends.into_iter().chain(next).collect())
    };
    Seen::Mark(size, mark)
}

/// A special token. Those of calls are a part of the text.
fn token_at(text: &str) -> Seen {
    let mut named = TOKENS.iter().map(|token| (*token, matches(text, token)));
    if let Some((token, _)) = named.clone().find(|(_, found)| *found == Match::Whole) {
        let begins_turn = TURNS.contains(&token);
        return Seen::Mark(token.len(), Mark::Token { begins_turn });
    }
    let is_partial = named.any(|(_, found)| found == Match::Partial);
    for (start, end) in [("<|", "|>"), ("<｜", "｜>"), ("[|", "|]")] {
        match matches(text, start) {
            Match::Partial => return Seen::Partial,
            Match::Whole => return bar_token(text, (start, end)),
            Match::None => {}
        }
    }
    partial_if(is_partial)
}

/// A token such as `<|im_end|>`.
fn bar_token(text: &str, (start, end): (&str, &str)) -> Seen {
    let inside = head(text.get(start.len()..).unwrap_or_default(), MAX_TOKEN);
    let Some(length) = inside.find(end) else {
        return partial_if(inside.len() < MAX_TOKEN && !inside.contains(['<', '>', '\n']));
    };
    let name = inside.get(..length).unwrap_or_default().to_lowercase();
    let size = start.len() + length + end.len();
    if name.contains(['<', '>', '\n', '{']) {
        return Seen::Nothing;
    }
    let is_call = [
        "tool", "call", "python", "action", "plugin", "function", "constrain",
    ];
    if is_call.iter().any(|word| name.contains(word)) {
        return Seen::Mark(size, Mark::Text);
    }
    Seen::Mark(
        size,
        thought_token(&name, (start, end)).unwrap_or_else(|| {
            let token = text.get(..size).unwrap_or_default();
            let begins_turn = TURNS.iter().any(|turn| turn.eq_ignore_ascii_case(token));
            Mark::Token { begins_turn }
        }),
    )
}

/// The mark that a token with this name is, if it stands at a thought: `begin_of_thought`,
/// `END_THINKING`.
fn thought_token(name: &str, (start, end): (&str, &str)) -> Option<Mark> {
    let is_of_thought = ["think", "thought", "reason"];
    if !is_of_thought.iter().any(|word| name.contains(word)) {
        return None;
    }
    if name.starts_with("end") {
        return Some(Mark::Close);
    }
    let rest = ["begin", "start"]
        .iter()
        .find_map(|word| name.strip_prefix(word))?;
    Some(Mark::Open(vec![End::new(format!("{start}end{rest}{end}"))]))
}

/// A line that is nothing but the role of a turn.
fn role_line_at(text: &str) -> Seen {
    const LINE: &str = "\nassistant";
    match (matches(text, LINE), text.as_bytes().get(LINE.len())) {
        (Match::Whole, Some(b'\n')) => Seen::Mark(LINE.len(), Mark::Token { begins_turn: false }),
        (Match::Whole, None) => Seen::Partial,
        (Match::Partial, _) => Seen::Partial,
        _ => Seen::Nothing,
    }
}
