//! Finds the problems of a team.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::cast::check_name;
use playhouse_engine::context::View;
use playhouse_engine::locale::{Localize, text};
use playhouse_engine::world_data::Problem;
use playhouse_tools::schema_check::{LARGEST_MINIMUM, SchemaError, check_schema};
use playhouse_tools::{BUILT_IN, NotBuilt, is_legal};
use serde_json::Value;

use super::checker::{Checker, problem};
use super::file::TeamFile;
use super::graph_check::{self, has_cycle};
use super::participant::{Audience, Participant, ParticipantKind};
use super::selection::{Selection, Transitions};
use crate::termination::Termination;

/// The most teams and participants of a file, inner teams and teams that are tools included. Each
/// tool takes memory as soon as the team is loaded.
pub(super) const MAX_TEAMS: usize = 100;
pub(super) const MAX_PARTICIPANTS: usize = 500;

/// All problems of a team, its inner teams, and its teams that are tools. They name fields, but no
/// file.
pub(super) fn problems(team: &TeamFile) -> Vec<Problem> {
    let mut checker = Checker::new(team, String::new());
    if checker.check_size() {
        checker.check_names();
        checker.check();
    }
    checker.problems
}

/// Every name of a team, its inner teams and its teams that are tools, with its path. A trace shows
/// all of them together.
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
    /// Whether there are not too many teams and participants to be checked.
    fn check_size(&mut self) -> bool {
        let worlds = self.team.with_tool_teams().into_iter();
        let teams: Vec<_> = worlds.flat_map(TeamFile::nested).collect();
        let participants: usize = teams.iter().map(|team| team.participants.len()).sum();
        if teams.len() > MAX_TEAMS {
            problem!(self, "name":
                groupchat_too_many_teams(count = teams.len(), max = MAX_TEAMS);
                groupchat_help_fewer_teams);
        }
        if participants > MAX_PARTICIPANTS {
            problem!(self, "participants":
                groupchat_too_many_participants(count = participants, max = MAX_PARTICIPANTS);
                groupchat_help_fewer_participants);
        }
        self.problems.is_empty()
    }

    /// Checks the team and what is inside it, except for the names of teams and participants.
    fn check(&mut self) {
        self.check_participants();
        self.check_inner_teams();
        self.check_transitions();
        self.check_selection();
        self.check_termination();
        self.check_team_tools();
    }

    fn check_nested(&mut self, team: &'t TeamFile, path: &str, is_tool: bool) {
        if team.needs_control() {
            problem!(self, "{path}": groupchat_control_inside; groupchat_help_move_out);
        }
        let prefix = format!("{}{path}.", self.prefix);
        let mut checker = Checker::new(team, prefix);
        if is_tool {
            checker.check_user();
        }
        checker.check();
        self.problems.extend(checker.problems);
    }

    fn check_names(&mut self) {
        let team = self.team;
        let mut names = Vec::new();
        all_names(team, "", &mut names);
        let mut first: BTreeMap<&str, String> = BTreeMap::new();
        for (name, path) in names {
            if let Some(message) = check_name(name) {
                self.error(&path, message, text!(groupchat_help_name));
            } else if let Some(first) = first.get(name) {
                problem!(self, "{path}":
                    groupchat_name_taken(name, path = first); groupchat_help_own_name);
            } else {
                first.insert(name, path);
            }
        }
        self.check_user();
    }

    /// Checks the user of a team with a world of its own.
    fn check_user(&mut self) {
        let team = self.team;
        let is_person = team
            .participant(&team.user)
            .is_none_or(|user| user.kind == ParticipantKind::Person);
        let is_team = team.nested().iter().any(|inner| inner.name == team.user);
        if let Some(message) = check_name(&team.user) {
            self.error("user", message, text!(groupchat_help_user_name));
        } else if !is_person || is_team {
            problem!(self, "user":
                groupchat_user_name_taken(name = &team.user); groupchat_help_user_own_name);
        }
    }

    fn check_participants(&mut self) {
        if self.team.participants.is_empty() {
            problem!(self, "participants": groupchat_no_participants; groupchat_help_participant);
        }
        for (index, participant) in self.team.participants.iter().enumerate() {
            let path = format!("participants[{index}]");
            if !self.team.naming.allows(&participant.name) {
                problem!(self, "{path}.name":
                    groupchat_not_an_identifier(name = &participant.name);
                    groupchat_help_identifier);
            }
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
                problem!(self, "{path}.max_tokens":
                    groupchat_no_max_tokens; groupchat_help_at_least_one);
            }
        }
    }

    /// The type of a participant's answers.
    fn check_output(&mut self, participant: &Participant, path: &str) {
        let Some(output) = &participant.output else {
            return;
        };
        let schema = serde_json::from_str::<Value>(&output.schema)
            .ok()
            .filter(Value::is_object);
        match schema.as_ref().map(check_schema) {
            Some(Ok(())) => {}
            Some(Err(SchemaError::Unsupported(keyword))) => {
                problem!(self, "{path}.output.schema":
                    groupchat_unsupported_keyword(keyword); groupchat_help_unsupported_keyword);
            }
            Some(Err(SchemaError::Malformed(keyword))) => {
                problem!(self, "{path}.output.schema":
                    groupchat_bad_keyword(keyword); groupchat_help_schema);
            }
            Some(Err(SchemaError::TooMuch(keyword))) => {
                problem!(self, "{path}.output.schema":
                    groupchat_large_minimum(keyword, max = LARGEST_MINIMUM);
                    groupchat_help_large_minimum);
            }
            None => {
                problem!(self, "{path}.output.schema":
                    groupchat_not_a_schema; groupchat_help_schema);
            }
        }
        let has_name = schema.is_none_or(|schema| !output.type_name(&schema).trim().is_empty());
        if !has_name {
            problem!(self, "{path}.output.name":
                groupchat_no_output_name; groupchat_help_output_name);
        }
        let hands_over_in_json = !participant.handoffs.is_empty() && participant.tools.is_empty();
        if !participant.produces.is_empty() || hands_over_in_json {
            problem!(self, "{path}.output": groupchat_output_conflict; groupchat_help_output);
        }
    }

    fn check_tools(&mut self, participant: &Participant, path: &str) {
        // Names of internal tools begin with a bracket.
        if let Some(name) = participant.tools.iter().find(|name| name.starts_with('(')) {
            problem!(self, "{path}.tools": groupchat_internal_tool(name); groupchat_help_name_tool);
        }
        let mut tools = participant.tools.iter();
        if let Some(missing) = tools.find_map(|name| NotBuilt::tool(name)) {
            let path = format_args!("{path}.tools");
            self.error(path, missing.text(), text!(groupchat_help_without_tool));
        }
        if participant.max_tool_iterations == 0 {
            problem!(self, "{path}.max_tool_iterations":
                groupchat_no_tool_rounds; groupchat_help_at_least_one);
        }
        if !participant.tools.is_empty() && participant.kind != ParticipantKind::Assistant {
            problem!(self, "{path}.tools":
                groupchat_tools_need_assistant; groupchat_help_make_assistant);
        }
    }

    /// A coder needs sources of code, and an approver.
    fn check_coder(&mut self, participant: &Participant, path: &str) {
        let ParticipantKind::Coder {
            sources, approver, ..
        } = &participant.kind
        else {
            return;
        };
        let path = format!("{path}.kind");
        if let Some(missing) = NotBuilt::code() {
            self.error(&path, missing.text(), text!(groupchat_help_no_coders));
        }
        self.check_sources(&path, sources);
        let is_user = approver.is_empty() || *approver == self.team.user;
        let can_approve = self.team.participant(approver).is_some_and(|approver| {
            matches!(
                approver.kind,
                ParticipantKind::Assistant | ParticipantKind::Person
            )
        });
        if !(can_approve || is_user && self.is_outermost()) {
            let message = if approver.is_empty() {
                text!(groupchat_no_approver)
            } else {
                text!(groupchat_bad_approver, name = approver)
            };
            self.error(&path, message, text!(groupchat_help_approver));
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
                problem!(self, "{path}":
                    groupchat_unknown_inner_team(name = inner); groupchat_help_inner_team);
            }
            if !used.insert(inner) {
                problem!(self, "{path}":
                    groupchat_inner_team_taken(name = inner); groupchat_help_own_team);
            }
            let is_team = participant.kind == ParticipantKind::Team;
            if is_team && self.team.selection == Selection::Swarm {
                problem!(self, "{path}": groupchat_team_in_swarm; groupchat_help_other_speaker);
            }
        }
        for (index, inner) in self.team.teams.iter().enumerate() {
            let path = format!("teams[{index}]");
            if !used.contains(inner.name.as_str()) {
                self.warning(
                    &path,
                    text!(groupchat_unused_team, name = &inner.name),
                    text!(groupchat_help_use_team),
                );
            }
            self.check_nested(inner, &path, false);
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
                problem!(self, "{path}.name":
                    groupchat_bad_tool_name(name = &tool.name); groupchat_help_tool_name);
            } else if !names.insert(&tool.name) {
                problem!(self, "{path}.name":
                    groupchat_tool_name_taken(name = &tool.name); groupchat_help_own_tool_name);
            } else if !used.contains(&tool.name) {
                self.warning(
                    &path,
                    text!(groupchat_unused_tool, name = &tool.name),
                    text!(groupchat_help_use_tool),
                );
            }
            if tool.description().trim().is_empty() {
                problem!(self, "{path}.about":
                    groupchat_no_tool_description; groupchat_help_describe_tool);
            }
            let path = format!("{path}.team");
            let needs_people = tool.team.nested().into_iter().any(|team| {
                let mut participants = team.participants.iter();
                matches!(team.selection, Selection::Manual { .. })
                    || participants.any(|participant| participant.kind == ParticipantKind::Person)
            });
            if needs_people {
                problem!(self, "{path}": groupchat_people_in_tool; groupchat_help_no_people);
            }
            self.check_nested(&tool.team, &path, true);
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
            problem!(self, "transitions": groupchat_nobody_may_speak; groupchat_help_transitions);
        }
        if matches!(team.selection, Selection::Selector { repeats: true, .. }) {
            problem!(self, "transitions": groupchat_repeats_twice; groupchat_help_repeats);
        }
    }

    fn check_selection(&mut self) {
        let team = self.team;
        match &team.selection {
            Selection::Selector { attempts: 0, .. } => {
                problem!(self, "selection": groupchat_no_attempts; groupchat_help_at_least_one);
            }
            Selection::Selector { .. } | Selection::Random { repeats: false }
                if team.participants.len() < 2 =>
            {
                problem!(self, "selection":
                    groupchat_nobody_to_choose; groupchat_help_two_participants);
            }
            Selection::Manual { by } if !by.is_empty() && !self.is_known(by) => {
                problem!(self, "selection":
                    groupchat_unknown_picker(name = by); groupchat_help_picker);
            }
            Selection::Swarm => {
                let first = team.participants.first();
                if first.is_some_and(|first| first.handoffs.is_empty()) {
                    problem!(self, "participants[0].handoffs":
                        groupchat_swarm_without_handoff; groupchat_help_handoff);
                }
            }
            Selection::Graph(graph) => graph_check::check_graph(self, graph),
            Selection::Ledger { max_stalls: 0, .. } => {
                problem!(self, "selection": groupchat_no_stalls; groupchat_help_at_least_one);
            }
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
        if team.fold.as_ref().is_some_and(|fold| fold.tokens == 0) {
            problem!(self, "fold.tokens": groupchat_fold_all; groupchat_help_at_least_one);
        }
        if team.max_turns == Some(0) {
            problem!(self, "max_turns": groupchat_no_turns; groupchat_help_at_least_one);
        }
        for (index, condition) in team.termination.iter().enumerate() {
            let path = format!("termination[{index}]");
            for condition in condition.nested() {
                match condition.mistake() {
                    Some((message, help)) => self.error(&path, message, help),
                    None => self.check_names_in(condition, &path),
                }
            }
        }
        let is_finite = match &team.selection {
            Selection::Graph(graph) => !has_cycle(graph),
            Selection::Function(_) => true,
            _ => false,
        };
        let mut conditions = team.termination.iter();
        let ends = team.max_turns.is_some() || is_finite || conditions.any(Termination::is_certain);
        if ends {
            return;
        }
        let path = if team.termination.is_empty() {
            "selection"
        } else {
            "termination"
        };
        let message = text!(groupchat_may_never_end);
        let help = text!(groupchat_help_limit);
        if self.is_outermost() && team.open {
            // It can be stopped from outside.
            self.warning(path, message, help);
        } else {
            self.error(path, message, help);
        }
    }

    fn check_names_in(&mut self, condition: &Termination, path: &str) {
        let names: &[String] = match condition {
            Termination::SourceMatch { sources } | Termination::TextMention { sources, .. } => {
                sources
            }
            Termination::TextMessage {
                source: Some(source),
            } => std::slice::from_ref(source),
            Termination::Handoff { target } => std::slice::from_ref(target),
            _ => return,
        };
        let teams = self.team.nested();
        for name in names {
            let is_inner = teams.iter().any(|team| team.participant(name).is_some());
            if is_inner || *name == self.team.user {
                continue;
            }
            let message = if matches!(condition, Termination::Handoff { .. }) {
                text!(groupchat_unknown_target, name)
            } else {
                text!(groupchat_unknown_source, name)
            };
            let help = self.one_of_names();
            self.error(path, message, help);
        }
    }
}
