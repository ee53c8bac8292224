//! How much of a prompt its provider has seen in the entity's last one, and what broke the rest.

use super::Engine;
use super::calls::PromptPiece;
use super::job::Job;
use crate::context::{AgentContext, Entry};
use crate::message::PromptBytes;
use crate::mind::ExchangeRound;

impl Engine {
    /// Notes how much of a prompt its provider has seen before.
    pub(super) fn note_repeated_bytes(&mut self, job: &mut Job) {
        let whole = || self.world.get::<AgentContext>(job.ask.entity);
        let Some(context) = job.view.context.as_deref().or_else(whole) else {
            return;
        };
        let is_first = !self.last_prompts.contains_key(&job.ask.entity);
        let last = self.last_prompts.entry(job.ask.entity).or_default();
        let entries = context.entries();
        let same = if last.generation == context.generation() {
            last.history.min(entries.len())
        } else {
            let pairs = entries.iter().map(piece).zip(&last.pieces);
            pairs.take_while(|(new, old)| new == *old).count()
        };
        // What stood after the history may have become a part of it.
        let rest = entries.get(same..).unwrap_or_default().iter().map(piece);
        let rest: Vec<_> = rest.chain(asked(job)).collect();
        let old = last.pieces.get(same..).unwrap_or_default();
        let more = old.iter().zip(&rest).take_while(|(old, new)| old == new);
        let same_in_all = same + more.count();
        let breaks = same_in_all < last.history;
        last.pieces.truncate(same);
        last.pieces.extend(rest);
        let bytes = |from: usize, to: usize| -> u64 {
            let pieces = last.pieces.get(from..to).unwrap_or_default().iter();
            pieces.map(|(_, bytes)| bytes).sum()
        };
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
        last.generation = context.generation();
        last.history = entries.len();
        job.usage.prompt_bytes += figures;
        job.usage.figures.prompt_bytes = figures;
    }
}

fn piece(entry: &Entry) -> PromptPiece {
    let body = entry.body();
    match body.short() {
        Some(short) => (short.digest(), short.as_str().len() as u64),
        None => (body.digest(), body.bytes() as u64),
    }
}

/// The messages after the history.
fn asked(job: &Job) -> impl Iterator<Item = PromptPiece> {
    let body = &job.ask.body;
    let short = body.short().filter(|_| job.ask.question.ask_short());
    let question = match short {
        Some(short) => (short.digest(), short.as_str().len() as u64),
        None => (body.digest(), body.bytes() as u64),
    };
    let question = (!body.is_silent()).then_some(question);
    let recalled = job.recalled.as_ref().map(|recalled| &recalled.text);
    let recalled = recalled.map(|text| (text.digest(), text.as_str().len() as u64));
    let rounds = job.rounds.list.iter().flat_map(|round| match round {
        ExchangeRound::Tools(round) => {
            let [called, returned] = [&round.called, &round.returned];
            [called, returned]
                .map(|body| (body.digest(), body.bytes() as u64))
                .to_vec()
        }
        ExchangeRound::Note(note) => vec![(note.digest(), note.as_str().len() as u64)],
        ExchangeRound::Refused(refused) => [&refused.answer, &refused.complaint]
            .map(|text| (text.digest(), text.as_str().len() as u64))
            .to_vec(),
    });
    question.into_iter().chain(recalled).chain(rounds)
}
