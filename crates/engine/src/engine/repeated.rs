//! How much of a prompt its provider has seen in the entity's last one, and what broke the rest.

use super::Engine;
use super::calls::PromptPiece;
use super::job::Job;
use crate::context::{AgentContext, Entry};
use crate::message::{Body, PromptBytes, Text};
use crate::mind::ExchangeRound;

impl Engine {
    /// Notes how much of a prompt its provider has seen before.
    pub(super) fn note_repeated_bytes(&mut self, job: &mut Job) {
        let whole = || self.world.get::<AgentContext>(job.ask.entity);
        let Some(context) = job.view.context.as_deref().or_else(whole) else {
            return;
        };
        let last = self.last_prompts.entry(job.ask.entity).or_default();
        // No prompt is empty.
        let is_first = last.pieces.is_empty();
        let entries = context.entries();
        let is_whole = job.view.context.is_none();
        // Then messages were only appended, and need not be looked at again.
        let is_unrevised = is_whole && last.revisions == Some(context.revisions());
        let known = match is_unrevised {
            true => last.history.min(entries.len()),
            false => 0,
        };
        last.revisions = is_whole.then(|| context.revisions());
        let is_same = |((new, _), (old, _)): &(PromptPiece, &PromptPiece)| new == old;
        let later = entries.get(known..).unwrap_or_default();
        let pairs = later.iter().map(of_entry).zip(&last.pieces[known..]);
        let same = known + pairs.take_while(is_same).count();
        // What stood after the history may have become a part of it.
        let new = entries.get(same..).unwrap_or_default();
        let rest: Vec<_> = new.iter().map(of_entry).chain(asked(job)).collect();
        let old = last.pieces.get(same..).unwrap_or_default();
        let more = rest.iter().copied().zip(old).take_while(is_same);
        let same_in_all = same + more.count();
        let breaks = same_in_all < last.history;
        last.pieces.truncate(same);
        let mut end = last.pieces.last().map_or(0, |(_, end)| *end);
        last.pieces.extend(rest.into_iter().map(|(digest, bytes)| {
            end += bytes;
            (digest, end)
        }));
        let end_of = |count: usize| {
            let last_of = count
                .checked_sub(1)
                .and_then(|index| last.pieces.get(index));
            last_of.map_or(0, |(_, end)| *end)
        };
        let bytes = |from: usize, to: usize| end_of(to) - end_of(from);
        let count = last.pieces.len();
        let mut figures = PromptBytes {
            sent: bytes(0, count),
            ..PromptBytes::default()
        };
        let unseen = bytes(same_in_all.min(entries.len()), entries.len());
        if is_first {
            figures.first = figures.sent;
        } else {
            figures.repeated = bytes(0, same_in_all);
            let recalled = job
                .recalled
                .as_ref()
                .map_or(0, |recalled| recalled.text.as_str().len());
            let asked = bytes(entries.len().max(same_in_all), count);
            figures.recalled = asked.min(recalled as u64);
            figures.asked = asked - figures.recalled;
            let first = entries.get(same_in_all);
            let tags = first.and_then(|entry| context.tags(entry.id()));
            let place = if !breaks {
                &mut figures.new
            } else if tags.is_some_and(|tags| tags.text("chapter").is_some()) {
                &mut figures.archived
            } else {
                &mut figures.folded
            };
            *place = unseen;
        }
        last.history = entries.len();
        job.usage.prompt_bytes += figures;
        job.usage.figures.prompt_bytes = figures;
    }
}

fn of_text(text: &Text) -> PromptPiece {
    (text.digest().half(), text.as_str().len() as u64)
}

fn of_body(body: &Body) -> PromptPiece {
    (body.digest().half(), body.bytes() as u64)
}

fn of_entry(entry: &Entry) -> PromptPiece {
    let body = entry.body();
    body.short().map_or_else(|| of_body(body), of_text)
}

/// The messages after the history.
fn asked(job: &Job) -> impl Iterator<Item = PromptPiece> {
    let body = &job.ask.body;
    let short = body
        .short()
        .filter(|_| job.ask.question.parts().ask_short());
    let question = (!body.is_silent()).then(|| short.map_or_else(|| of_body(body), of_text));
    let recalled = job
        .recalled
        .as_ref()
        .map(|recalled| of_text(&recalled.text));
    let rounds = job.rounds.list.iter().flat_map(|round| match round {
        ExchangeRound::Tools(round) => vec![of_body(&round.called), of_body(&round.returned)],
        ExchangeRound::Note(note) => vec![of_text(note)],
        ExchangeRound::Refused(refused) => {
            vec![of_text(&refused.answer), of_text(&refused.complaint)]
        }
    });
    question.into_iter().chain(recalled).chain(rounds)
}
