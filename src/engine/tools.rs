//! Tools between an ask's opening and its commit: what a mind may call, running its calls, and the rounds
//! that become part of the ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::json;

use super::calls::{Arrived, CallEnd, Job};
use super::{Engine, EngineError, Signal};
use crate::cast::EntityName;
use crate::event::Phrasebook;
use crate::event::guard::{Guards, Judged, Point};
use crate::exchange::{ErasedAsk, RoundMaker, Violation};
use crate::journal::{Line, OpenRound, RefusedAnswer, ToolResultRecord, ToolRoundRecord};
use crate::message::{Block, Digest, Language};
use crate::mind::{Completion, Mind, Refused, Round, Tools};
use crate::tool::{
    Output, Running, Tool, ToolCall, ToolCaller, ToolError, ToolSet, ToolSpec, ToolTrace, Toolbox,
    arguments_of,
};

/// The tools of an open ask.
#[derive(Clone, Debug, Default)]
pub(super) struct AskTools {
    /// What the mind is told of them, and the name of each in the toolbox.
    specs: Vec<Arc<ToolSpec>>,
    names: Vec<Arc<str>>,
    /// How to call them in words, for a mind that takes tools no other way.
    in_words: Option<Arc<str>>,
    /// Rounds that the mind may call them in.
    rounds: u32,
    /// Of what the world says about them; nothing without tools.
    pub(super) digest: Option<Digest>,
}

impl AskTools {
    /// The tools as a prompt shows them, after so many rounds.
    pub(super) fn after(&self, rounds: usize) -> Tools<'_> {
        Tools {
            specs: &self.specs,
            callable: !self.specs.is_empty() && (rounds as u64) < u64::from(self.rounds),
            instructions: self.in_words.as_deref(),
        }
    }

    /// The name in the toolbox of what a mind calls by this name.
    fn name_of(&self, wire_name: &str) -> Option<&Arc<str>> {
        let at = self
            .specs
            .iter()
            .position(|spec| spec.name() == wire_name)?;
        self.names.get(at)
    }
}

impl Job {
    /// The tools as the next prompt shows them.
    pub(super) fn tools(&self) -> Tools<'_> {
        self.tools.after(self.recorded.len())
    }
}

impl Engine {
    /// The tools that an entity may call for a question.
    pub(super) fn tools_for(
        &mut self,
        entity: Entity,
        question: &dyn ErasedAsk,
        mind: &dyn Mind,
    ) -> Result<AskTools, EngineError> {
        let Some(set) = self
            .world
            .get::<ToolSet>(entity)
            .filter(|set| !set.0.is_empty())
        else {
            return Ok(AskTools::default());
        };
        let set = set.clone();
        self.check_set(&self.name(entity), &set)?;
        let mut tools = AskTools {
            rounds: question
                .tool_rounds()
                .unwrap_or(self.toolbox().limits.rounds),
            ..AskTools::default()
        };
        let mut hasher = blake3::Hasher::new();
        for entry in &set.0 {
            hasher.update(&(entry.len() as u64).to_le_bytes());
            hasher.update(entry.as_bytes());
            let names: Vec<_> = self.toolbox().named_by(entry).cloned().collect();
            for name in names {
                let Some(spec) = self.spec_of(&name)? else {
                    continue;
                };
                // What a server says of its tools comes from outside, as a model's answers do.
                if ToolSet::server_of(entry).is_none() {
                    hasher.update(&spec.digest().0);
                }
                if !tools.names.contains(&name) {
                    tools.specs.push(spec);
                    tools.names.push(name);
                }
            }
        }
        tools.digest = Some(short_digest(&hasher));
        if mind.info().prompted_tools && !tools.specs.is_empty() {
            tools.in_words = Some(self.tools_in_words(&tools.specs));
        }
        Ok(tools)
    }

    /// The tools of calls that code chose, by their names in the toolbox; and the calls by the names that
    /// the request has. The calls are what is asked, so that the digest covers them.
    pub(super) fn tools_called(
        &mut self,
        entity: &Arc<str>,
        calls: &[ToolCall],
    ) -> Result<(AskTools, Vec<ToolCall>), EngineError> {
        let set = ToolSet::of(calls.iter().map(|call| call.name.as_str()));
        self.check_set(entity, &set)?;
        let mut tools = AskTools {
            rounds: 1,
            ..AskTools::default()
        };
        let mut hasher = blake3::Hasher::new();
        let mut wired = Vec::with_capacity(calls.len());
        for (name, call) in set.0.into_iter().zip(calls) {
            for part in [&call.name, &call.arguments] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
            let Some(spec) = self.spec_of(&name)? else {
                continue;
            };
            let mut call = call.clone();
            call.name = spec.name().to_owned();
            wired.push(call);
            if !tools.names.contains(&name) {
                tools.specs.push(spec);
                tools.names.push(name);
            }
        }
        tools.digest = Some(short_digest(&hasher));
        Ok((tools, wired))
    }

    /// How to call these tools, in words.
    fn tools_in_words(&self, specs: &[Arc<ToolSpec>]) -> Arc<str> {
        let each = specs.iter().map(|spec| {
            json!({
                "name": spec.name(),
                "description": spec.description().as_str(),
                "schema": spec.schema(),
            })
        });
        let facts = json!({"tools": each.collect::<Vec<_>>()});
        let words = self
            .world
            .resource::<Phrasebook>()
            .say("tools/in_words", &facts);
        words.unwrap_or_else(|_| facts.to_string()).into()
    }

    fn toolbox(&self) -> &Toolbox {
        self.world.resource()
    }

    /// What minds are told of a tool; made once, in the language of the world.
    fn spec_of(&mut self, name: &Arc<str>) -> Result<Option<Arc<ToolSpec>>, EngineError> {
        if let Some(spec) = self.tool_specs.get(name) {
            return Ok(Some(spec.clone()));
        }
        let phrases = self.world.resource::<Phrasebook>();
        let phrase = format!("tools/{name}");
        let about = phrases
            .0
            .knows(&phrase)
            .then(|| phrases.say(&phrase, &json!({})));
        let about = about.and_then(Result::ok);
        let Some(tool) = self.toolbox().get(name) else {
            return Ok(None);
        };
        let guards = self.world.resource::<Guards>();
        let language = *self.world.resource::<Language>();
        let tool = tool.clone().guarded(|text| {
            let judgement = guards.judge(Judged {
                point: Point::Send,
                text,
                kind: "tool_description",
                speaker: Some(name),
                receiver: None,
                public: false,
                language,
            });
            match judgement.blocked() {
                Some(_) => String::new(),
                None => judgement.text.into_owned(),
            }
        });
        let spec = Arc::new(tool.spec(about.as_deref())?);
        self.tool_specs.insert(name.clone(), spec.clone());
        Ok(Some(spec))
    }

    /// Checks that every tool that an entity names is there.
    pub(super) fn check_tools(&mut self) -> Result<(), EngineError> {
        if let Some(error) = self.toolbox().refused() {
            return Err(EngineError::ToolName(error.clone()));
        }
        let mut sets = self.world.query::<(&EntityName, &ToolSet)>();
        let sets = sets.iter(&self.world);
        let mut sets: Vec<_> = sets
            .map(|(name, set)| (name.0.clone(), set.clone()))
            .collect();
        sets.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut sets = sets.iter();
        sets.try_for_each(|(name, set)| self.check_set(name, set))
    }

    fn check_set(&self, entity: &Arc<str>, set: &ToolSet) -> Result<(), EngineError> {
        let toolbox = self.toolbox();
        let optional = self.settings.replay || self.settings.without_servers;
        let missing = set.0.iter().find(|entry| {
            let of_server = ToolSet::server_of(entry).is_some();
            !(of_server && optional) && toolbox.named_by(entry).next().is_none()
        });
        let Some(missing) = missing else {
            return Ok(());
        };
        let entity = entity.to_string();
        Err(match ToolSet::server_of(missing) {
            Some(server) => EngineError::UnknownServerTool {
                entity,
                tool: missing.to_string(),
                server: server.to_owned(),
            },
            None => EngineError::UnknownTool {
                entity,
                tool: missing.to_string(),
                known: known_tools(toolbox),
            },
        })
    }

    // --- running ---

    /// Runs what a mind wants called. World tools look at once; outside tools go their way together, and
    /// the ask waits for the last of them.
    pub(super) fn run_tools(&mut self, mut job: Box<Job>, completion: Completion) {
        // What it said beside the calls is no answer.
        job.void_pieces();
        let limits = self.toolbox().limits;
        let mut completion = completion;
        completion.calls.truncate(limits.calls);
        name_calls(&mut completion.calls, &job);
        let round = job.recorded.len() as u32;
        let mut calls = Vec::with_capacity(completion.calls.len());
        let shares = completion.calls.len();
        let allowance = self.totals.allowance(&self.settings.caps, shares);
        for (at, call) in completion.calls.iter().enumerate() {
            let (call, stopped) = self.guarded_call(&job, call);
            self.signal_call(&job, &call);
            let inside = ToolTrace::with(allowance);
            let started = match stopped {
                Some(error) => Started::Ended(Err(error)),
                None => self.start_tool(&job, &call, round, at as u32, &inside),
            };
            calls.push((started, inside));
        }
        job.calling = Some(completion);
        let is_running =
            |(started, _): &(Started, ToolTrace)| matches!(started, Started::Running(_));
        let waits = calls.iter().any(is_running);
        let calls = calls.into_iter().map(|(started, inside)| async move {
            let output = match started {
                Started::Ended(output) => output,
                Started::Running(tool) => tool.await,
            };
            CallEnd { output, inside }
        });
        let all = join_all(calls);
        if waits {
            let all = async move { (job, Arrived::Tools(all.await)) };
            self.calls.under_way.push(Box::pin(all));
        } else {
            // Nothing of it has to wait.
            let ended = all.now_or_never().unwrap_or_default();
            self.tools_returned(job, ended);
        }
    }

    /// A call as the guards let it pass, or why it is not made.
    fn guarded_call(&self, job: &Job, call: &ToolCall) -> (ToolCall, Option<ToolError>) {
        let read = arguments_of(&call.arguments);
        let guarded = self.round_maker(job).call(&call.name, &read);
        let call = ToolCall {
            name: guarded.name,
            arguments: match guarded.changed {
                Some(left) => left.to_string(),
                None => call.arguments.clone(),
            },
            ..call.clone()
        };
        let stopped = guarded.stopped.map(|reason| {
            let words = format!("the call was not made: {reason}");
            ToolError::new(words).said("tools/errors/stopped", json!({"reason": reason}))
        });
        (call, stopped)
    }

    fn round_maker<'a>(&'a self, job: &'a Job) -> RoundMaker<'a> {
        let info = job.mind.info();
        RoundMaker {
            name: &job.name,
            made_by: (&info.provider, &info.model),
            guards: self.world.resource::<Guards>(),
            phrases: self.world.resource::<Phrasebook>(),
            language: *self.world.resource::<Language>(),
        }
    }

    fn signal_call(&mut self, job: &Job, call: &ToolCall) {
        tracing::debug!(entity = %job.name, tool = call.name, arguments = call.arguments, "a tool is called");
        self.signal(Signal::ToolCalled {
            entity: job.name.clone(),
            purpose: job.question.purpose(),
            tool: call.name.clone(),
        });
    }

    fn start_tool(
        &self,
        job: &Job,
        call: &ToolCall,
        round: u32,
        at: u32,
        inside: &ToolTrace,
    ) -> Started {
        let toolbox = self.toolbox();
        let tool = job
            .tools
            .name_of(&call.name)
            .and_then(|name| toolbox.get(name));
        let Some(tool) = tool else {
            let known = job.tools.specs.iter().map(|spec| spec.name());
            let known = known.collect::<Vec<_>>().join(", ");
            let words = format!("there is no tool '{}'; there are: {known}", call.name);
            let facts = json!({"name": call.name, "known": known});
            return Started::Ended(Err(
                ToolError::new(words).said("tools/errors/unknown", facts)
            ));
        };
        let asker = ToolCaller::new(&self.world, job.entity, job.number, round, at);
        match tool.look(&asker, &call.arguments) {
            Some(output) => Started::Ended(output),
            None => outside(tool, call, toolbox, inside),
        }
    }

    /// All calls of a round have their results: the round is recorded, and the mind goes on.
    pub(super) fn tools_returned(&mut self, mut job: Box<Job>, ended: Vec<CallEnd>) {
        let Some(completion) = job.calling.take() else {
            return;
        };
        for ended in &ended {
            self.totals.spent += ended.inside.spent().into();
        }
        let results = ended.into_iter().map(|ended| self.result_of(ended));
        let record = ToolRoundRecord {
            said: completion.to_blocks(),
            results: results.collect(),
            usage: job.last_usage,
            refused_before: job.refused().count() as u32,
        };
        self.lines
            .push(Line::Round(Arc::new(job.open_round(&record))));
        self.add_round(&mut job, record);
        self.calls.waiting.push_front(job);
    }

    /// What a tool returned as the journal keeps it, cut to its limit.
    fn result_of(&self, ended: CallEnd) -> ToolResultRecord {
        let phrases = self.world.resource::<Phrasebook>();
        let (text, is_error) = match ended.output {
            Ok(text) => (text, false),
            Err(error) => (words_of(&error, phrases), true),
        };
        let most = self.toolbox().limits.result_chars;
        let text = match text.char_indices().nth(most) {
            None => text,
            Some((end, _)) => {
                let left_out = text[end..].chars().count();
                let note = phrases.say("tools/cut", &json!({"left_out": left_out}));
                let note = note.unwrap_or_else(|_| format!("[{left_out} more characters]"));
                format!("{}… {note}", &text[..end])
            }
        };
        ToolResultRecord {
            text,
            is_error,
            spent: ended.inside.spent(),
            inside: ended.inside.take(),
        }
    }

    /// Adds a round to an ask, and after the last tells the mind to answer.
    fn add_round(&self, job: &mut Job, record: ToolRoundRecord) {
        // The commit makes the messages once more, with the model that answered in the end, and notes
        // what guards did.
        let (messages, _) = self.round_maker(job).messages(&record);
        if let Some(stream) = &job.stream {
            stream.tools(messages.clone());
        }
        job.rounds.push(Round::Tools(messages));
        job.recorded.push(record);
        if !job.tools().callable {
            let phrases = self.world.resource::<Phrasebook>();
            let words = phrases.say("tools/used_up", &json!({}));
            let words = words.unwrap_or_else(|_| "Answer now, without tools.".into());
            job.rounds.push(Round::Note(words.into()));
        }
    }

    /// Goes on from the rounds that were recorded of an ask without an outcome.
    pub(super) fn take_up_rounds(&self, job: &mut Job) {
        let recorded = self
            .recording
            .rounds(&job.name, job.id.0, job.number, job.hash);
        let recorded: Vec<_> = recorded.cloned().collect();
        for open in recorded {
            let before = open.round.refused_before as usize;
            job.add_refused(&open.refused, before);
            job.folded = open.folded;
            job.spent.calls = open.calls;
            job.spent.retries = u64::from(open.retries);
            job.spent.usage = open.usage;
            job.spent.cost = open.cost;
            job.estimated = open.estimated;
            job.latency = std::time::Duration::from_millis(open.ms);
            self.add_round(job, open.round.clone());
        }
        self.fold_again(job);
    }

    /// What is broken about an answer that only calls tools where none may be called any more.
    pub(super) fn calls_not_now(&self) -> Violation {
        let rule = "no tool can be called now; answer without tools";
        Violation::new("", rule).said("tools/errors/not_now", json!({}))
    }
}

impl Job {
    /// Whether what tools returned last is all that its question wants.
    pub(super) fn is_closed_by_tools(&self) -> bool {
        let Some(last) = self.recorded.last() else {
            return false;
        };
        let closing = self.question.closing();
        let mut called = last.said.iter().filter_map(|block| match block {
            Block::ToolUse { name, .. } => Some(name),
            _ => None,
        });
        (closing.last_round && !self.tools().callable)
            || called.any(|name| closing.tools.contains(name))
    }
}

/// Whether a tool has ended already.
enum Started {
    Ended(Output),
    Running(Running),
}

fn outside(tool: &Tool, call: &ToolCall, toolbox: &Toolbox, inside: &ToolTrace) -> Started {
    match tool.start(&call.arguments, toolbox.limits.time, inside) {
        Some(running) => Started::Running(running),
        None => Started::Ended(Err("the tool can't be run".into())),
    }
}

impl Job {
    /// A round as a line of the journal, with what was spent so far.
    fn open_round(&self, round: &ToolRoundRecord) -> OpenRound {
        OpenRound {
            entity: self.name.clone(),
            id: self.id.0,
            number: self.number,
            hash: self.hash,
            round: round.clone(),
            refused: self.refused_answers().collect(),
            folded: self.folded,
            calls: self.spent.calls,
            retries: self.spent.retries as u32,
            usage: self.spent.usage,
            estimated: self.estimated,
            cost: self.spent.cost,
            ms: self.latency.as_millis() as u64,
        }
    }

    /// Adds those of the first so many refused answers that are not among its rounds yet.
    fn add_refused(&mut self, refused: &[RefusedAnswer], count: usize) {
        let known = self.refused().count();
        let new = refused.iter().take(count).skip(known);
        let new: Vec<_> = new
            .map(|refused| {
                Round::Refused(Refused {
                    answer: refused.answer.as_str().into(),
                    complaint: refused.complaint.as_str().into(),
                })
            })
            .collect();
        self.rounds.extend(new);
    }
}

/// Gives calls without an id of their own one that no other call of the entity has.
fn name_calls(calls: &mut [ToolCall], job: &Job) {
    let mut known = BTreeSet::new();
    let round = job.recorded.len();
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || !known.insert(call.id.clone()) {
            call.id = format!("call_{}_{round}_{at}", job.number);
            known.insert(call.id.clone());
        }
    }
}

/// A failure in the words of the phrasebook.
fn words_of(error: &ToolError, phrases: &Phrasebook) -> String {
    let said = error.phrase().filter(|(name, _)| phrases.0.knows(name));
    said.and_then(|(name, facts)| phrases.0.phrase(name, facts).ok())
        .unwrap_or_else(|| error.to_string())
}

fn short_digest(hasher: &blake3::Hasher) -> Digest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Digest(digest)
}

fn known_tools(toolbox: &Toolbox) -> String {
    let names = toolbox.names().map(|name| &**name);
    names.collect::<Vec<_>>().join(", ")
}
