//! A game of who is the undercover as people read it: records in, the course of the table out.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use playhouse::event::kinds::Archive;
use playhouse::event::{AgentEvent, AnswerRecord, By, EventRecord, Record};
use playhouse::undercover::events::{
    CardDealt, Described, GameOver, NamedPlayer, RoundStarted, Verdict, VotesCast,
};
use playhouse::undercover::{PlayerId, Role, Side as Party, Table as State};
use serde::de::DeserializeOwned;

use super::output::{Ink, Page, Paragraph};
use super::story::Tells;
use super::tables::{Side, Table};
use super::words::Words;

/// The mark of a line that code gave in a mind's place.
const STAND_IN: &str = " °";

/// Tells people what happens at a table.
pub(crate) struct RoundTable {
    page: Arc<Mutex<Page>>,
    words: Words,
    /// Players with their numbers.
    players: Vec<NamedPlayer>,
    /// Those whose line code gave, and which is still to be told.
    stand_ins: BTreeSet<String>,
    /// Whether any such line was shown.
    marked: bool,
    /// Whether what is told is what one player learned. Its own lines are not told to it.
    is_seat: bool,
}

impl RoundTable {
    /// A table in these words. `is_seat` where a player's feed is told.
    pub(crate) fn new(page: Arc<Mutex<Page>>, words: Words, state: &State, is_seat: bool) -> Self {
        let players = state.players.iter().map(|player| NamedPlayer {
            player_id: player.id,
            player: player.name.clone(),
        });
        Self {
            page,
            words,
            players: players.collect(),
            stand_ins: BTreeSet::new(),
            marked: false,
            is_seat,
        }
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, paragraphs: impl IntoIterator<Item = Paragraph>) {
        let mut page = self.page();
        for paragraph in paragraphs {
            page.paragraph(&paragraph);
        }
        page.flush();
    }

    fn answer(&mut self, answer: &AnswerRecord) {
        if answer.purpose != "undercover.describe" {
            return;
        }
        if matches!(answer.by, By::Fallback(_)) {
            self.stand_ins.insert(answer.entity.to_string());
        }
        if self.is_seat {
            self.line(&answer.entity, &answer.text);
        }
    }

    fn event(&mut self, event: &EventRecord) {
        if self.known(event).is_none() {
            let text = Paragraph::indented(2, 4).plain(&event.text);
            self.write([text]);
        }
    }

    /// Tells an event whose type is known and whose data fit it.
    fn known(&mut self, event: &EventRecord) -> Option<()> {
        match event.kind.as_str() {
            CardDealt::TYPE => self.deal(&data(event)?),
            RoundStarted::TYPE => self.round(&data(event)?),
            Described::TYPE => {
                let said: Described = data(event)?;
                self.line(&said.player, &said.description);
            }
            VotesCast::TYPE => self.votes(&data(event)?),
            Verdict::TYPE => {
                let verdict: Verdict = data(event)?;
                let ink = match verdict.out {
                    Some(_) => Ink::Bold,
                    None => Ink::Dim,
                };
                let text = Paragraph::indented(2, 4).add(ink, &event.text);
                self.write([Paragraph::blank(), text]);
            }
            GameOver::TYPE => self.end(&data(event)?),
            Archive::TYPE => {
                let archive: Archive = data(event)?;
                let who = self.words.remembers(&archive.actor);
                let text = Paragraph::indented(2, 4).add(Ink::Dim, format!("❧ {who}"));
                self.write([text.plain(self.words.colon()).plain(&archive.message)]);
            }
            _ => return None,
        }
        Some(())
    }

    fn deal(&self, deal: &CardDealt) {
        let dealt = match deal.word.as_str() {
            "" => self.words.blank_card(&deal.player),
            word => self.words.card(&deal.player, word),
        };
        self.write([Paragraph::indented(2, 4).add(Ink::Whisper, dealt)]);
    }

    fn round(&self, round: &RoundStarted) {
        let heading = format!("── {} ──", self.words.round_of(round.round));
        let names = round.order.iter().map(|one| one.player.clone());
        let order = names.collect::<Vec<_>>().join(" → ");
        self.write([
            Paragraph::blank(),
            Paragraph::of(Ink::Bold, heading),
            Paragraph::indented(2, 4).add(Ink::Dim, order),
        ]);
    }

    fn line(&mut self, who: &str, text: &str) {
        let number = self.players.iter().find(|one| one.player == who);
        let number = number.map_or(String::new(), |one| format!("{} ", one.player_id));
        let mut line = Paragraph::indented(2, 4)
            .add(Ink::Dim, number)
            .add(Ink::Hero, who)
            .plain(self.words.colon())
            .plain(text);
        if self.stand_ins.remove(who) {
            self.marked = true;
            line = line.add(Ink::Dim, STAND_IN);
        }
        self.write([line]);
    }

    /// Who votes for whom, and how many votes each gets.
    fn votes(&self, votes: &VotesCast) {
        let words = self.words;
        let heading = match votes.run_off {
            true => words.run_off(),
            false => words.the_vote(),
        };
        let mut table = Table::new([
            (heading, Side::Left),
            (words.votes_for(), Side::Left),
            (words.votes(), Side::Right),
        ]);
        for vote in &votes.votes {
            let counted = votes
                .tally
                .iter()
                .find(|one| one.player_id == vote.voter_id);
            let target = match vote.target_id {
                Some(id) => numbered(id, &vote.target),
                None => words.abstains(),
            };
            let count = counted.map_or(0, |counted| counted.votes);
            let voter = numbered(vote.voter_id, &vote.voter);
            table.row([voter, target, count.to_string()]);
        }
        let mut page = self.page();
        page.paragraph(&Paragraph::blank());
        table.write(&mut page);
        page.flush();
    }

    fn end(&self, over: &GameOver) {
        let words = self.words;
        let winner = match (over.winner, over.rounds_ran_out) {
            (Party::Civilian, _) => words.civilians_won(over.round),
            (Party::Undercover, false) => words.undercover_won(over.round),
            (Party::Undercover, true) => words.undercover_stayed_hidden(over.round),
        };
        let mut table = Table::new([
            (words.player(), Side::Left),
            (words.role(), Side::Left),
            (words.word(), Side::Left),
        ]);
        for card in &over.cards {
            let word = card.word.clone().unwrap_or_else(|| "-".into());
            let player = numbered(card.player_id, &card.player);
            table.row([player, role_name(words, card.role), word]);
        }
        let mut page = self.page();
        page.paragraph(&Paragraph::blank());
        page.paragraph(&Paragraph::of(Ink::Good, winner));
        page.paragraph(&Paragraph::blank());
        table.write(&mut page);
        page.flush();
    }
}

impl Tells for RoundTable {
    fn tell(&mut self, record: &Record) -> bool {
        match record {
            Record::Event(event) => self.event(event),
            Record::Answer(answer) => self.answer(answer),
            // Its archive event tells a chapter; phases tell the turns.
            Record::Chapter { .. } | Record::Turn { .. } => {}
        }
        !self.page().is_lost()
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.marked) {
            let note = self.words.stand_in_note();
            self.write([Paragraph::blank(), Paragraph::of(Ink::Dim, note)]);
        }
    }
}

/// A player as tables show it.
fn numbered(id: PlayerId, name: &str) -> String {
    format!("{id} {name}")
}

fn role_name(words: Words, role: Role) -> String {
    match role {
        Role::Civilian => words.civilian(),
        Role::Undercover => words.undercover(),
        Role::Blank => words.blank(),
    }
}

fn data<T: DeserializeOwned>(event: &EventRecord) -> Option<T> {
    serde_json::from_value(event.data.clone()).ok()
}
