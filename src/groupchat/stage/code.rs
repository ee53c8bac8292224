//! Participants that run code: what is to be run is found, an approver is asked where a process would be
//! started, and what came of it is told.

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chat::{Spoken, Uttered};
use super::replies::{Approval, Words, WordsConstraints};
use super::speak::lasting;
use super::tools::last_rounds;
use super::{At, ChatParams};
use crate::event::By;
use crate::exchange::Ask;
use crate::groupchat::fenced::code_blocks;
use crate::groupchat::message::{ChatMessage, CodeBlock, CodeResult, Content};
use crate::groupchat::perspective::{last_usage, words};
use crate::groupchat::team::{Kind, Participant};
use crate::message::Role;
use crate::tool::ToolCall;
use crate::tool::code::{Job, Lang, RUN_CODE, Ran, Snippet};

/// Where somebody who has the word stands with its code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Coding {
    step: Step,
    /// What is to be run.
    snippets: Vec<Snippet>,
    /// How often its mind has mended the code.
    attempt: u32,
    /// What it did so far.
    events: Vec<ChatMessage>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Step {
    /// Its own mind writes code.
    #[default]
    Writing,
    /// The code is run, or it turns out that an approver must be asked.
    Running,
    /// An approver must be asked as soon as nobody else asks it anything.
    Waiting,
    /// This one was asked.
    Asked(String),
    /// Its own mind says what came of it.
    Reporting,
}

/// How a participant of kind coder was set up.
struct Setting<'t> {
    writes: bool,
    sources: &'t [String],
    approver: &'t str,
    retries: u32,
}

fn setting(one: &Participant) -> Option<Setting<'_>> {
    match &one.kind {
        Kind::Coder {
            writes,
            sources,
            approver,
            retries,
        } => Some(Setting {
            writes: *writes,
            sources,
            approver,
            retries: *retries,
        }),
        _ => None,
    }
}

impl ChatParams<'_, '_> {
    /// Somebody who runs code has the word: its mind writes some, or others have.
    pub(super) fn let_code(&mut self, at: &mut At, one: &Participant) {
        let Some(setting) = setting(one) else { return };
        if setting.writes {
            at.chat.coding.insert(one.name.clone(), Coding::default());
            return self.ask_to_speak(at, one);
        }
        let Some(entity) = self.entity(&one.name) else {
            return;
        };
        let snippets = snippets(&self.code_heard(entity, setting.sources));
        if snippets.is_empty() {
            let text = self.say("chat/code/none", &json!({}));
            let spoken = Spoken {
                messages: vec![ChatMessage::text(one.name.as_str(), text).into()],
                ..Spoken::default()
            };
            at.chat.spoken.insert(one.name.clone(), spoken);
            return;
        }
        let coding = Coding {
            snippets,
            ..Coding::default()
        };
        self.run_code(at, &one.name, coding, false);
    }

    /// The blocks of code in what was said since somebody's own last turn.
    fn code_heard(&self, entity: Entity, sources: &[String]) -> Vec<CodeBlock> {
        let Ok(context) = self.contexts.get(entity) else {
            return Vec::new();
        };
        let entries = context.entries().iter().rev();
        let heard = entries.take_while(|entry| entry.role() == Role::Human);
        let heard = heard.filter(|entry| {
            let sender = entry.body().sender();
            sources.is_empty()
                || sender.is_some_and(|sender| sources.iter().any(|name| *name == **sender))
        });
        let mut texts: Vec<String> = heard.map(|entry| words(entry.body())).collect();
        texts.reverse();
        texts.iter().flat_map(|text| code_blocks(text)).collect()
    }

    fn run_code(&mut self, at: &mut At, name: &str, mut coding: Coding, approved: bool) {
        let Some(entity) = self.entity(name) else {
            return;
        };
        let job = Job {
            snippets: coding.snippets.clone(),
            approved,
        };
        let arguments = serde_json::to_string(&job).unwrap_or_default();
        let facts = WordsConstraints { or_tools: true };
        let ask = Ask::new("chat.run_code", "", facts, Words("…".into()))
            .condensed("")
            .calling(vec![ToolCall::new("", RUN_CODE, arguments)]);
        self.commands.entity(entity).insert(ask);
        coding.step = Step::Running;
        at.chat.coding.insert(name.to_owned(), coding);
    }

    /// Takes what somebody who runs code answered; gives it back where it is plain words.
    pub(super) fn take_coding(
        &mut self,
        at: &mut At,
        entity: Entity,
        text: String,
        by: By,
    ) -> Option<(String, By)> {
        let name = self.name(entity);
        let Some(mut coding) = at.chat.coding.remove(&name) else {
            return Some((text, by));
        };
        match (&coding.step, by) {
            (_, By::Fallback(reason)) => {
                self.forget_last(entity);
                let failed = Spoken {
                    failed: Some(reason),
                    ..Spoken::default()
                };
                at.chat.spoken.insert(name, failed);
                None
            }
            (Step::Running, _) => {
                let one = at.team.participant(&name)?;
                self.take_run(at, one, entity, coding);
                None
            }
            (Step::Writing, by) => {
                let blocks = code_blocks(&text);
                coding.snippets = snippets(&blocks);
                if coding.snippets.is_empty() {
                    at.chat.coded.insert(name, coding.events);
                    return Some((text, by));
                }
                let usage = self.contexts.get(entity).ok().and_then(last_usage);
                let written = Content::CodeGeneration {
                    content: text,
                    retry_attempt: coding.attempt,
                    code_blocks: blocks,
                };
                let written = ChatMessage::new(name.as_str(), written).using(usage);
                coding.events.push(written);
                self.run_code(at, &name, coding, false);
                None
            }
            (Step::Waiting | Step::Asked(_) | Step::Reporting, by) => {
                at.chat.coded.insert(name, coding.events);
                Some((text, by))
            }
        }
    }

    fn take_run(&mut self, at: &mut At, one: &Participant, entity: Entity, mut coding: Coding) {
        let rounds = self.contexts.get(entity).map(last_rounds);
        let rounds = rounds.unwrap_or_default();
        let ran = rounds.last().and_then(|round| round.first_result());
        match ran.map_or(Ran::NotAllowed, Ran::read) {
            Ran::NeedsApproval => {
                self.forget_round(entity);
                coding.step = Step::Waiting;
                at.chat.coding.insert(one.name.clone(), coding);
            }
            Ran::NotAllowed => {
                self.forget_round(entity);
                let languages = languages(&coding.snippets);
                let text = self.say("chat/code/forbidden", &json!({"languages": languages}));
                self.coded(at, one, coding, text);
            }
            Ran::Ended { code, output } => self.code_ended(at, one, entity, coding, code, output),
        }
    }

    fn code_ended(
        &mut self,
        at: &mut At,
        one: &Participant,
        entity: Entity,
        mut coding: Coding,
        code: i32,
        output: String,
    ) {
        let Some(setting) = setting(one) else { return };
        let facts = json!({"code": code, "output": output});
        let ended = Content::CodeExecution {
            retry_attempt: coding.attempt,
            result: CodeResult {
                exit_code: code,
                output: output.clone(),
            },
        };
        coding
            .events
            .push(ChatMessage::new(one.name.as_str(), ended));
        let phrase = match (setting.writes, code, output.is_empty()) {
            (true, _, _) if code != 0 && coding.attempt < setting.retries => {
                coding.attempt += 1;
                coding.step = Step::Writing;
                "chat/code/mend"
            }
            (true, ..) => {
                coding.step = Step::Reporting;
                "chat/code/report"
            }
            (false, 0, true) => "chat/code/silent",
            (false, 0, false) => "chat/code/done",
            (false, ..) => "chat/code/failed",
        };
        let text = self.say(phrase, &facts);
        if !setting.writes {
            return self.coded(at, one, coding, text);
        }
        let notes = self.notes(at, one, entity);
        let facts = WordsConstraints::default();
        let ask = Ask::new("chat.speak", text, facts, Words("…".into()));
        let ask = lasting(ask, one, notes).without_tools();
        self.commands.entity(entity).insert(ask);
        at.chat.coding.insert(one.name.clone(), coding);
    }

    /// What came of code is somebody's turn.
    fn coded(&mut self, at: &mut At, one: &Participant, coding: Coding, text: String) {
        let mut messages = coding.events;
        messages.push(ChatMessage::text(one.name.as_str(), text));
        let spoken = Spoken {
            messages: messages.into_iter().map(Uttered::Said).collect(),
            ..Spoken::default()
        };
        at.chat.spoken.insert(one.name.clone(), spoken);
    }

    // --- approval ---

    /// Asks approvers whom nobody else asks anything.
    pub(super) fn ask_approvers(&mut self, at: &mut At) {
        let waiting = at.chat.coding.iter();
        let waiting = waiting.filter(|(_, coding)| coding.step == Step::Waiting);
        let waiting: Vec<String> = waiting.map(|(name, _)| name.clone()).collect();
        for name in waiting {
            let setting = at.team.participant(&name).and_then(setting);
            let approver = setting.map_or("", |setting| setting.approver);
            let approver = match approver {
                "" => at.team.user.as_str(),
                name => name,
            };
            let speaks = at.chat.speaking.iter().any(|other| other == approver)
                && !at.chat.spoken.contains_key(approver);
            let mut others = at.chat.coding.values();
            let is_asked = others
                .any(|coding| matches!(&coding.step, Step::Asked(other) if other == approver));
            if !speaks && !is_asked {
                self.ask_approver(at, &name, approver);
            }
        }
    }

    fn ask_approver(&mut self, at: &mut At, name: &str, approver: &str) {
        let entity = self
            .entity(approver)
            .filter(|entity| self.stands_here(at, *entity));
        let Some(coding) = at.chat.coding.get_mut(name) else {
            return;
        };
        coding.step = Step::Asked(approver.to_owned());
        let code = coding.snippets.iter();
        let code: Vec<Value> = code
            .map(|one| json!({"language": one.language.name(), "code": one.code}))
            .collect();
        let Some(entity) = entity else {
            let nobody = Approval::default();
            return self.decide(at, name, nobody);
        };
        let question = self.say("chat/asks/approve", &json!({"who": name, "code": code}));
        let ask = Ask::new("chat.approve", question, (), Approval::default())
            .condensed("")
            .max_tokens(512)
            .notes(json!({"kind": "chat"}));
        self.commands.entity(entity).insert(ask);
    }

    pub(super) fn take_approvals(&mut self, at: &mut At) {
        for (entity, approval, by) in self.replies.approvals.take() {
            let approver = self.name(entity);
            self.forget_last(entity);
            let approval = match by {
                By::Fallback(reason) => Approval {
                    approved: false,
                    reason,
                },
                _ => approval,
            };
            let mut all = at.chat.coding.iter();
            let asked = all.find(
                |(_, coding)| matches!(&coding.step, Step::Asked(other) if *other == approver),
            );
            if let Some(name) = asked.map(|(name, _)| name.clone()) {
                self.decide(at, &name, approval);
            }
        }
    }

    fn decide(&mut self, at: &mut At, name: &str, approval: Approval) {
        let Some(coding) = at.chat.coding.remove(name) else {
            return;
        };
        if approval.approved {
            return self.run_code(at, name, coding, true);
        }
        let Some(one) = at.team.participant(name) else {
            return;
        };
        let text = self.say("chat/code/refused", &json!({"reason": approval.reason}));
        self.coded(at, one, coding, text);
    }
}

/// The blocks whose language can be run; all others are passed over.
fn snippets(blocks: &[CodeBlock]) -> Vec<Snippet> {
    let known = blocks.iter().filter_map(|block| {
        Some(Snippet {
            language: Lang::of(&block.language)?,
            code: block.code.clone(),
        })
    });
    known.collect()
}

fn languages(snippets: &[Snippet]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for snippet in snippets.iter().filter(|one| one.language.is_process()) {
        if !names.contains(&snippet.language.name()) {
            names.push(snippet.language.name());
        }
    }
    names.join(", ")
}
