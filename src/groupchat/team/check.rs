//! Finds the mistakes in a team.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::checker::{Checker, Mistake};
use super::file::TeamFile;
use super::graph_check::{self, has_cycle};
use super::participant::{Audience, Participant, ParticipantKind};
use super::selection::{Selection, Transitions};
use crate::cast::check_name;
use crate::context::View;
use crate::groupchat::termination::TerminationCondition;
use crate::tool::schema_check::{SchemaError, check_schema};
use crate::tool::{BUILT_IN, NotBuilt, is_legal};

/// All mistakes of a team, its inner teams, and its teams that are tools.
pub(super) fn mistakes(team: &TeamFile) -> Vec<Mistake> {
    let mut checker = Checker::new(team, String::new());
    checker.check_names();
    checker.check();
    checker.mistakes
}

/// Every name of a team, its inner teams and its teams that are tools, with its path. A trace shows all
/// of them together.
fn all_names<'t>(team: &'t TeamFile, prefix: &str, names: &mut Vec<(&'t str, String)>) {
    names.push((&team.name, format!("{prefix}name")));
    for (index, participant) in team.participants.iter().enumerate() {
        // A team that takes part has the same name as participant and as team.
        if participant.kind != ParticipantKind::Team {
            let path = format!("{prefix}participants[{index}].name");
            names.push((&participant.name, path));
        }
    }
    for (index, inner) in team.teams.iter().enumerate() {
        all_names(inner, &format!("{prefix}teams[{index}]."), names);
    }
    for (index, tool) in team.team_tools.iter().enumerate() {
        all_names(
            &tool.team,
            &format!("{prefix}team_tools[{index}].team."),
            names,
        );
    }
}

impl<'t> Checker<'t> {
    /// Checks the team and what is inside it, except for names.
    fn check(&mut self) {
        self.check_participants();
        self.check_inner_teams();
        self.check_transitions();
        self.check_selection();
        self.check_termination();
        self.check_team_tools();
    }

    fn check_nested(&mut self, team: &'t TeamFile, path: &str) {
        if team.needs_control() {
            self.error(
                path,
                "only the outermost team may be open, be stopped from outside or watch the clock",
                "put the condition into the outermost team",
            );
        }
        let prefix = format!("{}{path}.", self.prefix);
        let mut checker = Checker::new(team, prefix);
        checker.check();
        self.mistakes.extend(checker.mistakes);
    }

    fn check_names(&mut self) {
        let team = self.team;
        let mut names = Vec::new();
        all_names(team, "", &mut names);
        let mut first: BTreeMap<&str, String> = BTreeMap::new();
        for (name, path) in names {
            if let Some(wrong) = check_name(name) {
                self.error(&path, wrong.to_string(), "a name such as Ava or 艾娃");
            } else if let Some(first) = first.get(name) {
                self.error(
                    &path,
                    format!("the name '{name}' stands at {first} already"),
                    "a name of its own for each participant and team",
                );
            } else {
                first.insert(name, path);
            }
        }
        let is_person = team
            .participant(&team.user)
            .is_none_or(|user| user.kind == ParticipantKind::Person);
        let is_team = team.nested().iter().any(|inner| inner.name == team.user);
        if let Some(wrong) = check_name(&team.user) {
            self.error("user", wrong.to_string(), "a name such as user");
        } else if !is_person || is_team {
            self.error(
                "user",
                format!("'{}' is the name of somebody else", team.user),
                "a name of its own for whoever gives the tasks, or that of a participant of kind Person",
            );
        }
    }

    fn check_participants(&mut self) {
        if self.team.participants.is_empty() {
            self.error(
                "participants",
                "nobody takes part",
                "at least one participant",
            );
        }
        for (index, participant) in self.team.participants.iter().enumerate() {
            let path = format!("participants[{index}]");
            for (index, handoff) in participant.handoffs.iter().enumerate() {
                let path = format!("{path}.handoffs[{index}].target");
                self.check_known(&path, [&handoff.target]);
            }
            if let Audience::Only(listeners) = &participant.audience {
                self.check_known(&format!("{path}.audience"), listeners);
            }
            if let View::Sources(sources) = &participant.view {
                let sources = sources.iter().map(|shown| &shown.source);
                self.check_sources(&format!("{path}.view"), sources);
            }
            self.check_output(participant, &path);
            self.check_tools(participant, &path);
            self.check_coder(participant, &path);
            if participant.max_tokens == 0 {
                self.error(
                    &format!("{path}.max_tokens"),
                    "no answer fits",
                    "1 token or more",
                );
            }
        }
    }

    /// The type of a participant's answers.
    fn check_output(&mut self, participant: &Participant, path: &str) {
        let Some(output) = &participant.output else {
            return;
        };
        let schema = serde_json::from_str::<Value>(&output.schema);
        let schema = schema.ok().filter(Value::is_object);
        let schema_path = format!("{path}.output.schema");
        match schema.as_ref().map(check_schema) {
            Some(Ok(())) => {}
            Some(Err(SchemaError::Unsupported(keyword))) => self.error(
                &schema_path,
                format!("the keyword {keyword} of JSON Schema is not supported"),
                "a schema without it",
            ),
            Some(Err(SchemaError::Malformed(keyword))) => self.error(
                &schema_path,
                format!("this is no JSON schema: {keyword} has a wrong value"),
                "the schema of an object, as JSON text",
            ),
            None => self.error(
                &schema_path,
                "this is no JSON schema",
                "the schema of an object, as JSON text",
            ),
        }
        if output.name.trim().is_empty() {
            self.error(
                &format!("{path}.output.name"),
                "messages carry the name of the type",
                "a name such as Report",
            );
        }
        let hands_over_in_json = !participant.handoffs.is_empty() && participant.tools.is_empty();
        if !participant.produces.is_empty() || hands_over_in_json {
            self.error(
                &format!("{path}.output"),
                "answers of one form can carry neither other messages nor a handoff",
                "`output`, or `produces` or handoffs without tools",
            );
        }
    }

    fn check_tools(&mut self, participant: &Participant, path: &str) {
        // Names of internal tools begin with a bracket.
        if let Some(name) = participant.tools.iter().find(|name| name.starts_with('(')) {
            self.error(
                &format!("{path}.tools"),
                format!("'{name}' is no tool that can be given"),
                "the name of a tool",
            );
        }
        let mut tools = participant.tools.iter();
        if let Some(missing) = tools.find_map(|name| NotBuilt::tool(name)) {
            self.error(
                &format!("{path}.tools"),
                missing.to_string(),
                "or leave the tool out",
            );
        }
        if participant.max_tool_iterations == 0 {
            self.error(
                &format!("{path}.max_tool_iterations"),
                "no tool could ever be called",
                "1 round or more",
            );
        }
        if !participant.tools.is_empty() && participant.kind != ParticipantKind::Assistant {
            self.error(
                &format!("{path}.tools"),
                "only an assistant calls tools",
                "an assistant",
            );
        }
    }

    /// A coder needs somebody whose code it runs, and somebody who can approve it.
    fn check_coder(&mut self, participant: &Participant, path: &str) {
        let ParticipantKind::Coder {
            sources, approver, ..
        } = &participant.kind
        else {
            return;
        };
        let path = format!("{path}.kind");
        if !cfg!(feature = "scripts") {
            self.error(
                &path,
                NotBuilt::SCRIPTS.to_string(),
                "or a team in which nobody runs code",
            );
        }
        self.check_sources(&path, sources);
        let is_user = approver.is_empty() || *approver == self.team.user;
        let can_approve = self.team.participant(approver).is_some_and(|approver| {
            matches!(
                approver.kind,
                ParticipantKind::Assistant | ParticipantKind::Person
            )
        });
        if !can_approve && !(is_user && self.is_outermost()) {
            let wrong = if approver.is_empty() {
                "nobody here could say yes to its code".to_owned()
            } else {
                format!("'{approver}' could not say yes to its code")
            };
            self.error(
                &path,
                wrong,
                "approver: the name of an assistant or a person of this team, or the user of the outermost",
            );
        }
    }

    fn check_inner_teams(&mut self) {
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for (index, participant) in self.team.participants.iter().enumerate() {
            let Some(inner) = participant.inner_team() else {
                continue;
            };
            let path = format!("participants[{index}].kind");
            if !self.team.teams.iter().any(|team| team.name == inner) {
                self.error(
                    &path,
                    format!("there is no team '{inner}' within this one"),
                    "a team in `teams` of that name",
                );
            }
            if !used.insert(inner) {
                self.error(
                    &path,
                    format!("the team '{inner}' plays for somebody else already"),
                    "a team of its own for each participant",
                );
            }
            let is_team = participant.kind == ParticipantKind::Team;
            if is_team && self.team.selection == Selection::Swarm {
                self.error(
                    &path,
                    "a team can't give the word to somebody, so it can't take part in a swarm",
                    "a participant of kind Society, or another selection",
                );
            }
        }
        for (index, inner) in self.team.teams.iter().enumerate() {
            let path = format!("teams[{index}]");
            if !used.contains(inner.name.as_str()) {
                self.warning(
                    &path,
                    format!("nobody uses the team '{}'", inner.name),
                    "a participant of kind Team or Society",
                );
            }
            self.check_nested(inner, &path);
        }
    }

    fn check_team_tools(&mut self) {
        let teams = self.team.nested().into_iter();
        let participants = teams.flat_map(|team| &team.participants);
        let used: BTreeSet<&String> = participants
            .flat_map(|participant| &participant.tools)
            .collect();
        let mut names: BTreeSet<&str> = BUILT_IN.iter().copied().collect();
        for (index, tool) in self.team.team_tools.iter().enumerate() {
            let path = format!("team_tools[{index}]");
            if !is_legal(&tool.name) {
                self.error(
                    &format!("{path}.name"),
                    format!("'{}' can't be the name of a tool", tool.name),
                    "1 to 64 letters and digits of ASCII, _ and -",
                );
            } else if !names.insert(&tool.name) {
                self.error(
                    &format!("{path}.name"),
                    format!("there is a tool '{}' already", tool.name),
                    "a name of its own for each tool",
                );
            } else if !used.contains(&tool.name) {
                self.warning(
                    &path,
                    format!("nobody calls the tool '{}'", tool.name),
                    "its name in the `tools` of a participant",
                );
            }
            if tool.description().trim().is_empty() {
                self.error(
                    &format!("{path}.about"),
                    "minds are told nothing of it",
                    "what the team is good for, in `about` or in its `title`",
                );
            }
            let path = format!("{path}.team");
            let needs_people = tool.team.nested().into_iter().any(|team| {
                let mut participants = team.participants.iter();
                matches!(team.selection, Selection::Manual { .. })
                    || participants.any(|participant| participant.kind == ParticipantKind::Person)
            });
            if needs_people {
                self.error(
                    &path,
                    "nobody can sit in a team that is called as a tool",
                    "participants and a selection without people",
                );
            }
            self.check_nested(&tool.team, &path);
        }
    }

    fn check_transitions(&mut self) {
        let team = self.team;
        if team.transitions == Transitions::Free {
            return;
        }
        for name in team.transitions.names() {
            if !self.is_known(name) {
                self.unknown_participant("transitions", name);
            }
        }
        let nobody_after = |name: &str| team.transitions.after(name, &self.names).is_empty();
        if nobody_after(&team.user) || self.names.iter().all(|name| nobody_after(name)) {
            self.error(
                "transitions",
                "they exclude everybody, so that nobody could ever speak",
                "at least one name after the user and after one participant",
            );
        }
        if matches!(team.selection, Selection::Selector { repeats: true, .. }) {
            self.error(
                "transitions",
                "transitions and `repeats` say the same thing twice",
                "one of the two; a transition from somebody to itself allows repeats",
            );
        }
    }

    fn check_selection(&mut self) {
        let team = self.team;
        match &team.selection {
            Selection::Selector { attempts: 0, .. } => self.error(
                "selection",
                "nobody could ever be picked",
                "1 attempt or more",
            ),
            Selection::Selector { .. } | Selection::Random { repeats: false }
                if team.participants.len() < 2 =>
            {
                self.error(
                    "selection",
                    "there is nobody to choose from",
                    "at least two participants",
                );
            }
            Selection::Manual { by } if !by.is_empty() && !self.is_known(by) => self.error(
                "selection",
                format!("there is no '{by}' who could pick"),
                "the user or a participant of kind Person",
            ),
            Selection::Swarm => {
                let first = team.participants.first();
                if first.is_some_and(|first| first.handoffs.is_empty()) {
                    self.error(
                        "participants[0].handoffs",
                        "the first participant of a swarm can give the word to nobody",
                        "at least one handoff",
                    );
                }
            }
            Selection::Graph(graph) => graph_check::check_graph(self, graph),
            Selection::Ledger { max_stalls: 0, .. } => self.error(
                "selection",
                "it would plan anew at once and forever",
                "1 stall or more",
            ),
            Selection::RoundRobin
            | Selection::Selector { .. }
            | Selection::Random { .. }
            | Selection::Manual { .. }
            | Selection::Function(_)
            | Selection::Ledger { .. } => {}
        }
    }

    fn check_termination(&mut self) {
        let team = self.team;
        if team.max_turns == Some(0) {
            self.error("max_turns", "no turn would ever be taken", "1 turn or more");
        }
        for (index, condition) in team.termination.iter().enumerate() {
            let path = format!("termination[{index}]");
            for condition in condition.nested() {
                match condition.validate() {
                    Err(error) => self.error(&path, error.to_string(), error.help()),
                    Ok(()) => self.check_names_in(condition, &path),
                }
            }
        }
        let is_finite = match &team.selection {
            Selection::Graph(graph) => !has_cycle(graph),
            Selection::Function(_) => true,
            _ => false,
        };
        let mut conditions = team.termination.iter();
        let ends = team.max_turns.is_some()
            || is_finite
            || conditions.any(TerminationCondition::is_certain);
        if ends {
            return;
        }
        let path = if team.termination.is_empty() {
            "selection"
        } else {
            "termination"
        };
        let wrong = "no condition must ever fire, so a run might never end";
        let right = "max_turns, or a condition such as MaxMessages(max: 20)";
        if self.is_outermost() && team.open {
            // Somebody outside can stop it.
            self.warning(path, wrong, right);
        } else {
            self.error(path, wrong, right);
        }
    }

    fn check_names_in(&mut self, condition: &TerminationCondition, path: &str) {
        let names: &[String] = match condition {
            TerminationCondition::SourceMatch { sources }
            | TerminationCondition::TextMention { sources, .. } => sources,
            TerminationCondition::TextMessage {
                source: Some(source),
            } => std::slice::from_ref(source),
            TerminationCondition::Handoff { target } => std::slice::from_ref(target),
            _ => return,
        };
        let teams = self.team.nested();
        for name in names {
            let is_inner = teams.iter().any(|team| team.participant(name).is_some());
            if is_inner || *name == self.team.user {
                continue;
            }
            let what = if matches!(condition, TerminationCondition::Handoff { .. }) {
                "can be given the word"
            } else {
                "speaks here"
            };
            let names = self.names.join(", ");
            self.error(path, format!("nobody called '{name}' {what}"), names);
        }
    }
}
