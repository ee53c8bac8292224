//! A game of undercover as people read it: records in, paragraphs and tables out.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::event::kinds::Archive;
use crate::event::{AnswerRecord, AnsweredBy, EventRecord, Recipients, Record, Telling};
use crate::undercover::events::{
    CardDealt, Described, GameOver, NamedPlayer, RoundStarted, Verdict, VotesCast,
};
use crate::undercover::{PlayerId, PlayerRole, Table};

use super::record_printer::RecordPrinter;

/// The mark of a default answer.
const DEFAULT: &str = " °";

/// Prints the records of a game.
pub(crate) struct UndercoverPrinter {
    out: Arc<Mutex<Output>>,
    language: Language,
    /// Players with their numbers.
    players: Vec<NamedPlayer>,
    /// Those who gave a default description whose event is still to come.
    defaults: BTreeSet<String>,
    /// Whether any default description was printed.
    has_default_answers: bool,
    shows_ids: bool,
    /// The id of the event that is printed, until it is shown.
    id: Option<String>,
}

impl UndercoverPrinter {
    /// Prints a game in this language.
    pub(crate) fn new(out: Arc<Mutex<Output>>, language: Language, state: &Table) -> Self {
        let players = state.players.iter().map(|player| NamedPlayer {
            player_id: player.id,
            player: player.name.clone(),
        });
        Self {
            out,
            language,
            players: players.collect(),
            defaults: BTreeSet::new(),
            has_default_answers: false,
            shows_ids: false,
            id: None,
        }
    }

    /// The same printer, with or without the ids of events.
    pub(crate) fn with_ids(mut self, shows_ids: bool) -> Self {
        self.shows_ids = shows_ids;
        self
    }

    fn out(&self) -> MutexGuard<'_, Output> {
        lock(&self.out)
    }

    /// Writes paragraphs, the last with the id of the event.
    fn write(&mut self, paragraphs: impl IntoIterator<Item = Paragraph>) {
        let mut paragraphs: Vec<_> = paragraphs.into_iter().collect();
        if let Some(id) = self.id.take()
            && let Some(last) = paragraphs.pop()
        {
            paragraphs.push(last.add(Style::Dim, format!(" [{id}]")));
        }
        let mut out = self.out();
        for paragraph in paragraphs {
            out.paragraph(&paragraph);
        }
        out.flush();
    }

    fn write_table(&mut self, table: &TextTable) {
        let mut out = self.out();
        out.paragraph(&Paragraph::blank());
        table.write(&mut out);
        out.flush();
        drop(out);
        if self.id.is_some() {
            self.write([Paragraph::indented(2, 4)]);
        }
    }

    fn answer(&mut self, answer: &AnswerRecord) {
        if answer.purpose != "undercover.describe" {
            return;
        }
        if matches!(answer.by, AnsweredBy::Fallback(_)) {
            self.defaults.insert(answer.entity.to_string());
        }
    }

    fn event(&mut self, event: &EventRecord) {
        self.id = self.shows_ids.then(|| event.id.to_string());
        let known = self.of_round(event).or_else(|| self.of_game(event));
        if known.is_none() {
            let text = Paragraph::indented(2, 4).plain(&event.text);
            self.write([text]);
        }
    }

    /// Prints what happens in a round.
    fn of_round(&mut self, event: &EventRecord) -> Option<()> {
        let begins = event.read().map(|round| self.round(round));
        begins
            .or_else(|| event.read().map(|said| self.described(said)))
            .or_else(|| event.read().map(|votes| self.votes(votes)))
            .or_else(|| {
                event
                    .read()
                    .map(|verdict| self.verdict(verdict, &event.text))
            })
    }

    /// Prints what happens before and after rounds.
    fn of_game(&mut self, event: &EventRecord) -> Option<()> {
        let dealt = event.read().map(|deal| self.deal(deal));
        dealt
            .or_else(|| event.read().map(|archive| self.archive(archive)))
            .or_else(|| event.read().map(|over| self.end(over)))
    }

    fn described(&mut self, said: Described) {
        self.description(&said.player, &said.description);
    }

    fn verdict(&mut self, verdict: Verdict, text: &str) {
        let style = if verdict.out.is_some() {
            Style::Bold
        } else {
            Style::Dim
        };
        let text = Paragraph::indented(2, 4).add(style, text);
        self.write([Paragraph::blank(), text]);
    }

    fn archive(&mut self, Archive { actor, message, .. }: Archive) {
        let remembers = say!(self.language, story_remembers, actor);
        let row = Paragraph::indented(2, 4).add(Style::Dim, remembers);
        let colon = say!(self.language, cli_colon);
        self.write([row.plain(colon).plain(message)]);
    }

    fn deal(&mut self, deal: CardDealt) {
        let to = Recipients {
            names: &[],
            language: self.language,
        };
        let dealt = deal.third_person(&to).unwrap_or_default();
        let dealt = dealt.in_language(self.language);
        self.write([Paragraph::indented(2, 4).add(Style::Whisper, dealt)]);
    }

    fn round(&mut self, round: RoundStarted) {
        let heading = round.heading().unwrap_or_default();
        let heading = heading.in_language(self.language);
        let names = round.order.iter().map(|player| player.player.as_str());
        let order = names.collect::<Vec<_>>().join(" → ");
        self.write([
            Paragraph::blank(),
            Paragraph::of(Style::Bold, format!("── {heading} ──")),
            Paragraph::indented(2, 4).add(Style::Dim, order),
        ]);
    }

    fn description(&mut self, who: &str, text: &str) {
        let player = self.players.iter().find(|player| player.player == who);
        let number = player.map_or(String::new(), |player| format!("{} ", player.player_id));
        let mut row = Paragraph::indented(2, 4)
            .add(Style::Dim, number)
            .add(Style::Hero, who)
            .plain(say!(self.language, cli_colon))
            .plain(text);
        if self.defaults.remove(who) {
            self.has_default_answers = true;
            row = row.add(Style::Dim, DEFAULT);
        }
        self.write([row]);
    }

    /// Who votes for whom, and how many votes each gets.
    fn votes(&mut self, votes: VotesCast) {
        let voter = if votes.run_off {
            text!(story_run_off_voter)
        } else {
            text!(story_voter)
        };
        let mut table = TextTable::new([
            (voter.in_language(self.language), Alignment::Left),
            (say!(self.language, story_votes_for), Alignment::Left),
            (say!(self.language, story_votes), Alignment::Right),
        ]);
        for vote in &votes.votes {
            let mut tally = votes.tally.iter();
            let counted = tally.find(|counted| counted.player_id == vote.voter_id);
            let count = counted.map_or(0, |counted| counted.votes);
            let target = match vote.target_id {
                Some(id) => numbered(id, &vote.target),
                None => say!(self.language, story_abstains),
            };
            let voter = numbered(vote.voter_id, &vote.voter);
            table.row([voter, target, count.to_string()]);
        }
        self.write_table(&table);
    }

    fn end(&mut self, over: GameOver) {
        let winner = over.who_wins().in_language(self.language);
        let heads = [
            say!(self.language, story_player),
            say!(self.language, story_role),
            say!(self.language, story_word),
        ];
        let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
        for card in &over.cards {
            let role = match card.role {
                PlayerRole::Civilian => text!(story_civilian),
                PlayerRole::Undercover => text!(story_undercover),
                PlayerRole::Blank => text!(story_blank),
            };
            let word = card.word.clone().unwrap_or_else(|| "-".into());
            let player = numbered(card.player_id, &card.player);
            table.row([player, role.in_language(self.language), word]);
        }
        self.write([Paragraph::blank(), Paragraph::of(Style::Good, winner)]);
        self.write_table(&table);
    }
}

impl RecordPrinter for UndercoverPrinter {
    fn print(&mut self, record: &Record) -> bool {
        match record {
            Record::Event(event) => self.event(event),
            Record::Answer(answer) => self.answer(answer),
            // A chapter's archive event is printed; rounds are printed instead of turns.
            Record::Chapter { .. } | Record::Turn { .. } => {}
        }
        !self.out().is_lost()
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.has_default_answers) {
            let note = say!(self.language, story_default_answer);
            self.write([Paragraph::blank(), Paragraph::of(Style::Dim, note)]);
        }
    }
}

/// A player in tables.
fn numbered(id: PlayerId, name: &str) -> String {
    format!("{id} {name}")
}
