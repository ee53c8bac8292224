//! What has been said already, so that no sentence is said twice, and no long clause if another
//! would do.

use std::borrow::Cow;
use std::sync::Arc;

use super::cache::Cache;
use crate::context::Entry;
use crate::message::{Digest, Role};
use crate::mind::Prompt;
use crate::wording::Fnv;

/// How many messages it looks back: enough for a chapter, few enough to be fast.
const MESSAGES: usize = 200;
const BYTES: usize = 32 * 1024;
/// A clause counts from this many words, or Chinese characters.
const CLAUSE_WORDS: usize = 4;
const CLAUSE_CHARACTERS: usize = 6;

/// The hashes of the sentences of texts, sorted, by the digests of the texts.
pub(super) type Sentences = Cache<Digest, Arc<[u64]>>;

/// The sorted hashes of the sentences of a text.
fn sentences(text: &str) -> Arc<[u64]> {
    let mut hashes = Vec::new();
    hash_sentences(text, |whole, tail| hashes.extend([whole, tail]));
    hash_clauses(text, |clause| hashes.push(clause));
    hashes.sort_unstable();
    hashes.into()
}

/// The texts that the asker remembers, the hashes of their sentences, and of what this answer has
/// said.
pub(super) struct Memory<'a> {
    texts: Vec<Cow<'a, str>>,
    heard: Vec<Arc<[u64]>>,
    said: Vec<u64>,
}

impl<'a> Memory<'a> {
    /// What the prompt's conversation holds: its latest messages, and the refused answers.
    pub(super) fn of(prompt: &Prompt<'a>, known: &Sentences) -> Self {
        let entries = prompt
            .history
            .entries()
            .iter()
            .rev()
            .take(MESSAGES)
            .filter(|entry| entry.role() != Role::System);
        let mut room = BYTES;
        let fits = |(_, text): &(Digest, Cow<'_, str>)| {
            room = room.saturating_sub(text.len());
            room > 0
        };
        let entries: Vec<_> = entries.map(remembered).take_while(fits).collect();
        let texts = entries.iter().map(|(digest, text)| (*digest, &**text));
        let mut memory = Self {
            heard: known.all(texts, sentences),
            texts: entries.into_iter().map(|(_, text)| text).collect(),
            said: Vec::new(),
        };
        for refused in prompt.refused() {
            memory.heard.push(sentences(refused.answer.as_str()));
            memory.texts.push(refused.answer.as_str().into());
        }
        memory
    }

    /// How many of these sentences and clauses have been said; a sentence counts as a
    /// hundred clauses.
    pub(super) fn repeats(&self, hashes: &Hashes) -> usize {
        let is_known = |hash: &u64| {
            let mut heard = self.heard.iter();
            self.said.contains(hash) || heard.any(|text| text.binary_search(hash).is_ok())
        };
        let sentences = hashes.sentences.iter().map(|(whole, _)| whole);
        let clauses = hashes.clauses.iter();
        sentences.filter(|hash| is_known(hash)).count() * 100
            + clauses.filter(|hash| is_known(hash)).count()
    }

    /// Whether these words occur in what one remembers.
    pub(super) fn holds(&self, words: &str) -> bool {
        self.texts.iter().any(|text| text.contains(words))
    }

    /// Keeps what was said elsewhere.
    pub(super) fn keep(&mut self, text: &str) {
        self.keep_all(&Hashes::of(text));
    }

    /// Keeps what this answer says.
    pub(super) fn keep_all(&mut self, hashes: &Hashes) {
        let sentences = hashes.sentences.iter();
        self.said
            .extend(sentences.flat_map(|(whole, tail)| [*whole, *tail]));
        self.said.extend(&hashes.clauses);
    }
}

/// The hashes of each sentence of a text, of the whole of it and of its tail, and of each long
/// clause.
#[derive(Default)]
pub(super) struct Hashes {
    sentences: Vec<(u64, u64)>,
    clauses: Vec<u64>,
}

impl Hashes {
    pub(super) fn of(text: &str) -> Self {
        let mut hashes = Self::default();
        hash_sentences(text, |whole, tail| hashes.sentences.push((whole, tail)));
        hash_clauses(text, |clause| hashes.clauses.push(clause));
        hashes
    }
}

/// What one remembers of a message: its own words in full, of all others what later prompts show.
fn remembered(entry: &Entry) -> (Digest, Cow<'_, str>) {
    let body = entry.body();
    match body.short().filter(|_| entry.role() != Role::Ai) {
        Some(short) => (short.digest(), Cow::Borrowed(short.as_str())),
        None => (body.digest(), body.full_text()),
    }
}

/// Hashes each long clause of a text, in lower case: what stands between punctuation.
fn hash_clauses(text: &str, mut found: impl FnMut(u64)) {
    let (mut hash, mut words, mut characters, mut in_word) = (Fnv::START, 0, 0, false);
    for letter in text.chars().chain(['\n']) {
        if letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-') {
            let is_han = letter >= '\u{2e80}';
            characters += usize::from(is_han);
            words += usize::from(!is_han && !in_word);
            in_word = !is_han;
            hash = hash.add(letter.to_ascii_lowercase());
        } else if letter == ' ' {
            in_word = false;
        } else {
            if words * CLAUSE_CHARACTERS + characters * CLAUSE_WORDS
                >= CLAUSE_WORDS * CLAUSE_CHARACTERS
            {
                found(hash.value());
            }
            (hash, words, characters, in_word) = (Fnv::START, 0, 0, false);
        }
    }
}

/// Hashes each sentence of a text: the whole of it, and what follows its last colon, since a line
/// that was heard stands behind its speaker's name. Spaces, quotes and a last sign make no
/// difference.
fn hash_sentences(text: &str, mut found: impl FnMut(u64, u64)) {
    // Up to a colon, the tail is the whole.
    let (mut whole, mut tail, mut letters) = (Fnv::START, None, 0);
    for letter in text.chars().chain(['\n']) {
        match letter {
            '.' | '!' | '?' | '。' | '！' | '？' | '\n' | '"' | '“' | '‘' => {
                if letters > 1 {
                    found(whole.value(), tail.unwrap_or(whole).value());
                }
                (whole, tail, letters) = (Fnv::START, None, 0);
            }
            ' ' | '”' | '’' => {}
            ':' | '：' => {
                whole = whole.add(':');
                tail = Some(Fnv::START);
            }
            _ => {
                whole = whole.add(letter);
                tail = tail.map(|tail| tail.add(letter));
                letters += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(heard: &str) -> Memory<'static> {
        let mut memory = Memory {
            texts: Vec::new(),
            heard: Vec::new(),
            said: Vec::new(),
        };
        memory.keep(heard);
        memory
    }

    #[test]
    fn a_sentence_is_known_wherever_it_stood() {
        let is_new = |memory: Memory<'_>, text: &str| memory.repeats(&Hashes::of(text)) == 0;
        for heard in [
            "It rains. We go on!",
            "Tobin: We go on.",
            r#"{"mind":"So.","speak":{"text":"We go on."}}"#,
            "Tobin says: “We go on.”",
        ] {
            assert!(!is_new(memory(heard), "We go on."), "{heard}");
            assert!(!is_new(memory(heard), "Well then. We go on."), "{heard}");
        }
        assert!(is_new(memory("We go on with it."), "We go on."));
        assert!(!is_new(memory("甲说：“走吧。”"), "走吧。"));
    }

    #[test]
    fn a_long_clause_is_known_in_any_sentence() {
        let repeats = |heard: &str, text: &str| memory(heard).repeats(&Hashes::of(text));
        let heard = "Well, we go home by the lamp; come.";
        assert_eq!(repeats(heard, "Jory, We go home by the lamp!"), 1);
        assert_eq!(
            repeats(heard, "Well, come along."),
            0,
            "short ones count not"
        );
        assert_eq!(
            repeats("唉，灯船上没有人了。", "甲，灯船上没有人了，走吧。"),
            1
        );
    }
}
