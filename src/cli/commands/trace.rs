//! The view `trace`: what each call of an entity was asked, and what it answered; in a team, what
//! it saw.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::groupchat::{MindCall, RoleMessage, calls_within};
use crate::journal::{AskEnding, Outcome};
use crate::message::{Block, Role};
use crate::session::{CallRequest, PromptPart, Wanted};

use super::sent;
use crate::cli::labels::purpose_label;
use crate::cli::saved::{Contents, Played, Saved, nobody};

/// What each call saw, by who was asked and the number of the ask.
type Seen = BTreeMap<(Arc<str>, u32), CallRequest>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TraceForm {
    /// All that the journal has of each.
    Full,
    /// As AG2's users print it: the messages before each answer of a participant.
    Ag2,
}

/// AG2's name for the agent that passes messages on.
const CHAT_MANAGER: &str = "chat_manager";

/// Prints the calls of one entity, or all, as the journal has them, and before each those of the
/// teams that were its tools. A context keeps questions shorter than they were asked and replaces
/// what is over by summaries, so it can't tell what was sent.
pub(super) fn trace(app: &App, slot: &str, name: Option<&str>, form: TraceForm) -> Result<()> {
    let saved = Saved::find(app, slot)?;
    let story = match name {
        Some(_) => saved.contents()?,
        None => Contents::of_journal(&saved.story.lines),
    };
    let mut counts = BTreeMap::<String, usize>::new();
    let calls = story.answers().map(|(_, outcome)| {
        let mut within = calls_within(&outcome);
        for call in &mut within {
            let count = counts.entry(call.agent.clone()).or_default();
            *count += 1;
            call.number = *count;
        }
        (outcome, within)
    });
    let calls: Vec<_> = calls.collect();
    if let Some(name) = name {
        let within = calls.iter().flat_map(|(_, within)| within);
        let within = within.map(|call| call.agent.as_str());
        let names = story.names().map(|(name, _)| &**name);
        check_known(name, &names.chain(within).collect())?;
    }
    let is_shown = |who: &str| name.is_none_or(|name| *name == *who);
    if form == TraceForm::Ag2 {
        let seen = by_ask(sent::find(app, &saved, wanted(name))?);
        print_ag2(app, &calls, &seen, is_shown);
        return Ok(());
    }
    let seen = match saved.played {
        // A team whose file has changed since tells what the journal has.
        Played::Team(_) => {
            by_ask(sent::try_to_find(app, &saved, wanted(name))?.unwrap_or_default())
        }
        _ => Seen::new(),
    };
    let (mut out, language) = (app.out(), app.language);
    for (outcome, within) in &calls {
        for call in within.iter().filter(|call| is_shown(&call.agent)) {
            if app.settings.json {
                out.json(&traced_in_team(call));
            } else {
                out.raw(&as_text(language, call));
            }
        }
        if is_shown(&outcome.entity) {
            let seen = seen.get(&(outcome.entity.clone(), outcome.number));
            if app.settings.json {
                out.json(&traced(outcome, seen));
            } else {
                out.raw(&outcome_as_text(language, outcome, seen));
            }
        }
    }
    Ok(())
}

fn check_known(name: &str, known: &BTreeSet<&str>) -> Result<()> {
    if known.contains(name) {
        return Ok(());
    }
    Err(nobody(name, known.iter().copied()))
}

fn wanted(name: Option<&str>) -> Wanted {
    Wanted {
        entity: name.map(str::to_owned),
        ..Wanted::default()
    }
}

fn by_ask(found: Vec<CallRequest>) -> Seen {
    // Of several requests for one answer, the last has it all.
    let found = found.into_iter().map(|request| {
        let key = (request.outcome.entity.clone(), request.outcome.number);
        (key, request)
    });
    found.collect()
}

/// What was seen before the first answer, with who said it. Answers that were refused, and tools,
/// are in the outcome.
fn context(request: &CallRequest) -> Vec<RoleMessage> {
    role_messages(request, |part| !matches!(part, PromptPart::Exchange))
}

/// The messages of these parts of a request, without the system message.
fn role_messages(request: &CallRequest, is_wanted: fn(&PromptPart) -> bool) -> Vec<RoleMessage> {
    let messages = request.messages.iter();
    let messages = messages
        .filter(|message| is_wanted(&message.part) && message.role != Role::System)
        .map(|message| {
            let (speaker, owner) = (message.speaker.as_deref(), &request.outcome.entity);
            RoleMessage::new(message.role, speaker, &message.text, owner)
        });
    messages.collect()
}

fn system_message(request: &CallRequest) -> Option<&str> {
    let mut messages = request.messages.iter();
    let system = messages.find(|message| message.role == Role::System)?;
    Some(system.text.trim())
}

fn outcome_as_text(language: Language, outcome: &Outcome, seen: Option<&CallRequest>) -> String {
    let rule = "=".repeat(70);
    let purpose = purpose_label(&outcome.purpose);
    let model = format!("{}/{}", outcome.provider, outcome.model);
    let mut lines = vec![
        rule.clone(),
        say!(
            language,
            cli_trace_call,
            agent = &*outcome.entity,
            number = outcome.number
        ),
        rule.clone(),
    ];
    let asked = say!(language, cli_trace_asked, purpose, model);
    if let Some(request) = seen {
        let sender = &*request.place;
        lines.push(say!(language, cli_trace_sender, sender));
        lines.push(asked);
        let system = system_message(request);
        lines.extend(system.map(|text| say!(language, cli_trace_system, text)));
        lines.extend(context_as_text(language, sender, &context(request)));
    } else if outcome.asked.is_empty() {
        lines.push(asked);
    } else {
        lines.push(asked + say!(language, cli_colon).trim_end());
        lines.push(outcome.asked.clone());
    }
    lines.push("-".repeat(70));
    for recalled in &outcome.recalled {
        let source = [&recalled.day, &recalled.place].into_iter().flatten();
        let source = source.map(|part| &**part).collect::<Vec<_>>().join(", ");
        let memory = format!("[{source}] {}", recalled.text);
        lines.push(if recalled.used {
            say!(language, cli_trace_recalled_used, memory)
        } else {
            say!(language, cli_trace_recalled, memory)
        });
    }
    for refused in &outcome.refused {
        lines.push(say!(language, cli_trace_refused, answer = &refused.answer));
        lines.extend(Some(refused.complaint.clone()).filter(|text| !text.is_empty()));
    }
    for round in &outcome.rounds {
        for block in &round.said {
            if let Block::ToolUse { name, input, .. } = block {
                lines.push(format!("{name}({input})"));
            }
        }
        lines.extend(round.results.iter().map(|result| result.text.clone()));
    }
    lines.push(match &outcome.ending {
        AskEnding::Answered { text, .. } => say!(language, cli_trace_reply, reply = text),
        AskEnding::Failed { reason } => say!(language, cli_trace_failed, reason),
    });
    lines.push(rule);
    lines.join("\n") + "\n"
}

/// The answer, or why there was none.
pub(super) fn ended(outcome: &Outcome) -> (Option<&str>, Option<String>) {
    match &outcome.ending {
        AskEnding::Answered { text, .. } => (Some(text), None),
        AskEnding::Failed { reason } => (None, Some(reason.to_string())),
    }
}

fn traced<'o>(outcome: &'o Outcome, seen: Option<&'o CallRequest>) -> Printed<'o> {
    let (reply, failed) = ended(outcome);
    Printed::Traced {
        agent: &outcome.entity,
        id: outcome.id,
        call: outcome.number,
        purpose: &outcome.purpose,
        provider: &outcome.provider,
        model: &outcome.model,
        asked: &outcome.asked,
        recalled: &outcome.recalled,
        refused: &outcome.refused,
        rounds: &outcome.rounds,
        prompt_bytes: outcome.prompt_bytes,
        reply,
        failed,
        sender: seen.map(|request| &*request.place),
        system: seen.map(system_message),
        context: seen.map(context),
    }
}

fn context_as_text(
    language: Language,
    sender: &str,
    context: &[RoleMessage],
) -> impl Iterator<Item = String> {
    let count = context.len();
    let heading = say!(language, cli_trace_context, sender, count);
    std::iter::once(heading).chain(message_lines(sender, context))
}

fn message_lines(sender: &str, context: &[RoleMessage]) -> impl Iterator<Item = String> {
    context.iter().enumerate().map(move |(index, seen)| {
        let who = match seen.name.as_str() {
            "" => sender,
            name => name,
        };
        let (role, said) = (&seen.role, &seen.content);
        format!("    [{index}] [{role}] {who}: {said}")
    })
}

/// Prints the turns of participants as AG2's users know them, each numbered among its own.
fn print_ag2(
    app: &App,
    calls: &[(Arc<Outcome>, Vec<MindCall>)],
    seen: &Seen,
    is_shown: impl Fn(&str) -> bool,
) {
    let mut out = app.out();
    let mut counts = BTreeMap::<String, usize>::new();
    let calls = calls.iter().flat_map(|(outcome, within)| {
        let request = seen.get(&(outcome.entity.clone(), outcome.number));
        let own = request.and_then(|request| ag2_call(outcome, request));
        within.iter().cloned().map(of_manager).chain([own])
    });
    for mut call in calls.flatten() {
        let count = counts.entry(call.agent.clone()).or_default();
        *count += 1;
        call.number = *count;
        if !is_shown(&call.agent) {
            continue;
        }
        if app.settings.json {
            out.json(&traced_in_team(&call));
        } else {
            out.raw(&as_ag2(&call));
        }
    }
}

/// The turn of a participant; `None` for what a team or a place was asked itself, and for tasks.
/// Like AG2's `_oai_messages`, its context has neither the system message nor the question.
fn ag2_call(outcome: &Outcome, request: &CallRequest) -> Option<MindCall> {
    if matches!(outcome.purpose.as_str(), "chat.task" | "chat.control") {
        return None;
    }
    of_manager(MindCall {
        agent: outcome.entity.to_string(),
        number: 0,
        sender: request.place.to_string(),
        team_path: String::new(),
        context: role_messages(request, |part| matches!(part, PromptPart::Memory { .. })),
        reply: match &outcome.ending {
            AskEnding::Answered { text, .. } => text.clone(),
            AskEnding::Failed { .. } => "None".into(),
        },
    })
}

/// The call with AG2's name for its team; `None` if it was asked itself.
fn of_manager(mut call: MindCall) -> Option<MindCall> {
    if call.agent == call.sender {
        return None;
    }
    for seen in &mut call.context {
        if seen.name.is_empty() || seen.name == call.sender {
            seen.name = CHAT_MANAGER.into();
        }
    }
    call.sender = CHAT_MANAGER.into();
    Some(call)
}

/// In the words of AG2's documentation, in every language.
fn as_ag2(call: &MindCall) -> String {
    let rule = "=".repeat(70);
    let (agent, number, count) = (&call.agent, call.number, call.context.len());
    let mut lines = vec![
        rule.clone(),
        format!(">>> AGENT: {agent}  (call #{number})"),
        rule.clone(),
        format!("Sender: {CHAT_MANAGER}"),
        format!("Internal context (_oai_messages[{CHAT_MANAGER}]): {count} messages"),
    ];
    lines.extend(message_lines(CHAT_MANAGER, &call.context));
    lines.extend(["-".repeat(70), format!("Reply: {}", call.reply), rule]);
    lines.join("\n") + "\n"
}

/// A call in a team that is a tool, in a form that is known from other tools.
fn as_text(language: Language, call: &MindCall) -> String {
    let rule = "=".repeat(70);
    let (agent, number, sender) = (&call.agent, call.number, &call.sender);
    let mut lines = vec![
        rule.clone(),
        say!(language, cli_trace_call, agent, number),
        rule.clone(),
        say!(language, cli_trace_sender, sender),
    ];
    if !call.team_path.is_empty() {
        lines.push(say!(language, cli_trace_inside, team = &call.team_path));
    }
    lines.extend(context_as_text(language, sender, &call.context));
    let reply = say!(language, cli_trace_reply, reply = &call.reply);
    lines.extend(["-".repeat(70), reply, rule]);
    lines.join("\n") + "\n"
}

fn traced_in_team(call: &MindCall) -> Printed<'_> {
    Printed::TracedInTeam {
        agent: &call.agent,
        call: call.number,
        sender: &call.sender,
        context: &call.context,
        reply: &call.reply,
        team_path: &call.team_path,
    }
}
