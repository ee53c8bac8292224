//! Writing by grammar: facts in, fresh sentences out.
//!
//! Every entity draws on its own share of a symbol's alternatives. Those who are asked about the same
//! scene at the same time know the same names, so each takes the share of its place among them, and
//! no two use the same sentence pattern though neither sees the other's answer.

use std::borrow::Cow;
use std::rc::Rc;

use super::chance::{SplitMix64, hash, mix};
use super::grammar::{Change, Choice, FactSet, Grammar, GrammarPiece as Piece, SymbolId};
use super::memory::{Hashes, Memory};
use super::names::{Fact, Root};
use crate::mind::Language;

/// How often a sentence that was said before is tried anew.
const TRIES: usize = 12;
/// Into how many shares alternatives are dealt where nobody else is known.
const SHARES: usize = 4;

/// Which share of the alternatives is one's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    place: usize,
    of: usize,
    /// Deals the alternatives anew from scene to scene, in the same way for everybody in it.
    scene: u64,
}

impl Share {
    /// The share of `me` among those it knows to be in the scene.
    pub(super) fn among<'n>(me: &'n str, mut others: Vec<&'n str>, scene: u64) -> Self {
        others.push(me);
        others.sort_unstable();
        others.dedup();
        match others.len() {
            1 => Self {
                place: hash(me) as usize % SHARES,
                of: SHARES,
                scene,
            },
            of => Self {
                place: others.iter().position(|name| *name == me).unwrap_or(0),
                of,
                scene,
            },
        }
    }
}

/// Writes one answer.
pub(super) struct Writer<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) language: Language,
    pub(super) chance: SplitMix64,
    pub(super) memory: Memory<'a>,
    share: Share,
    known: FactSet,
    facts: Vec<(Fact, Cow<'a, str>)>,
    used: Vec<Choice>,
    deals: Vec<Rc<Deal>>,
}

/// What one may say for a symbol where these facts are known.
struct Deal {
    symbol: SymbolId,
    known: FactSet,
    sayable: Vec<usize>,
    /// One's own share of what is sayable.
    own: Vec<usize>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        grammar: &'a Grammar,
        language: Language,
        chance: SplitMix64,
        memory: Memory<'a>,
        share: Share,
    ) -> Self {
        Self {
            grammar,
            language,
            chance,
            memory,
            share,
            known: FactSet::default(),
            facts: Vec::new(),
            used: Vec::new(),
            deals: Vec::new(),
        }
    }

    /// Makes a fact known; an empty one makes it unknown.
    pub(super) fn set(&mut self, fact: Fact, words: impl Into<Cow<'a, str>>) {
        let words = words.into();
        self.facts.retain(|(other, _)| *other != fact);
        self.flag(fact, !words.is_empty());
        if !words.is_empty() {
            self.facts.push((fact, words));
        }
    }

    /// Whether a fact is known as these words.
    pub(super) fn is(&self, fact: Fact, words: &str) -> bool {
        let known = self.facts.iter().find(|(other, _)| *other == fact);
        known.is_some_and(|(_, known)| known == words)
    }

    /// Sets a condition.
    pub(super) fn flag(&mut self, fact: Fact, holds: bool) {
        self.known = match holds {
            true => self.known.with(fact),
            false => self.known.without(fact),
        };
    }

    /// Makes a fact of several names, joined as the language does.
    pub(super) fn set_list<S: AsRef<str>>(&mut self, fact: Fact, names: &[S]) {
        self.set(fact, join(self.language, names));
    }

    /// Makes a fact of one of several names, any of them.
    pub(super) fn set_any(&mut self, fact: Fact, names: &'a [String]) {
        match self.chance.pick(names) {
            Some(name) => self.set(fact, name.as_str()),
            None => self.set(fact, ""),
        }
    }

    /// One of a root's texts as a sentence of its own.
    pub(super) fn line(&mut self, root: Root) -> String {
        cap(&self.clause(root))
    }

    /// One of a root's texts, of sentences that were not said before where there is such a one.
    pub(super) fn clause(&mut self, root: Root) -> String {
        let symbol = self.grammar.root(root);
        let deal = self.deal(symbol);
        let mut text = String::with_capacity(128);
        let mut sentences = Hashes::default();
        for _ in 0..TRIES {
            text.clear();
            if let Some(at) = self.choose_own(&deal) {
                self.write((symbol, at), &mut text);
            }
            sentences = Hashes::of(&text);
            if self.memory.are_new(&sentences) {
                break;
            }
        }
        self.memory.keep_all(&sentences);
        text
    }

    /// Several roots' texts, one after the other.
    pub(super) fn lines(&mut self, roots: &[Root]) -> String {
        let texts: Vec<_> = roots.iter().map(|root| self.line(*root)).collect();
        paragraph(self.language, &texts)
    }

    /// What may be said for a symbol now; one answer often says the same kind of thing of several others.
    fn deal(&mut self, symbol: SymbolId) -> Rc<Deal> {
        let mut deals = self.deals.iter();
        let dealt = deals.find(|deal| deal.symbol == symbol && deal.known == self.known);
        if let Some(deal) = dealt {
            return deal.clone();
        }
        let sayable = self.grammar.sayable(symbol, self.known);
        let Share { place, of, scene } = self.share;
        // All are dealt, sayable or not, so that everybody's deal is the same.
        let mut all: Vec<_> = (0..self.grammar.size(symbol)).collect();
        all.sort_by_cached_key(|at| mix(&[scene, *at as u64]));
        let of = of.min(all.len() / 2).max(1);
        let own = all.into_iter().skip(place % of).step_by(of);
        let deal = Rc::new(Deal {
            symbol,
            known: self.known,
            own: own.filter(|at| sayable.contains(at)).collect(),
            sayable,
        });
        self.deals.push(deal.clone());
        deal
    }

    /// An alternative from one's own share, best one that this answer has not used.
    fn choose_own(&mut self, deal: &Deal) -> Option<usize> {
        let own = self.unused(deal.symbol, &deal.own);
        match own.is_empty() {
            false => self.choose(deal.symbol, &own),
            true => self.choose(deal.symbol, &deal.sayable),
        }
    }

    /// One of these alternatives, if possible one that this answer has not used.
    fn choose(&mut self, symbol: SymbolId, among: &[usize]) -> Option<usize> {
        let unused = self.unused(symbol, among);
        let among = if unused.is_empty() { among } else { &unused };
        let weights = among.iter().map(|at| self.grammar.weight((symbol, *at)));
        let at = *among.get(self.chance.weighted(weights)?)?;
        self.used.push((symbol, at));
        Some(at)
    }

    fn unused(&self, symbol: SymbolId, among: &[usize]) -> Vec<usize> {
        let unused = among
            .iter()
            .filter(|at| !self.used.contains(&(symbol, **at)));
        unused.copied().collect()
    }

    fn write(&mut self, choice: Choice, text: &mut String) {
        let grammar = self.grammar;
        for piece in grammar.pieces(choice) {
            match piece {
                Piece::Text(words) => self.push(text, words, Change::None),
                Piece::Fact(fact, change) => {
                    let words = self.facts.iter().find(|(other, _)| other == fact);
                    let words = words.map(|(_, words)| words.clone()).unwrap_or_default();
                    self.push(text, &words, *change);
                }
                Piece::Symbol(symbol, change) => {
                    let sayable = grammar.sayable(*symbol, self.known);
                    let mut words = String::with_capacity(64);
                    if let Some(at) = self.choose(*symbol, &sayable) {
                        self.write((*symbol, at), &mut words);
                    }
                    self.push(text, &words, *change);
                }
            }
        }
    }

    /// Adds words; a sentence begins with a great letter.
    fn push(&self, text: &mut String, words: &str, change: Change) {
        let begins = [". ", "! ", "? "].iter().any(|end| text.ends_with(end));
        if change == Change::Article {
            let vowel = words.starts_with(|first: char| "aeiouAEIOU".contains(first));
            let article = if vowel { "an " } else { "a " };
            text.push_str(&if begins { cap(article) } else { article.into() });
            return text.push_str(words);
        }
        match (begins, change) {
            (_, Change::Low) => text.push_str(&low(words)),
            (true, _) | (_, Change::Cap) => text.push_str(&cap(words)),
            (false, _) => text.push_str(words),
        }
    }
}

/// The words with a great first letter.
pub(super) fn cap(words: &str) -> String {
    beginning_with(words, char::to_uppercase)
}

fn low(words: &str) -> String {
    beginning_with(words, char::to_lowercase)
}

/// The words with their first letter in another case.
fn beginning_with<I: Iterator<Item = char>>(words: &str, case: impl Fn(char) -> I) -> String {
    let mut letters = words.chars();
    let mut text = String::with_capacity(words.len());
    text.extend(letters.next().into_iter().flat_map(case));
    text.push_str(letters.as_str());
    text
}

/// Names as the language lists them: `A, B and C`; `甲、乙和丙`.
pub(super) fn join<S: AsRef<str>>(language: Language, names: &[S]) -> String {
    let (comma, and) = match language {
        Language::En => (", ", " and "),
        Language::Zh => ("、", "和"),
    };
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).into(),
        Some((last, first)) => format!("{}{and}{last}", first.join(comma)),
        None => String::new(),
    }
}

/// Sentences put after each other; empty ones leave no gap.
pub(super) fn paragraph<S: AsRef<str>>(language: Language, texts: &[S]) -> String {
    let texts = texts.iter().map(AsRef::as_ref);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join(match language {
        Language::En => " ",
        Language::Zh => "",
    })
}
