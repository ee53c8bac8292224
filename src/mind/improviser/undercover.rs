//! Playing who is the undercover: describing a word, and judging what others say by it.
//!
//! It knows no more than any player: its own card, and the lines that reached it, all taken from the
//! conversation. What can be said of a word it looks up by its own word alone, and like everybody it does
//! not know everything: some attributes of its word mean nothing to a player, and of the others it thinks
//! of some by itself. How far a line is from its word is how far it is from the nearest attribute that the
//! player knows; whoever said the farthest things is suspect, and where most of what the others say is far
//! off, it suspects itself, says no more than it must, and votes as the others do.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::chance::{hash, mix};
use super::kept::Kept;
use super::names::{Fact, Root};
use super::notes::{Notes, Numbered, bare};
use super::writer::{Writer, paragraph};
use crate::context::Entry;
use crate::message::{Bigrams, Digest, FoldedText, Role};
use crate::mind::Prompt;
use crate::world_data::Lexicon;

/// The tag of the message that deals a card, and the event of a line.
const CARD: &str = "card";
const DESCRIPTION: &str = "undercover_description";
const VOTES: &str = "undercover_votes";

/// How many in a hundred attributes of its word a player knows when it hears them, and how many of those
/// it thinks of by itself.
const KNOWN: u64 = 75;
const IN_MIND: u64 = 70;
/// How many in a hundred lines tell nothing on purpose.
const EVASIVE: usize = 40;
/// How narrow the lines of each round are, from 0 (what fits much) to 100 (what fits one word), and how
/// far chance moves a line.
const NARROWNESS: [usize; 5] = [0, 25, 50, 75, 100];
const DRIFT: usize = 10;
/// All distances go from 0 to this.
const FARTHEST: usize = 100;
/// Nearer lines say what one knows; it is only put otherwise.
const NEAR: usize = 30;
/// How far a line is that would fit anything.
const NOWHERE: usize = 0;
/// How far chance moves a suspicion. With these figures civilians win about two games in three, which is what
/// they would by lot: what they hear of the undercover in the first rounds, it makes good when it hides.
const DOUBT: usize = 50;
/// From how many telling lines on one judges oneself, and by which share of strange ones, in hundredths.
const ENOUGH: usize = 2;
const AT_HOME: usize = 30;
const ASTRAY: usize = 45;

/// Each word of a language with what can be said of it, from vague to narrow. Which word is whose
/// neighbour is not in it.
#[derive(Debug, Default)]
pub(super) struct Vocabulary(BTreeMap<String, Vec<Attribute>>);

#[derive(Clone, Debug)]
struct Attribute {
    text: String,
    hash: u64,
    finder: Finder<'static>,
    pairs: Bigrams,
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

    fn attributes(&self, word: &str) -> Option<&[Attribute]> {
        self.0.get(word).map(Vec::as_slice)
    }
}

/// What lines told those who heard them, by who knows what and by the line.
pub(super) type Senses = Kept<(Digest, Digest), Sense>;

/// What a player may look up.
pub(super) struct Lore<'l> {
    /// What can be said of words.
    pub(super) words: [&'l Vocabulary; 2],
    /// What it made of lines before.
    pub(super) senses: &'l Senses,
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
struct Line<'p> {
    who: &'p str,
    text: Cow<'p, str>,
    sense: Sense,
}

/// What one takes oneself for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Civilian,
    Undercover,
    Blank,
    Unsure,
}

/// An attribute of one's word that one knows.
#[derive(Clone, Copy)]
struct Known<'v> {
    attribute: &'v Attribute,
    /// Its place among all that can be said of the word, in hundredths.
    place: usize,
    /// Whether one thinks of it by oneself.
    in_mind: bool,
}

/// What a player has in mind.
struct Player<'p> {
    /// What it knows of its word, from vague to narrow.
    known: Vec<Known<'p>>,
    /// What others said, oldest first.
    lines: Vec<Line<'p>>,
    /// What it said itself.
    own: Vec<Cow<'p, str>>,
    standing: Standing,
    /// Its own word.
    word: String,
}

impl<'p> Player<'p> {
    fn of(prompt: &Prompt<'p>, lore: &Lore<'p>, writer: &Writer<'_>) -> Self {
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
        let found = lore.words.iter().find_map(|known| known.attributes(&word));
        let all = found.unwrap_or_default();
        let dealt = u64::from_le_bytes(std::array::from_fn(|at| me.0[at]));
        let known = all.iter().enumerate().filter_map(|(at, attribute)| {
            let lot = mix(&[dealt, attribute.hash]);
            (lot % 100 < KNOWN).then_some(Known {
                attribute,
                place: at * 100 / all.len().max(1),
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
        let standing = match word.is_empty() {
            true => Standing::Blank,
            false => standing(&lines),
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
    fn distance(&self, who: &str) -> usize {
        let lines = self.lines.iter().filter(|line| line.who == who);
        let (mut sum, mut count) = (0, 0);
        for line in lines {
            sum += line.sense.distance();
            count += 1;
        }
        usize::checked_div(sum, count).unwrap_or(NOWHERE)
    }

    /// Somebody's line that says most about it: the farthest, else the last.
    fn telling_line(&self, who: &str) -> Option<&Line<'p>> {
        let lines = self.lines.iter().filter(|line| line.who == who);
        lines.max_by_key(|line| line.sense.distance())
    }
}

/// Whether a message tells an event of this type.
fn is_event(entry: &Entry, kind: &str) -> bool {
    let metadata = entry.body().metadata();
    let told = metadata.and_then(|metadata| metadata.get("event")?.as_str());
    told == Some(kind)
}

/// How often a name stands in a message: in one that shows votes, the more often the more it got.
fn mentions(text: &str, name: &str) -> usize {
    text.matches(name).count()
}

/// The digest of a message, its speaker and the words of its line, where it is one.
fn heard(entry: &Entry) -> Option<(Digest, &str, Cow<'_, str>)> {
    let body = entry.body();
    let who = body.sender().filter(|_| is_event(entry, DESCRIPTION))?;
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
    let mut vague = writer.grammar.words(Root::UndercoverVague);
    let holds = |known: &Known<'_>| known.attribute.finder.find(text.as_bytes()).is_some();
    if known.iter().any(holds) {
        return Sense::Fits;
    }
    if vague.any(|words| words == text) {
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

/// A line about one's word.
pub(super) fn describe(
    prompt: &Prompt<'_>,
    notes: &Notes,
    lore: &Lore<'_>,
    writer: &mut Writer<'_>,
) -> String {
    let player = Player::of(prompt, lore, writer);
    let hidden = player.standing == Standing::Undercover;
    // Whoever was told that a line won't do tries another one.
    let refused = prompt.refused().map(|refused| refused.answer.as_str());
    let said = player.lines.iter().map(|line| &*line.text);
    let said = said
        .chain(player.own.iter().map(|text| &**text))
        .chain(refused);
    let said: Vec<_> = said.collect();
    let is_new = |known: &&Known<'_>| {
        let text = bare(&known.attribute.text);
        !said.iter().any(|said| said.contains(text))
    };
    let round = notes.round.max(1) as usize - 1;
    let narrowness = NARROWNESS.get(round).or(NARROWNESS.last());
    let target = narrowness.copied().unwrap_or(0);
    let fresh = player.known.iter().filter(|known| known.in_mind);
    let mut best: Option<(usize, &Attribute)> = None;
    for known in fresh.filter(is_new) {
        let distance = known.place.abs_diff(target) + writer.chance.below(DRIFT);
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, known.attribute));
        }
    }
    // Whoever takes itself for the one they look for tells nothing any more.
    let is_evasive = hidden || writer.chance.happens(EVASIVE);
    let known = best.filter(|_| !is_evasive);
    let mut say = || match known {
        Some((_, known)) => {
            writer.set(Fact::Attribute, known.text.clone());
            writer.line(Root::UndercoverLine)
        }
        None => writer.line(Root::UndercoverVague),
    };
    let mut line = say();
    for _ in 0..TRIES {
        if !holds_part(&line, &player.word) {
            break;
        }
        line = say();
    }
    line
}

/// How often a line is put otherwise because it holds a part of the word.
const TRIES: usize = 8;

/// Whether a line holds a part of the word: one of its ideographs, or of its words.
fn holds_part(line: &str, word: &str) -> bool {
    let line = line.to_lowercase();
    let word = word.to_lowercase();
    let ideograph = |c: char| c >= '\u{2E80}' && line.contains(c);
    word.chars().any(ideograph)
        || word
            .split_whitespace()
            .any(|part| part.len() > 2 && line.contains(part))
}

/// A vote with its reason; nothing where there is nobody to vote for.
pub(super) fn vote(
    prompt: &Prompt<'_>,
    notes: &Notes,
    lore: &Lore<'_>,
    writer: &mut Writer<'_>,
) -> Option<Value> {
    let player = Player::of(prompt, lore, writer);
    let mut entries = prompt.history.entries().iter().rev();
    let votes = entries.find(|entry| is_event(entry, VOTES));
    let votes = votes.map(|entry| entry.body().full_text());
    let votes = votes.as_deref().unwrap_or_default();
    let mut chosen: Option<(usize, &Numbered)> = None;
    for candidate in &notes.legal {
        let suspicion = match player.standing {
            Standing::Civilian | Standing::Unsure => player.distance(&candidate.name),
            // Whose word is the odd one can't judge by it, and votes as most others did.
            Standing::Undercover | Standing::Blank => 100 * mentions(votes, &candidate.name),
        };
        let suspicion = suspicion + writer.chance.below(DOUBT);
        if chosen.is_none_or(|(most, _)| suspicion > most) {
            chosen = Some((suspicion, candidate));
        }
    }
    let (_, chosen) = chosen?;
    let mut reasons: Vec<_> = notes
        .companions
        .iter()
        .map(|other| opinion(&player, other, writer))
        .collect();
    reasons.push(writer.line(match player.standing {
        Standing::Civilian => Root::UndercoverCivilian,
        Standing::Undercover => Root::UndercoverHidden,
        Standing::Blank | Standing::Unsure => Root::UndercoverUnsure,
    }));
    writer.set(Fact::Player, chosen.name.clone());
    reasons.push(writer.line(Root::UndercoverVote));
    Some(json!({
        "reason": paragraph(writer.language, &reasons),
        "i_am": name_of(player.standing),
        "vote_number": chosen.id,
    }))
}

/// What one makes of somebody, in a sentence.
fn opinion(player: &Player<'_>, other: &str, writer: &mut Writer<'_>) -> String {
    writer.set(Fact::Player, other.to_owned());
    let line = player.telling_line(other);
    let said = line.map(|line| bare(&line.text).to_owned());
    writer.set(Fact::Said, said.unwrap_or_default());
    writer.line(match line.map(|line| line.sense) {
        Some(Sense::Strange(_)) => Root::UndercoverOdd,
        Some(Sense::Fits) => Root::UndercoverFits,
        Some(Sense::Nothing) | None => Root::UndercoverUnclear,
    })
}

/// What one believes of everybody.
pub(super) fn believe(
    prompt: &Prompt<'_>,
    notes: &Notes,
    lore: &Lore<'_>,
    writer: &mut Writer<'_>,
) -> Option<Value> {
    let player = Player::of(prompt, lore, writer);
    let mut players = Vec::new();
    for other in &notes.legal {
        let is = match player.distance(&other.name) {
            _ if player.standing == Standing::Blank => Standing::Unsure,
            ..=15 => Standing::Civilian,
            // To whoever is undercover, the others are not.
            _ if player.standing == Standing::Undercover => Standing::Civilian,
            45.. => Standing::Undercover,
            _ => Standing::Unsure,
        };
        let why = opinion(&player, &other.name, writer);
        players.push(json!({"player": other.id, "is": name_of(is), "why": why}));
    }
    let why = writer.line(match player.standing {
        Standing::Civilian => Root::UndercoverCivilian,
        Standing::Undercover => Root::UndercoverHidden,
        Standing::Blank | Standing::Unsure => Root::UndercoverUnsure,
    });
    Some(json!({"players": players, "i_am": name_of(player.standing), "why": why}))
}

/// What one keeps of the rounds so far: the last lines of everybody.
pub(super) fn sum_up(
    prompt: &Prompt<'_>,
    notes: &Notes,
    lore: &Lore<'_>,
    writer: &mut Writer<'_>,
) -> String {
    /// How many lines of each player are kept.
    const LINES: usize = 4;
    let player = Player::of(prompt, lore, writer);
    let mut kept = Vec::new();
    for name in &notes.must {
        let lines = player.lines.iter().rev().filter(|line| line.who == *name);
        let mut said: Vec<_> = lines.take(LINES).map(|line| bare(&line.text)).collect();
        if *name == notes.me {
            said = player
                .own
                .iter()
                .rev()
                .take(LINES)
                .map(|text| bare(text))
                .collect();
        }
        said.reverse();
        writer.set(Fact::Player, name.clone());
        writer.set(
            Fact::Said,
            said.join(match writer.language {
                crate::mind::Language::En => "; ",
                crate::mind::Language::Zh => "；",
            }),
        );
        kept.push(writer.line(match said.is_empty() {
            true => Root::UndercoverSilent,
            false => Root::UndercoverRecall,
        }));
    }
    paragraph(writer.language, &kept)
}

fn name_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Civilian => "civilian",
        Standing::Undercover => "undercover",
        Standing::Blank => "blank",
        Standing::Unsure => "unsure",
    }
}
