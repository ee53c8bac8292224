//! Tools between an ask's opening and its commit: which ones a mind may call, running its calls,
//! and the rounds of calls that become part of the ask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use futures_util::FutureExt;
use futures_util::future::join_all;

use super::ask_tools::AskTools;
use super::calls::{CallResult, Continuation, ToolCallResult};
use super::job::Job;
use super::{Engine, EngineError, Signal, telemetry};
use crate::cast::EntityName;
use crate::event::Phrasebook;
use crate::event::guard::{Guards, Judged, Point};
use crate::exchange::{ErasedAsk, RoundMaker};
use crate::journal::{Line, OpenRound, ToolResultRecord, ToolRoundRecord};
use crate::locale::text;
use crate::memory::Vectors;
use crate::message::{Block, Digest, Language};
use crate::mind::{Completion, ExchangeRound, Mind};
use crate::secrets::redacted;
use crate::tool::prompts::{Failure, ToolPrompt};
use crate::tool::{
    RunningTool, SEARCHES, Table, ToolCall, ToolCaller, ToolError, ToolOutput, ToolSet, ToolSpec,
    ToolTrace, Toolbox, arguments_of,
};

/// The tools that entities of a world name and its toolbox lacks, in the order of their names.
pub fn unknown_tools(world: &mut World, may_lack_servers: bool) -> Vec<EngineError> {
    let mut sets = world.query::<(&EntityName, &ToolSet)>();
    let sets = sets.iter(world);
    let mut sets: Vec<_> = sets
        .map(|(name, set)| (name.0.clone(), set.clone()))
        .collect();
    sets.sort_by(|(a, _), (b, _)| a.cmp(b));
    let sets = sets.iter();
    sets.flat_map(|(name, set)| unknown_in(world, name, set, may_lack_servers))
        .collect()
}

/// The tools of a set that the toolbox of a world lacks.
fn unknown_in<'a>(
    world: &'a World,
    entity: &'a Arc<str>,
    set: &'a ToolSet,
    may_lack_servers: bool,
) -> impl Iterator<Item = EngineError> + 'a {
    let toolbox = world.resource::<Toolbox>();
    let missing = set.0.iter().filter(move |entry| {
        let of_server = ToolSet::server_of(entry).is_some();
        !(of_server && may_lack_servers) && toolbox.named_by(entry).next().is_none()
    });
    missing.map(move |missing| {
        let (entity, tool) = (entity.to_string(), missing.to_string());
        if let Some(server) = ToolSet::server_of(missing) {
            let server = server.to_owned();
            return EngineError::UnknownServerTool {
                entity,
                tool,
                server,
            };
        }
        // Names of internal tools begin with a bracket.
        let known = toolbox.names().filter(|name| !name.starts_with('('));
        EngineError::UnknownTool {
            known: known.map(ToString::to_string).collect(),
            table: Table::path(*world.resource(), &tool),
            entity,
            tool,
        }
    })
}

/// A call of a tool that has ended already, or is running.
enum Started {
    Ended(ToolOutput),
    Running(RunningTool),
}

impl Engine {
    fn toolbox(&self) -> &Toolbox {
        self.world.resource()
    }

    // --- which tools a mind may call ---

    /// The tools that an entity may call for a question.
    pub(super) fn tools_for(
        &mut self,
        entity: Entity,
        question: &dyn ErasedAsk,
        mind: &dyn Mind,
    ) -> Result<AskTools, EngineError> {
        let set = self.world.get::<ToolSet>(entity);
        let Some(set) = set.filter(|set| !set.0.is_empty()).cloned() else {
            return Ok(AskTools::default());
        };
        self.check_set(&self.name(entity), &set)?;
        let rounds = question.parts().tool_rounds;
        let mut tools = AskTools::new(rounds.unwrap_or(self.toolbox().limits.rounds));
        let mut hasher = blake3::Hasher::new();
        for entry in &set.0 {
            hash_text(&mut hasher, entry);
            let names: Vec<_> = self.toolbox().named_by(entry).cloned().collect();
            for name in names {
                let Some(spec) = self.spec_of(&name)? else {
                    continue;
                };
                // What a server says of its tools comes from outside, as a model's answers do.
                if ToolSet::server_of(entry).is_none() {
                    hasher.update(&spec.digest().0);
                }
                tools.add(name, spec);
            }
        }
        tools.digest = Some(short_digest(&hasher));
        self.prepare_tools(&mut tools, mind);
        Ok(tools)
    }

    /// Says in words how to call the tools, for a mind that takes tools no other way.
    pub(super) fn prepare_tools(&self, tools: &mut AskTools, mind: &dyn Mind) {
        if mind.info().prompted_tools && !tools.specs().is_empty() {
            tools.instructions = Some(self.prompted_tools(tools.specs()));
        }
    }

    /// The tools of calls that code chose, by their names in the toolbox; and the calls by the
    /// names in the request. The calls are the question, so the digest covers them.
    pub(super) fn tools_called(
        &mut self,
        entity: &Arc<str>,
        calls: &[ToolCall],
    ) -> Result<(AskTools, Vec<ToolCall>), EngineError> {
        let set = ToolSet::of(calls.iter().map(|call| call.name.as_str()));
        self.check_set(entity, &set)?;
        let mut tools = AskTools::new(1);
        let mut hasher = blake3::Hasher::new();
        let mut wired = Vec::with_capacity(calls.len());
        for (name, call) in set.0.into_iter().zip(calls) {
            hash_text(&mut hasher, &call.name);
            hash_text(&mut hasher, &call.arguments);
            let Some(spec) = self.spec_of(&name)? else {
                continue;
            };
            wired.push(ToolCall {
                name: spec.name().to_owned(),
                ..call.clone()
            });
            tools.add(name, spec);
        }
        tools.digest = Some(short_digest(&hasher));
        Ok((tools, wired))
    }

    /// How to call these tools, in words.
    fn prompted_tools(&self, specs: &[Arc<ToolSpec>]) -> Arc<str> {
        let tools = specs.iter().map(|spec| spec.as_ref().into());
        let prompt = ToolPrompt::InWords {
            tools: tools.collect(),
        };
        let phrases = self.world.resource::<Phrasebook>();
        let words = phrases
            .fill(&prompt)
            .or_else(|_| serde_json::to_string(&prompt));
        words.unwrap_or_default().into()
    }

    /// What minds are told of a tool; made once, in the language of the world.
    fn spec_of(&mut self, name: &Arc<str>) -> Result<Option<Arc<ToolSpec>>, EngineError> {
        if let Some(spec) = self.tool_specs.get(name) {
            return Ok(Some(spec.clone()));
        }
        let Some(tool) = self.toolbox().get(name) else {
            return Ok(None);
        };
        let phrases = self.world.resource::<Phrasebook>();
        let about = phrases.say_if_known(&format!("tools/{name}"), &());
        let guards = self.world.resource::<Guards>();
        let language = *self.world.resource::<Language>();
        let tool = tool.clone().guarded(|text| {
            let judgement = guards.judge(Judged {
                point: Point::Send,
                text,
                kind: "tool_description",
                speaker: Some(name),
                receiver: None,
                knowledge: None,
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

    /// Checks that every tool that an entity names exists.
    pub(super) fn check_tools(&mut self) -> Result<(), EngineError> {
        if let Some(error) = self.toolbox().refused() {
            return Err(EngineError::ToolName(error.clone()));
        }
        let may_lack_servers = self.may_lack_servers();
        let missing = unknown_tools(&mut self.world, may_lack_servers);
        missing.into_iter().next().map_or(Ok(()), Err)
    }

    fn check_set(&self, entity: &Arc<str>, set: &ToolSet) -> Result<(), EngineError> {
        let mut missing = unknown_in(&self.world, entity, set, self.may_lack_servers());
        missing.next().map_or(Ok(()), Err)
    }

    fn may_lack_servers(&self) -> bool {
        self.settings.replay || self.settings.without_servers
    }

    // --- running ---

    /// Runs the tools that a mind called, at once or when what it wants to recall has vectors.
    pub(super) fn run_tools(&mut self, job: Box<Job>, completion: Completion) {
        let calls = completion
            .calls
            .iter()
            .take(self.toolbox().limits.calls)
            .map(|call| self.guarded_call(&job, call));
        let searches = calls
            .filter(|(call, stopped)| stopped.is_none() && SEARCHES.contains(&call.name.as_str()));
        let questions: BTreeMap<_, _> = searches
            .filter_map(|(call, _)| {
                let arguments = arguments_of(&call.arguments);
                Some(Vectors::keyed(arguments.get("question")?.as_str()?))
            })
            .collect();
        self.ask_for_vectors(job, questions, Continuation::RunTools(completion));
    }

    /// Runs the tools that a mind called. Pure tools run at once; async tools run together, and the
    /// ask waits for the last of them.
    pub(super) fn start_tools(&mut self, mut job: Box<Job>, mut completion: Completion) {
        // What it said beside the calls is not an answer.
        job.retract_stream();
        completion.calls.truncate(self.toolbox().limits.calls);
        name_calls(&mut completion.calls, &job);
        let count = completion.calls.len();
        let settings = &self.settings;
        let allowance = settings.account.left(&settings.limits).shared_by(count);
        let mut calls = Vec::with_capacity(count);
        for (index, call) in completion.calls.iter().enumerate() {
            let (call, stopped) = self.guarded_call(&job, call);
            self.signal_call(&job, &call);
            let trace = ToolTrace::with(allowance, self.calls.payments.account_for(&job));
            let span = telemetry::tool_span(&job, &call);
            let started = match stopped {
                Some(error) => Started::Ended(Err(error)),
                None => self.start_tool(&job, &call, index as u32, &trace),
            };
            calls.push((started, trace, span));
        }
        let attempt = job.open_round(&round_record(&job, &completion, Vec::new()));
        job.rounds.calling = Some(Box::new(completion));
        let must_wait = calls
            .iter()
            .any(|(started, ..)| matches!(started, Started::Running(_)));
        let calls = join_all(calls.into_iter().map(|(started, trace, span)| async move {
            let output = match started {
                Started::Ended(output) => output,
                Started::Running(tool) => tool.await,
            };
            telemetry::note_result(&span, &output);
            ToolCallResult { output, trace }
        }));
        if must_wait {
            let calls = async move { (job, CallResult::Tools(calls.await)) };
            self.record.journal.queue(Line::Round(Arc::new(attempt)));
            self.calls.paid += 1;
            self.calls.unrecorded.push(Box::pin(calls));
        } else {
            let results = calls.now_or_never().unwrap_or_default();
            self.tools_returned(job, results);
        }
    }

    /// A call as the guards let it pass, or why it is not made.
    fn guarded_call(&self, job: &Job, call: &ToolCall) -> (ToolCall, Option<ToolError>) {
        let arguments = arguments_of(&call.arguments);
        let guarded = self.round_maker(job).call(&call.name, &arguments);
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
            ToolError::new(words).with_prompt(&Failure::Stopped { reason: &reason })
        });
        (call, stopped)
    }

    fn round_maker<'a>(&'a self, job: &'a Job) -> RoundMaker<'a> {
        let info = job.mind.info();
        RoundMaker {
            name: &job.ask.name,
            made_by: (&info.provider, &info.model),
            guards: self.world.resource::<Guards>(),
            phrases: self.world.resource::<Phrasebook>(),
            language: *self.world.resource::<Language>(),
        }
    }

    fn signal_call(&mut self, job: &Job, call: &ToolCall) {
        tracing::debug!(entity = %job.ask.name, tool = call.name, arguments = call.arguments, "a tool is called");
        self.listeners.signal(|| Signal::ToolCalled {
            entity: job.ask.name.clone(),
            number: job.ask.number,
            purpose: job.ask.question.parts().purpose,
            tool: call.name.clone(),
        });
    }

    fn start_tool(&self, job: &Job, call: &ToolCall, index: u32, trace: &ToolTrace) -> Started {
        let toolbox = self.toolbox();
        let name = job.tools.name_of(&call.name);
        let Some(tool) = name.and_then(|name| toolbox.get(name)) else {
            let known = job
                .tools
                .specs()
                .iter()
                .map(|spec| spec.name())
                .collect::<Vec<_>>()
                .join(", ");
            let words = format!("there is no tool '{}'; there are: {known}", call.name);
            let failure = Failure::Unknown {
                name: &call.name,
                known: &known,
            };
            let error = ToolError::new(words).with_prompt(&failure);
            return Started::Ended(Err(error));
        };
        let round = job.rounds.recorded.len() as u32;
        let caller = ToolCaller::new(&self.world, job.ask.entity, job.ask.number, round, index);
        if let Some(output) = tool.run_pure(&caller, &call.arguments) {
            return Started::Ended(output);
        }
        match tool.start_async(&call.arguments, toolbox.limits.time, trace) {
            Some(running) => Started::Running(running),
            None => Started::Ended(Err(ToolError::of(&text!(engine_tool_not_run)))),
        }
    }

    /// All calls of a round have their results: the round is recorded, and the mind continues.
    pub(super) fn tools_returned(&mut self, mut job: Box<Job>, results: Vec<ToolCallResult>) {
        let Some(completion) = job.rounds.calling.take() else {
            return;
        };
        // Before the round is recorded, which has all of them.
        self.note_payments();
        let mut errors = results
            .iter()
            .filter_map(|result| result.output.as_ref().err());
        let outage = errors.find_map(|error| error.outage()).cloned();
        if let Some(reason) = outage.filter(|_| !self.settings.falls_back) {
            return self.stop_at(job, reason);
        }
        let results = results.into_iter().map(|result| self.result_record(result));
        let record = round_record(&job, &completion, results.collect());
        let line = Line::Round(Arc::new(job.open_round(&record)));
        self.record.journal.queue(line);
        self.add_round(&mut job, record);
        self.calls.waiting.push_front(job);
    }

    /// What a tool returned as the journal keeps it, cut to its limit.
    fn result_record(&self, result: ToolCallResult) -> ToolResultRecord {
        let phrases = self.world.resource::<Phrasebook>();
        let (text, is_error) = match result.output {
            Ok(text) => (text, false),
            Err(error) => (error_words(&error, phrases), true),
        };
        // Before a cut could leave a part of a secret.
        let text = redacted(text);
        let limit = self.toolbox().limits.result_chars;
        let text = match text.char_indices().nth(limit) {
            None => text,
            Some((end, _)) => {
                let left_out = text[end..].chars().count();
                let note = phrases
                    .fill(&ToolPrompt::Cut { left_out })
                    .unwrap_or_else(|_| format!("[{left_out} more characters]"));
                format!("{}… {note}", &text[..end])
            }
        };
        ToolResultRecord {
            text,
            is_error,
            spent: result.trace.spent(),
            trace: result.trace.take(),
        }
    }

    /// Adds a round to an ask, and after the last round tells the mind to answer.
    pub(super) fn add_round(&self, job: &mut Job, record: ToolRoundRecord) {
        // The commit makes the messages once more, with the model that answered in the end, and
        // records what guards did.
        let (messages, _) = self.round_maker(job).messages(&record);
        if let Some(stream) = &job.stream {
            stream.tools(messages.clone());
        }
        job.rounds.list.push(ExchangeRound::Tools(messages));
        job.rounds.recorded.push(record);
        if !job.prompt_tools().callable {
            let phrases = self.world.resource::<Phrasebook>();
            let words = phrases
                .fill(&ToolPrompt::UsedUp)
                .unwrap_or_else(|_| "Answer now, without tools.".into());
            job.rounds.list.push(ExchangeRound::Note(words.into()));
        }
    }

    /// Continues from the recorded rounds of an ask without an outcome.
    pub(super) fn resume_rounds(&mut self, job: &mut Job) {
        let ask = &job.ask;
        let recording = &self.record.recording;
        let rounds: Vec<_> = recording
            .rounds(&ask.name, ask.id.0, ask.number, ask.hash)
            .cloned()
            .collect();
        let last = rounds.len().saturating_sub(1);
        for (index, mut open) in rounds.into_iter().enumerate() {
            if open.is_attempt() {
                if index < last || self.settings.replay {
                    continue;
                }
                open = Arc::new(self.interrupted(&open));
                self.record.journal.queue(Line::Round(open.clone()));
            }
            let before = open.round.refused_before as usize;
            job.rounds.add_refused(&open.refused, before);
            job.view.folded = open.folded;
            job.usage.spent.calls = open.calls;
            job.usage.spent.retries = u64::from(open.retries);
            job.usage.spent.usage = open.usage;
            job.usage.spent.cost = open.cost;
            job.usage.spent.unpriced = open.unpriced;
            job.usage.estimated = open.estimated;
            job.usage.latency = std::time::Duration::from_millis(open.ms);
            if !open.has_no_round() {
                self.add_round(job, open.round.clone());
            }
        }
        self.fold_as_recorded(job);
    }

    /// A round whose tools were running when the program ended. Whatever ended it, they may have
    /// done their work, or be what ended it: they don't run again.
    fn interrupted(&self, attempt: &OpenRound) -> OpenRound {
        let phrases = self.world.resource::<Phrasebook>();
        let error = ToolError::new("the program ended while the tool was running")
            .with_prompt(&Failure::Interrupted);
        let failed = ToolResultRecord {
            text: error_words(&error, phrases),
            is_error: true,
            ..ToolResultRecord::default()
        };
        let mut round = attempt.clone();
        let said = round.round.said.iter();
        let calls = said.filter(|block| matches!(block, Block::ToolUse { .. }));
        round.round.results = vec![failed; calls.count()];
        round
    }
}

/// One round of an ask, with what its tools returned.
fn round_record(
    job: &Job,
    completion: &Completion,
    results: Vec<ToolResultRecord>,
) -> ToolRoundRecord {
    ToolRoundRecord {
        said: completion.to_blocks(),
        results,
        usage: job.usage.last,
        refused_before: job.rounds.refused().count() as u32,
        ms: job.usage.ms(),
    }
}

/// Gives an id to each call that has none of its own, or one that another call has.
fn name_calls(calls: &mut [ToolCall], job: &Job) {
    let mut known = BTreeSet::new();
    let round = job.rounds.recorded.len();
    for (index, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || !known.insert(call.id.clone()) {
            call.id = format!("call_{}_{round}_{index}", job.ask.number);
            known.insert(call.id.clone());
        }
    }
}

/// A failure in the words of the phrasebook.
fn error_words(error: &ToolError, phrases: &Phrasebook) -> String {
    phrases.say_or(error.phrase(), &error.to_string())
}

fn hash_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn short_digest(hasher: &blake3::Hasher) -> Digest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Digest(digest)
}
