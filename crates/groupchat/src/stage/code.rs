//! The turns of coders: finding or writing code, asking for approval, running it, and reporting the
//! result.

use bevy_ecs::prelude::*;
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::exchange::Ask;
use playhouse_engine::message::Role;
use playhouse_tools::ToolCall;
use playhouse_tools::code::{CodeJob, CodeLanguage, CodeOutcome, RUN_CODE, Snippet};

use super::chat::{CodeStep, CodeTurn, FinishedTurn};
use super::forget;
use super::replies::{Approval, TextConstraints, TextReply};
use super::speak::{NO_ANSWER, text_ask};
use super::step::ChatStep;
use crate::code_blocks::code_blocks;
use crate::message::{ChatContent, ChatMessage, CodeBlock, CodeResult};
use crate::perspective::text_without_speaker;
use crate::prompts::{ChatNotes, ChatPrompt, CodeData, notes};
use crate::team::{Participant, ParticipantKind};

impl ChatStep<'_, '_, '_> {
    /// Begins the turn of a coder: its own model writes code, or the code of others is run.
    pub(super) fn begin_code_turn(&mut self, participant: &Participant) {
        let ParticipantKind::Coder {
            writes, sources, ..
        } = &participant.kind
        else {
            return;
        };
        let name = &participant.name;
        if *writes {
            let turn = CodeTurn::default();
            self.chat.code_turns.insert(name.clone(), turn);
            return self.ask_to_speak(participant);
        }
        let Some(entity) = self.entity(name) else {
            return;
        };
        let snippets = snippets(&self.code_heard(entity, sources));
        if snippets.is_empty() {
            let text = self.prompt(&ChatPrompt::NoCode);
            let turn = FinishedTurn::by_code([ChatMessage::text(name, text)]);
            self.chat.finished_turns.insert(name.clone(), turn);
        } else {
            let turn = CodeTurn {
                snippets,
                ..CodeTurn::default()
            };
            self.run_code(name, turn, false);
        }
    }

    /// The code that others wrote since the last turn of an entity.
    fn code_heard(&self, entity: Entity, sources: &[String]) -> Vec<CodeBlock> {
        let Some(context) = self.context(entity) else {
            return Vec::new();
        };
        let entries = context.entries().iter().rev();
        let heard = entries
            .take_while(|entry| entry.role() == Role::Human)
            .filter(|entry| {
                let sender = entry.body().sender();
                let is_source = |sender: &str| sources.iter().any(|name| name == sender);
                sources.is_empty() || sender.is_some_and(|sender| is_source(sender))
            });
        let mut texts: Vec<_> = heard
            .map(|entry| text_without_speaker(entry.body()))
            .collect();
        texts.reverse();
        texts.iter().flat_map(|text| code_blocks(text)).collect()
    }

    fn run_code(&mut self, name: &str, mut turn: CodeTurn, approved: bool) {
        let Some(entity) = self.entity(name) else {
            return;
        };
        let job = CodeJob {
            snippets: turn.snippets.clone(),
            approved,
        };
        let arguments = serde_json::to_string(&job).unwrap_or_default();
        let constraints = TextConstraints { may_be_empty: true };
        let fallback = TextReply(NO_ANSWER.into());
        let ask = Ask::new("chat.run_code", "", constraints, fallback)
            .condensed("")
            .calling(vec![ToolCall::new("", RUN_CODE, arguments)]);
        self.ask(entity, ask);
        turn.step = CodeStep::Running;
        self.chat.code_turns.insert(name.to_owned(), turn);
    }

    /// Takes an answer of a coder; returns it if it is an ordinary answer.
    pub(super) fn take_code_answer(
        &mut self,
        entity: Entity,
        text: String,
        by: AnsweredBy,
    ) -> Option<(String, AnsweredBy)> {
        let name = self.name(entity);
        let Some(mut turn) = self.chat.code_turns.remove(&name) else {
            return Some((text, by));
        };
        if matches!(by, AnsweredBy::Fallback(_)) {
            return Some((text, by));
        }
        match turn.step {
            CodeStep::Running => {
                self.take_run(self.participant(entity)?, entity, turn);
                None
            }
            CodeStep::Writing => {
                let code_blocks = code_blocks(&text);
                turn.snippets = snippets(&code_blocks);
                if turn.snippets.is_empty() {
                    self.chat.code_events.insert(name, turn.events);
                    return Some((text, by));
                }
                let content = ChatContent::CodeGeneration {
                    content: text,
                    retry_attempt: turn.attempt,
                    code_blocks,
                };
                let event = ChatMessage::new(name.as_str(), content);
                turn.events.push(event.with_usage(self.last_usage(entity)));
                self.run_code(&name, turn, false);
                None
            }
            CodeStep::NeedsApproval | CodeStep::AskedApprover(_) | CodeStep::Reporting => {
                self.chat.code_events.insert(name, turn.events);
                Some((text, by))
            }
        }
    }

    fn take_run(&mut self, participant: &Participant, entity: Entity, mut turn: CodeTurn) {
        let rounds = self.last_rounds(entity);
        let result = rounds.last().and_then(|round| round.first_result());
        match result.map_or(CodeOutcome::NotAllowed, CodeOutcome::read) {
            CodeOutcome::NeedsApproval => {
                self.edit_context(entity, forget::remove_last_round);
                turn.step = CodeStep::NeedsApproval;
                self.chat.code_turns.insert(participant.name.clone(), turn);
            }
            CodeOutcome::NotAllowed => {
                self.edit_context(entity, forget::remove_last_round);
                let languages = restricted_languages(&turn.snippets);
                let text = self.prompt(&ChatPrompt::CodeForbidden {
                    languages: &languages,
                });
                self.finish_code_turn(&participant.name, turn, text);
            }
            CodeOutcome::Ended { code, output } => {
                let content = ChatContent::CodeExecution {
                    retry_attempt: turn.attempt,
                    result: CodeResult {
                        exit_code: code,
                        output: output.clone(),
                    },
                };
                let name = participant.name.as_str();
                turn.events.push(ChatMessage::new(name, content));
                self.report_result(participant, entity, turn, code, &output);
            }
        }
    }

    /// Reports the result of code, or lets the coder's own model fix the code or comment on the
    /// result.
    fn report_result(
        &mut self,
        participant: &Participant,
        entity: Entity,
        mut turn: CodeTurn,
        code: i32,
        output: &str,
    ) {
        let ParticipantKind::Coder {
            writes, retries, ..
        } = participant.kind
        else {
            return;
        };
        if !writes {
            let text = self.prompt(&if code != 0 {
                ChatPrompt::CodeFailed { code, output }
            } else if output.is_empty() {
                ChatPrompt::CodeSilent { code, output }
            } else {
                ChatPrompt::CodeDone { code, output }
            });
            return self.finish_code_turn(&participant.name, turn, text);
        }
        let question = if code != 0 && turn.attempt < retries {
            turn.attempt += 1;
            turn.step = CodeStep::Writing;
            self.prompt(&ChatPrompt::FixCode { code, output })
        } else {
            turn.step = CodeStep::Reporting;
            self.prompt(&ChatPrompt::ReportCode { code, output })
        };
        let notes = self.notes(participant, entity);
        let ask = text_ask(question, TextConstraints::default(), participant, notes);
        self.ask(entity, ask.without_tools());
        self.chat.code_turns.insert(participant.name.clone(), turn);
    }

    fn finish_code_turn(&mut self, name: &str, turn: CodeTurn, text: String) {
        let mut messages = turn.events;
        messages.push(ChatMessage::text(name, text));
        let turn = FinishedTurn::by_code(messages);
        self.chat.finished_turns.insert(name.to_owned(), turn);
    }

    // --- approval ---

    /// Asks the approvers who are not asked anything else at the moment.
    pub(super) fn ask_approvers(&mut self) {
        let turns = self
            .chat
            .code_turns
            .iter()
            .filter(|(_, turn)| turn.step == CodeStep::NeedsApproval);
        let names: Vec<String> = turns.map(|(name, _)| name.clone()).collect();
        for name in names {
            let approver = match self.team.participant(&name).map(|coder| &coder.kind) {
                Some(ParticipantKind::Coder { approver, .. }) if !approver.is_empty() => approver,
                _ => &self.team.user,
            };
            let is_speaking = self.chat.speaking.contains(approver)
                && !self.chat.finished_turns.contains_key(approver);
            let is_asked = self.coder_waiting_for(approver).is_some();
            if !is_speaking && !is_asked {
                self.ask_approver(&name, approver);
            }
        }
    }

    /// The coder for whose code an approver was asked.
    fn coder_waiting_for(&self, approver: &str) -> Option<String> {
        let asked = CodeStep::AskedApprover(approver.to_owned());
        let mut turns = self.chat.code_turns.iter();
        let (name, _) = turns.find(|(_, turn)| turn.step == asked)?;
        Some(name.clone())
    }

    fn ask_approver(&mut self, name: &str, approver: &str) {
        let entity = self.entity_here(approver);
        let Some(turn) = self.chat.code_turns.get_mut(name) else {
            return;
        };
        turn.step = CodeStep::AskedApprover(approver.to_owned());
        let Some(entity) = entity else {
            return self.decide(name, Approval::default());
        };
        let snippets = turn.snippets.clone();
        let code = snippets.iter().map(|snippet| CodeData {
            language: snippet.language.name(),
            code: &snippet.code,
        });
        let question = self.prompt(&ChatPrompt::Approve {
            who: name,
            code: code.collect(),
        });
        let ask = Ask::new("chat.approve", question, (), Approval::default())
            .condensed("")
            .max_tokens(512)
            .notes(notes(&ChatNotes {}));
        self.ask(entity, ask);
    }

    pub(super) fn take_approval(&mut self, entity: Entity, approval: Approval, by: AnsweredBy) {
        let approver = self.name(entity);
        self.edit_context(entity, forget::remove_last_answer);
        let approval = match by {
            AnsweredBy::Fallback(reason) => Approval {
                approved: false,
                reason: self.translate(&reason),
            },
            _ => approval,
        };
        if let Some(name) = self.coder_waiting_for(&approver) {
            self.decide(&name, approval);
        }
    }

    fn decide(&mut self, name: &str, approval: Approval) {
        let Some(turn) = self.chat.code_turns.remove(name) else {
            return;
        };
        if approval.approved {
            return self.run_code(name, turn, true);
        }
        let reason = &approval.reason;
        let text = self.prompt(&ChatPrompt::CodeRefused { reason });
        self.finish_code_turn(name, turn, text);
    }
}

/// The blocks in languages that can be run.
fn snippets(blocks: &[CodeBlock]) -> Vec<Snippet> {
    let snippets = blocks.iter().filter_map(|block| {
        Some(Snippet {
            language: CodeLanguage::of(&block.language)?,
            code: block.code.clone(),
        })
    });
    snippets.collect()
}

/// The names of the languages that the user must allow.
fn restricted_languages(snippets: &[Snippet]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for snippet in snippets {
        let name = snippet.language.name();
        if snippet.language.needs_approval() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}
