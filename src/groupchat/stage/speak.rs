//! Those who have the word are asked, and what they say is told.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::chat::{Spoken, Uttered};
use super::replies::{
    Produced, ProducedConstraints, SayConstraints, Shaped, ShapedConstraints, Words,
    WordsConstraints,
};
use super::tools::{handed_by_tool, last_rounds, summary, transfer_tool, with_tools};
use super::{At, Chat, ChatParams, Phase, Say};
use crate::cast::CastList;
use crate::context::AgentContext;
use crate::event::By;
use crate::exchange::Ask;
use crate::groupchat::message::{ChatMessage, Content, MemoryItem, Structured};
use crate::groupchat::perspective::{last_usage, words};
use crate::groupchat::stream_merger::{event_id, message_id};
use crate::groupchat::team::{Audience, Kind, Output, Participant, Selection};
use crate::groupchat::termination::Rule;
use crate::message::{Block, Content as Said, Role};
use crate::tool::schema_check::accepts;

impl ChatParams<'_, '_> {
    /// Gives these the word.
    pub(super) fn let_speak(&mut self, at: &mut At, names: Vec<String>) {
        if names.is_empty() {
            let reason = self.words("nobody is there who could speak", "没有人可以发言");
            return self.fail(at, reason);
        }
        if at.team.emit_team_events {
            let event = Content::SelectSpeaker(names.clone());
            let manager = at.team.selection.manager();
            self.said(at, ChatMessage::new(manager, event), &[], None);
        }
        at.chat.spoken.clear();
        at.chat.overheard.clear();
        at.chat.coding.clear();
        at.chat.coded.clear();
        at.chat.phase = Phase::Speaking;
        for name in &names {
            let Some(one) = at.team.participant(name) else {
                continue;
            };
            match &one.kind {
                Kind::Assistant | Kind::Person => self.ask_to_speak(at, one),
                Kind::Coder { .. } => self.let_code(at, one),
                Kind::Team => self.let_talk(at, one, &one.name),
                Kind::Society { team, .. } => self.let_talk(at, one, team),
            }
        }
        at.chat.speaking = names;
    }

    /// A team inside gets what it has not heard, and begins.
    fn let_talk(&mut self, at: &mut At, one: &Participant, inner: &str) {
        let given = at.chat.unheard.remove(&one.name).unwrap_or_default();
        let inner = inner.to_owned();
        self.tell.later(move |world| {
            let stage = world.resource::<CastList>().by_name(&inner);
            let chat = stage.and_then(|stage| world.get_mut::<Chat>(stage));
            if let Some(mut chat) = chat {
                chat.given = given;
                chat.phase = Phase::Begin;
            }
        });
    }

    pub(super) fn ask_to_speak(&mut self, at: &mut At, one: &Participant) {
        let Some(entity) = self.entity(&one.name) else {
            return;
        };
        if !one.memory.is_empty() {
            let items = one.memory.iter().map(|text| MemoryItem {
                content: text.as_str().into(),
                mime_type: "text/plain".into(),
                metadata: None,
            });
            let event = Content::MemoryQuery(items.collect());
            self.said(
                at,
                ChatMessage::new(one.name.as_str(), event),
                &[],
                Some(&one.name),
            );
        }
        if one.kind == Kind::Person {
            let request_id = format!("{}-{}", at.team.name, at.chat.messages + 1);
            let event = Content::UserInputRequested { request_id };
            self.said(
                at,
                ChatMessage::new(one.name.as_str(), event),
                &[],
                Some(&one.name),
            );
        }
        let (question, notes) = (self.question(at, one, entity), self.notes(at, one, entity));
        let targets = handoffs_in_words(one)
            .map(str::to_owned)
            .collect::<Vec<_>>();
        let ears = match at.team.whispers {
            true => self.ears(at, &one.name),
            false => Vec::new(),
        };
        let mut entity = self.commands.entity(entity);
        if !one.produces.is_empty() {
            let facts = ProducedConstraints {
                factory: self.teams.factory.clone(),
                types: one.produces.clone(),
            };
            let fallback = Produced(ChatMessage::text("", "…"));
            entity.insert(lasting(
                Ask::new("chat.speak", question, facts, fallback),
                one,
                notes,
            ));
        } else if let Some(output) = &one.output {
            let facts = ShapedConstraints {
                schema: Arc::new(serde_json::from_str(&output.schema).unwrap_or_default()),
                or_tools: !one.tools.is_empty(),
            };
            let ask = Ask::new("chat.speak", question, facts, Shaped("…".into()));
            entity.insert(with_tools(lasting(ask, one, notes), one));
        } else if targets.is_empty() && ears.is_empty() {
            let facts = WordsConstraints {
                or_tools: !one.tools.is_empty(),
            };
            let ask = Ask::new("chat.speak", question, facts, Words("…".into()));
            let ask = watched(lasting(ask, one, notes), one);
            entity.insert(with_tools(ask, one));
        } else {
            let facts = SayConstraints { targets, ears };
            let fallback = Say {
                message: "…".into(),
                ..Say::default()
            };
            entity.insert(lasting(
                Ask::new("chat.say", question, facts, fallback),
                one,
                notes,
            ));
        }
    }

    /// What is asked beside what was said: what is remembered, what else may be done. Mostly nothing.
    fn question(&mut self, at: &At, one: &Participant, entity: Entity) -> String {
        let mut parts = Vec::new();
        if !one.memory.is_empty() {
            parts.push(self.say("chat/asks/memory", &json!({"memory": one.memory})));
        }
        let targets: Vec<_> = handoffs_in_words(one).collect();
        let ears = match at.team.whispers {
            true => self.ears(at, &one.name),
            false => Vec::new(),
        };
        if !targets.is_empty() || !ears.is_empty() {
            parts.push(self.say("chat/asks/say", &json!({"targets": targets, "ears": ears})));
        }
        let heard = self.contexts.get(entity).ok();
        let last = heard.and_then(|heard| heard.entries().last().map(|entry| entry.role()));
        if one.output.is_some() {
            parts.push(self.say("chat/asks/shaped", &json!({})));
        }
        // Many servers refuse a conversation that does not end with somebody else's words.
        if parts.is_empty() && last != Some(Role::Human) {
            parts.push(self.say("chat/asks/go_on", &json!({})));
        }
        parts.join("\n\n")
    }

    fn ears(&self, at: &At, speaker: &str) -> Vec<String> {
        let mut ears: Vec<String> = self.present(at).into_iter().map(str::to_owned).collect();
        ears.push(at.team.user.clone());
        ears.retain(|name| name != speaker);
        ears.dedup();
        ears
    }

    /// What its conversation says, in a form that a grammar can read.
    pub(super) fn notes(&self, at: &At, one: &Participant, entity: Entity) -> Value {
        let closing = at.team.termination.iter().flat_map(Rule::all);
        let closing = closing.into_iter().find_map(|rule| match rule {
            Rule::TextMention { text, .. } if one.system_message.contains(text.as_str()) => {
                Some(text.as_str())
            }
            _ => None,
        });
        let heard = self.contexts.get(entity).ok();
        let last = heard.and_then(|heard| heard.entries().last());
        let last = last.filter(|last| last.role() == Role::Human);
        let said = last.map(|last| {
            let text: String = words(last.body()).chars().take(240).collect();
            let who = last.body().sender().map(ToString::to_string);
            json!({"who": who.unwrap_or_default(), "text": text})
        });
        // With tools it hands the word on by a tool, of which the request tells.
        let hand_on = one.handoffs.iter().filter(|_| !one.tools.is_empty());
        let hand_on: Vec<_> = hand_on.map(|to| transfer_tool(&to.target)).collect();
        json!({
            "hand_on": hand_on,
            "me": one.name, "kind": "chat", "must": closing.into_iter().collect::<Vec<_>>(),
            "said": said.into_iter().collect::<Vec<_>>(),
        })
    }

    // --- listening ---

    /// Takes what came; when all have spoken who have the word, tells it.
    pub(super) fn listen(&mut self, at: &mut At) {
        self.take_approvals(at);
        for (entity, Words(text), by) in self.replies.words.take() {
            let Some((text, by)) = self.take_coding(at, entity, text, by) else {
                continue;
            };
            self.hear(at, entity, by, |source| {
                (ChatMessage::text(source, text), Vec::new())
            });
        }
        for (entity, Shaped(value), by) in self.replies.shaped.take() {
            let one = at.team.participant(&self.name(entity));
            let content = shaped(value, one.and_then(|one| one.output.as_ref()));
            self.hear(at, entity, by, |source| {
                (ChatMessage::new(source, content), Vec::new())
            });
        }
        for (entity, Produced(message), by) in self.replies.produced.take() {
            self.hear(at, entity, by, |source| {
                let message = ChatMessage {
                    source: source.into(),
                    id: String::new(),
                    ..message
                };
                (message, Vec::new())
            });
        }
        for (entity, say, by) in self.replies.says.take() {
            let name = self.name(entity);
            let handoff = say.handoff.map(|target| {
                let known = at.team.participant(&name);
                let known = known
                    .and_then(|one| one.handoffs.iter().find(|handoff| handoff.target == target));
                let message = known.map(|known| known.message.clone()).unwrap_or_default();
                (target, message)
            });
            let message = match handoff {
                None => ChatMessage::text("", say.message),
                Some((target, own)) => {
                    let said = [say.message, own]
                        .into_iter()
                        .find(|text| !text.trim().is_empty());
                    let said = said.unwrap_or_else(|| {
                        self.say("chat/handed_over", &json!({"target": target}))
                    });
                    ChatMessage::handoff("", target, said)
                }
            };
            self.hear(at, entity, by, |source| {
                let message = ChatMessage {
                    source: source.into(),
                    ..message
                };
                (message, say.whisper_to)
            });
        }
        self.ask_to_sum_up(at);
        self.ask_approvers(at);
        let all = at.chat.speaking.iter();
        if all.clone().all(|name| at.chat.spoken.contains_key(name)) {
            self.tell_all(at);
        }
    }

    fn hear(
        &mut self,
        at: &mut At,
        entity: Entity,
        by: By,
        message: impl FnOnce(&str) -> (ChatMessage, Vec<String>),
    ) {
        let name = self.name(entity);
        if let By::Fallback(reason) = by {
            self.forget_last(entity);
            let failed = Spoken {
                failed: Some(reason),
                ..Spoken::default()
            };
            at.chat.spoken.insert(name, failed);
            return;
        }
        let context = self.contexts.get(entity).ok();
        let usage = context.and_then(last_usage);
        let thought = context.and_then(last_thought);
        let one = at.team.participant(&name);
        // Of those who run code, what was run is told already.
        let is_coder = one.is_some_and(|one| matches!(one.kind, Kind::Coder { .. }));
        let rounds = context.filter(|_| !is_coder).map(last_rounds);
        let rounds = rounds.unwrap_or_default();
        let (mut message, ears) = message(&name);
        let coded = at.chat.coded.remove(&name).unwrap_or_default();
        let mut messages: Vec<Uttered> = coded.into_iter().map(Uttered::Said).collect();
        let ask = self.asked.get(entity).map_or(0, |count| count.0);
        let streams = one.is_some_and(|one| one.stream);
        let events = rounds.iter().flat_map(|round| round.events(&name));
        messages.extend(events.enumerate().map(|(at, mut event)| {
            if streams {
                event.message_mut().id = event_id(&name, ask, at);
            }
            event
        }));
        let silent = matches!(&message.content, Content::Text(text) if text.is_empty());
        let usage = usage.filter(|_| !silent);
        let thought = thought.filter(|_| !silent);
        if let (true, Some(last), Some(one)) = (silent, rounds.last(), one) {
            let handed = handed_by_tool(last, one);
            let transfer = handed.as_ref().map(|handoff| {
                let default = self.say("chat/handed_over", &json!({"target": handoff.target}));
                if handoff.message.is_empty() {
                    default
                } else {
                    handoff.message.clone()
                }
            });
            message = match (handed, transfer) {
                (Some(handoff), Some(text)) => last.handoff(&name, &handoff.target, text, one),
                _ => {
                    let own = self.teams.functions.summaries.get(&one.tool_call_summary);
                    summary(&name, last, one, own)
                }
            };
        } else if silent {
            let failed = Spoken {
                failed: Some("the answer is empty".into()),
                ..Spoken::default()
            };
            at.chat.spoken.insert(name, failed);
            return;
        }
        if let Some(thought) = thought {
            messages.push(ChatMessage::new(name.as_str(), Content::Thought(thought)).into());
        }
        let mut message = returned(at, one, message).using(usage);
        if streams {
            message.id = message_id(&name, ask);
        }
        messages.push(message.into());
        let ears = match one.map(|one| &one.audience) {
            Some(Audience::Only(own)) if ears.is_empty() => own.clone(),
            _ => ears,
        };
        at.chat.spoken.insert(
            name,
            Spoken {
                messages,
                ears,
                failed: None,
            },
        );
    }

    /// Those whose team inside has talked are asked what comes of it.
    fn ask_to_sum_up(&mut self, at: &mut At) {
        for (name, talk) in std::mem::take(&mut at.chat.overheard) {
            let Some(one) = at.team.participant(&name) else {
                continue;
            };
            let Kind::Society { instruction, .. } = &one.kind else {
                continue;
            };
            let Some(entity) = self.entity(&name) else {
                continue;
            };
            let talk = talk.iter().filter(|message| !message.is_event());
            let talk: Vec<_> = talk
                .map(|message| json!({"who": message.source, "text": message.to_model_text()}))
                .collect();
            let facts = json!({"talk": talk, "instruction": instruction});
            let question = self.say("chat/asks/society", &facts);
            let notes = self.notes(at, one, entity);
            let facts = WordsConstraints::default();
            let ask = Ask::new("chat.speak", question, facts, Words("…".into()));
            self.commands
                .entity(entity)
                .insert(watched(lasting(ask, one, notes), one));
        }
    }

    /// Tells what all have said who had the word, in their order.
    fn tell_all(&mut self, at: &mut At) {
        let names = std::mem::take(&mut at.chat.speaking);
        let mut spoken = std::mem::take(&mut at.chat.spoken);
        at.chat.delta.clear();
        let mut failed = Vec::new();
        for name in names {
            let own = spoken.remove(&name).unwrap_or_default();
            if let Some(reason) = own.failed {
                failed.push((name, reason));
                continue;
            }
            let mut last = None;
            for uttered in own.messages {
                match uttered {
                    Uttered::Said(message) => {
                        last = Some(message.clone());
                        self.said(at, message, &own.ears, Some(&name));
                    }
                    Uttered::InnerMessage(said) => self.said_inside(at, said),
                }
            }
            at.chat.turns += 1;
            at.chat.current = Some(name.clone());
            if let (Selection::Graph(graph), Some(last)) = (&at.team.selection, last) {
                // Guards may have changed the words; conditions look at what was heard.
                let heard = at
                    .chat
                    .delta
                    .last()
                    .filter(|heard| heard.source == last.source);
                let heard = heard.cloned().unwrap_or(last);
                at.chat
                    .flow
                    .walk(graph, &name, &heard, &self.teams.functions);
            }
        }
        if let Some((name, reason)) = failed.first() {
            let reason = self.words(
                format!("{name} could not answer: {reason}"),
                format!("{name}无法回答：{reason}"),
            );
            if matches!(at.team.selection, Selection::Graph(_)) {
                let again = failed.iter().map(|(name, _)| name.clone());
                at.chat.flow.put_back(again.collect());
            }
            return self.fail(at, reason);
        }
        self.go_on(at);
    }
}

/// To whom it may give the word in what it says; with tools it does so by a tool.
fn handoffs_in_words(one: &Participant) -> impl Iterator<Item = &str> {
    let all = one.handoffs.iter().filter(|_| one.tools.is_empty());
    all.map(|handoff| handoff.target.as_str())
}

/// The ask as every participant gets it: sent once, never remembered.
pub(super) fn lasting<R: crate::exchange::Reply>(
    ask: Ask<R>,
    one: &Participant,
    notes: Value,
) -> Ask<R> {
    ask.condensed("").max_tokens(one.max_tokens).notes(notes)
}

/// The ask for words that people may watch being written, where the participant is one whose words come so.
fn watched(ask: Ask<Words>, one: &Participant) -> Ask<Words> {
    match one.stream {
        true => ask.streamed(),
        false => ask,
    }
}

/// A value as a message of its type; text where it is of another form.
fn shaped(value: Value, output: Option<&Output>) -> Content {
    let text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let Some(output) = output else {
        return Content::Text(text);
    };
    let schema = serde_json::from_str::<Value>(&output.schema).unwrap_or_default();
    match accepts(&schema, &value) {
        true => Content::Structured(Structured {
            content: value,
            content_type: output.name.clone(),
            format_string: (!output.format.is_empty()).then(|| output.format.clone()),
        }),
        false => Content::Text(text),
    }
}

/// A person who was given the word gives it back with the answer.
fn returned(at: &At, one: Option<&Participant>, message: ChatMessage) -> ChatMessage {
    let is_person = one.is_some_and(|one| one.kind == Kind::Person);
    let handed = at.chat.delta.last().filter(|_| is_person);
    let from = handed.and_then(|handed| match &handed.content {
        Content::Handoff { target, .. } if *target == message.source => Some(&handed.source),
        _ => None,
    });
    match (from, &message.content) {
        (Some(from), Content::Text(text)) => {
            ChatMessage::handoff(message.source.as_str(), from.as_str(), text.as_str())
        }
        _ => message,
    }
}

/// The reasoning that came with a context's last answer.
fn last_thought(context: &AgentContext) -> Option<String> {
    let last = context.entries().last()?;
    match last.body().content() {
        Said::Text(_) => None,
        Said::Blocks(blocks) => blocks.iter().find_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(thinking.to_string()),
            _ => None,
        }),
    }
}
