//! `export --to openai` and `--to sharegpt`: what characters were asked and answered, as examples
//! to train a model on.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::SentRequest;
use crate::interop::{Conversation, Profile, write_value};
use crate::journal::{AskEnding, Outcome};
use crate::message::{Block, Body, Digest, Message, Role};
use crate::mind::Turn;
use crate::session::{Wanted, each_request};

use super::files::{LineFiles, file_of};
use super::stories::Story;
use crate::cli::args::ExportArgs;
use crate::cli::commands::{play, told};
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
        profile: Profile,
        files: &mut LineFiles,
    ) -> Result<()> {
        let mut examples = Examples {
            profile,
            written: BTreeMap::new(),
        };
        let (story, game) = (saved.story.clone(), saved.played.game());
        // What was said is the same in the form of any mind. What was sent last counts.
        let add = move |lines: &mut Vec<_>, sent: &SentRequest<'_>| {
            if sent.attempt > 1 {
                lines.pop();
            }
            lines.push((sent.outcome.clone(), examples.line(sent)));
        };
        let found = each_request(story, game, Wanted::default(), |_| None, add);
        let found = play::runtime()?.block_on(found);
        let (lines, played) = found.map_err(CommandError::from)?;
        let view = told::unread();
        view.expect(&played.engine.world);
        let story = Story::of(view, self.args)?;
        let slot = saved.slot.name().as_str();
        for (outcome, line) in &lines {
            let mut wanted = story.beings();
            let Some(being) = wanted.find(|being| *being.name == *outcome.entity) else {
                continue;
            };
            if !self.picks(outcome) {
                continue;
            }
            self.examples += 1;
            let ending = if self.holds_out(slot, outcome) {
                ".held-out.jsonl"
            } else {
                ".jsonl"
            };
            files.add(file_of(being, ending), &being.name, line)?;
        }
        Ok(())
    }

    /// Whether an outcome is an example.
    fn picks(&mut self, outcome: &Outcome) -> bool {
        let left_out = &mut self.left_out;
        let number = match &outcome.ending {
            AskEnding::Failed { .. } => &mut left_out.defaults,
            _ if !outcome.refused.is_empty() && !self.args.repaired => &mut left_out.repaired,
            // Nothing is learned from an answer without words.
            AskEnding::Answered { text, .. }
                if text.trim().chars().count() < self.args.min_length.max(1) as usize =>
            {
                &mut left_out.short
            }
            AskEnding::Answered { .. } => return true,
        };
        *number += 1;
        false
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

/// Writes requests with their answers. What is remembered, and so stands in many, is written once.
struct Examples {
    profile: Profile,
    written: BTreeMap<(Role, Option<Arc<str>>, Digest), String>,
}

impl Examples {
    fn line(&mut self, sent: &SentRequest<'_>) -> String {
        let answer = match &sent.outcome.ending {
            AskEnding::Answered { text, .. } => Body::text(text.as_str()),
            AskEnding::Failed { .. } => Body::text(""),
        };
        let mut messages = String::new();
        let mut add = |written: &str| {
            if !messages.is_empty() && !written.is_empty() {
                messages.push(',');
            }
            messages.push_str(written);
        };
        for entry in sent.prompt.history.entries() {
            let body = entry.body();
            let digest = body
                .short()
                .map_or_else(|| body.digest(), |short| short.digest());
            let key = (entry.role(), body.sender().cloned(), digest);
            let write = || written(message(&Turn::short(entry.role(), body)), self.profile);
            add(self.written.entry(key).or_insert_with(write));
        }
        for turn in sent.prompt.question_turns() {
            add(&written(message(&turn), self.profile));
        }
        add(&written(Message::ai(answer), self.profile));
        let tools = sent.prompt.tools;
        if self.profile == Profile::ShareGpt {
            return format!("{{\"conversations\":[{messages}]}}");
        }
        if tools.specs.is_empty() || !tools.callable {
            return format!("{{\"messages\":[{messages}]}}");
        }
        let tools = tools.specs.iter().map(|tool| {
            let parameters: Value = serde_json::from_str(tool.schema()).unwrap_or_default();
            json!({"type": "function", "function": {"name": tool.name(),
                "description": tool.description().as_str(), "parameters": parameters}})
        });
        let tools: Value = tools.collect();
        format!("{{\"messages\":[{messages}],\"tools\":{tools}}}")
    }
}

/// A message as it stands in the list of a conversation, which may be as several.
fn written(message: Message, profile: Profile) -> String {
    let conversation = Conversation {
        name: None,
        messages: vec![message],
    };
    let line = write_value(&[conversation], profile);
    let list = line.pointer(match profile {
        Profile::ShareGpt => "/0/conversations",
        _ => "/0/messages",
    });
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(Value::to_string).collect::<Vec<_>>().join(",")
}

/// A message without thoughts.
fn message(turn: &Turn<'_>) -> Message {
    let body = match turn.blocks() {
        [] => Body::text(turn.to_text()),
        blocks => {
            let is_said = |block: &&Block| !matches!(block, Block::Thinking { .. });
            Body::blocks(blocks.iter().filter(is_said).cloned().collect())
        }
    };
    let body = match turn.speaker {
        Some(speaker) => body.from_sender(speaker),
        None => body,
    };
    Message::new(turn.role, body)
}
