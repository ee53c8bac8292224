//! From records to paragraphs.

use std::collections::BTreeSet;

use playhouse::event::guard::GuardAct;
use playhouse::event::kinds::{
    Announce, Archive, Arrive, Death, Kickoff, Leave, Mind, Query, Refusal, Sighting, Speak,
    Whisper,
};
use playhouse::event::{AnswerRecord, By, CallRecord, EventRecord};
use playhouse::rpg::events::{Day, Homecoming, Journey, Narration, Scene};
use serde::de::DeserializeOwned;

use super::roster::Roster;
use crate::cli::output::{Ink, Paragraph};
use crate::cli::words::Words;

/// The mark of an answer that the rules gave in a mind's place.
const STAND_IN: &str = " °";
/// The most characters of a tool's result that a reader sees.
const LONGEST_RESULT: usize = 160;

/// Turns records into paragraphs. Remembers what it told in this turn, so that nothing is told
/// twice where an answer and an event say the same.
pub(super) struct Teller {
    pub(super) words: Words,
    pub(super) roster: Roster,
    told: BTreeSet<String>,
    /// The looks that were told.
    looks: BTreeSet<String>,
    /// Those whose last answer the rules gave, and whose deed is still to be told.
    stand_ins: BTreeSet<String>,
    /// Whether any answer of the rules was shown.
    pub(super) marked: bool,
}

impl Teller {
    pub(super) fn new(words: Words, roster: Roster) -> Self {
        Self {
            words,
            roster,
            told: BTreeSet::new(),
            looks: BTreeSet::new(),
            stand_ins: BTreeSet::new(),
            marked: false,
        }
    }

    /// Forgets what was told in the turn that is over.
    pub(super) fn turn_is_over(&mut self) {
        self.told.clear();
        self.stand_ins.clear();
    }

    /// An answer: prose is shown, plans and cards are told by their events.
    pub(super) fn answer(&mut self, answer: &AnswerRecord) -> Vec<Paragraph> {
        if matches!(answer.by, By::Fallback(_)) {
            self.stand_ins.insert(answer.entity.to_string());
        }
        let is_prose = matches!(
            answer.purpose.as_str(),
            "kickoff" | "home.scene" | "combat.initiation" | "combat.narrate"
        );
        let calls = answer.calls.iter();
        let mut all: Vec<_> = calls.map(|call| self.call(&answer.entity, call)).collect();
        if is_prose {
            all.extend(self.prose(&answer.entity, &answer.text));
        }
        all
    }

    /// A tool that somebody's mind called before it answered.
    fn call(&self, who: &str, call: &CallRecord) -> Paragraph {
        let CallRecord {
            tool, arguments, ..
        } = call;
        let result: String = call.result.split_whitespace().collect::<Vec<_>>().join(" ");
        let result: String = result.chars().take(LONGEST_RESULT).collect();
        let note = match call.is_error {
            false => self.words.tool_returned(who, tool, arguments, &result),
            true => self.words.tool_failed(who, tool, arguments, &result),
        };
        Paragraph::indented(2, 4).add(Ink::Dim, note)
    }

    /// An event.
    pub(super) fn event(&mut self, event: &EventRecord) -> Vec<Paragraph> {
        let mut all = self.known(event).unwrap_or_else(|| {
            let text = Paragraph::indented(2, 4).plain(&event.text);
            vec![text]
        });
        all.extend(event.guarded.iter().map(|act| self.guarded(act)));
        all
    }

    /// The paragraphs of an event whose type is known and whose data fit it.
    fn known(&mut self, event: &EventRecord) -> Option<Vec<Paragraph>> {
        Some(match event.kind.as_str() {
            "kickoff" => {
                let Kickoff { actor, message } = data(event)?;
                self.prose(&actor, &message)
            }
            "scene" => {
                let Scene { stage, message } = data(event)?;
                self.roster.note_stage(&stage);
                self.prose(&stage, &message)
            }
            "narration" => {
                let Narration { stage, message } = data(event)?;
                self.roster.note_stage(&stage);
                self.prose(&stage, &message)
            }
            "speak" => {
                let event: Speak = data(event)?;
                let to = match event.target.as_str() {
                    "" | "all" => String::new(),
                    target => self.words.to(target),
                };
                vec![self.said(&event.actor, &to, &event.message, Ink::Plain)]
            }
            "whisper" => {
                let event: Whisper = data(event)?;
                let to = self.words.whispers(&event.target);
                vec![self.said(&event.actor, &to, &event.message, Ink::Whisper)]
            }
            "announce" => {
                let event: Announce = data(event)?;
                self.once(&format!("announce {} {}", event.actor, event.message))?;
                vec![self.said(
                    &event.actor,
                    &self.words.announces(),
                    &event.message,
                    Ink::Voice,
                )]
            }
            "mind" => {
                let event: Mind = data(event)?;
                let thought = self.aside(&event.actor, &self.words.thinks(), &event.message);
                vec![thought]
            }
            "query" => self.query(&data(event)?),
            "refusal" => {
                let event: Refusal = data(event)?;
                let what = self.words.refused(&event.actor, &event.action);
                let what = format!("{what}{}{}", self.words.colon(), event.reason);
                vec![Paragraph::indented(4, 6).add(Ink::Dim, what)]
            }
            "leave" => {
                let event: Leave = data(event)?;
                vec![moved("→ ", self.words.leaves(&event.actor, &event.to))]
            }
            "arrive" => {
                let event: Arrive = data(event)?;
                let what = match event.from.as_str() {
                    "" => self.words.appears(&event.actor),
                    from => self.words.arrives(&event.actor, from),
                };
                vec![moved("← ", what)]
            }
            "appearance" => {
                let Sighting { actor, look } = data(event)?;
                // Who meets whom is told to each; readers need it once.
                match self.looks.insert(format!("{actor} {look}")) {
                    true => vec![self.aside(&actor, "", &look)],
                    false => Vec::new(),
                }
            }
            "death" => {
                let event: Death = data(event)?;
                let what = match event.by.as_str() {
                    "" => self.words.falls(&event.actor),
                    by => self.words.falls_by(&event.actor, by),
                };
                let cross = Paragraph::indented(4, 6).add(Ink::Bad, "✝ ");
                vec![cross.add(Ink::Bad, what)]
            }
            "archive" => {
                let event: Archive = data(event)?;
                let who = self.words.remembers(&event.actor);
                let summary = Paragraph::indented(2, 4).add(Ink::Dim, format!("❧ {who}"));
                vec![summary.plain(self.words.colon()).plain(&event.message)]
            }
            "day" => self.day(&data(event)?),
            "dungeon" => self.journey(&data(event)?),
            "combat_start" => self.combat_start(&data(event)?),
            "combat_round" => self.combat_round(&data(event)?),
            "card_played" => self.card_played(&data(event)?),
            "status_change" => self.status_change(&data(event)?),
            "combat_outcome" => self.combat_outcome(&data(event)?),
            "finale" => self.finale(&data(event)?, &event.text),
            _ => return None,
        })
    }

    /// Free text: a stage's as the story's own words, others' with their name; once a turn.
    fn prose(&mut self, who: &str, text: &str) -> Vec<Paragraph> {
        if self.once(&format!("prose {who} {text}")).is_none() {
            self.stand_ins.remove(who);
            return Vec::new();
        }
        match self.roster.is_stage(who) {
            true => vec![self.with_stand_in(Paragraph::indented(2, 2).plain(text), who)],
            false => vec![self.said(who, "", text, Ink::Plain)],
        }
    }

    fn said(&mut self, who: &str, how: &str, text: &str, ink: Ink) -> Paragraph {
        let said = Paragraph::indented(2, 4)
            .add(self.roster.ink(who), who)
            .add(Ink::Dim, how)
            .plain(self.words.colon())
            .add(ink, text);
        self.with_stand_in(said, who)
    }

    fn aside(&self, who: &str, how: &str, text: &str) -> Paragraph {
        let colon = self.words.colon();
        Paragraph::indented(4, 4).add(Ink::Thought, format!("({who}{how}{colon}{text})"))
    }

    fn query(&self, event: &Query) -> Vec<Paragraph> {
        let asked = self.aside(&event.actor, &self.words.searches(), &event.message);
        let found = match event.found.is_empty() {
            true => vec![self.words.nothing_found()],
            false => event.found.clone(),
        };
        let found = found
            .into_iter()
            .map(|text| Paragraph::indented(6, 8).add(Ink::Dim, format!("… {text}")));
        std::iter::once(asked).chain(found).collect()
    }

    fn day(&mut self, event: &Day) -> Vec<Paragraph> {
        if self
            .once(&format!("day {} {}", event.day, event.part))
            .is_none()
        {
            return Vec::new();
        }
        match event.part.as_str() {
            "end" => {
                let what = self.words.day_ends(event.day);
                vec![Paragraph::indented(2, 2).add(Ink::Dim, what)]
            }
            _ => chapter(&self.words.day(event.day)),
        }
    }

    fn journey(&mut self, event: &Journey) -> Vec<Paragraph> {
        let key = format!("journey {} {} {}", event.dungeon, event.part, event.stage);
        if self.once(&key).is_none() {
            return Vec::new();
        }
        let party = event.party.join(&self.words.comma());
        match event.part.as_str() {
            "enter" => {
                let mut all = chapter(&self.words.journey(&event.dungeon));
                let what = self.words.enters(&event.dungeon, &party);
                all.push(Paragraph::indented(2, 2).plain(what));
                all
            }
            "return" => vec![moved("→ ", self.words.returns(&event.dungeon))],
            _ => vec![moved("→ ", self.words.advances(&event.stage))],
        }
    }

    fn finale(&mut self, event: &Homecoming, text: &str) -> Vec<Paragraph> {
        if self.once("finale").is_none() {
            return Vec::new();
        }
        let mut all = chapter(&self.words.homecoming());
        all.push(Paragraph::indented(2, 2).plain(text));
        let tally = self.words.homecoming_tally(event.won, event.fights);
        all.push(Paragraph::indented(2, 2).add(Ink::Bold, tally));
        all
    }

    fn guarded(&self, act: &GuardAct) -> Paragraph {
        let words = self.words;
        let (guard, reason) = (&act.guard, &act.reason);
        let note = words.guard_note(&words.error_text(guard), &reason.in_language(words.0));
        Paragraph::indented(6, 8).add(Ink::Dim, note)
    }

    /// Marks what somebody says or does whose answer the rules gave.
    pub(super) fn with_stand_in(&mut self, paragraph: Paragraph, who: &str) -> Paragraph {
        match self.stand_ins.remove(who) {
            true => {
                self.marked = true;
                paragraph.add(Ink::Dim, STAND_IN)
            }
            false => paragraph,
        }
    }

    /// Nothing, if this was told in this turn.
    fn once(&mut self, what: &str) -> Option<()> {
        self.told.insert(what.to_owned()).then_some(())
    }
}

fn data<E: DeserializeOwned>(event: &EventRecord) -> Option<E> {
    E::deserialize(&event.data).ok()
}

fn moved(arrow: &str, what: String) -> Paragraph {
    Paragraph::indented(2, 4).add(Ink::Dim, format!("{arrow}{what}"))
}

/// A heading within a chapter.
pub(super) fn heading(sign: &str, text: &str) -> Paragraph {
    Paragraph::default().add(Ink::Bold, format!("{sign} {text} {sign}"))
}

/// The heading of a chapter, with room around it.
fn chapter(text: &str) -> Vec<Paragraph> {
    vec![Paragraph::blank(), heading("═══", text), Paragraph::blank()]
}
