//! `export --to openai` and `--to sharegpt`: what characters were asked and answered, as examples
//! to train a model on.

use crate::cli::prelude::*;
use std::collections::BTreeMap;

use playhouse_engine::parallel;

use crate::interop::{Conversation, Profile, write_value};
use crate::journal::{AskEnding, Outcome};
use crate::message::{Block, Body, Digest, Message};
use crate::session::{CallRequest, PromptMessage, Wanted, requests};

use super::files::{LineFiles, file_of};
use super::stories::Story;
use crate::cli::args::ExportArgs;
use crate::cli::commands::play;
use crate::cli::printed::LeftOut;
use crate::cli::saved::Saved;

/// Which answers are examples, and what was left out so far.
pub(super) struct Picked<'a> {
    args: &'a ExportArgs,
    /// Whether whole stories are held out, since there are several.
    by_story: bool,
    examples: usize,
    left_out: LeftOut,
}

impl<'a> Picked<'a> {
    pub(super) fn new(args: &'a ExportArgs, stories: usize) -> Self {
        Self {
            args,
            by_story: stories > 1,
            examples: 0,
            left_out: LeftOut::default(),
        }
    }

    /// Adds the examples of a story: one for each answer, with what its mind was sent last.
    pub(super) fn add(
        &mut self,
        saved: &Saved,
        story: &Story,
        profile: Profile,
        files: &mut LineFiles,
    ) -> Result<()> {
        // What was said is the same in the form of any mind.
        let (stored, game) = (saved.story.clone(), saved.played.game());
        let found = requests(stored, game, Wanted::default(), |_| None);
        let found = play::runtime()?
            .block_on(found)
            .map_err(CommandError::from)?;
        let mut last = BTreeMap::new();
        for request in found {
            let outcome = &request.outcome;
            last.insert((outcome.entity.clone(), outcome.number), request);
        }
        let slot = saved.slot.name().as_str();
        for being in story.beings() {
            let own = last.range((being.name.clone(), 0)..=(being.name.clone(), u32::MAX));
            let own = own.filter_map(|(_, request)| Some((request, self.picks(&request.outcome)?)));
            let own: Vec<_> = own.collect();
            let lines = parallel::map(&own, |(request, answer)| {
                example(request, answer, profile).to_string()
            });
            self.examples += own.len();
            for ((request, _), line) in own.iter().zip(lines) {
                let ending = if self.holds_out(slot, &request.outcome) {
                    ".held-out.jsonl"
                } else {
                    ".jsonl"
                };
                files.add(file_of(being, ending), &being.name, &line)?;
            }
        }
        Ok(())
    }

    /// The answer of an outcome, if it is an example.
    fn picks<'o>(&mut self, outcome: &'o Outcome) -> Option<&'o str> {
        let AskEnding::Answered { text, .. } = &outcome.ending else {
            self.left_out.defaults += 1;
            return None;
        };
        if !outcome.refused.is_empty() && !self.args.repaired {
            self.left_out.repaired += 1;
            return None;
        }
        // Nothing is learned from an answer without words.
        if text.trim().chars().count() < self.args.min_length.max(1) as usize {
            self.left_out.short += 1;
            return None;
        }
        Some(text)
    }

    /// Whether an example is held out: of several stories, whole ones are, since their answers
    /// belong together.
    fn holds_out(&self, slot: &str, outcome: &Outcome) -> bool {
        let seed = self.args.split_seed;
        let key = match self.by_story {
            true => format!("{seed}\n{slot}"),
            false => format!("{seed}\n{slot}\n{}\n{}", outcome.entity, outcome.number),
        };
        let Digest([a, b, c, d, ..]) = Digest::of(key.as_bytes());
        f64::from(u32::from_le_bytes([a, b, c, d])) < self.args.held_out * 2_f64.powi(32) / 100.0
    }

    /// Says what was left out.
    pub(super) fn report(self, app: &App) {
        let (examples, left_out) = (self.examples, self.left_out);
        let LeftOut {
            defaults,
            repaired,
            short,
        } = left_out;
        if examples + defaults + repaired + short == 0 {
            return;
        }
        let told = say!(
            app.language, cli_export_examples, examples, defaults, repaired, short
        );
        app.tell(&Printed::Examples { examples, left_out }, told);
    }
}

/// A line: what was sent, and the answer.
fn example(request: &CallRequest, answer: &str, profile: Profile) -> Value {
    let sent = request.messages.iter().map(message);
    let answer = Message::ai(Body::text(answer));
    let conversation = Conversation {
        name: Some(request.outcome.entity.clone()),
        messages: sent.chain([answer]).collect(),
        ..Conversation::default()
    };
    let Value::Array(mut lines) = write_value(&[conversation], profile) else {
        return Value::Null;
    };
    let mut line = lines.pop().unwrap_or_default();
    if profile == Profile::OpenAiLines && !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let parameters: Value = serde_json::from_str(tool.schema()).unwrap_or_default();
            json!({"type": "function", "function": {"name": tool.name(),
                "description": tool.description().as_str(), "parameters": parameters}})
        });
        line["tools"] = tools.collect();
    }
    line
}

fn message(sent: &PromptMessage) -> Message {
    let body = match &sent.blocks[..] {
        [] => Body::text(sent.text.as_str()),
        blocks => {
            let said = blocks
                .iter()
                .filter(|block| !matches!(block, Block::Thinking { .. }));
            Body::blocks(said.cloned().collect())
        }
    };
    let body = match &sent.speaker {
        Some(speaker) => body.from_sender(speaker.as_str()),
        None => body,
    };
    Message::new(sent.role, body)
}
