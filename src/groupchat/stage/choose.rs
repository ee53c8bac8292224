//! Who speaks next.

use rand::seq::IndexedRandom;
use serde_json::json;

use super::replies::PickConstraints;
use super::{At, ChatParams, Phase, Pick};
use crate::event::By;
use crate::exchange::Ask;
use crate::groupchat::functions::Talk;
use crate::groupchat::message::{ChatMessage, Content, RequestUsage};
use crate::groupchat::perspective::{last_usage, words};
use crate::groupchat::team::{Selection, Transitions};
use crate::groupchat::termination::Stop;
use crate::message::Role;

/// Where a round of choosing ends.
enum Choice {
    /// These speak.
    Speak(Vec<String>),
    /// A mind was asked.
    Asked,
    /// Nobody can: the run ends.
    Nobody(String, &'static str),
    /// A function or a name makes no sense: the run fails.
    Wrong(String),
}

impl ChatParams<'_, '_> {
    /// Chooses who speaks next and lets them, or asks a mind who it is.
    pub(super) fn choose(&mut self, at: &mut At) {
        at.chat.phase = Phase::Choose;
        let present = self.present(at);
        let current = at.chat.current.clone();
        let speaker = current.as_deref().unwrap_or(&at.team.user);
        let allowed = at.team.transitions.after(Some(speaker), &present);
        if allowed.is_empty() {
            let content = self.words(
                format!("Nobody may speak after {speaker}"),
                format!("{speaker}之后没有人可以发言"),
            );
            return self.finish(
                at,
                Stop {
                    content,
                    source: "Transitions".into(),
                },
            );
        }
        let choice = match &at.team.selection {
            Selection::RoundRobin => Choice::Speak(in_turn(at, &allowed)),
            Selection::Selector { .. } => self.by_selector(at, &present, &allowed),
            Selection::Swarm => self.by_handoff(at, &present),
            Selection::Random { repeats } => self.by_lot(at, &allowed, *repeats),
            Selection::Manual { by } => self.by_person(at, &present, &allowed, by),
            Selection::Function(name) => self.by_function(at, &allowed, name),
            Selection::Graph(_) => self.by_graph(at, &present),
            Selection::Ledger { .. } => return self.orchestrate(at),
        };
        self.settle(at, choice);
    }

    fn settle(&mut self, at: &mut At, choice: Choice) {
        match choice {
            Choice::Speak(names) => self.let_speak(at, names),
            Choice::Asked => {}
            Choice::Nobody(content, source) => self.finish(
                at,
                Stop {
                    content,
                    source: source.into(),
                },
            ),
            Choice::Wrong(reason) => self.fail(at, reason),
        }
    }

    fn talk<'t>(&'t self, at: &'t At) -> Option<Talk<'t>> {
        Some(Talk {
            heard: self.contexts.get(at.stage).ok()?,
            last: &at.chat.delta,
        })
    }

    fn wrong_name(&self, name: &str, names: &[&str]) -> Choice {
        let names = names.join(", ");
        Choice::Wrong(self.words(
            format!("'{name}' was chosen to speak, who takes no part; choose one of: {names}"),
            format!("选中的“{name}”不是参与者；可选：{names}"),
        ))
    }

    fn unknown_function(&self, name: &str) -> Choice {
        Choice::Wrong(self.words(
            format!("the team asks for the function '{name}', which was not given"),
            format!("团队需要函数“{name}”，但没有提供"),
        ))
    }

    fn by_selector(&mut self, at: &mut At, present: &[&str], allowed: &[&str]) -> Choice {
        let Selection::Selector {
            prompt,
            repeats,
            attempts,
            function,
            candidates,
        } = &at.team.selection
        else {
            return Choice::Asked;
        };
        if !function.is_empty() {
            let Some(picker) = self.teams.functions.pickers.get(function).cloned() else {
                return self.unknown_function(function);
            };
            match self.talk(at).and_then(|talk| picker(talk)) {
                Some(name) if present.contains(&name.as_str()) => return Choice::Speak(vec![name]),
                Some(name) => return self.wrong_name(&name, present),
                None => {}
            }
        }
        let mut may: Vec<String> = if candidates.is_empty() {
            let current = at.chat.current.as_deref();
            let free = at.team.transitions == Transitions::Free;
            let again = *repeats || !free;
            let others = allowed
                .iter()
                .filter(|name| again || Some(**name) != current);
            others.map(|name| (*name).to_owned()).collect()
        } else {
            let Some(function) = self.teams.functions.candidates.get(candidates).cloned() else {
                return self.unknown_function(candidates);
            };
            let may = self.talk(at).map(|talk| function(talk)).unwrap_or_default();
            if let Some(name) = may.iter().find(|name| !present.contains(&name.as_str())) {
                return self.wrong_name(name, present);
            }
            if may.is_empty() {
                return Choice::Wrong(self.words(
                    "no candidate is left who could speak",
                    "没有可以发言的候选人",
                ));
            }
            may
        };
        if may.is_empty() {
            may = allowed.iter().map(|name| (*name).to_owned()).collect();
        }
        if may.len() == 1 {
            return Choice::Speak(may);
        }
        let ask = self.selector_ask(at, present, may, prompt, *attempts);
        self.commands.entity(at.stage).insert(ask);
        at.chat.phase = Phase::Picking;
        Choice::Asked
    }

    fn selector_ask(
        &mut self,
        at: &At,
        present: &[&str],
        may: Vec<String>,
        prompt: &str,
        attempts: u32,
    ) -> Ask<Pick> {
        let roles = at.team.participants.iter();
        let roles = roles.filter(|one| present.contains(&one.name.as_str()));
        let roles: Vec<_> = roles
            .map(|one| json!({"name": one.name, "description": one.description}))
            .collect();
        let facts = json!({"roles": roles, "candidates": may});
        let words = match prompt.is_empty() {
            true => self.say("chat/asks/select", &facts),
            false => self.own_prompt(at, prompt, &may),
        };
        let short = self.say("chat/asks/select_short", &facts);
        let fallback = Pick(stand_in(at, &may));
        let facts = PickConstraints {
            all: present.iter().map(|name| (*name).to_owned()).collect(),
            candidates: may.clone(),
        };
        Ask::new("chat.select", words, facts, fallback)
            .condensed(short)
            .repairs(attempts.saturating_sub(1))
            .max_tokens(256)
            .notes(json!({"kind": "chat", "present": may}))
    }

    /// A team's own words, with its placeholders filled.
    fn own_prompt(&self, at: &At, prompt: &str, may: &[String]) -> String {
        let roles = at.team.participants.iter();
        let roles: Vec<_> = roles
            .map(|one| format!("{}: {}", one.name, one.description))
            .collect();
        let history = match prompt.contains("{history}") {
            true => self
                .talk(at)
                .map(|talk| {
                    let lines = talk.lines().map(|(who, text)| format!("{who}: {text}"));
                    lines.collect::<Vec<_>>().join("\n")
                })
                .unwrap_or_default(),
            false => String::new(),
        };
        prompt
            .replace("{roles}", &roles.join("\n"))
            .replace("{participants}", &may.join(", "))
            .replace("{history}", &history)
    }

    pub(super) fn take_pick(&mut self, at: &mut At) {
        let Some((entity, pick, by)) = self.replies.picks.take().into_iter().next() else {
            return;
        };
        let usage = self.contexts.get(entity).ok().and_then(last_usage);
        let present = self.present(at);
        let facts = PickConstraints {
            all: present.iter().map(|name| (*name).to_owned()).collect(),
            candidates: Vec::new(),
        };
        let named = pick.named(&facts).map(str::to_owned);
        self.note_selection(at, &pick.0, usage);
        at.chat.nobody = match by {
            By::Fallback(_) => at.chat.nobody + 1,
            _ => 0,
        };
        let most = present.len().max(3) as u32;
        let choice = match named {
            _ if at.chat.nobody >= most => Choice::Nobody(
                self.words(
                    format!("The selector named nobody {most} times in a row"),
                    format!("选择者连续 {most} 次没有点名"),
                ),
                "Selector",
            ),
            Some(name) => Choice::Speak(vec![name]),
            None => self.wrong_name(&pick.0, &present),
        };
        self.settle(at, choice);
    }

    /// What the choice cost counts like every other call.
    fn note_selection(&mut self, at: &mut At, words: &str, usage: Option<RequestUsage>) {
        let manager = at.team.selection.manager();
        let event = ChatMessage::new(manager, Content::Selector(words.to_owned())).using(usage);
        self.said(at, event, &[], None);
    }

    fn by_handoff(&mut self, at: &At, present: &[&str]) -> Choice {
        let handed = at
            .chat
            .delta
            .iter()
            .rev()
            .find_map(|message| match &message.content {
                Content::Handoff { target, .. } => Some(target.clone()),
                _ => None,
            });
        match handed {
            Some(target) if present.contains(&target.as_str()) => Choice::Speak(vec![target]),
            Some(target) if target == at.team.user => Choice::Nobody(
                self.words(
                    format!("The word went to {target}"),
                    format!("话交给了{target}"),
                ),
                "Handoff",
            ),
            Some(target) => self.wrong_name(&target, present),
            None => {
                let current = at.chat.current.as_deref();
                let current = current.filter(|name| present.contains(name));
                let next = current.or_else(|| present.first().copied());
                Choice::Speak(next.map(str::to_owned).into_iter().collect())
            }
        }
    }

    fn by_lot(&mut self, at: &At, allowed: &[&str], repeats: bool) -> Choice {
        let current = at.chat.current.as_deref();
        let mut may: Vec<&str> = allowed.to_vec();
        if !repeats && may.len() > 1 {
            may.retain(|name| Some(*name) != current);
        }
        let drawn = may.choose(&mut self.chance.stream("speaker"));
        Choice::Speak(drawn.map(|name| (*name).to_owned()).into_iter().collect())
    }

    fn by_person(&mut self, at: &mut At, present: &[&str], allowed: &[&str], by: &str) -> Choice {
        let by = if by.is_empty() {
            at.team.user.as_str()
        } else {
            by
        };
        let Some(person) = self.entity(by) else {
            return self.wrong_name(by, present);
        };
        let may: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        let facts = json!({"candidates": may});
        let words = self.say("chat/asks/pick", &facts);
        let fallback = Pick(stand_in(at, &may));
        let facts = PickConstraints {
            all: present.iter().map(|name| (*name).to_owned()).collect(),
            candidates: may.clone(),
        };
        let ask = Ask::new("chat.pick", words, facts, fallback)
            .condensed("")
            .notes(json!({"kind": "chat", "present": may}));
        self.commands.entity(person).insert(ask);
        at.chat.phase = Phase::Picking;
        Choice::Asked
    }

    fn by_function(&mut self, at: &At, allowed: &[&str], name: &str) -> Choice {
        let Some(picker) = self.teams.functions.pickers.get(name).cloned() else {
            return self.unknown_function(name);
        };
        match self.talk(at).and_then(|talk| picker(talk)) {
            Some(name) if allowed.contains(&name.as_str()) => Choice::Speak(vec![name]),
            Some(name) => self.wrong_name(&name, allowed),
            None => Choice::Nobody(
                self.words("The function chose nobody", "函数没有选出发言者"),
                "Function",
            ),
        }
    }

    fn by_graph(&mut self, at: &mut At, present: &[&str]) -> Choice {
        let Selection::Graph(graph) = &at.team.selection else {
            return Choice::Asked;
        };
        if at.chat.flow.is_over() {
            let starved = at.chat.flow.end(graph);
            return match starved.is_empty() {
                true => Choice::Nobody(
                    self.words("The graph is complete", "图已走完"),
                    "GraphCompletion",
                ),
                false => {
                    let names = starved.join(", ");
                    Choice::Nobody(
                        self.words(
                            format!("The graph is incomplete: {names} still waited for somebody"),
                            format!("图没有走完：{names}仍在等待"),
                        ),
                        "GraphIncomplete",
                    )
                }
            };
        }
        let wave = at.chat.flow.next_wave(graph, &at.team.names());
        match wave.iter().find(|name| !present.contains(&name.as_str())) {
            Some(name) => self.wrong_name(name, present),
            None => Choice::Speak(wave),
        }
    }

    /// The transcript of what the stage heard, for those who read it as a whole.
    pub(super) fn task(&self, at: &At) -> String {
        let heard = self.contexts.get(at.stage).ok();
        let first = heard.and_then(|heard| {
            let mut told = heard.entries().iter();
            told.find(|entry| entry.role() == Role::Human)
                .map(|entry| words(entry.body()))
        });
        first.unwrap_or_default()
    }
}

/// The next of the team after whoever had the word last.
fn in_turn(at: &At, allowed: &[&str]) -> Vec<String> {
    let names = at.team.names();
    let current = at.chat.current.as_deref();
    let from = current
        .and_then(|current| names.iter().position(|name| *name == current))
        .map_or(0, |index| index + 1);
    let round = names.iter().cycle().skip(from).take(names.len());
    let mut round = round.filter(|name| allowed.contains(name));
    round
        .next()
        .map(|name| (*name).to_owned())
        .into_iter()
        .collect()
}

/// Who speaks where a mind names nobody: the next in turn among these.
fn stand_in(at: &At, may: &[String]) -> String {
    let allowed: Vec<&str> = may.iter().map(String::as_str).collect();
    in_turn(at, &allowed).into_iter().next().unwrap_or_default()
}
