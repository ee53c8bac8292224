//! Writing by grammar: facts in, fresh sentences out.
//!
//! Every entity draws on its own share of a symbol's alternatives. Those who are asked about the
//! same scene at the same time know the same names, so each takes the share of its place among
//! them, and no two use the same sentence pattern though neither sees the other's answer.

use std::borrow::Cow;
use std::rc::Rc;

use super::grammar::{Change, Choice, Fact, FactSet, Grammar, SymbolId, TemplatePart};
use super::memory::{Hashes, Memory};
use super::wording::{cap, join, low, paragraph};
use crate::mind::Language;
use crate::mind::splitmix::{SplitMix64, hash, mix};

/// How often another alternative is tried for a sentence that was said before.
const TRIES: usize = 12;
/// Into how many shares alternatives are dealt if no other speaker is known.
const SHARES: usize = 4;
/// Into how many shares the words within sentences are dealt among all who speak in a game.
const CAST_SHARES: usize = 6;
/// How many times as often another one is tried for words that the speaker never says.
const CLEAN_TRIES: usize = 4;

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

/// Writes one answer. Facts and symbols are those that lessons declared.
pub struct Writer<'a> {
    grammar: &'a Grammar,
    language: Language,
    rng: SplitMix64,
    memory: Memory<'a>,
    share: Share,
    /// The speaker's place among all of the game, and their number, if that is known.
    place_in_cast: Option<(usize, usize)>,
    /// What it never says, in lower case.
    never: Vec<String>,
    known: FactSet,
    facts: Vec<(Fact, Cow<'a, str>)>,
    used: Vec<Choice>,
    deals: Vec<Rc<Deal>>,
}

/// What one may say for a symbol if these facts are known.
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
        rng: SplitMix64,
        memory: Memory<'a>,
        share: Share,
    ) -> Self {
        Self {
            grammar,
            language,
            rng,
            memory,
            share,
            place_in_cast: None,
            never: Vec::new(),
            known: FactSet::default(),
            facts: Vec::new(),
            used: Vec::new(),
            deals: Vec::new(),
        }
    }

    /// Other speakers of the game draw on other words, as long as there are some.
    pub(super) fn speaks_among(&mut self, me: &str, cast: &[&str]) {
        let place = cast
            .iter()
            .position(|name| *name == me)
            .unwrap_or(hash(me) as usize % cast.len().max(1));
        self.place_in_cast = (cast.len() > 1).then_some((place, cast.len()));
    }

    pub(super) fn never_say(&mut self, words: &[&str]) {
        let words = words.iter().filter(|words| !words.trim().is_empty());
        self.never.extend(words.map(|words| words.to_lowercase()));
    }

    /// Whether the speaker would say this.
    pub fn would_say(&self, text: &str) -> bool {
        let text = if self.never.is_empty() {
            return true;
        } else {
            text.to_lowercase()
        };
        !self.never.iter().any(|words| text.contains(words))
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// The dice of this answer.
    pub fn rng(&mut self) -> &mut SplitMix64 {
        &mut self.rng
    }

    /// Makes a fact known; an empty one makes it unknown.
    pub fn set(&mut self, fact: &str, words: impl Into<Cow<'a, str>>) {
        let Some(fact) = self.grammar.fact(fact) else {
            return;
        };
        let words = words.into();
        self.facts.retain(|(other, _)| *other != fact);
        self.know(fact, !words.is_empty());
        if !words.is_empty() {
            self.facts.push((fact, words));
        }
    }

    /// Makes a fact without words known or unknown: a condition.
    pub fn flag(&mut self, fact: &str, is_known: bool) {
        if let Some(fact) = self.grammar.fact(fact) {
            self.know(fact, is_known);
        }
    }

    fn know(&mut self, fact: Fact, is_known: bool) {
        self.known = if is_known {
            self.known.with(fact)
        } else {
            self.known.without(fact)
        };
    }

    /// Makes a fact of several names, joined as the language does.
    pub fn set_list<S: AsRef<str>>(&mut self, fact: &str, names: &[S]) {
        self.set(fact, join(self.language, names));
    }

    /// Makes a fact of one of several names, any of them.
    pub fn set_any(&mut self, fact: &str, names: &[&'a str]) {
        let name = self.rng.pick(names).copied();
        self.set(fact, name.unwrap_or_default());
    }

    /// Whether a fact is known as these words.
    pub fn is(&self, fact: &str, words: &str) -> bool {
        let fact = self.grammar.fact(fact);
        let mut known = self.facts.iter();
        known.any(|(other, known)| Some(*other) == fact && known == words)
    }

    /// The words of a fact; empty if it is not known.
    pub fn known(&self, fact: &str) -> &str {
        let fact = self.grammar.fact(fact);
        let known = self.facts.iter().find(|(other, _)| Some(*other) == fact);
        known.map_or("", |(_, words)| words)
    }

    /// Whether a fact with words is known.
    pub fn is_known(&self, fact: &str) -> bool {
        !self.known(fact).is_empty()
    }

    /// Whether these words occur in what the entity remembers.
    pub fn remembers(&self, words: &str) -> bool {
        self.memory.holds(words)
    }

    /// Does not say these sentences: another speaker has.
    pub(super) fn avoid(&mut self, text: &str) {
        self.memory.keep(text);
    }

    /// The alternatives of a symbol that is a list of words.
    pub fn words(&self, symbol: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.grammar.words(symbol)
    }

    /// One of a symbol's texts as a sentence of its own.
    pub fn line(&mut self, symbol: &str) -> String {
        cap(&self.clause(symbol))
    }

    /// One of a symbol's texts, made of sentences and clauses that were not said before if there is
    /// one, and of nothing that the speaker never says.
    pub fn clause(&mut self, symbol: &str) -> String {
        let Some(symbol) = self.grammar.root(symbol) else {
            return String::new();
        };
        let deal = self.deal(symbol);
        let mut best: Option<(usize, String, Hashes)> = None;
        let place_in_cast = self.place_in_cast;
        for number in 0..TRIES * CLEAN_TRIES {
            if number >= TRIES && best.is_some() {
                break;
            }
            // What others would say is better than saying the same again.
            self.place_in_cast = place_in_cast.filter(|_| number < TRIES / 2);
            let mut text = String::with_capacity(128);
            if let Some(index) = self.choose_own(&deal) {
                self.write((symbol, index), &mut text);
            }
            if !self.would_say(&text) {
                continue;
            }
            let hashes = Hashes::of(&text);
            let repeats = self.memory.repeats(&hashes);
            if best.as_ref().is_none_or(|(least, ..)| repeats < *least) {
                best = Some((repeats, text, hashes));
            }
            if repeats == 0 {
                break;
            }
        }
        self.place_in_cast = place_in_cast;
        let Some((_, text, hashes)) = best else {
            return String::new();
        };
        self.memory.keep_all(&hashes);
        text
    }

    /// How much of a text was said before; 0 if nothing.
    pub fn repeats(&self, text: &str) -> usize {
        self.memory.repeats(&Hashes::of(text))
    }

    /// Several symbols' texts, one after the other.
    pub fn lines(&mut self, symbols: &[&str]) -> String {
        let texts: Vec<_> = symbols.iter().map(|symbol| self.line(symbol)).collect();
        self.paragraph(&texts)
    }

    /// Texts, one after the other.
    pub fn paragraph<S: AsRef<str>>(&self, texts: &[S]) -> String {
        paragraph(self.language, texts)
    }

    /// An answer to any question.
    pub fn anything(&mut self) -> String {
        if self.rng.happens(60) {
            self.lines(&["generic", "generic.more"])
        } else {
            self.line("generic")
        }
    }

    /// What may be said for a symbol now; one answer often says the same kind of thing of several
    /// others.
    fn deal(&mut self, symbol: SymbolId) -> Rc<Deal> {
        let mut deals = self.deals.iter();
        let dealt = deals.find(|deal| deal.symbol == symbol && deal.known == self.known);
        if let Some(deal) = dealt {
            return deal.clone();
        }
        let sayable = self.grammar.sayable(symbol, self.known);
        let Share { place, of, scene } = self.share;
        // All are dealt, sayable or not, so that everybody's deal is the same.
        let mut dealt: Vec<_> = (0..self.grammar.size(symbol)).collect();
        dealt.sort_by_cached_key(|index| mix(&[scene, *index as u64]));
        let of = of.min(dealt.len() / 2).max(1);
        let own = dealt.into_iter().skip(place % of).step_by(of);
        let deal = Rc::new(Deal {
            symbol,
            known: self.known,
            own: own.filter(|index| sayable.contains(index)).collect(),
            sayable,
        });
        self.deals.push(deal.clone());
        deal
    }

    /// An alternative from one's own share, best one that this answer has not used.
    fn choose_own(&mut self, deal: &Deal) -> Option<usize> {
        let own = self.unused(deal.symbol, &deal.own);
        if own.is_empty() {
            self.choose(deal.symbol, &deal.sayable)
        } else {
            self.choose(deal.symbol, &own)
        }
    }

    /// One of these alternatives, if possible one that this answer has not used.
    fn choose(&mut self, symbol: SymbolId, among: &[usize]) -> Option<usize> {
        let unused = self.unused(symbol, among);
        let among = if unused.is_empty() { among } else { &unused };
        let weights = among
            .iter()
            .map(|index| self.grammar.weight((symbol, *index)));
        let index = *among.get(self.rng.weighted(weights)?)?;
        self.used.push((symbol, index));
        Some(index)
    }

    fn unused(&self, symbol: SymbolId, among: &[usize]) -> Vec<usize> {
        let unused = among
            .iter()
            .filter(|index| !self.used.contains(&(symbol, **index)));
        unused.copied().collect()
    }

    /// Writes an alternative; what it leads to is written in the same way.
    fn write(&mut self, choice: Choice, text: &mut String) {
        let grammar = self.grammar;
        let symbols = grammar
            .parts(choice)
            .iter()
            .filter(|part| matches!(part, TemplatePart::Symbol(..)));
        // English begins a clause with what it says, Chinese ends it so.
        let own = match self.language {
            Language::En => 1,
            Language::Zh => symbols.count(),
        };
        let mut number = 0;
        for part in grammar.parts(choice) {
            match part {
                TemplatePart::Text(words) => push(text, words, Change::None),
                TemplatePart::Fact(fact, change) => {
                    let words = self.facts.iter().find(|(name, _)| name == fact);
                    push(text, words.map_or("", |(_, words)| words), *change);
                }
                TemplatePart::Symbol(symbol, change) => {
                    let mut sayable = grammar.sayable(*symbol, self.known);
                    // The other half of a clause is anybody's: both make enough of them.
                    number += 1;
                    let place = self.place_in_cast.filter(|_| number == own);
                    if let Some((place, of)) = place.filter(|_| sayable.len() > CAST_SHARES) {
                        let (place, of) = (place % CAST_SHARES, of.min(CAST_SHARES));
                        let is_own = |index: &usize| index % of == place;
                        let own = sayable.iter().copied().filter(is_own).collect::<Vec<_>>();
                        let own = self.unused(*symbol, &own);
                        if !own.is_empty() {
                            sayable = own;
                        }
                    }
                    let mut words = String::with_capacity(64);
                    if let Some(index) = self.choose(*symbol, &sayable) {
                        self.write((*symbol, index), &mut words);
                    }
                    push(text, &words, *change);
                }
            }
        }
    }
}

/// Adds words; a sentence begins with an upper-case letter.
fn push(text: &mut String, words: &str, change: Change) {
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
