//! What a player makes of what it heard.

use std::borrow::Cow;

use playhouse_engine::context::Entry;
use playhouse_engine::event::AgentEvent;
use playhouse_engine::message::{Digest, Role};
use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::improviser::cache::Cache;
use playhouse_engine::mind::splitmix::mix;
use playhouse_engine::mind::{Language, Prompt};

use super::vocabulary::{Attribute, Likeness, Vocabulary};
use crate::events::{CARD, Described};

/// How many in a hundred attributes of its word a player knows when it hears them, and how many of
/// those it thinks of by itself.
const KNOWN: u64 = 75;
const IN_MIND: u64 = 70;
/// All distances go from 0 to this.
const FARTHEST: usize = 100;
/// How far a line is that says what is true of another word, and tells little else.
const ASIDE: usize = 50;
/// How far a line is that says nearly what is true of another word.
const LIKE_ANOTHER: usize = 50;
/// How far a line is at most that says nothing one has heard of any word: it may well be true.
const UNHEARD: usize = 4;
/// How far a line is that would fit anything.
const NOWHERE: usize = 0;
/// From how many telling lines on one judges oneself, and by which share of those that don't fit,
/// in hundredths.
const ENOUGH: usize = 2;
const AT_HOME: usize = 25;
const ASTRAY: usize = 34;

/// What a player may look up.
#[derive(Default)]
pub(super) struct PlayerLore {
    /// Words of a game's own, which come before those of the program.
    own: Option<(Language, Vocabulary)>,
    /// What it made of lines before, by who knows what and by the line.
    senses: Cache<(Digest, Digest), Sense>,
}

impl PlayerLore {
    /// What comes with the program, and some words of one language.
    pub(super) fn with_words(language: Language, words: Vocabulary) -> Self {
        Self {
            own: Some((language, words)),
            senses: Cache::default(),
        }
    }

    /// What people know of words.
    fn vocabularies(&self, language: Language) -> impl Iterator<Item = &Vocabulary> {
        self.own
            .iter()
            .filter(move |(own, _)| *own == language)
            .map(|(_, words)| words)
            .chain([Vocabulary::shipped(language)])
    }

    /// What can be said of a word.
    fn attributes(&self, language: Language, word: &str) -> &[Attribute] {
        let own = self.own.as_ref().filter(|(own, _)| *own == language);
        own.and_then(|(_, words)| words.attributes(word))
            .or_else(|| Vocabulary::shipped(language).attributes(word))
            .unwrap_or_default()
    }
}

/// What a line tells the holder of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// It is true of the word, as far as one knows.
    Fits,
    /// It is true of another word, and this far from one's own.
    Strange(usize),
    /// One can't tell: it is in words that one has not heard of one's word, which may be as true.
    /// It is this far.
    Unheard(usize),
    /// It would fit anything.
    Nothing,
}

impl Sense {
    fn distance(self) -> usize {
        match self {
            Self::Fits => 0,
            Self::Strange(distance) | Self::Unheard(distance) => distance,
            Self::Nothing => NOWHERE,
        }
    }
}

pub(super) struct Line<'p> {
    pub(super) who: &'p str,
    pub(super) text: Cow<'p, str>,
    pub(super) sense: Sense,
}

/// What one takes oneself for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Civilian,
    Undercover,
    Blank,
    Unsure,
}

impl Standing {
    /// Its name in answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Civilian => "civilian",
            Self::Undercover => "undercover",
            Self::Blank => "blank",
            Self::Unsure => "unsure",
        }
    }
}

/// An attribute of one's word that one knows.
#[derive(Clone, Copy)]
pub(super) struct Known<'v> {
    pub(super) attribute: &'v Attribute,
    /// Its place among all that can be said of the word, in hundredths.
    pub(super) place: usize,
    /// Whether one thinks of it by oneself.
    pub(super) in_mind: bool,
}

pub(super) struct PlayerMind<'p> {
    /// What it knows of its word, from vague to narrow.
    pub(super) known: Vec<Known<'p>>,
    /// What others said, oldest first.
    pub(super) lines: Vec<Line<'p>>,
    /// What it said itself.
    pub(super) own: Vec<Cow<'p, str>>,
    pub(super) standing: Standing,
    pub(super) word: String,
}

impl<'p> PlayerMind<'p> {
    pub(super) fn of(prompt: &Prompt<'p>, lore: &'p PlayerLore, writer: &Writer<'_>) -> Self {
        let entries = prompt.history.entries();
        let card = entries.iter().find_map(|entry| {
            let tags = prompt.history.tags(entry.id())?;
            Some(tags.text(CARD)?.to_owned())
        });
        let word = card.unwrap_or_default();
        // What one knows differs from game to game: by the first messages, which differ too.
        let mut me = [prompt.language.code(), prompt.entity, &word]
            .join("\0")
            .into_bytes();
        for entry in entries.iter().take(3) {
            me.extend_from_slice(&entry.body().digest().0);
        }
        let me = Digest::of(&me);
        let attributes = lore.attributes(prompt.language, &word);
        let seed = u64::from_le_bytes(std::array::from_fn(|byte| me.0[byte]));
        let lot = |attribute: &Attribute| mix(&[seed, attribute.hash]);
        let known: Vec<_> = attributes
            .iter()
            .enumerate()
            .filter_map(|(place, attribute)| {
                let lot = lot(attribute);
                (lot % 100 < KNOWN).then_some(Known {
                    attribute,
                    place: place * 100 / attributes.len().max(1),
                    in_mind: lot / 100 % 100 < IN_MIND,
                })
            })
            .collect();
        let own = entries
            .iter()
            .filter(|entry| entry.role() == Role::Ai)
            .map(|entry| entry.body().full_text());
        let heard: Vec<_> = entries.iter().filter_map(heard).collect();
        let texts = heard
            .iter()
            .map(|(digest, _, text)| ((me, *digest), &**text));
        let listener = Listener {
            word: &word,
            knows: &|attribute: &Attribute| lot(attribute) % 100 < KNOWN,
            lore,
            writer,
        };
        let senses = lore.senses.all(texts, |text| listener.sense(text));
        let lines: Vec<_> = heard
            .into_iter()
            .zip(senses)
            .map(|((_, who, text), sense)| Line { who, text, sense })
            .collect();
        let standing = if word.is_empty() {
            Standing::Blank
        } else {
            standing(&lines)
        };
        Self {
            // Votes and beliefs are JSON; lines are not.
            own: own.filter(|text| !text.starts_with('{')).collect(),
            known,
            lines,
            standing,
            word,
        }
    }

    /// How far a player's lines are from one's word on the whole.
    pub(super) fn distance(&self, who: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.who == who);
        let (mut sum, mut count) = (0, 0);
        for line in lines {
            sum += line.sense.distance();
            count += 1;
        }
        usize::checked_div(sum, count).unwrap_or(NOWHERE)
    }

    /// The line of a player that says most about it: the farthest, else the last.
    pub(super) fn telling_line(&self, who: &str) -> Option<&Line<'p>> {
        let lines = self.lines.iter().filter(|line| line.who == who);
        lines.max_by_key(|line| line.sense.distance())
    }
}

/// Whether a message tells an event of this type.
pub(super) fn is_event(entry: &Entry, kind: &str) -> bool {
    entry.body().event_type() == Some(kind)
}

/// The digest of a message, its speaker and the words of its line, if it is one.
fn heard(entry: &Entry) -> Option<(Digest, &str, Cow<'_, str>)> {
    let body = entry.body();
    let who = body.sender().filter(|_| is_event(entry, Described::TYPE))?;
    let text = match body.full_text() {
        Cow::Borrowed(text) => Cow::Borrowed(quoted(text)),
        Cow::Owned(text) => Cow::Owned(quoted(&text).to_owned()),
    };
    Some((body.digest(), who, text))
}

/// What stands in quotes; the words around it are the table's.
fn quoted(text: &str) -> &str {
    let quotes = text.find('“').zip(text.rfind('”'));
    let inside = quotes.and_then(|(open, close)| text.get(open + '“'.len_utf8()..close));
    inside.unwrap_or(text)
}

/// A holder of a word who hears a line.
struct Listener<'l, 'w> {
    word: &'l str,
    /// Whether it has heard of an attribute, of whatever word.
    knows: &'l dyn Fn(&Attribute) -> bool,
    lore: &'l PlayerLore,
    writer: &'l Writer<'w>,
}

impl Listener<'_, '_> {
    /// What a line tells. Nobody has heard everything that is true of a word, so a line is strange
    /// only if it says what is known of another word.
    fn sense(&self, line: &str) -> Sense {
        let vocabularies = self.lore.vocabularies(self.writer.language());
        let like: Vec<_> = vocabularies.flat_map(|words| words.like(line)).collect();
        let knows = |like: &&Likeness<'_>| (self.knows)(like.attribute);
        let word = self.word;
        let own = || like.iter().filter(move |like| like.word == word);
        if own().filter(|like| like.is_same()).any(|like| knows(&like)) {
            return Sense::Fits;
        }
        let mut vague = self.writer.words("undercover.vague");
        if vague.any(|words| words == line) {
            return Sense::Nothing;
        }
        let nearest = own().map(|like| like.share().min(100)).max().unwrap_or(0);
        let unheard = Sense::Unheard(UNHEARD * (100 - nearest) / 100);
        if word.is_empty() || own().any(Likeness::is_same) {
            return unheard;
        }
        let others = like.iter().filter(|like| like.word != word);
        let strange = others.filter(|like| like.is_same()).filter(knows);
        let distance = strange.map(|like| match like.terms {
            _ if !like.is_held => LIKE_ANOTHER,
            0 | 1 => ASIDE,
            _ => FARTHEST,
        });
        distance.max().map_or(unheard, Sense::Strange)
    }
}

/// What one takes oneself for, by how much of what the others say does not fit.
fn standing(lines: &[Line<'_>]) -> Standing {
    let count = |is: fn(&Sense) -> bool| lines.iter().filter(|line| is(&line.sense)).count();
    // One line that is unheard of may be true; if many are, one's own word is the odd one.
    let astray = count(|sense| matches!(sense, Sense::Strange(_) | Sense::Unheard(_)));
    let telling = astray + count(|sense| *sense == Sense::Fits);
    match (100 * astray).checked_div(telling) {
        Some(share) if telling >= ENOUGH && share >= ASTRAY => Standing::Undercover,
        Some(share) if telling >= ENOUGH && share <= AT_HOME => Standing::Civilian,
        _ => Standing::Unsure,
    }
}
