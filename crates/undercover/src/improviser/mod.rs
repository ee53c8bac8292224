//! How the improviser plays who is the undercover: describing a word, and judging what others say
//! by it.
//!
//! It knows no more than any player: its own card, and the lines that reached it, all taken from
//! the conversation. It knows what people say of all sorts of things, though not which of them is
//! on another card, and like everybody it does not know everything: some attributes mean nothing to
//! a player, and of those of its own word it thinks of some by itself. A line is strange if it says
//! what is known of another thing, word for word or nearly. What is unheard of may be as true as
//! anything, so a person may describe a word as they like. Whoever said the strangest things is
//! suspect, and if too little of what the others say fits, it suspects itself, says no more than it
//! must, and votes as the others do. Start reading at [`teach`], then `player.rs`.

mod player;
mod vocabulary;

use std::sync::Arc;

use playhouse_engine::event::AgentEvent;
use playhouse_engine::mind::improviser::wording::{bare, semicolon};
use playhouse_engine::mind::improviser::{Improviser, ImproviserSkill, Lessons, Writer};
use playhouse_engine::mind::{Language, Notes, Prompt};
use playhouse_engine::world_data::Lexicon;
use serde_json::{Value, json};

use self::player::{Known, PlayerLore, PlayerMind, Sense, Standing, is_event};
use self::vocabulary::{Attribute, Vocabulary};
use super::events::VotesCast;

/// Names that grammars may use: what can be said of a word, of whom one speaks, and what it said.
const FACTS: &[&str] = &["attribute", "player", "said"];
/// The symbols that skills write with, each with the facts that always come with it.
const SYMBOLS: &[(&str, &[&str])] = &[
    ("undercover.line", &["attribute"]),
    ("undercover.vague", &[]),
    ("undercover.odd", &["player", "said"]),
    ("undercover.fits", &["player", "said"]),
    ("undercover.unclear", &["player"]),
    ("undercover.i.civilian", &[]),
    ("undercover.i.undercover", &[]),
    ("undercover.i.unsure", &[]),
    ("undercover.vote", &["player"]),
    ("undercover.recall", &["player", "said"]),
    ("undercover.silent", &["player"]),
];

/// How many in a hundred lines tell nothing on purpose.
const EVASIVE: usize = 40;
/// How narrow the lines of each round are, from 0 (what fits much) to 100 (what fits one word), and
/// how far chance moves a line.
const NARROWNESS: [usize; 5] = [0, 25, 50, 75, 100];
const DRIFT: usize = 10;
/// How far chance moves a suspicion. With these figures civilians win about two games in three,
/// which is what they would by lot: what they hear of the undercover in the first rounds, it makes
/// good when it hides.
const DOUBT: usize = 150;
/// How often a line is put otherwise because it holds a part of the word.
const TRIES: usize = 8;
/// How many lines of each player a summary keeps.
const RECALLED: usize = 4;

/// Teaches the improviser to play, with the words that come with the program.
pub fn teach(lessons: &mut Lessons) {
    lessons.facts(FACTS).shipped(&["undercover"]);
    for (symbol, given) in SYMBOLS {
        lessons.symbol(symbol, given);
    }
    for (purpose, skill) in skills(PlayerLore::default()) {
        lessons.skill(purpose, skill);
    }
}

/// An improviser that was taught to play, knowing what can be said of these words of a language
/// too.
#[must_use]
pub fn with_words(improviser: &Improviser, language: Language, words: &Lexicon) -> Improviser {
    let lore = PlayerLore::with_words(language, Vocabulary::of(words));
    let skills = skills(lore).into_iter();
    skills.fold(improviser.clone(), |improviser, (purpose, skill)| {
        improviser.with_skill(purpose, skill)
    })
}

/// The skills by purpose, all of which look up the same.
fn skills(lore: PlayerLore) -> [(&'static str, PlayerSkill); 4] {
    let lore = Arc::new(lore);
    let skill = |answer: Answer| PlayerSkill {
        answer,
        lore: lore.clone(),
    };
    [
        ("undercover.describe", skill(describe)),
        ("undercover.summary", skill(sum_up)),
        ("undercover.vote", skill(vote)),
        ("undercover.belief", skill(believe)),
    ]
}

type Answer = fn(&Prompt<'_>, &PlayerMind<'_>, &mut Writer<'_>) -> Option<Value>;

/// An answer by what a player has in mind.
struct PlayerSkill {
    answer: Answer,
    lore: Arc<PlayerLore>,
}

impl ImproviserSkill for PlayerSkill {
    fn answer<'a>(&self, prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
        let player = PlayerMind::of(prompt, &self.lore, writer);
        (self.answer)(prompt, &player, writer)
    }
}

/// A line about one's word.
fn describe(
    prompt: &Prompt<'_>,
    player: &PlayerMind<'_>,
    writer: &mut Writer<'_>,
) -> Option<Value> {
    // A player that was told that a line won't do tries another one.
    let refused = prompt.refused().map(|refused| refused.answer.as_str());
    let said: Vec<_> = player
        .lines
        .iter()
        .map(|line| &*line.text)
        .chain(player.own.iter().map(|text| &**text))
        .chain(refused)
        .collect();
    let is_new = |known: &&Known<'_>| {
        let text = bare(&known.attribute.text);
        !said.iter().any(|said| said.contains(text))
    };
    let round = Notes::of(prompt).number("round").max(1) - 1;
    let narrowness = usize::try_from(round)
        .ok()
        .and_then(|round| NARROWNESS.get(round));
    let target = narrowness.or(NARROWNESS.last()).copied().unwrap_or(0);
    let fresh = player.known.iter().filter(|known| known.in_mind);
    let mut best: Option<(usize, &Attribute)> = None;
    for known in fresh.filter(is_new) {
        let distance = known.place.abs_diff(target) + writer.rng().below(DRIFT);
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, known.attribute));
        }
    }
    // A player that takes itself for the one they look for tells nothing any more.
    let is_hidden = player.standing == Standing::Undercover;
    let is_evasive = is_hidden || writer.rng().happens(EVASIVE);
    let known = best.filter(|_| !is_evasive);
    let mut say = || match known {
        Some((_, known)) => {
            writer.set("attribute", known.text.clone());
            writer.line("undercover.line")
        }
        None => writer.line("undercover.vague"),
    };
    let mut line = say();
    for _ in 0..TRIES {
        if !holds_part(&line, &player.word) {
            break;
        }
        line = say();
    }
    Some(line.into())
}

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

/// A vote with its reason; `None` if there is nobody to vote for.
fn vote(prompt: &Prompt<'_>, player: &PlayerMind<'_>, writer: &mut Writer<'_>) -> Option<Value> {
    let notes = Notes::of(prompt);
    let mut entries = prompt.history.entries().iter().rev();
    let told = entries.find(|entry| is_event(entry, VotesCast::TYPE));
    let votes = told.map_or_else(String::new, |entry| entry.body().full_text().to_string());
    let mut chosen: Option<(usize, Notes<'_>)> = None;
    for candidate in notes.list("legal") {
        let suspicion = match player.standing {
            Standing::Civilian | Standing::Unsure => player.distance(candidate.name()),
            // Whose word is the odd one can't judge by it, and votes as most others did: a message
            // that shows votes names a player with more of them more often.
            Standing::Undercover | Standing::Blank => 100 * votes.matches(candidate.name()).count(),
        };
        let suspicion = suspicion + writer.rng().below(DOUBT);
        if chosen.is_none_or(|(most, _)| suspicion > most) {
            chosen = Some((suspicion, candidate));
        }
    }
    let (_, chosen) = chosen?;
    let others = notes.texts("companions").into_iter();
    let mut reasons: Vec<_> = others.map(|other| opinion(player, other, writer)).collect();
    reasons.push(writer.line(of_oneself(player.standing)));
    writer.set("player", chosen.name().to_owned());
    reasons.push(writer.line("undercover.vote"));
    Some(json!({
        "reason": writer.paragraph(&reasons),
        "i_am": player.standing.name(),
        "vote_number": chosen.number("id"),
    }))
}

/// The symbol for what one takes oneself for.
fn of_oneself(standing: Standing) -> &'static str {
    match standing {
        Standing::Civilian => "undercover.i.civilian",
        Standing::Undercover => "undercover.i.undercover",
        Standing::Blank | Standing::Unsure => "undercover.i.unsure",
    }
}

/// What a player thinks of another, in a sentence.
fn opinion(player: &PlayerMind<'_>, other: &str, writer: &mut Writer<'_>) -> String {
    let line = player.telling_line(other);
    let said = line.map(|line| bare(&line.text).to_owned());
    writer.set("player", other.to_owned());
    writer.set("said", said.unwrap_or_default());
    writer.line(match line.map(|line| line.sense) {
        Some(Sense::Strange(_)) => "undercover.odd",
        Some(Sense::Fits) => "undercover.fits",
        Some(Sense::Unheard(_) | Sense::Nothing) | None => "undercover.unclear",
    })
}

/// What one believes of everybody.
fn believe(prompt: &Prompt<'_>, player: &PlayerMind<'_>, writer: &mut Writer<'_>) -> Option<Value> {
    let mut players = Vec::new();
    for other in Notes::of(prompt).list("legal") {
        let is = match player.distance(other.name()) {
            _ if player.standing == Standing::Blank => Standing::Unsure,
            ..=15 => Standing::Civilian,
            // To an undercover player, the others are not.
            _ if player.standing == Standing::Undercover => Standing::Civilian,
            45.. => Standing::Undercover,
            _ => Standing::Unsure,
        };
        let why = opinion(player, other.name(), writer);
        players.push(json!({"player": other.number("id"), "is": is.name(), "why": why}));
    }
    let why = writer.line(of_oneself(player.standing));
    Some(json!({"players": players, "i_am": player.standing.name(), "why": why}))
}

/// What one keeps of the rounds so far: the last lines of everybody.
fn sum_up(prompt: &Prompt<'_>, player: &PlayerMind<'_>, writer: &mut Writer<'_>) -> Option<Value> {
    let notes = Notes::of(prompt);
    let mut kept = Vec::new();
    for name in notes.texts("must") {
        let mut said: Vec<&str> = if name == notes.text("me") {
            let own = player.own.iter().rev().map(|text| bare(text));
            own.take(RECALLED).collect()
        } else {
            let lines = player.lines.iter().rev().filter(|line| line.who == name);
            lines.take(RECALLED).map(|line| bare(&line.text)).collect()
        };
        said.reverse();
        writer.set("player", name.to_owned());
        writer.set("said", said.join(semicolon(writer.language())));
        kept.push(writer.line(if said.is_empty() {
            "undercover.silent"
        } else {
            "undercover.recall"
        }));
    }
    Some(writer.paragraph(&kept).into())
}
