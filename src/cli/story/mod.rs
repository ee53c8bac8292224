//! A campaign as people read it: records in, paragraphs out.
//!
//! Stages do not wait for each other, so their records arrive mixed. [`StoryPrinter`] prints the
//! stage that comes first in a turn as it happens, keeps the records of the others, and prints them
//! stage by stage when the turn is over, so that each scene can be read as one. If a scene has
//! opened, they wait until something begins on all stages, such as the next part of the day: what
//! is decided meanwhile, and what comes of it, belongs to its stage, until those arrive who were
//! sent from one to another.
//! `formatter.rs` says what a record looks like, `fight.rs` what a fight looks like, `outcome.rs`
//! what stands after its last words.

use crate::cli::prelude::*;
mod fight;
mod formatter;
mod outcome;
mod roster;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard};

use crate::cast::turn_number;
use crate::event::{EventRecord, EventStyle, Record, Sight};

use self::formatter::{Formatter, heading};
pub(crate) use self::outcome::write_outcome;
pub(crate) use self::roster::Roster;
use super::record_printer::RecordPrinter;

pub(crate) struct StoryPrinter {
    out: Arc<Mutex<Output>>,
    formatter: Formatter,
    /// Whether the ids of events, as `why` takes them, stand behind their words.
    shows_ids: bool,
    /// First words in places that nobody has reached yet.
    unreached: Vec<Record>,
    /// The stage whose scene is printed as it happens.
    live: Option<Arc<str>>,
    /// What happened on other stages, by when each came first.
    kept: Vec<(Arc<str>, Vec<Paragraph>)>,
    /// Whether a scene has opened since something happened on all stages.
    has_opened: bool,
    /// Where what was printed last took place; empty for all stages.
    printed: Option<Arc<str>>,
    /// The stage of the last heading, under which a scene goes on after what the world was told.
    headed: Option<Arc<str>>,
    /// The turns before the one to announce with the next paragraph, if the workings are shown.
    turn: Option<u64>,
}

impl RecordPrinter for StoryPrinter {
    fn print(&mut self, record: &Record) -> bool {
        if self.is_out_of_sight(record) {
            self.unreached.push(record.clone());
            return true;
        }
        let (place, paragraphs) = match record {
            Record::Turn { turn } => {
                self.end_turn(*turn);
                return !self.out().is_lost();
            }
            // Its archive event is printed.
            Record::Chapter { .. } => return true,
            Record::Event(event) => {
                let mut paragraphs = self.formatter.event(event);
                if let Some(last) = paragraphs.pop_if(|_| self.shows_ids) {
                    paragraphs.push(last.add(Style::Dim, format!(" [{}]", event.id)));
                }
                (self.formatter.place_of(event), paragraphs)
            }
            Record::Answer(answer) => (answer.place.clone(), self.formatter.answer(answer)),
        };
        if let Record::Event(event) = record
            && place.is_empty()
            && self.has_style(event, EventStyle::Move)
        {
            self.print_kept();
        }
        if !paragraphs.is_empty() {
            if place.is_empty() {
                // It concerns all stages, and none of them is running.
                self.print_kept();
                self.print_at(&place, &paragraphs);
            } else {
                self.add(&place, paragraphs);
            }
        }
        if let Record::Event(event) = record {
            self.has_opened |= self.has_style(event, EventStyle::SceneText);
            // What was kept stands before it.
            if self.has_style(event, EventStyle::Round) || self.has_style(event, EventStyle::Day) {
                self.headed = None;
            }
        }
        self.show_reached(record);
        !self.out().is_lost()
    }

    fn finish(&mut self) {
        self.print_kept();
        if self.formatter.has_default_answers {
            let note = say!(self.formatter.language, story_default_answer);
            let mut out = self.out();
            out.paragraph(&Paragraph::blank());
            out.paragraph(&Paragraph::of(Style::Dim, note));
        }
        self.out().flush();
    }
}

impl StoryPrinter {
    /// Prints a story in this language; the roster knows who is there at its start.
    pub(crate) fn new(out: Arc<Mutex<Output>>, language: Language, roster: Roster) -> Self {
        Self {
            out,
            formatter: Formatter::new(language, roster),
            shows_ids: false,
            unreached: Vec::new(),
            live: None,
            kept: Vec::new(),
            has_opened: false,
            printed: None,
            headed: None,
            turn: None,
        }
    }

    /// The same printer, with or without the ids of events.
    pub(crate) fn with_ids(mut self, shows_ids: bool) -> Self {
        self.shows_ids = shows_ids;
        self
    }

    /// The same printer after this many turns, with or without what is not part of the story:
    /// turns, what minds looked up, what judges found, what cards were held.
    pub(crate) fn with_workings(mut self, shows_workings: bool, turn: u64) -> Self {
        self.formatter.shows_workings = shows_workings;
        self.turn = Some(turn).filter(|_| shows_workings);
        self
    }

    /// The same printer for a reader who plays a character, or for one who doesn't. It leaves out a
    /// look that the reader knows.
    pub(crate) fn at_seat(mut self, seat: Option<Arc<str>>, known: Option<Sight<'_>>) -> Self {
        self.formatter.seat = seat;
        self.formatter.know_look(known);
        self
    }

    /// Whether these are first words in a place that nobody has reached yet.
    fn is_out_of_sight(&self, record: &Record) -> bool {
        let place = match record {
            Record::Event(event) if self.has_style(event, EventStyle::Opening) => &event.place,
            Record::Answer(answer) if answer.purpose == "kickoff" => &answer.place,
            _ => return false,
        };
        self.formatter.roster.is_far(place)
    }

    fn has_style(&self, event: &EventRecord, style: EventStyle) -> bool {
        let telling = self.formatter.telling(event);
        telling.is_some_and(|telling| telling.style() == style)
    }

    /// If a place is seen for the first time, prints the first words there.
    fn show_reached(&mut self, record: &Record) {
        let Record::Event(event) = record else {
            return;
        };
        let telling = self.formatter.telling(event);
        let seen = telling.filter(|telling| telling.style() == EventStyle::Look);
        let Some(seen) = seen.as_ref().and_then(|telling| telling.sight()) else {
            return;
        };
        if self.formatter.roster.reach(seen.what) {
            for record in std::mem::take(&mut self.unreached) {
                self.print(&record);
            }
        }
    }

    fn out(&self) -> MutexGuard<'_, Output> {
        lock(&self.out)
    }

    fn end_turn(&mut self, turn: u64) {
        for (place, note) in self.formatter.untold_defaults() {
            self.add(&place, vec![note]);
        }
        // What nobody reads waits for nothing.
        if !self.has_opened || self.out().is_muted() {
            self.print_kept();
        }
        self.formatter.end_turn();
        self.turn = Some(turn).filter(|_| self.formatter.shows_workings);
    }

    fn add(&mut self, place: &Arc<str>, paragraphs: Vec<Paragraph>) {
        // A character is on one stage at a time.
        if self.formatter.seat.is_some() || self.live.get_or_insert_with(|| place.clone()) == place
        {
            return self.print_at(place, &paragraphs);
        }
        match self.kept.iter_mut().find(|(kept, _)| kept == place) {
            Some((_, kept)) => kept.extend(paragraphs),
            None => self.kept.push((place.clone(), paragraphs)),
        }
    }

    fn print_kept(&mut self) {
        self.live = None;
        self.has_opened = false;
        for (place, paragraphs) in std::mem::take(&mut self.kept) {
            self.print_at(&place, &paragraphs);
        }
    }

    fn print_at(&mut self, place: &Arc<str>, paragraphs: &[Paragraph]) {
        let mut before = Vec::new();
        if let Some(turn) = self.turn.take() {
            let turn = say!(
                self.formatter.language,
                story_turn,
                turn = turn_number(turn)
            );
            before.push(Paragraph::blank());
            before.push(Paragraph::of(Style::Dim, format!("· {turn} ·")));
        }
        if self.printed.as_ref() != Some(place) {
            before.push(Paragraph::blank());
            if self.formatter.roster.is_stage(place) && self.headed.as_ref() != Some(place) {
                before.push(heading("──", place));
                self.headed = Some(place.clone());
            }
            self.printed = Some(place.clone());
        }
        let mut out = self.out();
        for paragraph in before.iter().chain(paragraphs) {
            out.paragraph(paragraph);
        }
        out.flush();
    }
}
