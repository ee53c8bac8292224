//! Selecting the next speaker.

use bevy_ecs::prelude::*;
use playhouse_engine::context::{AgentContext, View};
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::exchange::Ask;
use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::message::Role;
use rand::seq::IndexedRandom;

use super::chat::Phase;
use super::pick::{Pick, PickConstraints};
use super::step::ChatStep;
use crate::functions::ConversationView;
use crate::message::{ChatContent, ChatMessage, RequestUsage, fill};
use crate::prompts::{ChatPrompt, RoleData, SelectionNotes, SelectorValues, notes};
use crate::team::{GraphFile, Selection, TeamFile, Transitions};

/// The result of a selection.
enum Choice {
    Speak(Vec<String>),
    /// A model or a person was asked.
    Pending,
    /// Nobody can speak: the run ends, with the source of the reason.
    Stop(UiText, &'static str),
    /// A name or a function is unknown: the run fails.
    Fail(UiText),
}

impl Choice {
    fn speak(name: &str) -> Self {
        Self::Speak(vec![name.to_owned()])
    }

    fn unknown_speaker(name: &str, participants: &[&str]) -> Self {
        let names = Argument::list(participants);
        Self::Fail(text!(groupchat_fail_unknown_speaker, name, names))
    }

    fn unknown_function(name: &str) -> Self {
        Self::Fail(text!(groupchat_fail_unknown_function, name))
    }
}

impl ChatStep<'_, '_, '_> {
    /// Selects the next speaker and lets it speak, or asks a model or a person who it is.
    pub(super) fn select(&mut self) {
        if !self.fold_before_selecting() {
            self.select_now();
        }
    }

    pub(super) fn select_now(&mut self) {
        self.chat.phase = Phase::Select;
        let present = self.present();
        let current = self.chat.current.clone();
        let last_speaker = current.as_deref().unwrap_or(&self.team.user);
        let allowed = self.team.transitions.after(last_speaker, &present);
        if allowed.is_empty() {
            let reason = text!(groupchat_stop_nobody_after, name = last_speaker);
            return self.stop(&reason, "Transitions");
        }
        let choice = match &self.team.selection {
            Selection::RoundRobin => {
                let next = next_in_turn(self.team, current.as_deref(), &allowed);
                Choice::Speak(next.into_iter().map(str::to_owned).collect())
            }
            Selection::Selector { .. } => self.by_selector(&present, &allowed),
            Selection::Swarm => self.by_handoff(&present),
            Selection::Random { repeats } => self.at_random(&allowed, *repeats),
            Selection::Manual { by } => self.by_person(&present, &allowed, by),
            Selection::Function(name) => self.by_function(&allowed, name),
            Selection::Graph(graph) => self.by_graph(graph, &present),
            Selection::Ledger { .. } => return self.orchestrate(),
        };
        self.apply(choice);
    }

    fn apply(&mut self, choice: Choice) {
        match choice {
            Choice::Speak(names) => self.let_speak(names),
            Choice::Pending => self.chat.phase = Phase::Picking,
            Choice::Stop(reason, source) => self.stop(&reason, source),
            Choice::Fail(reason) => self.fail(&reason),
        }
    }

    /// What functions see of the conversation.
    fn conversation(&self) -> Option<ConversationView<'_>> {
        Some(ConversationView {
            context: self.context(self.stage)?,
            delta: &self.chat.delta,
        })
    }

    fn by_selector(&mut self, present: &[&str], allowed: &[&str]) -> Choice {
        let Selection::Selector {
            prompt,
            repeats,
            attempts,
            function,
            candidates,
        } = &self.team.selection
        else {
            return Choice::Speak(Vec::new());
        };
        if !function.is_empty() {
            let Some(selector) = self.params.teams.functions.selectors.get(function) else {
                return Choice::unknown_function(function);
            };
            match self.conversation().and_then(|talk| selector(talk)) {
                Some(name) if present.contains(&name.as_str()) => return Choice::speak(&name),
                Some(name) => return Choice::unknown_speaker(&name, present),
                None => {}
            }
        }
        let candidates = if candidates.is_empty() {
            self.candidates(allowed, *repeats)
        } else {
            let functions = &self.params.teams.functions;
            let Some(function) = functions.candidates.get(candidates) else {
                return Choice::unknown_function(candidates);
            };
            let candidates = self
                .conversation()
                .map(|talk| function(talk))
                .unwrap_or_default();
            let mut unknown = candidates.iter();
            if let Some(name) = unknown.find(|name| !present.contains(&name.as_str())) {
                return Choice::unknown_speaker(name, present);
            }
            if candidates.is_empty() {
                return Choice::Fail(text!(groupchat_fail_no_candidates));
            }
            candidates
        };
        if candidates.len() == 1 {
            return Choice::Speak(candidates);
        }
        let roles = self
            .team
            .participants
            .iter()
            .filter(|role| present.contains(&role.name.as_str()))
            .map(|role| RoleData {
                name: &role.name,
                description: &role.description,
            });
        let question = if prompt.is_empty() {
            self.prompt(&ChatPrompt::Select {
                roles: roles.collect(),
                candidates: &candidates,
            })
        } else {
            self.filled_prompt(prompt, &candidates)
        };
        // Nothing is shown again of a request that holds the conversation itself.
        let short = match self.team.selection.view() {
            View::Whole => self.prompt(&ChatPrompt::SelectShort),
            _ => String::new(),
        };
        let ask = self
            .pick_ask("chat.select", question, present, candidates)
            .condensed(short)
            .repairs(attempts.saturating_sub(1))
            .max_tokens(256);
        self.ask(self.stage, ask);
        Choice::Pending
    }

    /// Who may speak next; if the last speaker is the only one, it may speak again.
    fn candidates(&self, allowed: &[&str], repeats: bool) -> Vec<String> {
        let current = self.chat.current.as_deref();
        // Transitions say who may speak again.
        let may_repeat = repeats || self.team.transitions != Transitions::Free;
        let mut candidates = allowed.to_vec();
        if !may_repeat {
            candidates.retain(|name| Some(*name) != current);
        }
        if candidates.is_empty() {
            candidates = allowed.to_vec();
        }
        candidates.into_iter().map(str::to_owned).collect()
    }

    /// The team's own prompt for selecting speakers.
    fn filled_prompt(&self, prompt: &str, candidates: &[String]) -> String {
        let roles = self
            .team
            .participants
            .iter()
            .map(|role| format!("{}: {}", role.name, role.description));
        // As others read it, so that no message looks like several.
        let heard = self
            .context(self.stage)
            .map(AgentContext::entries)
            .into_iter()
            .flatten()
            .filter(|entry| entry.role() == Role::Human);
        let history: Vec<_> = heard.map(|entry| entry.body().short_text()).collect();
        let values = SelectorValues {
            roles: roles.collect::<Vec<_>>().join("\n"),
            participants: candidates.join(", "),
            history: history.join("\n"),
        };
        fill(prompt, &values)
    }

    /// An ask for one of the candidates. If nobody answers, the next in turn speaks.
    fn pick_ask(
        &self,
        purpose: &'static str,
        question: String,
        present: &[&str],
        candidates: Vec<String>,
    ) -> Ask<Pick> {
        let names: Vec<&str> = candidates.iter().map(String::as_str).collect();
        let next = next_in_turn(self.team, self.chat.current.as_deref(), &names);
        let fallback = Pick(next.unwrap_or_default().to_owned());
        let notes = notes(&SelectionNotes { present: &names });
        let constraints = PickConstraints {
            participants: present.iter().map(ToString::to_string).collect(),
            candidates,
        };
        Ask::new(purpose, question, constraints, fallback).notes(notes)
    }

    /// Posts what a model said to select a speaker, and the tokens that it took.
    pub(super) fn post_selector(&mut self, words: String, usage: Option<RequestUsage>) {
        let manager = self.team.selection.manager();
        self.post(ChatMessage::new(manager, ChatContent::Selector(words)).with_usage(usage));
    }

    pub(super) fn take_pick(&mut self, entity: Entity, pick: &Pick, by: &AnsweredBy) {
        let present = self.present();
        // The tokens of a selection count too.
        self.post_selector(pick.0.clone(), self.last_usage(entity));
        self.chat.failed_picks = match by {
            AnsweredBy::Fallback(_) => self.chat.failed_picks + 1,
            _ => 0,
        };
        let max_failures = present.len().max(3) as u32;
        let choice = if self.chat.failed_picks >= max_failures {
            let reason = text!(groupchat_stop_selector, count = max_failures);
            Choice::Stop(reason, "Selector")
        } else {
            match pick.only_mention(&present) {
                Some(name) => Choice::speak(name),
                None => Choice::unknown_speaker(&pick.0, &present),
            }
        };
        self.apply(choice);
    }

    fn by_handoff(&self, present: &[&str]) -> Choice {
        let mut delta = self.chat.delta.iter().rev();
        let target = delta.find_map(|message| match &message.content {
            ChatContent::Handoff { target, .. } => Some(target.as_str()),
            _ => None,
        });
        match target {
            Some(target) if present.contains(&target) => Choice::speak(target),
            Some(target) if target == self.team.user => {
                let reason = text!(groupchat_stop_handoff_to_user, name = target);
                Choice::Stop(reason, "Handoff")
            }
            Some(target) => Choice::unknown_speaker(target, present),
            None => {
                let current = self
                    .chat
                    .current
                    .as_deref()
                    .filter(|name| present.contains(name));
                let next = current.or_else(|| present.first().copied());
                Choice::Speak(next.map(str::to_owned).into_iter().collect())
            }
        }
    }

    fn at_random(&mut self, allowed: &[&str], repeats: bool) -> Choice {
        let current = self.chat.current.as_deref();
        let mut candidates = allowed.to_vec();
        if !repeats && candidates.len() > 1 {
            candidates.retain(|name| Some(*name) != current);
        }
        let next = candidates.choose(&mut self.params.rng.stream("speaker"));
        Choice::Speak(next.map(ToString::to_string).into_iter().collect())
    }

    fn by_person(&mut self, present: &[&str], allowed: &[&str], by: &str) -> Choice {
        let by = if by.is_empty() { &self.team.user } else { by };
        let Some(person) = self.entity(by) else {
            return Choice::unknown_speaker(by, present);
        };
        let candidates: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        let question = self.prompt(&ChatPrompt::Pick {
            candidates: &candidates,
        });
        let ask = self.pick_ask("chat.pick", question, present, candidates);
        self.ask(person, ask.condensed(""));
        Choice::Pending
    }

    fn by_function(&self, allowed: &[&str], name: &str) -> Choice {
        let Some(selector) = self.params.teams.functions.selectors.get(name) else {
            return Choice::unknown_function(name);
        };
        match self.conversation().and_then(|talk| selector(talk)) {
            Some(name) if allowed.contains(&name.as_str()) => Choice::speak(&name),
            Some(name) => Choice::unknown_speaker(&name, allowed),
            None => {
                let reason = text!(groupchat_stop_function_chose_nobody);
                Choice::Stop(reason, "Function")
            }
        }
    }

    fn by_graph(&mut self, graph: &GraphFile, present: &[&str]) -> Choice {
        if self.chat.graph_flow.is_over() {
            let waiting = self.chat.graph_flow.end(graph);
            return if waiting.is_empty() {
                Choice::Stop(text!(groupchat_stop_graph_complete), "GraphCompletion")
            } else {
                let names = Argument::list(&waiting);
                let reason = text!(groupchat_stop_graph_incomplete, names);
                Choice::Stop(reason, "GraphIncomplete")
            };
        }
        let wave = self.chat.graph_flow.next_wave(graph, &self.team.names());
        let mut absent = wave.iter();
        match absent.find(|name| !present.contains(&name.as_str())) {
            Some(name) => Choice::unknown_speaker(name, present),
            None => Choice::Speak(wave),
        }
    }
}

/// The first of `allowed` after the participant that had the last turn, in the order of the team.
fn next_in_turn<'t>(
    team: &'t TeamFile,
    current: Option<&str>,
    allowed: &[&str],
) -> Option<&'t str> {
    let names = team.names();
    let last = names.iter().position(|name| Some(*name) == current);
    let first = last.map_or(0, |index| index + 1);
    let mut turns = names.iter().cycle().skip(first).take(names.len());
    turns.find(|name| allowed.contains(name)).copied()
}
