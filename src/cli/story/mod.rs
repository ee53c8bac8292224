//! The story as people read it: records in, paragraphs out.
//!
//! Places do not wait for each other, so their records come interleaved. [`Story`] shows the place
//! that speaks first in a turn as it happens, keeps what happens elsewhere, and shows that place by
//! place when the turn is over: each scene is read in one piece. What a record looks like is told in
//! `teller.rs`, fights in `fight.rs`.

mod fight;
mod roster;
mod teller;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use playhouse::event::Record;

pub(crate) use self::roster::Roster;
use self::teller::{Teller, heading};
use super::output::{Ink, Page, Paragraph};
use super::words::Words;

/// Tells people what happens, record by record.
pub(crate) trait Tells: Send {
    /// Tells one record. False when nobody reads any more.
    fn tell(&mut self, record: &Record) -> bool;

    /// Shows what is still kept back, and explains the marks that were used.
    fn finish(&mut self);
}

/// Shows records as a story.
pub(crate) struct Story {
    page: Arc<Mutex<Page>>,
    teller: Teller,
    /// The place whose scene is shown as it happens.
    live: Option<Arc<str>>,
    /// What happened elsewhere in this turn, in order of first words.
    kept: Vec<(Arc<str>, Vec<Paragraph>)>,
    /// The place of the last heading.
    shown: Option<Arc<str>>,
    /// The turn whose mark stands before the next words.
    mark: Option<u64>,
}

impl Tells for Story {
    fn tell(&mut self, record: &Record) -> bool {
        let (place, paragraphs) = match record {
            Record::Turn { turn } => {
                self.turn(*turn);
                return !self.page().is_lost();
            }
            // Its archive event tells it, at its place.
            Record::Chapter { .. } => return true,
            Record::Event(event) => (&event.place, self.teller.event(event)),
            Record::Answer(answer) => (&answer.place, self.teller.answer(answer)),
        };
        if !paragraphs.is_empty() {
            self.place(place, paragraphs);
        }
        !self.page().is_lost()
    }

    fn finish(&mut self) {
        self.show_kept();
        if self.teller.marked {
            let note = self.teller.words.stand_in_note();
            let mut page = self.page();
            page.paragraph(&Paragraph::blank());
            page.paragraph(&Paragraph::of(Ink::Dim, note));
        }
        self.page().flush();
    }
}

impl Story {
    /// A story in these words, with those who are known at its start.
    pub(crate) fn new(page: Arc<Mutex<Page>>, words: Words, roster: Roster) -> Self {
        Self {
            page,
            teller: Teller::new(words, roster),
            live: None,
            kept: Vec::new(),
            shown: None,
            mark: None,
        }
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&mut self, turn: u64) {
        self.show_kept();
        self.teller.turn_is_over();
        self.mark = Some(turn);
    }

    fn place(&mut self, place: &Arc<str>, paragraphs: Vec<Paragraph>) {
        if place.is_empty() {
            // The meeting: all places rest.
            self.show_kept();
            return self.show(place, &paragraphs);
        }
        if self.live.get_or_insert_with(|| place.clone()) == place {
            return self.show(place, &paragraphs);
        }
        match self.kept.iter_mut().find(|(kept, _)| kept == place) {
            Some((_, kept)) => kept.extend(paragraphs),
            None => self.kept.push((place.clone(), paragraphs)),
        }
    }

    fn show_kept(&mut self) {
        self.live = None;
        for (place, paragraphs) in std::mem::take(&mut self.kept) {
            self.show(&place, &paragraphs);
        }
    }

    fn show(&mut self, place: &Arc<str>, paragraphs: &[Paragraph]) {
        let mut before = Vec::new();
        if let Some(turn) = self.mark.take() {
            let mark = format!("· {} ·", self.teller.words.turn(turn));
            before.extend([Paragraph::blank(), Paragraph::of(Ink::Dim, mark)]);
        }
        if self.shown.as_ref() != Some(place) {
            if self.teller.roster.is_stage(place) {
                before.extend([Paragraph::blank(), heading("──", place)]);
            } else {
                before.push(Paragraph::blank());
            }
            self.shown = Some(place.clone());
        }
        let mut page = self.page();
        for paragraph in before.iter().chain(paragraphs) {
            page.paragraph(paragraph);
        }
        page.flush();
    }
}
