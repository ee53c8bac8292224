//! What has been said already, so that no sentence is said twice.

use std::borrow::Cow;
use std::sync::Arc;

use super::kept::Kept;
use crate::context::Entry;
use crate::message::{Digest, Role};
use crate::mind::Prompt;

/// How far back it looks: enough for a chapter, little enough to be instant.
const MESSAGES: usize = 200;
const BYTES: usize = 32 * 1024;

/// The hashes of the sentences of texts, sorted, by the digests of the texts.
pub(super) type Sentences = Kept<Digest, Arc<[u64]>>;

/// The sorted hashes of the sentences of a text.
fn sentences(text: &str) -> Arc<[u64]> {
    let mut hashes = Vec::new();
    hash_sentences(text, |whole, tail| hashes.extend([whole, tail]));
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
        let entries = prompt.history.entries().iter().rev().take(MESSAGES);
        let entries = entries.filter(|entry| entry.role() != Role::System);
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

    /// Whether none of these sentences has been said.
    pub(super) fn are_new(&self, sentences: &Hashes) -> bool {
        let is_heard = |whole| {
            let mut heard = self.heard.iter();
            heard.any(|text| text.binary_search(whole).is_ok())
        };
        let mut sentences = sentences.0.iter();
        sentences.all(|(whole, _)| !is_heard(whole) && !self.said.contains(whole))
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
    pub(super) fn keep_all(&mut self, sentences: &Hashes) {
        let hashes = sentences.0.iter();
        self.said
            .extend(hashes.flat_map(|(whole, tail)| [*whole, *tail]));
    }
}

/// The hashes of each sentence of a text: of the whole of it, and of its tail.
#[derive(Default)]
pub(super) struct Hashes(Vec<(u64, u64)>);

impl Hashes {
    pub(super) fn of(text: &str) -> Self {
        let mut hashes = Vec::with_capacity(4);
        hash_sentences(text, |whole, tail| hashes.push((whole, tail)));
        Self(hashes)
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

/// Hashes each sentence of a text: the whole of it, and what follows its last colon, since a line
/// that was heard stands behind its speaker's name. Spaces, quotes and a last sign make no
/// difference.
fn hash_sentences(text: &str, mut found: impl FnMut(u64, u64)) {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    let add = |hash: u64, letter: char| (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3);
    // Up to a colon, the tail is the whole.
    let (mut whole, mut tail, mut letters) = (START, None, 0);
    for letter in text.chars().chain(['\n']) {
        match letter {
            '.' | '!' | '?' | '。' | '！' | '？' | '\n' | '"' | '“' | '‘' => {
                if letters > 1 {
                    found(whole, tail.unwrap_or(whole));
                }
                (whole, tail, letters) = (START, None, 0);
            }
            ' ' | '”' | '’' => {}
            ':' | '：' => {
                whole = add(whole, ':');
                tail = Some(START);
            }
            _ => {
                whole = add(whole, letter);
                tail = tail.map(|tail| add(tail, letter));
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
        let is_new = |memory: Memory<'_>, text: &str| memory.are_new(&Hashes::of(text));
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
}
