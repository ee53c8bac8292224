//! Which tools the improviser calls: those that its question names, and where skills want it those
//! for which the others' words give it the arguments. It looks nothing up unasked, since it can't
//! read what it would find.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::evidence::{about, arguments, sentences, stem, stems};
use super::lessons::ImproviserSkill;
use super::schema;
use super::writer::Writer;
use crate::context::Entry;
use crate::message::{Block, Content, Role, one_line};
use crate::mind::splitmix::{SplitMix64, hash, mix};
use crate::mind::{ExchangeRound, Notes, Prompt};
use crate::tool::{ToolCall, ToolSpec};

/// The calls of this prompt, made at most once in an ask; none if it answers at once.
pub(super) fn calls(
    prompt: &Prompt<'_>,
    skill: &dyn ImproviserSkill,
    writer: &mut Writer<'_>,
) -> Vec<ToolCall> {
    let called = |round: &ExchangeRound| matches!(round, ExchangeRound::Tools(_));
    if !prompt.tools.callable || prompt.rounds.iter().any(called) {
        return Vec::new();
    }
    let question = prompt.question.full_text();
    let specs = prompt.tools.specs.iter();
    let named: Vec<_> = specs.filter(|spec| names(&question, spec.name())).collect();
    if !named.is_empty() {
        let subjects = skill.subjects(prompt);
        let calls = named.iter().map(|spec| call(spec, &subjects, writer));
        return calls.collect();
    }
    if skill.calls_what_is_spoken_of() {
        in_talk(prompt, writer)
    } else {
        Vec::new()
    }
}

/// Whether a text names a tool: the name with no letter, digit, underscore or hyphen beside it.
fn names(text: &str, tool: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.match_indices(tool).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + tool.len()..].chars().next();
        !before.is_some_and(in_name) && !after.is_some_and(in_name)
    })
}

/// A call with the arguments that the schema requires; a question asks about the first subject.
fn call(spec: &ToolSpec, subjects: &[&str], writer: &mut Writer<'_>) -> ToolCall {
    let schema: Value = serde_json::from_str(spec.schema()).unwrap_or_default();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        let subject = subjects.first().map(|subject| Value::from(*subject));
        let value = match subject.filter(|_| name == "question") {
            Some(subject) => subject,
            None => schema::fill(&schema["properties"][name], writer),
        };
        arguments.insert(name.into(), value);
    }
    ToolCall::new("", spec.name(), Value::Object(arguments).to_string())
}

// --- what others spoke of ---

/// The most characters of a result that it repeats.
const REPEATED: usize = 240;

/// The calls for which the words since its own last turn give a reason, and a handoff if it has a
/// tool for that and nothing to conclude.
fn in_talk(prompt: &Prompt<'_>, writer: &Writer<'_>) -> Vec<ToolCall> {
    let notes = Notes::of(prompt);
    let hand_on = notes.texts("hand_on");
    let idle: BTreeSet<String> = writer
        .words("tools.idle")
        .map(|word| stem(word).to_owned())
        .collect();
    let entries = prompt.history.entries();
    let is_own = |entry: &&Entry| entry.role() == Role::Ai;
    let mut new: Vec<String> = entries
        .iter()
        .rev()
        .take_while(|entry| !is_own(entry))
        .filter_map(words_of)
        .collect();
    new.reverse();
    new.push(prompt.question.full_text().into_owned());
    let new = new.join("\n");
    let called = called_before(entries);
    let is_transfer = |spec: &&Arc<ToolSpec>| hand_on.contains(&spec.name());
    let specs = prompt.tools.specs.iter();
    let mut calls = Vec::new();
    for spec in specs.filter(|spec| !is_transfer(spec)) {
        for arguments in wanted(spec, prompt, &new, &idle) {
            let arguments = arguments.to_string();
            let known = called
                .iter()
                .any(|(name, before)| name == spec.name() && *before == arguments);
            if !known {
                calls.push(ToolCall::new("", spec.name(), arguments));
            }
        }
    }
    if notes.texts("must").is_empty() {
        let transfers: Vec<_> = prompt.tools.specs.iter().filter(is_transfer).collect();
        let told: Vec<String> = entries.iter().filter_map(words_of).collect();
        let task = stems(&told.join("\n"), &idle);
        let mut chance = SplitMix64::new(mix(&[prompt.seed, hash("hand on")]));
        // Who was handed over to least comes first, then who suits best what was said.
        let ranked = transfers.iter().map(|spec| {
            let times = called
                .iter()
                .filter(|(name, _)| name == spec.name())
                .count();
            let shared = about(spec, &idle).intersection(&task).count();
            (times, usize::MAX - shared, chance.next_number(), *spec)
        });
        if let Some((.., spec)) = ranked.min_by_key(|(times, far, lot, _)| (*times, *far, *lot)) {
            calls.push(ToolCall::new("", spec.name(), "{}"));
        }
    }
    calls
}

/// The arguments with which a text asks for a tool: those of the sentences that speak of what it is
/// for, else those of the whole text.
fn wanted(spec: &ToolSpec, prompt: &Prompt<'_>, text: &str, idle: &BTreeSet<String>) -> Vec<Value> {
    let mut own = about(spec, idle);
    // What several tools speak of tells none of them apart.
    let others = prompt.tools.specs.iter();
    for tool in others.filter(|tool| tool.name() != spec.name()) {
        let stems = about(tool, idle);
        own.retain(|stem| !stems.contains(stem));
    }
    let is_meant = |text: &str| !own.is_disjoint(&stems(text, idle));
    let in_sentences: Vec<Value> = sentences(text)
        .filter(|sentence| is_meant(sentence))
        .flat_map(|sentence| arguments(spec, sentence, true))
        .collect();
    let mut found = if in_sentences.is_empty() {
        arguments(spec, text, is_meant(text))
    } else {
        in_sentences
    };
    let mut known: Vec<Value> = Vec::new();
    found.retain(|arguments| {
        let is_new = !known.contains(arguments);
        known.push(arguments.clone());
        is_new
    });
    found
}

/// What another entity said, without the name before it.
fn words_of(entry: &Entry) -> Option<String> {
    if entry.role() != Role::Human {
        return None;
    }
    let text = entry.body().short_text();
    let spoken = entry.body().sender().and_then(|sender| {
        let words = text.strip_prefix(&**sender)?;
        [": ", "："]
            .iter()
            .find_map(|mark| words.strip_prefix(mark))
    });
    Some(spoken.unwrap_or(&text).to_owned())
}

/// The calls that it made in this conversation: names and arguments.
fn called_before(entries: &[Entry]) -> Vec<(String, String)> {
    let own = entries.iter().filter(|entry| entry.role() == Role::Ai);
    let blocks = own.flat_map(|entry| match entry.body().content() {
        Content::Text(_) => Vec::new(),
        Content::Blocks(blocks) => blocks.to_vec(),
    });
    let calls = blocks.filter_map(|block| match block {
        Block::ToolUse { name, input, .. } => Some((name, input.to_string())),
        _ => None,
    });
    calls.collect()
}

/// What the tools returned that it called for this question, one text each.
pub fn found(prompt: &Prompt<'_>) -> Vec<String> {
    let rounds = prompt.rounds.iter().filter_map(|round| match round {
        ExchangeRound::Tools(round) => Some(&round.returned),
        _ => None,
    });
    let blocks = rounds.flat_map(|returned| match returned.content() {
        Content::Text(_) => Vec::new(),
        Content::Blocks(blocks) => blocks.to_vec(),
    });
    let texts = blocks.filter_map(|block| match block {
        Block::ToolResult { output, .. } => Some(match output.as_str() {
            Some(text) => text.to_owned(),
            None => output.to_string(),
        }),
        _ => None,
    });
    texts.map(|text| first_of(&text)).collect()
}

fn first_of(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(REPEATED) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}
