//! `export --to openai` and `--to sharegpt`: what characters were asked and answered, as examples
//! to train a model on.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::cast::Kind;
use crate::interop::{Profile, write_messages};
use crate::journal::{AskEnding, Outcome};
use crate::message::{Block, Body, Digest, Message, Role};
use crate::session::{CallRequest, PromptMessage, Wanted, requests};

use super::files::{LineFiles, file_of};
use crate::cli::args::ExportArgs;
use crate::cli::commands::play;
use crate::cli::printed::LeftOut;
use crate::cli::saved::{Saved, being};

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
        let named = match self.args.actors.is_empty() {
            true => None,
            false => Some(self.named(saved)?),
        };
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
        let mut lines = Lines::of(profile);
        let is_wanted = |request: &&CallRequest| match &named {
            Some(named) => named.contains(&request.outcome.id),
            None => request.kind == Some(Kind::Actor),
        };
        for request in last.values().filter(is_wanted) {
            let outcome = &request.outcome;
            let Some(answer) = self.picks(outcome) else {
                continue;
            };
            self.examples += 1;
            let ending = if self.holds_out(slot, outcome) {
                ".held-out.jsonl"
            } else {
                ".jsonl"
            };
            let file = file_of(&outcome.entity, outcome.id, ending);
            files.add(file, &outcome.entity, &lines.line(request, answer))?;
        }
        Ok(())
    }

    /// The numbers of those who were named.
    fn named(&self, saved: &Saved) -> Result<BTreeSet<u32>> {
        let state = saved.contents()?.state;
        let named = self.args.actors.iter().map(|name| being(&state, name));
        named.map(|being| Ok(being?.id)).collect()
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

/// Lines, most of which begin with the messages of the one before.
struct Lines<'r> {
    profile: Profile,
    /// The messages of the last one, each with what is written of it.
    written: Vec<(&'r PromptMessage, Rc<str>)>,
    /// What is written of texts by role and speaker: all who hear something remember the same.
    known: BTreeMap<(Role, Option<&'r str>, &'r str), Rc<str>>,
}

impl<'r> Lines<'r> {
    fn of(profile: Profile) -> Self {
        Self {
            profile,
            written: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// What was sent, and the answer.
    fn line(&mut self, request: &'r CallRequest, answer: &str) -> String {
        let (sent, known) = (&request.messages, self.written.iter());
        let pairs = sent.iter().zip(known);
        let same = pairs.take_while(|(sent, (known, _))| sent == known).count();
        self.written.truncate(same);
        for sent in sent.iter().skip(same) {
            let write = || written_as(self.profile, message(sent));
            let written = if sent.blocks.is_empty() {
                let key = (sent.role, sent.speaker.as_deref(), sent.text.as_str());
                self.known.entry(key).or_insert_with(write).clone()
            } else {
                write()
            };
            self.written.push((sent, written));
        }
        let answer = written_as(self.profile, Message::ai(Body::text(answer)));
        let texts = self.written.iter().map(|(_, text)| &**text);
        let texts: Vec<_> = texts
            .chain([&*answer])
            .filter(|text| !text.is_empty())
            .collect();
        let list = match self.profile {
            Profile::ShareGpt => "conversations",
            _ => "messages",
        };
        let mut line = format!("{{\"{list}\":[");
        line += &texts.join(",");
        line.push(']');
        if self.profile == Profile::OpenAiLines && !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                let parameters: Value = serde_json::from_str(tool.schema()).unwrap_or_default();
                json!({"type": "function", "function": {"name": tool.name(),
                    "description": tool.description().as_str(), "parameters": parameters}})
            });
            line += &format!(",\"tools\":{}", tools.collect::<Value>());
        }
        line + "}"
    }
}

/// A message, of which some formats make several.
fn written_as(profile: Profile, message: Message) -> Rc<str> {
    let written = write_messages(&[message], None, profile).into_iter();
    let written: Vec<_> = written.map(|message| message.to_string()).collect();
    written.join(",").into()
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
