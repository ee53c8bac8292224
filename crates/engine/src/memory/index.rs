//! The index: what it keeps of each message, and how it ranks them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::postings::{Posting, Postings};
use super::question::{Query, Speakers, Term};
use super::time::{day_of, says_when};
use super::words::words;
use crate::message::Vector;

/// BM25's saturation of repeated words, and how far long messages count less (usually 0.75).
const K1: f32 = 1.2;
const B: f32 = 0.4;
/// How much of their score neighbours lend a message: the one before, more of it if that asks, the
/// one after, and those two apart, which are often of the same speaker.
const BEFORE: f32 = 0.25;
const ASKED_BEFORE: f32 = 0.65;
const AFTER: f32 = 0.25;
const TWO_APART: f32 = 0.1;
/// How much the score of its whole session counts for a message.
const SESSION: f32 = 0.4;
/// A message of a speaker whom the question names, and one of a session without that speaker.
const OF_SPEAKER: f32 = 1.4;
const WITHOUT_SPEAKER: f32 = 0.6;
/// A message that says when something was, if the question asks when.
const SAYS_WHEN: f32 = 1.3;
/// A message of a time that the question names.
const OF_TIME: f32 = 0.8;
/// A message that only asks.
const ONLY_ASKS: f32 = 0.8;
/// Texts speak of the same if what they share is as rare as this, or as this many words that only
/// one message has.
const SAME_MATTER: f32 = 6.0;
const SAME_RARE: f32 = 1.8;
/// How many messages are searched for pairs of characters, and how much a pair counts beside its
/// characters.
const PAIRED: usize = 64;
const PAIR: f32 = 0.25;
/// How much of the best score by words a message gets for each deviation by which its vector stands
/// out: a ranker that is worse than words moves little.
const MEANING: f32 = 0.2;
/// A message fits if its score is at least this share of the best one's: one that merely stands
/// beside a hit does not.
pub(super) const FITS: f32 = 0.4;
/// How many times the words of a text that is not a question are looked at in messages.
const RARE_POSTINGS: usize = 1_000;

/// A message for the index. What is not known is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexEntry<'e> {
    pub speaker: &'e str,
    pub text: &'e str,
    /// When, as people write it: `1:56 pm on 8 May, 2023`, `2023-05-08`, `day 3`.
    pub time: &'e str,
    /// The session, scene or chapter that it belongs to. One session's messages follow each other.
    pub session: &'e str,
    /// More words that it is found by: its place, those present, facts.
    pub about: &'e [&'e str],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The message's number, counted from zero in the order of [`Index::add`].
    pub entry: u32,
    /// How well it fits; comparable within a search.
    pub score: f32,
}

/// The figures of a message beside its words.
#[derive(Clone, Copy, Debug)]
struct EntryStats {
    /// Its number of words, 255 at most.
    words: u8,
    /// [`SAYS_WHEN_BIT`], [`ONLY_ASKS_BIT`] and [`ASKS_BIT`].
    bits: u8,
    /// One more than the number of its speaker, 0 if there is none.
    speaker: u16,
}

const SAYS_WHEN_BIT: u8 = 1;
const ONLY_ASKS_BIT: u8 = 2;
const ASKS_BIT: u8 = 4;

/// Messages that follow each other.
#[derive(Clone, Debug)]
struct Session {
    first: u32,
    /// The words of all its messages.
    words: u32,
    day: Option<i32>,
    /// The numbers of those who speak, each plus 1, sorted.
    speakers: Vec<u16>,
}

/// Finds messages by their words. See the [module](super).
///
/// ```
/// use playhouse_engine::memory::{Index, IndexEntry};
///
/// let texts = ["I painted the lake at dawn.", "What a view!"];
/// let mut index = Index::new();
/// for text in texts {
///     index.add(&IndexEntry { speaker: "Ann", text, ..IndexEntry::default() });
/// }
/// let text = |entry: u32| texts[entry as usize].into();
/// let found = index.search("What has Ann been painting?", 1, text);
/// assert_eq!(found[0].entry, 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Index {
    postings: Postings,
    entries: Vec<EntryStats>,
    /// The words of all messages.
    total: u64,
    sessions: Vec<Session>,
    /// The name of the last session.
    session: String,
    speakers: Speakers,
    /// Of the messages that have one.
    pub(super) vectors: BTreeMap<u32, Arc<Vector>>,
}

impl Index {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a message after all others and returns its number.
    pub fn add(&mut self, entry: &IndexEntry<'_>) -> u32 {
        let number = self.entries.len() as u32;
        let mut terms = Vec::new();
        Self::read(entry.text, &mut terms);
        let count = terms.len();
        for about in entry.about {
            Self::read(about, &mut terms);
        }
        terms.sort_unstable();
        for run in terms.chunk_by(|left, right| left == right) {
            let posting = Posting {
                entry: number,
                count: run.len().min(255) as u8,
            };
            if let [term, ..] = run {
                self.postings.add(*term, posting);
            }
        }
        let speaker = self.number_of(entry.speaker);
        self.entries.push(EntryStats {
            words: count.min(255) as u8,
            bits: u8::from(says_when(entry.text)) * SAYS_WHEN_BIT
                + u8::from(only_asks(entry.text)) * ONLY_ASKS_BIT
                + u8::from(entry.text.trim_end().ends_with(['?', '？'])) * ASKS_BIT,
            speaker,
        });
        self.total += count as u64;
        self.join_session(number, entry, count, speaker);
        number
    }

    /// How many messages hold a term.
    fn posting_count(&self, term: u32) -> usize {
        self.postings.of(term).len()
    }

    fn read(text: &str, terms: &mut Vec<u32>) {
        let telling = words(text).filter(|word| !word.is_left_out());
        terms.extend(telling.map(|word| word.term()));
    }

    /// One more than the number of a speaker.
    fn number_of(&mut self, name: &str) -> u16 {
        if name.is_empty() {
            return 0;
        }
        let number = self.speakers.number_of(name);
        number.and_then(|number| number.checked_add(1)).unwrap_or(0)
    }

    fn join_session(&mut self, number: u32, entry: &IndexEntry<'_>, words: usize, speaker: u16) {
        let day = day_of(entry.time);
        let is_same = |last: &Session| self.session == entry.session && last.day == day;
        if !self.sessions.last().is_some_and(is_same) {
            entry.session.clone_into(&mut self.session);
            self.sessions.push(Session {
                first: number,
                words: 0,
                day,
                speakers: Vec::new(),
            });
        }
        if let Some(session) = self.sessions.last_mut() {
            session.words = session.words.saturating_add(words as u32);
            if let Err(place) = session.speakers.binary_search(&speaker)
                && speaker > 0
            {
                session.speakers.insert(place, speaker);
            }
        }
    }

    /// The messages that fit a question best, at most as many as wanted; equally good ones in order
    /// of their numbers. `text` gives the text of a message that was added.
    pub fn search<'t>(
        &self,
        question: &str,
        most: usize,
        text: impl Fn(u32) -> Cow<'t, str>,
    ) -> Vec<Hit> {
        let question = Query::read(question, &self.speakers);
        self.found(&question, None, most, text)
    }

    /// As [`Self::search`], but messages whose [vectors](Self::add_vector) stand out from all
    /// others as near to that of the question count more.
    pub fn search_with<'t>(
        &self,
        (question, vector): (&str, &Vector),
        most: usize,
        text: impl Fn(u32) -> Cow<'t, str>,
    ) -> Vec<Hit> {
        let question = Query::read(question, &self.speakers);
        self.found(&question, Some(vector), most, text)
    }

    /// Of the messages that a question finds, those that [fit](FITS), and those whose vectors stand
    /// out.
    pub(super) fn fitting<'t>(
        &self,
        (question, vector): (&str, Option<&Vector>),
        most: usize,
        text: impl Fn(u32) -> Cow<'t, str>,
    ) -> Vec<Hit> {
        let question = Query::read(question, &self.speakers);
        let mut hits = self.found(&question, vector, most, text);
        let least = FITS * hits.first().map_or(0.0, |hit| hit.score);
        let near = vector.map_or_else(Vec::new, |vector| self.outstanding(vector));
        let stands_out = |hit: &Hit| near.iter().any(|near| near.entry == hit.entry);
        hits.retain(|hit| hit.score >= least || stands_out(hit));
        hits
    }

    /// As [`Self::search`], but by the rarest words of a question alone: so few that it takes no
    /// longer in a long past than in a short one. What is said of the same has rare words in
    /// common.
    pub(super) fn search_rare<'t>(
        &self,
        question: &str,
        most: usize,
        text: impl Fn(u32) -> Cow<'t, str>,
    ) -> Vec<Hit> {
        let mut question = Query::read(question, &self.speakers);
        let count = |term: u32| self.posting_count(term);
        let terms = question.terms.iter().map(|term| term.term);
        let mut counts: Vec<_> = terms
            .chain(question.names.iter().copied())
            .map(count)
            .collect();
        counts.sort_unstable();
        let mut left = RARE_POSTINGS;
        let fits = |count: &usize| {
            let rest = left.checked_sub(*count);
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let most_held = counts.into_iter().take_while(fits).last().unwrap_or(0);
        question.terms.retain(|term| count(term.term) <= most_held);
        question.names.retain(|term| count(*term) <= most_held);
        self.found(&question, None, most, text)
    }

    fn found<'t>(
        &self,
        question: &Query,
        vector: Option<&Vector>,
        most: usize,
        text: impl Fn(u32) -> Cow<'t, str>,
    ) -> Vec<Hit> {
        let mut scores = Scores::new(self);
        for term in &question.terms {
            scores.add(term);
        }
        let takes_part = self.with_people(question);
        for &name in &question.names {
            scores.add_name(name, &takes_part);
        }
        scores.add_pairs(question, text);
        if let Some(vector) = vector {
            scores.add_meaning(vector);
        }
        let (by_shape, by_speaker) = (self.by_shape(question), self.by_speaker(question));
        let is_without = |number| takes_part.get(number) == Some(&false);
        let nearness = |day| {
            let each = question.times.iter().map(|time| time.nearness(day));
            each.fold(0.0, f32::max)
        };
        let mut hits = Vec::new();
        for (number, (session, of_session)) in
            self.sessions.iter().zip(&scores.sessions).enumerate()
        {
            if of_session.greatest == 0.0 {
                continue;
            }
            let of_time = 1.0 + OF_TIME * session.day.map_or(0.0, nearness);
            let of_people = if is_without(number) {
                WITHOUT_SPEAKER
            } else {
                1.0
            };
            let factor = of_time * of_people;
            let own = scores.own(number);
            // The scores of the two messages before, of this one, and of the two after.
            let mut near = [0.0, 0.0, 0.0, at_or_zero(own, 0), at_or_zero(own, 1)];
            let mut is_asked = false;
            let entries = self.entries.get(self.range_of(number)).unwrap_or_default();
            for (entry, stats) in (session.first..).zip(entries) {
                let [_, one, two, three, four] = near;
                let step = (entry - session.first) as usize;
                near = [one, two, three, four, at_or_zero(own, step + 2)];
                let fit = of_session.whole + lent(near, is_asked);
                is_asked = stats.bits & ASKS_BIT != 0;
                let of_speaker = by_speaker.get(usize::from(stats.speaker)).copied();
                let of_shape = by_shape[usize::from(stats.bits & 7)];
                let score = fit * factor * of_shape * of_speaker.unwrap_or(1.0);
                hits.push(Hit { entry, score });
            }
        }
        best(hits, most)
    }

    /// Whether two texts speak of the same: they have several words in common, and these are rare
    /// together. Of scripts without spaces, pairs of characters are compared.
    pub(super) fn share_rare_terms(&self, left: &[[u32; 2]], right: &[[u32; 2]]) -> bool {
        let is_shared = |unit: &&[u32; 2]| right.binary_search(*unit).is_ok();
        let shared: Vec<_> = left.iter().filter(is_shared).collect();
        let rarity_of = |term: u32| rarity(self.posting_count(term), self.len());
        let rarities = shared.iter().map(|unit| match unit {
            [word, same] if word == same => rarity_of(*word),
            [first, second] => (rarity_of(*first) + rarity_of(*second)) / 2.0,
        });
        // In a short past no word is rare.
        let least = SAME_MATTER.min(SAME_RARE * rarity(1, self.len()));
        shared.len() > 1 && rarities.sum::<f32>() >= least
    }

    /// Whether a speaker whom the question names takes part in each session; empty if it names
    /// none.
    fn with_people(&self, question: &Query) -> Vec<bool> {
        if question.people.is_empty() {
            return Vec::new();
        }
        let by_speaker = self.by_speaker(question);
        let is_named = |speaker: &u16| {
            let factor = by_speaker.get(usize::from(*speaker));
            factor.is_some_and(|factor| *factor > 1.0)
        };
        let sessions = self.sessions.iter();
        sessions
            .map(|session| session.speakers.iter().any(is_named))
            .collect()
    }

    /// What the shape of a message makes of its score, by its bits.
    fn by_shape(&self, question: &Query) -> [f32; 8] {
        std::array::from_fn(|bits| {
            let mut factor = 1.0;
            if question.asks_when && bits as u8 & SAYS_WHEN_BIT != 0 {
                factor *= SAYS_WHEN;
            }
            if bits as u8 & ONLY_ASKS_BIT != 0 {
                factor *= ONLY_ASKS;
            }
            factor
        })
    }

    /// What the speaker of a message makes of its score, by the number plus 1.
    fn by_speaker(&self, question: &Query) -> Vec<f32> {
        let mut factors = vec![1.0; self.speakers.len() + 1];
        for person in &question.people {
            if let Some(factor) = factors.get_mut(usize::from(*person) + 1) {
                *factor = OF_SPEAKER;
            }
        }
        factors
    }

    fn session_of(&self, entry: u32) -> usize {
        self.sessions
            .partition_point(|session| session.first <= entry)
            .saturating_sub(1)
    }

    fn range_of(&self, session: usize) -> Range<usize> {
        let first = self
            .sessions
            .get(session)
            .map_or(0, |session| session.first as usize);
        let next = self.sessions.get(session + 1);
        first..next.map_or(self.entries.len(), |next| next.first as usize)
    }
}

/// The best hits, at most as many as wanted; equally good ones in order of their numbers.
fn best(mut hits: Vec<Hit>, most: usize) -> Vec<Hit> {
    hits.retain(|hit| hit.score > 0.0);
    // Scores are positive, so their bits are in their order.
    hits.sort_unstable_by_key(|hit| (Reverse(hit.score.to_bits()), hit.entry));
    hits.truncate(most);
    hits
}

/// The scores of all messages and sessions for one question.
struct Scores<'i> {
    index: &'i Index,
    sessions: Vec<SessionScores>,
    /// The scores of messages.
    own: Vec<f32>,
    /// How rare the words of the question are. A related word is never more telling.
    rarities: Vec<(u32, f32)>,
    /// How often the last term occurs in sessions.
    counts: Vec<(usize, f32)>,
}

/// The scores of a session for one question.
#[derive(Clone, Debug, Default)]
struct SessionScores {
    /// That of the whole session, as one long message.
    whole: f32,
    /// The greatest of a message.
    greatest: f32,
}

impl<'i> Scores<'i> {
    fn new(index: &'i Index) -> Self {
        Self {
            sessions: vec![SessionScores::default(); index.sessions.len()],
            own: vec![0.0; index.len()],
            rarities: Vec::new(),
            counts: Vec::new(),
            index,
        }
    }

    /// The scores of the messages of a session.
    fn own(&self, session: usize) -> &[f32] {
        let range = self.index.range_of(session);
        self.own.get(range).unwrap_or_default()
    }

    /// Adds to the score of a message of this session.
    fn add_to(&mut self, entry: usize, session: usize, more: f32) {
        if let (Some(score), Some(session)) =
            (self.own.get_mut(entry), self.sessions.get_mut(session))
        {
            *score += more;
            session.greatest = session.greatest.max(*score);
        }
    }

    fn add(&mut self, term: &Term) {
        let index = self.index;
        let mut rarity = rarity(index.posting_count(term.term), index.len());
        if let Some(of) = term.related_to {
            let asked = self.rarities.iter().find(|(asked, _)| *asked == of);
            rarity = asked.map_or(rarity, |(_, most)| rarity.min(*most));
        } else {
            self.rarities.push((term.term, rarity));
        }
        let average = index.total.max(1) as f32 / index.len().max(1) as f32;
        self.counts.clear();
        for posting in index.postings.of(term.term) {
            let entry = posting.entry as usize;
            let count = f32::from(posting.count);
            let session = index.session_of(posting.entry);
            match self.counts.last_mut() {
                Some((last, sum)) if *last == session => *sum += count,
                _ => self.counts.push((session, count)),
            }
            if let Some(stats) = index.entries.get(entry) {
                let weight = saturated(count, reduction(f32::from(stats.words) / average));
                self.add_to(entry, session, term.weight * rarity * weight);
            }
        }
        self.add_to_sessions(term.weight);
    }

    /// Adds the scores of the last term to sessions, each as one long message.
    fn add_to_sessions(&mut self, weight: f32) {
        let index = self.index;
        let average = index.total.max(1) as f32 / index.sessions.len().max(1) as f32;
        let rarity = SESSION * weight * rarity(self.counts.len(), index.sessions.len());
        for (number, count) in &self.counts {
            let words = index
                .sessions
                .get(*number)
                .map_or(0, |session| session.words);
            if let Some(session) = self.sessions.get_mut(*number) {
                session.whole += rarity * saturated(*count, reduction(words as f32 / average));
            }
        }
    }

    /// Adds the scores of the name of a speaker. To say it is to talk of them, unless
    /// they take part: then it is to talk to them.
    fn add_name(&mut self, term: u32, takes_part: &[bool]) {
        let index = self.index;
        let rarity = rarity(index.posting_count(term), index.len());
        for posting in index.postings.of(term) {
            let entry = posting.entry as usize;
            let session = index.session_of(posting.entry);
            let is_told = index
                .entries
                .get(entry)
                .is_some_and(|stats| stats.speaker == 0);
            if is_told || takes_part.get(session) == Some(&false) {
                self.add_to(entry, session, rarity);
            }
        }
    }

    /// Adds the scores of vectors to the messages that stand out by them.
    fn add_meaning(&mut self, question: &Vector) {
        let greatest = self.sessions.iter().map(|session| session.greatest);
        let best = greatest.fold(0.0, f32::max);
        let share = if best > 0.0 { MEANING * best } else { 1.0 };
        for hit in self.index.outstanding(question) {
            let session = self.index.session_of(hit.entry);
            self.add_to(hit.entry as usize, session, share * hit.score);
        }
    }

    /// Adds the scores of pairs of characters to the messages that are best without.
    fn add_pairs<'t>(&mut self, question: &Query, text: impl Fn(u32) -> Cow<'t, str>) {
        if question.pairs.is_empty() {
            return;
        }
        let rarity_of = |term| {
            let known = self.rarities.iter().find(|(known, _)| *known == term);
            known.map_or_else(
                || rarity(self.index.posting_count(term), self.index.len()),
                |(_, rarity)| *rarity,
            )
        };
        let pairs: Vec<_> = question
            .pairs
            .iter()
            .map(|pair| {
                let rarity: f32 = pair.terms.iter().map(|term| rarity_of(*term)).sum();
                let weight = PAIR * pair.weight * rarity;
                (pair.text.as_str(), weight)
            })
            .collect();
        let hits = (0..).zip(&self.own);
        let hits = hits.map(|(entry, &score)| Hit { entry, score });
        for hit in best(hits.collect(), PAIRED) {
            let text = text(hit.entry);
            let own = pairs.iter().filter(|(pair, _)| text.contains(pair));
            let sum: f32 = own.map(|(_, weight)| weight).sum();
            let session = self.index.session_of(hit.entry);
            self.add_to(hit.entry as usize, session, sum);
        }
    }
}

fn at_or_zero(scores: &[f32], index: usize) -> f32 {
    scores.get(index).copied().unwrap_or(0.0)
}

/// A message's score with what its neighbours lend it, given those of the two before, its own, and
/// those of the two after, and whether the one before asks.
fn lent([two_before, before, own, after, two_after]: [f32; 5], is_asked: bool) -> f32 {
    let of_before = if is_asked { ASKED_BEFORE } else { BEFORE };
    own + of_before * before + AFTER * after + TWO_APART * (two_before + two_after)
}

/// BM25's weight of a count.
fn saturated(count: f32, reduction: f32) -> f32 {
    count * (K1 + 1.0) / (count + reduction)
}

/// What BM25 adds to a count for a length relative to the average.
fn reduction(length: f32) -> f32 {
    K1 * (1.0 - B + B * length)
}

/// The weight of a term that this many of all hold.
fn rarity(holding: usize, total: usize) -> f32 {
    let (holding, total) = (holding as f32, total as f32);
    ln(1.0 + (total - holding + 0.5) / (holding + 0.5))
}

/// The natural logarithm of a number from 1, the same on every machine.
fn ln(number: f32) -> f32 {
    let bits = number.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let fraction = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    let part = (fraction - 1.0) / (fraction + 1.0);
    let square = part * part;
    let series = 1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square / 9.0)));
    exponent as f32 * std::f32::consts::LN_2 + 2.0 * part * series
}

/// Whether a text asks and says hardly anything else.
fn only_asks(text: &str) -> bool {
    const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];
    if !text.contains(['?', '？']) {
        return false;
    }
    let sentences = text.split_inclusive(ENDS);
    let (asks, says): (Vec<&str>, _) =
        sentences.partition(|sentence| sentence.ends_with(['?', '？']));
    let says = says.iter().flat_map(|sentence| words(sentence));
    !asks.is_empty() && says.filter(|word| !word.is_stop()).count() < 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(lines: &[(&str, &str)]) -> Index {
        let mut index = Index::new();
        for (speaker, text) in lines {
            index.add(&IndexEntry {
                speaker,
                text,
                ..IndexEntry::default()
            });
        }
        index
    }

    fn found(lines: &[(&str, &str)], question: &str) -> Vec<u32> {
        let hits = index(lines).search(question, 3, |entry| lines[entry as usize].1.into());
        hits.iter().map(|hit| hit.entry).collect()
    }

    #[test]
    fn whoever_is_asked_for_speaks() {
        let lines = [
            ("Ann", "My dog ran away."),
            ("Bob", "My dog is asleep."),
            ("Ann", "Poor thing."),
        ];
        assert_eq!(found(&lines, "What does Bob's dog do?")[0], 1);
        assert_eq!(found(&lines, "What did the animal of Ann do?")[0], 0);
    }

    #[test]
    fn pairs_of_characters_rank_what_characters_find() {
        let lines = [
            ("甲", "他口中说渡过这条河"),
            ("乙", "渡口的船沉了"),
            ("甲", "今天下雨"),
        ];
        assert_eq!(found(&lines, "渡口出了什么事？")[0], 1);
    }

    #[test]
    fn nothing_is_found_for_nothing() {
        let lines = [("Ann", "My dog ran away.")];
        assert!(found(&lines, "").is_empty());
        assert!(found(&lines, "?!… 🎲").is_empty());
        assert!(found(&lines, "Xylophone").is_empty());
        assert!(found(&[], "dog").is_empty());
        assert!(index(&lines).search("dog", 0, |_| "".into()).is_empty());
        let long = "dog and cat ".repeat(5_000);
        assert_eq!(found(&lines, &long), [0]);
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for number in [1.0_f32, 1.5, 1.999, 2.0, 3.7, 1000.0, 5.0e6] {
            assert!((ln(number) - number.ln()).abs() < 1e-4, "{number}");
        }
    }
}
