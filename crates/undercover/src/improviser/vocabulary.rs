//! What can be said of words, and what of that a line is like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use playhouse_engine::message::FoldedText;
use playhouse_engine::mind::Language;
use playhouse_engine::mind::splitmix::hash;
use playhouse_engine::world_data::{DataFolder, Lexicon};

/// Of fewer than one in this many words a term must be, or it tells nothing of any.
const RARE: usize = 8;
/// From this letter on, terms are pairs of letters instead of words.
const FIRST_IDEOGRAPH: char = '\u{2E80}';

/// Each word of a language with what can be said of it, from vague to narrow. Which word is whose
/// neighbour is not in it.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: BTreeMap<String, Vec<Attribute>>,
    /// The telling terms, each with the words and the places of their attributes that have it.
    terms: BTreeMap<String, BTreeSet<(String, usize)>>,
}

#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) text: String,
    pub(super) hash: u64,
    finder: Finder<'static>,
    /// How many telling terms it has.
    terms: usize,
}

/// An attribute with which a line has telling terms in common.
pub(super) struct Likeness<'v> {
    pub(super) word: &'v str,
    pub(super) attribute: &'v Attribute,
    /// How many telling terms they have in common.
    pub(super) terms: usize,
    /// Whether the line holds it word for word.
    pub(super) is_held: bool,
}

impl Likeness<'_> {
    /// The telling terms of the attribute that are in the line, in hundredths.
    pub(super) fn share(&self) -> usize {
        100 * self.terms / self.attribute.terms.max(1)
    }

    /// Whether the line says the same, word for word or nearly. One common term means little.
    pub(super) fn is_same(&self) -> bool {
        self.is_held || self.terms > 1 && self.share() >= 75
    }
}

impl Vocabulary {
    /// Everything that a list says.
    pub(super) fn of(list: &Lexicon) -> Self {
        let attribute = |text: &str| Attribute {
            finder: Finder::new(text).into_owned(),
            hash: hash(text),
            text: text.to_owned(),
            terms: 0,
        };
        let words = list.pairs.iter().flat_map(|pair| pair.words());
        let read = words.map(|word| {
            let texts = list.attributes(&word.word).unwrap_or_default();
            let attributes: Vec<_> = texts.into_iter().map(attribute).collect();
            (word.word.clone(), attributes)
        });
        let mut words: BTreeMap<_, _> = read.collect();
        let terms = telling_terms(&words);
        for (word, index) in terms.values().flatten() {
            if let Some(attribute) = words
                .get_mut(word)
                .and_then(|attributes| attributes.get_mut(*index))
            {
                attribute.terms += 1;
            }
        }
        Self { words, terms }
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
        self.words.get(word).map(Vec::as_slice)
    }

    /// The attributes that a line is like.
    pub(super) fn like(&self, line: &str) -> Vec<Likeness<'_>> {
        let mut common = BTreeMap::<(&str, usize), usize>::new();
        for term in terms(line) {
            for (word, index) in self.terms.get(&term).into_iter().flatten() {
                *common.entry((word.as_str(), *index)).or_default() += 1;
            }
        }
        let like = common.into_iter().filter_map(|((word, index), terms)| {
            let attribute = self.words.get(word)?.get(index)?;
            Some(Likeness {
                word,
                attribute,
                terms,
                is_held: attribute.finder.find(line.as_bytes()).is_some(),
            })
        });
        like.collect()
    }
}

/// The terms of attributes that tell something of a word, since few words have them.
fn telling_terms(
    words: &BTreeMap<String, Vec<Attribute>>,
) -> BTreeMap<String, BTreeSet<(String, usize)>> {
    let mut by_term = BTreeMap::<String, BTreeSet<(String, usize)>>::new();
    for (word, attributes) in words {
        for (index, attribute) in attributes.iter().enumerate() {
            for term in terms(&attribute.text) {
                by_term
                    .entry(term)
                    .or_default()
                    .insert((word.clone(), index));
            }
        }
    }
    // A list of a few words can't tell which terms are common.
    let most = (words.len() / RARE).max(2);
    by_term.retain(|_, places| {
        let having: BTreeSet<_> = places.iter().map(|(word, _)| word).collect();
        having.len() <= most
    });
    by_term
}

/// The terms of a text: its words, without endings, or pairs of ideographs.
fn terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    let mut before = None;
    for word in FoldedText::of(text).words() {
        if let [letter] = word
            && *letter >= FIRST_IDEOGRAPH
        {
            let pair = before.replace(*letter).map(|before| [before, *letter]);
            terms.extend(pair.map(String::from_iter));
        } else {
            before = None;
            let word = String::from_iter(word);
            terms.extend(Some(stem(&word).to_owned()).filter(|stem| stem.len() > 2));
        }
    }
    terms
}

/// An English word without its commonest endings.
fn stem(word: &str) -> &str {
    let word = without_ending(word, &["es", "s"]);
    without_ending(word, &["ing", "ed", "ly", "e"])
}

fn without_ending<'w>(word: &'w str, endings: &[&str]) -> &'w str {
    let mut stems = endings
        .iter()
        .filter_map(|ending| word.strip_suffix(*ending));
    stems.find(|stem| stem.len() > 2).unwrap_or(word)
}

fn read_shipped(language: Language) -> Vocabulary {
    let folder = format!("undercover/{}/words", language.code());
    let lexicon = Lexicon::load(&DataFolder::embedded(), &folder);
    // A test reads the lists that come with the program.
    Vocabulary::of(&lexicon.unwrap_or_default())
}
