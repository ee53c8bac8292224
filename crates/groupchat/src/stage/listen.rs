//! Taking the answers of the selected speakers, and delivering their turns.

use bevy_ecs::prelude::*;
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::locale::text;
use playhouse_engine::message::Block;
use playhouse_tools::schema_check::accepts;
use serde_json::Value;

use super::answers::ChatAnswers;
use super::chat::{FinishedTurn, Utterance};
use super::deliver::Delivery;
use super::forget;
use super::replies::{MessageReply, Say, StructuredReply, TextConstraints, TextReply};
use super::speak::{NO_ANSWER, streamed, text_ask};
use super::step::ChatStep;
use super::tool_rounds::{FunctionCallRound, thought_message};
use crate::message::{
    ChatContent, ChatMessage, GenerateReason, Structured, event_id, message_id, value_text,
};
use crate::prompts::{ChatPrompt, LineData};
use crate::team::{Audience, Output, Participant, ParticipantKind, Selection};

impl ChatStep<'_, '_, '_> {
    /// Takes the answers that have come. When all selected speakers have answered, delivers their
    /// turns.
    pub(super) fn listen(&mut self, answers: &mut ChatAnswers<'_, '_>) {
        for (approver, approval, by) in answers.approvals.take() {
            self.take_approval(approver, approval, by);
        }
        for (entity, TextReply(text), by) in answers.texts.take() {
            let participant = self.participant(entity);
            if let Some(participant) = participant
                && self.chat.folding.remove(&participant.name)
            {
                self.take_summary(entity, &text, &by);
                self.ask_to_speak(participant);
                continue;
            }
            if let Some((text, by)) = self.take_code_answer(entity, text, by) {
                self.take_turn(entity, by, ChatMessage::text("", text), Vec::new());
            }
        }
        for (entity, StructuredReply(value), by) in answers.structured.take() {
            let participant = self.participant(entity);
            let output = participant.and_then(|participant| participant.output.as_ref());
            let message = ChatMessage::new("", structured_content(value, output));
            self.take_turn(entity, by, message, Vec::new());
        }
        for (entity, MessageReply(message), by) in answers.messages.take() {
            self.take_turn(entity, by, message, Vec::new());
        }
        for (entity, say, by) in answers.says.take() {
            let listeners = say.whisper_to.clone();
            self.take_turn(entity, by, said_message(say), listeners);
        }
        self.ask_for_summaries();
        self.ask_approvers();
        let mut speaking = self.chat.speaking.iter();
        if speaking.all(|name| self.chat.finished_turns.contains_key(name)) {
            self.deliver_turns();
        }
    }

    /// Makes an answer, and what was done on the way to it, the turn of a speaker.
    fn take_turn(
        &mut self,
        entity: Entity,
        by: AnsweredBy,
        message: ChatMessage,
        listeners: Vec<String>,
    ) {
        let Some(participant) = self.participant(entity) else {
            return;
        };
        let turn = match by {
            AnsweredBy::Fallback(reason) => {
                self.edit_context(entity, forget::remove_last_answer);
                FinishedTurn::failed(self.translate(&reason))
            }
            _ => self.turn(entity, participant, message, listeners),
        };
        let name = participant.name.clone();
        self.chat.finished_turns.insert(name, turn);
    }

    fn turn(
        &mut self,
        entity: Entity,
        participant: &Participant,
        mut message: ChatMessage,
        listeners: Vec<String>,
    ) -> FinishedTurn {
        let name = participant.name.as_str();
        let is_coder = matches!(participant.kind, ParticipantKind::Coder { .. });
        let thought = self.context(entity).and_then(last_thought);
        // The rounds of coders are in their events already.
        let rounds = if is_coder {
            Vec::new()
        } else {
            self.last_rounds(entity)
        };
        let ask = self
            .params
            .ask_counts
            .get(entity)
            .map_or(0, |count| count.0);

        for round in &rounds {
            self.keep_notes(participant, round);
        }
        let events = self.chat.code_events.remove(name).unwrap_or_default();
        let mut utterances: Vec<Utterance> = events.into_iter().map(Utterance::Own).collect();
        let events = rounds.iter().flat_map(|round| round.events(name));
        utterances.extend(events.enumerate().map(|(index, mut event)| {
            if participant.stream {
                event.message_mut().id = event_id(name, ask, index);
            }
            event
        }));

        let is_empty = matches!(&message.content, ChatContent::Text(text) if text.is_empty());
        if !is_empty {
            message.content = self.hand_back(participant, message.content);
            message.models_usage = self.last_usage(entity);
            if let Some(thought) = thought {
                if let ChatContent::Handoff { context, .. } = &mut message.content {
                    add_to_context(context, thought_message(&thought, name));
                }
                let thought = ChatMessage::new(name, ChatContent::Thought(thought));
                utterances.push(thought.into());
            }
        } else if let Some(last) = rounds.last() {
            let max = participant.max_tool_iterations;
            let is_last_round = rounds.len() as u32 >= max;
            if is_last_round && fails_after(last, participant) {
                let error = text!(groupchat_fail_max_tool_iterations, max);
                return FinishedTurn::failed(self.translate(&error));
            }
            message.content = self.round_content(participant, last);
            message.models_usage = None;
            message.set_generate_reason(if is_last_round && max > 1 {
                GenerateReason::MaxIterations
            } else {
                GenerateReason::ToolCalls
            });
        } else {
            let error = text!(groupchat_fail_empty_answer);
            return FinishedTurn::failed(self.translate(&error));
        }
        message.source = name.to_owned();
        message.id = if participant.stream {
            message_id(name, ask)
        } else {
            String::new()
        };
        utterances.push(message.into());
        let listeners = match &participant.audience {
            Audience::Only(audience) if listeners.is_empty() => audience.clone(),
            _ => listeners,
        };
        FinishedTurn {
            utterances,
            listeners,
            ..FinishedTurn::default()
        }
    }

    /// An answer that consists of the results of tools: a handoff if a tool handed over.
    fn round_content(&self, participant: &Participant, round: &FunctionCallRound) -> ChatContent {
        if let Some(handoff) = round.handoff(participant) {
            return round.handoff_content(participant, handoff);
        }
        let formatters = &self.params.teams.functions.tool_call_formatters;
        let formatter = formatters.get(&participant.tool_call_summary);
        round.summary(participant, formatter)
    }

    /// A person that was handed over to hands back with its answer.
    fn hand_back(&self, participant: &Participant, content: ChatContent) -> ChatContent {
        let last = self.chat.delta.last();
        let source = last.and_then(|last| match &last.content {
            ChatContent::Handoff { target, .. } if *target == participant.name => {
                Some(&last.source)
            }
            _ => None,
        });
        match (content, source) {
            (ChatContent::Text(content), Some(source))
                if participant.kind == ParticipantKind::Person =>
            {
                ChatContent::Handoff {
                    content,
                    target: source.clone(),
                    context: Value::Array(Vec::new()),
                }
            }
            (content, _) => content,
        }
    }

    /// Asks the participants whose inner team has talked for a summary of the talk.
    fn ask_for_summaries(&mut self) {
        for (name, talk) in std::mem::take(&mut self.chat.inner_talks) {
            let Some(participant) = self.team.participant(&name) else {
                continue;
            };
            let ParticipantKind::Society { instruction, .. } = &participant.kind else {
                continue;
            };
            let Some(entity) = self.entity(&name) else {
                continue;
            };
            let talk: Vec<_> = talk
                .iter()
                .filter(|message| !message.is_event())
                .map(|message| LineData {
                    who: &message.source,
                    text: message.to_model_text(),
                })
                .filter(|line| !line.text.trim().is_empty())
                .collect();
            if talk.is_empty() {
                let text = self.translate(&text!(groupchat_no_response));
                let turn = FinishedTurn::by_code([ChatMessage::text(&name, text)]);
                self.chat.finished_turns.insert(name, turn);
                continue;
            }
            let question = self.prompt(&ChatPrompt::Society { talk, instruction });
            let notes = self.notes(participant, entity);
            let constraints = TextConstraints::default();
            let ask = text_ask(question, constraints, participant, notes);
            self.ask(entity, streamed(ask, participant));
        }
    }

    /// Delivers the turns of the selected speakers, in their order.
    fn deliver_turns(&mut self) {
        let names = std::mem::take(&mut self.chat.speaking);
        let mut turns = std::mem::take(&mut self.chat.finished_turns);
        self.chat.delta.clear();
        let mut errors = Vec::new();
        for name in names {
            let turn = turns.remove(&name).unwrap_or_default();
            match turn.error {
                Some(error) if self.chat.falls_back => {
                    let turn = self.default_turn(&name, &error);
                    self.deliver_turn(name, turn);
                }
                Some(error) => errors.push((name, error)),
                None => self.deliver_turn(name, turn),
            }
        }
        let Some((name, error)) = errors.first() else {
            return self.finish_or_select();
        };
        let reason = text!(groupchat_fail_answer, name, error);
        if matches!(self.team.selection, Selection::Graph(_)) {
            let names = errors.into_iter().map(|(name, _)| name);
            self.chat.graph_flow.put_back(names.collect());
        }
        self.fail(&reason);
    }

    /// The turn of a speaker that could not answer: readers learn why.
    fn default_turn(&self, name: &str, error: &str) -> FinishedTurn {
        let reason = self.translate(&text!(groupchat_fail_answer, name, error));
        let reason = ChatMessage::new(name, ChatContent::Thought(reason));
        FinishedTurn::by_code([reason, ChatMessage::text(name, NO_ANSWER)])
    }

    pub(super) fn deliver_turn(&mut self, name: String, turn: FinishedTurn) {
        let mut last = None;
        let how = Delivery {
            listeners: &turn.listeners,
            speaker: Some(&name),
            is_answer: !turn.by_code,
        };
        for utterance in turn.utterances {
            match utterance {
                Utterance::Own(message) => {
                    last = Some(message.clone());
                    self.deliver(message, how);
                }
                // Nobody hears it.
                Utterance::Inner(message) => self.params.events.think(self.stage, message),
            }
        }
        self.chat.turns += 1;
        self.chat.current = Some(name.clone());
        if let (Selection::Graph(graph), Some(last)) = (&self.team.selection, last) {
            // Conditions of edges see the message as guards changed it.
            let delivered = self
                .chat
                .delta
                .last()
                .filter(|message| message.source == last.source);
            let message = delivered.cloned().unwrap_or(last);
            let functions = &self.params.teams.functions;
            let flow = &mut self.chat.graph_flow;
            flow.follow(graph, &name, &message, functions);
        }
    }
}

/// The message of a participant that may hand over in its answer.
fn said_message(say: Say) -> ChatMessage {
    let content = match say.handoff {
        Some(target) => ChatContent::Handoff {
            content: say.message,
            target,
            context: match say.context {
                Value::Null => Value::Array(Vec::new()),
                context => context,
            },
        },
        None => ChatContent::Text(say.message),
    };
    ChatMessage::new("", content)
}

/// Whether a turn fails with this round, which is the last that is allowed. If the results of one
/// round are the answer anyway, or it handed over, it does not.
fn fails_after(last: &FunctionCallRound, participant: &Participant) -> bool {
    participant.fail_at_max_tool_iterations
        && (participant.max_tool_iterations > 1 || participant.reflects_on_tool_use())
        && last.handoff(participant).is_none()
}

/// Adds a message to what the target of a handoff should know.
fn add_to_context(context: &mut Value, message: Value) {
    let mut items = match context.take() {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        other => vec![other],
    };
    items.push(message);
    *context = items.into();
}

/// A value as a structured message, or as text if it does not fit the output type.
fn structured_content(value: Value, output: Option<&Output>) -> ChatContent {
    let Some(output) = output else {
        return ChatContent::Text(value_text(&value));
    };
    let schema = serde_json::from_str::<Value>(&output.schema).unwrap_or_default();
    if accepts(&schema, &value) {
        ChatContent::Structured(Structured {
            content: value,
            content_type: output.type_name(&schema).to_owned(),
            format_string: (!output.format.is_empty()).then(|| output.format.clone()),
        })
    } else {
        ChatContent::Text(value_text(&value))
    }
}

/// The reasoning that came with the last answer in a context.
fn last_thought(context: &AgentContext) -> Option<String> {
    let blocks = context.entries().last()?.body().listed_blocks();
    blocks.iter().find_map(|block| match block {
        Block::Thinking { thinking, .. } => Some(thinking.to_string()),
        _ => None,
    })
}
