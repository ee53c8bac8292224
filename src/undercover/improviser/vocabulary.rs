//! What can be said of words.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::message::{Bigrams, FoldedText};
use crate::mind::Language;
use crate::mind::splitmix::hash;
use crate::world_data::{DataFolder, Lexicon};

/// Each word of a language with what can be said of it, from vague to narrow. Which word is whose
/// neighbour is not in it.
#[derive(Debug, Default)]
pub(super) struct Vocabulary(BTreeMap<String, Vec<Attribute>>);

#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) text: String,
    pub(super) hash: u64,
    pub(super) finder: Finder<'static>,
    pub(super) pairs: Bigrams,
}

impl Vocabulary {
    /// Everything that a list says.
    pub(super) fn of(list: &Lexicon) -> Self {
        let attribute = |text: &str| Attribute {
            pairs: FoldedText::of(text).bigrams(),
            finder: Finder::new(text).into_owned(),
            hash: hash(text),
            text: text.to_owned(),
        };
        let words = list.pairs.iter().flat_map(|pair| pair.words());
        let read = words.map(|word| {
            let texts = list.attributes(&word.word).unwrap_or_default();
            (
                word.word.clone(),
                texts.into_iter().map(attribute).collect(),
            )
        });
        Self(read.collect())
    }

    /// The lists that come with the program, read when the first game needs them.
    pub(super) fn shipped(language: Language) -> &'static Self {
        static ENGLISH: LazyLock<Vocabulary> = LazyLock::new(|| read_shipped(Language::En));
        static CHINESE: LazyLock<Vocabulary> = LazyLock::new(|| read_shipped(Language::Zh));
        match language {
            Language::En => &ENGLISH,
            Language::Zh => &CHINESE,
        }
    }

    pub(super) fn attributes(&self, word: &str) -> Option<&[Attribute]> {
        self.0.get(word).map(Vec::as_slice)
    }
}

fn read_shipped(language: Language) -> Vocabulary {
    let folder = format!("undercover/{}/words", language.code());
    let lexicon = Lexicon::load(&DataFolder::embedded(), &folder);
    // A test reads the lists that come with the program.
    Vocabulary::of(&lexicon.unwrap_or_default())
}
