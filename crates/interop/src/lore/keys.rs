//! Keys: words and patterns, and where they were found.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use playhouse_engine::locale::{UiText, text};
use regex::{Regex, RegexBuilder};

/// The most memory of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 256 * 1024;
/// The most patterns of a book; each is tried on each text.
const MAX_PATTERNS: usize = 1_000;

/// The most words of an automaton: the time in which one is made grows with their square.
const MAX_WORDS: usize = 4_096;

/// How secondary keys count, once a key was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Logic {
    #[default]
    AndAny,
    NotAll,
    NotAny,
    AndAll,
}

impl Logic {
    /// By its number in World Info.
    pub(super) fn of(number: i64) -> Self {
        match number {
            1 => Self::NotAll,
            2 => Self::NotAny,
            3 => Self::AndAll,
            _ => Self::AndAny,
        }
    }

    pub(super) fn holds(self, mut found: impl Iterator<Item = bool>) -> bool {
        match self {
            Self::AndAny => found.any(|found| found),
            Self::NotAll => found.any(|found| !found),
            Self::NotAny => found.all(|found| !found),
            Self::AndAll => found.all(|found| found),
        }
    }
}

/// The number of a key in its book.
pub(super) type KeyId = u32;

/// The words and patterns of a book, each once.
#[derive(Debug, Default)]
pub(super) struct Keys {
    words: Vec<Word>,
    patterns: Vec<(KeyId, Regex)>,
    /// How many keys there are; words and patterns share their numbers.
    count: KeyId,
    /// Finds words without regard to case, and those with it.
    folded: Vec<Automaton>,
    exact: Vec<Automaton>,
}

/// Finds words, whose numbers are beside it.
type Automaton = (AhoCorasick, Vec<usize>);

#[derive(Debug)]
struct Word {
    key: KeyId,
    text: String,
    cased: bool,
    /// Whether it must not be part of a longer word.
    whole: bool,
}

/// Adds keys to a book.
#[derive(Default)]
pub(super) struct KeysBuilder {
    keys: Keys,
    known: BTreeMap<(String, bool, bool), KeyId>,
}

/// How the keys of an entry are read.
#[derive(Clone, Copy, Default)]
pub(super) struct KeyStyle {
    pub(super) cased: bool,
    pub(super) whole: bool,
    /// Whether they are patterns without slashes.
    pub(super) patterns: bool,
}

impl KeysBuilder {
    /// The number of a key.
    ///
    /// # Errors
    /// It is a pattern that can't be used, and why.
    pub(super) fn add(&mut self, key: &str, style: KeyStyle) -> Result<KeyId, UiText> {
        let slashed = slashed(key);
        if slashed.is_some() || style.patterns {
            let (pattern, flags) = slashed.unwrap_or((key, if style.cased { "" } else { "i" }));
            let known = (format!("/{pattern}/{flags}"), true, false);
            if let Some(id) = self.known.get(&known) {
                return Ok(*id);
            }
            if self.keys.patterns.len() == MAX_PATTERNS {
                return Err(text!(lore_too_many_patterns, max = MAX_PATTERNS));
            }
            let regex = compiled(pattern, flags)?;
            let id = self.next();
            self.keys.patterns.push((id, regex));
            self.known.insert(known, id);
            return Ok(id);
        }
        // Of several words, the first and the last may be parts of words.
        let whole = style.whole && key.split_whitespace().nth(1).is_none();
        let text = if style.cased {
            key.to_owned()
        } else {
            key.to_lowercase()
        };
        let known = (text.clone(), style.cased, whole);
        if let Some(id) = self.known.get(&known) {
            return Ok(*id);
        }
        let id = self.next();
        self.known.insert(known, id);
        let cased = style.cased;
        self.keys.words.push(Word {
            key: id,
            text,
            cased,
            whole,
        });
        Ok(id)
    }

    fn next(&mut self) -> KeyId {
        let id = self.keys.count;
        self.keys.count += 1;
        id
    }

    pub(super) fn build(mut self) -> Keys {
        self.keys.folded = self.keys.automata(false);
        self.keys.exact = self.keys.automata(true);
        self.keys
    }
}

impl Keys {
    fn automata(&self, cased: bool) -> Vec<Automaton> {
        let words = self.words.iter().enumerate();
        let of_case = words.filter(|(_, word)| word.cased == cased);
        let numbers: Vec<usize> = of_case.map(|(number, _)| number).collect();
        let parts = numbers.chunks(MAX_WORDS);
        let automata = parts.filter_map(|numbers| {
            let texts = numbers.iter().filter_map(|number| self.words.get(*number));
            let automaton = AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(texts.map(|word| &word.text));
            Some((automaton.ok()?, numbers.to_vec()))
        });
        automata.collect()
    }

    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// Tells each key that is in a text, some of them several times.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(KeyId)) {
        let lower = text.to_lowercase();
        let folded = self.folded.iter().map(|automaton| (automaton, &*lower));
        let exact = self.exact.iter().map(|automaton| (automaton, text));
        for ((automaton, numbers), text) in folded.chain(exact) {
            for hit in automaton.find_overlapping_iter(text) {
                let word = numbers.get(hit.pattern().as_usize());
                let Some(word) = word.and_then(|number| self.words.get(*number)) else {
                    continue;
                };
                if !word.whole || is_whole(text.as_bytes(), hit.range()) {
                    found(word.key);
                }
            }
        }
        for (key, regex) in &self.patterns {
            if regex.is_match(text) {
                found(*key);
            }
        }
    }
}

/// Whether nothing of a longer word is around it. As in JavaScript, words have ASCII letters.
fn is_whole(text: &[u8], range: std::ops::Range<usize>) -> bool {
    let is_word = |at: Option<usize>| {
        let byte = at.and_then(|at| text.get(at));
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    !is_word(range.start.checked_sub(1)) && !is_word(Some(range.end))
}

/// The pattern and the flags of `/pattern/flags`.
fn slashed(key: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = key.strip_prefix('/')?.rsplit_once('/')?;
    let has_bare_slash = pattern.replace("\\\\", "").replace("\\/", "").contains('/');
    let is_pattern = !pattern.is_empty() && !has_bare_slash;
    let are_flags = flags.chars().all(|flag| "gimsuy".contains(flag));
    (is_pattern && are_flags).then_some((pattern, flags))
}

/// A pattern of JavaScript for an engine that takes linear time, which has neither references to
/// groups nor conditions on what is around a match.
fn compiled(pattern: &str, flags: &str) -> Result<Regex, UiText> {
    let mut builder = RegexBuilder::new(&translated(pattern));
    builder
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(MAX_PATTERN);
    builder.build().map_err(|error| {
        let error = error.to_string();
        let reason = error.lines().last().unwrap_or_default();
        let reason = reason.trim_start_matches("error: ");
        text!(lore_bad_pattern, pattern, reason = reason.to_owned())
    })
}

/// Classes of letters and ends of words are those of ASCII in JavaScript.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match (chars.next(), in_class) {
                (Some('/'), _) => out.push('/'),
                (Some('d'), false) => out.push_str("[0-9]"),
                (Some('d'), true) => out.push_str("0-9"),
                (Some('D'), false) => out.push_str("[^0-9]"),
                (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                (Some('W'), false) => out.push_str("[^0-9A-Za-z_]"),
                (Some('b'), false) => out.push_str("(?-u:\\b)"),
                (Some(escaped), _) => out.extend(['\\', escaped]),
                (None, _) => out.push('\\'),
            },
            '[' if in_class => out.push_str("\\["),
            '[' | ']' => {
                in_class = char == '[';
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out
}
