//! What a player makes of what it heard.

use std::borrow::Cow;

use super::vocabulary::{Attribute, Vocabulary};
use crate::context::Entry;
use crate::event::AgentEvent;
use crate::message::{Digest, FoldedText, Role};
use crate::mind::improviser::Writer;
use crate::mind::improviser::kept::Kept;
use crate::mind::splitmix::mix;
use crate::mind::{Language, Prompt};
use crate::undercover::events::{CARD, Described};

/// How many in a hundred attributes of its word a player knows when it hears them, and how many of those
/// it thinks of by itself.
const KNOWN: u64 = 75;
const IN_MIND: u64 = 70;
/// All distances go from 0 to this.
const FARTHEST: usize = 100;
/// Nearer lines say what one knows; it is only put otherwise.
const NEAR: usize = 30;
/// How far a line is that would fit anything.
const NOWHERE: usize = 0;
/// From how many telling lines on one judges oneself, and by which share of strange ones, in hundredths.
const ENOUGH: usize = 2;
const AT_HOME: usize = 30;
const ASTRAY: usize = 45;

/// What a player may look up.
#[derive(Default)]
pub(super) struct Lore {
    /// Words of a game's own, which come before those of the program.
    own: Option<(Language, Vocabulary)>,
    /// What it made of lines before, by who knows what and by the line.
    senses: Kept<(Digest, Digest), Sense>,
}

impl Lore {
    /// What comes with the program, and some words of one language.
    pub(super) fn with_words(language: Language, words: Vocabulary) -> Self {
        Self {
            own: Some((language, words)),
            senses: Kept::default(),
        }
    }

    /// What can be said of a word.
    fn attributes(&self, language: Language, word: &str) -> &[Attribute] {
        let own = self.own.as_ref().filter(|(own, _)| *own == language);
        own.and_then(|(_, words)| words.attributes(word))
            .or_else(|| Vocabulary::shipped(language).attributes(word))
            .unwrap_or_default()
    }
}

/// What a line tells somebody who holds a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// It is true of the word, as far as one knows.
    Fits,
    /// It is this far from everything that one knows of it.
    Strange(usize),
    /// It would fit anything.
    Nothing,
}

impl Sense {
    fn distance(self) -> usize {
        match self {
            Self::Fits => 0,
            Self::Strange(distance) => distance,
            Self::Nothing => NOWHERE,
        }
    }
}

/// A line that was heard.
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

/// What a player has in mind.
pub(super) struct Player<'p> {
    /// What it knows of its word, from vague to narrow.
    pub(super) known: Vec<Known<'p>>,
    /// What others said, oldest first.
    pub(super) lines: Vec<Line<'p>>,
    /// What it said itself.
    pub(super) own: Vec<Cow<'p, str>>,
    pub(super) standing: Standing,
    /// Its own word.
    pub(super) word: String,
}

impl<'p> Player<'p> {
    pub(super) fn of(prompt: &Prompt<'p>, lore: &'p Lore, writer: &Writer<'_>) -> Self {
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
        let known = attributes
            .iter()
            .enumerate()
            .filter_map(|(place, attribute)| {
                let lot = mix(&[seed, attribute.hash]);
                (lot % 100 < KNOWN).then_some(Known {
                    attribute,
                    place: place * 100 / attributes.len().max(1),
                    in_mind: lot / 100 % 100 < IN_MIND,
                })
            });
        let known: Vec<_> = known.collect();
        let own = entries.iter().filter(|entry| entry.role() == Role::Ai);
        let own = own.map(|entry| entry.body().full_text());
        let heard: Vec<_> = entries.iter().filter_map(heard).collect();
        let texts = heard
            .iter()
            .map(|(digest, _, text)| ((me, *digest), &**text));
        let senses = lore.senses.all(texts, |text| sense(text, &known, writer));
        let lines = heard.into_iter().zip(senses);
        let lines = lines.map(|((_, who, text), sense)| Line { who, text, sense });
        let lines: Vec<_> = lines.collect();
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

    /// How far somebody's lines are from one's word on the whole.
    pub(super) fn distance(&self, who: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.who == who);
        let (mut sum, mut count) = (0, 0);
        for line in lines {
            sum += line.sense.distance();
            count += 1;
        }
        usize::checked_div(sum, count).unwrap_or(NOWHERE)
    }

    /// Somebody's line that says most about it: the farthest, else the last.
    pub(super) fn telling_line(&self, who: &str) -> Option<&Line<'p>> {
        let lines = self.lines.iter().filter(|line| line.who == who);
        lines.max_by_key(|line| line.sense.distance())
    }
}

/// Whether a message tells an event of this type.
pub(super) fn is_event(entry: &Entry, kind: &str) -> bool {
    let metadata = entry.body().metadata();
    let told = metadata.and_then(|metadata| metadata.get("event")?.as_str());
    told == Some(kind)
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

/// What a line tells somebody who knows this.
fn sense(text: &str, known: &[Known<'_>], writer: &Writer<'_>) -> Sense {
    let holds = |known: &Known<'_>| known.attribute.finder.find(text.as_bytes()).is_some();
    if known.iter().any(holds) {
        return Sense::Fits;
    }
    if writer.words("undercover.vague").any(|words| words == text) {
        return Sense::Nothing;
    }
    let said = FoldedText::of(text).bigrams();
    let nearness = known
        .iter()
        .map(|known| said.share_of(&known.attribute.pairs));
    let nearest = nearness.fold(0.0, f64::max);
    match ((1.0 - nearest) * FARTHEST as f64) as usize {
        ..=NEAR => Sense::Fits,
        distance => Sense::Strange(distance),
    }
}

/// What one takes oneself for, by how much of what the others say is strange.
fn standing(lines: &[Line<'_>]) -> Standing {
    let count = |is: fn(&Sense) -> bool| lines.iter().filter(|line| is(&line.sense)).count();
    let strange = count(|sense| matches!(sense, Sense::Strange(_)));
    let telling = strange + count(|sense| *sense == Sense::Fits);
    match (100 * strange).checked_div(telling) {
        Some(share) if telling >= ENOUGH && share >= ASTRAY => Standing::Undercover,
        Some(share) if telling >= ENOUGH && share <= AT_HOME => Standing::Civilian,
        _ => Standing::Unsure,
    }
}
