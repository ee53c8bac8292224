//! Telling what one knows: which fact, whom, and in which words.

use std::borrow::Cow;

use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::improviser::wording::{bare, low};
use playhouse_engine::mind::{Language, Notes};
use serde_json::{Map, Value, json};

use super::voice::called_by_bond;

/// In how many of a hundred times something is told in its own words, if it can be.
const VERBATIM: usize = 40;
/// In how many of a hundred times something is told in a whisper, and to everybody.
const WHISPERED: usize = 60;
const ANNOUNCED: usize = 4;

/// A fact that an actor knows and may tell.
pub(super) struct TellableFact<'n> {
    id: &'n str,
    title: &'n str,
    text: &'n str,
    /// From whom it was learned; empty if from nobody.
    pub(super) from: &'n str,
    /// Whether one's own goal or choice depends on it: it is seldom told beside these.
    pub(super) is_own: bool,
    /// Whether a goal of one's own is lost if it spreads: it is never told by chance.
    pub(super) is_feared: bool,
    /// Whether it has to be decided here who learns it: neither is it told by chance.
    is_decided_on: bool,
    /// Whether it found it out by itself.
    pub(super) is_found: bool,
    /// Those here who heard it from this one, or with it.
    aware: Vec<&'n str>,
}

impl<'n> TellableFact<'n> {
    pub(super) fn of(notes: Notes<'n>) -> Self {
        Self {
            id: notes.text("id"),
            title: notes.text("title"),
            text: notes.text("text"),
            from: notes.text("from"),
            is_own: notes.flag("is_own"),
            is_feared: notes.flag("is_feared"),
            is_decided_on: notes.flag("is_decided_on"),
            is_found: notes.flag("is_found"),
            aware: notes.texts("aware"),
        }
    }

    /// Whether it is about an actor.
    pub(super) fn names(&self, name: &str) -> bool {
        names(self.title, name) || names(self.text, name)
    }

    /// What it is about, as it follows "about"; `None` if `me` can't say it so: it names `me`, it
    /// is another actor's own words, or a sentence (what play made has no title).
    pub(super) fn about(&self, me: &str, language: Language) -> Option<Cow<'n, str>> {
        let is_own_words = self.title.starts_with("My ") || self.title.starts_with('我');
        let is_sentence = self.title == self.text;
        if is_sentence || names(self.title, me) || (is_own_words && !self.from.is_empty()) {
            return None;
        }
        Some(about(self.title, language))
    }

    /// Its text, if `me` can speak it as it is: it knows it first-hand, and is not named in it.
    fn verbatim(&self, me: &str, most: i64) -> Option<&'n str> {
        let text = bare(self.text);
        let is_short = most <= 0 || (text.chars().count() as i64) + 150 < most;
        let can_say = self.from.is_empty() && !names(text, me) && is_short && !text.contains('\n');
        can_say.then_some(text)
    }
}

/// A title as it stands within a sentence.
pub(super) fn about(title: &str, language: Language) -> Cow<'_, str> {
    let questions = ["Who ", "Whose ", "What ", "Why ", "How ", "Where ", "When "];
    let others = ["My ", "The ", "A ", "An "];
    let mut begins = questions.iter().chain(&others);
    let is_low = language == Language::En && begins.any(|begin| title.starts_with(begin));
    let title = bare(title);
    if is_low {
        low(title).into()
    } else {
        title.into()
    }
}

/// Whether a text names an actor, by the whole name or a part of it.
fn names(text: &str, name: &str) -> bool {
    let mut parts = name.split(' ').filter(|part| part.len() > 3);
    let given_name: String = name.chars().skip(1).collect();
    let is_han = !name.is_ascii();
    text.contains(name)
        || parts.any(|part| text.contains(part))
        || (is_han && given_name.chars().count() > 1 && text.contains(&given_name))
}

/// To whom something may be told.
pub(super) struct Listeners<'l, 'n> {
    pub(super) notes: Notes<'n>,
    pub(super) names: &'l [&'n str],
    pub(super) feelings: &'l [(&'n str, i64)],
    /// Who asked something last; empty if nobody did.
    pub(super) asker: &'n str,
}

/// A fact that an actor would tell to another.
pub(super) struct Telling<'n> {
    fact: &'n str,
    target: &'n str,
    /// How one feels about the other.
    bond: i64,
    symbol: &'static str,
    about: Option<(&'static str, Cow<'n, str>)>,
    is_again: bool,
    is_own: bool,
}

impl<'n> Telling<'n> {
    /// Chooses among all facts and listeners. Nobody is told what it told itself, and what is about
    /// an actor is seldom told to it.
    pub(super) fn choose(
        me: &str,
        facts: &[TellableFact<'n>],
        listeners: &Listeners<'_, 'n>,
        most: i64,
        writer: &mut Writer<'n>,
    ) -> Option<Self> {
        let bond = |name: &str| {
            let felt = listeners.feelings.iter().find(|(other, _)| *other == name);
            felt.map_or(0, |(_, value)| *value)
        };
        let free = facts.iter();
        let free = free.filter(|fact| !fact.is_feared && !fact.is_decided_on);
        let choices = free.flat_map(|fact| {
            let is_again = writer.remembers(&format!("\"{}\"", fact.id));
            let told = listeners.names.iter();
            let told = told.filter(|name| **name != fact.from && !fact.aware.contains(name));
            told.map(move |name| (fact, *name, is_again))
        });
        let choices: Vec<_> = choices.collect();
        let weights = choices.iter().map(|(fact, name, is_again)| {
            let mut weight = (4 + bond(name)).clamp(1, 7) as u32;
            if *name == listeners.asker {
                weight *= 3;
            }
            let is_seldom = fact.is_own || *is_again || fact.names(name);
            if is_seldom { weight } else { weight * 8 }
        });
        let weights: Vec<_> = weights.collect();
        let index = writer.rng().weighted(weights.iter().copied())?;
        let (fact, target, is_again) = choices.get(index)?;
        let about = fact.about(me, writer.language());
        let verbatim = fact.verbatim(me, most).filter(|text| {
            about.is_none() || (writer.rng().happens(VERBATIM) && !writer.remembers(text))
        });
        let (symbol, about) = match (verbatim, about) {
            (Some(text), _) => ("tell", Some(("secret", Cow::Borrowed(text)))),
            (None, Some(title)) => ("tell.about", Some(("title", title))),
            (None, None) if !fact.from.is_empty() => {
                let from = called_by_bond(listeners.notes, fact.from);
                ("tell.heard", Some(("from", from.into())))
            }
            (None, None) => ("tell.plain", None),
        };
        Some(Self {
            fact: fact.id,
            target,
            bond: bond(target),
            symbol,
            about,
            is_again: *is_again,
            is_own: fact.is_own,
        })
    }

    /// How much it attracts an actor of this openness, in a hundred turns.
    pub(super) fn weight(&self, openness: u32) -> u32 {
        let weight = openness * (4 + self.bond).clamp(1, 7) as u32 / 4;
        if self.is_again {
            weight / 6
        } else if self.is_own {
            weight / 3
        } else {
            weight.max(1)
        }
    }

    /// Fills what is said; returns the symbol of the thought behind it.
    pub(super) fn tell(
        self,
        kinds: &[&str],
        writer: &mut Writer<'n>,
        turn: &mut Map<String, Value>,
    ) -> Option<&'static str> {
        writer.set("target", self.target);
        writer.set("other", "");
        let is_verbatim = self.symbol == "tell";
        if let Some((name, words)) = self.about {
            writer.set(name, words);
        }
        let can = |kind: &str| kinds.contains(&kind);
        if is_verbatim && can("announce") && writer.rng().happens(ANNOUNCED) {
            let text = writer.line("announce.tell");
            turn.insert("announce".into(), json!({"text": text}));
            turn.insert("tells".into(), json!([self.fact]));
            return Some("mind.announce");
        }
        let is_whispered = can("whisper") && writer.rng().happens(WHISPERED);
        if !is_whispered && !can("speak") {
            return None;
        }
        let (kind, mind) = match is_whispered {
            true => ("whisper", "mind.whisper"),
            false => ("speak", "mind.speak"),
        };
        let text = match is_verbatim && is_whispered {
            true => writer.line("whisper"),
            false => writer.line(self.symbol),
        };
        turn.insert(kind.into(), json!({"target": self.target, "text": text}));
        turn.insert("tells".into(), json!([self.fact]));
        Some(mind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_speaks_of_itself_by_name() {
        let fact = |title: &'static str, text: &'static str, from: &'static str| TellableFact {
            id: "x",
            title,
            text,
            from,
            is_own: false,
            is_feared: false,
            is_decided_on: false,
            is_found: false,
            aware: Vec::new(),
        };
        let order = fact("Who had her holed", "Edda Hollis signed the order.", "");
        assert_eq!(order.verbatim("Edda Hollis", 600), None);
        assert_eq!(
            order.verbatim("Odile Marsh", 600),
            Some("Edda Hollis signed the order")
        );
        let about = order.about("Edda Hollis", Language::En);
        assert_eq!(about.as_deref(), Some("who had her holed"));
        let letter = fact(
            "My father's letter",
            "My father's letter says so.",
            "Odile Marsh",
        );
        assert_eq!(letter.about("Jory Teasel", Language::En), None);
        assert_eq!(letter.verbatim("Jory Teasel", 600), None);
        let made = fact("The rope holds.", "The rope holds.", "");
        assert_eq!(made.about("Jory Teasel", Language::En), None);
        let ticket = fact("一张火车票", "豆娘买了火车票。", "");
        assert_eq!(ticket.verbatim("沈豆娘", 600), None);
        assert_eq!(
            ticket.about("沈豆娘", Language::Zh).as_deref(),
            Some("一张火车票")
        );
    }
}
