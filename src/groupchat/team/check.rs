//! Finds everything that is wrong with a team.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::file::{Audience, Kind, Participant, Selection, TeamFile, Transitions};
use super::graph_file::{Activation, EdgeFile, GraphFile, When};
use crate::cast::check_name;
use crate::context::View;
use crate::groupchat::termination::Rule;
use crate::tool::schema_check::{SchemaError, check_schema};
use crate::tool::{BUILT_IN, is_legal};

/// One mistake, with its path in the team.
pub(super) struct Mistake {
    pub(super) path: String,
    pub(super) wrong: String,
    pub(super) right: String,
    pub(super) is_warning: bool,
}

struct Report(Vec<Mistake>);

impl Report {
    fn error(
        &mut self,
        path: impl Into<String>,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) {
        self.0.push(Mistake {
            path: path.into(),
            wrong: wrong.into(),
            right: right.into(),
            is_warning: false,
        });
    }

    fn warn(
        &mut self,
        path: impl Into<String>,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) {
        self.error(path, wrong, right);
        if let Some(last) = self.0.last_mut() {
            last.is_warning = true;
        }
    }
}

/// All mistakes of a team and of those within it.
pub(super) fn mistakes(team: &TeamFile) -> Vec<Mistake> {
    let mut report = Report(Vec::new());
    names(team, &mut report);
    within(team, "", true, &mut report);
    report.0
}

fn within(team: &TeamFile, at: &str, is_root: bool, report: &mut Report) {
    participants(team, at, report);
    selection(team, at, report);
    ending(team, at, is_root, report);
    team_tools(team, at, report);
    for (index, inner) in team.teams.iter().enumerate() {
        if inner.needs_watch() {
            report.error(
                format!("{at}teams[{index}]"),
                "only the outermost team may be open, be stopped from outside or watch the clock",
                "put the condition into the outermost team",
            );
        }
        within(inner, &format!("{at}teams[{index}]."), false, report);
    }
}

/// Teams that are tools play out of reach of people and clocks.
fn team_tools(team: &TeamFile, at: &str, report: &mut Report) {
    let users: BTreeSet<&String> = team
        .all()
        .into_iter()
        .flat_map(|team| &team.participants)
        .flat_map(|one| &one.tools)
        .collect();
    let mut given: BTreeSet<&str> = BUILT_IN.iter().copied().collect();
    for (index, tool) in team.team_tools.iter().enumerate() {
        let path = format!("{at}team_tools[{index}]");
        if !is_legal(&tool.name) {
            report.error(
                format!("{path}.name"),
                format!("'{}' can't be the name of a tool", tool.name),
                "1 to 64 letters and digits of ASCII, _ and -",
            );
        } else if !given.insert(&tool.name) {
            report.error(
                format!("{path}.name"),
                format!("there is a tool '{}' already", tool.name),
                "a name of its own for each tool",
            );
        } else if !users.contains(&tool.name) {
            report.warn(
                path.as_str(),
                format!("nobody calls the tool '{}'", tool.name),
                "its name in the `tools` of a participant",
            );
        }
        if tool.description().trim().is_empty() {
            report.error(
                format!("{path}.about"),
                "minds are told nothing of it",
                "what the team is good for, in `about` or in its `title`",
            );
        }
        let within_it = tool.team.all();
        let mut people = within_it.iter().flat_map(|team| &team.participants);
        let mut choices = within_it.iter().map(|team| &team.selection);
        if people.any(|one| one.kind == Kind::Person)
            || choices.any(|choice| matches!(choice, Selection::Manual { .. }))
        {
            report.error(
                format!("{path}.team"),
                "nobody can sit in a team that is called as a tool",
                "participants and a selection without people",
            );
        }
        if tool.team.needs_watch() {
            report.error(
                format!("{path}.team"),
                "only the outermost team may be open, be stopped from outside or watch the clock",
                "put the condition into the outermost team",
            );
        }
        within(&tool.team, &format!("{path}.team."), true, report);
    }
}

/// Every name is given once, over all teams.
fn names(team: &TeamFile, report: &mut Report) {
    let mut given: BTreeMap<&str, String> = BTreeMap::new();
    let mut add = |name, path: String, report: &mut Report| {
        if let Some(wrong) = check_name(name) {
            return report.error(path, wrong, "a name such as Ava or 艾娃");
        }
        match given.get(name) {
            Some(first) => report.error(
                path,
                format!("the name '{name}' stands at {first} already"),
                "a name of its own for each participant and team",
            ),
            None => {
                given.insert(name, path);
            }
        }
    };
    fn walk<'a>(
        team: &'a TeamFile,
        at: &str,
        report: &mut Report,
        add: &mut dyn FnMut(&'a str, String, &mut Report),
    ) {
        add(&team.name, format!("{at}name"), report);
        for (index, participant) in team.participants.iter().enumerate() {
            // A team that takes part has one name as participant and as team.
            if participant.kind != Kind::Team {
                add(
                    &participant.name,
                    format!("{at}participants[{index}].name"),
                    report,
                );
            }
        }
        for (index, inner) in team.teams.iter().enumerate() {
            walk(inner, &format!("{at}teams[{index}]."), report, add);
        }
        // A trace of this team names those as well.
        for (index, tool) in team.team_tools.iter().enumerate() {
            let at = format!("{at}team_tools[{index}].team.");
            walk(&tool.team, &at, report, add);
        }
    }
    walk(team, "", report, &mut add);
    let is_person = team
        .participant(&team.user)
        .is_none_or(|user| user.kind == Kind::Person);
    if let Some(wrong) = check_name(&team.user) {
        report.error("user", wrong, "a name such as user");
    } else if !is_person || team.all().iter().any(|inner| inner.name == team.user) {
        report.error(
            "user",
            format!("'{}' is the name of somebody else", team.user),
            "a name of its own for whoever gives the tasks, or that of a participant of kind Person",
        );
    }
}

fn participants(team: &TeamFile, at: &str, report: &mut Report) {
    if team.participants.is_empty() {
        report.error(
            format!("{at}participants"),
            "nobody takes part",
            "at least one participant",
        );
    }
    let names: BTreeSet<&str> = team.names().into_iter().collect();
    let known = team.names().join(", ");
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, one) in team.participants.iter().enumerate() {
        let path = format!("{at}participants[{index}]");
        for (number, handoff) in one.handoffs.iter().enumerate() {
            if !names.contains(handoff.target.as_str()) && handoff.target != team.user {
                report.error(
                    format!("{path}.handoffs[{number}].target"),
                    format!("there is no participant '{}'", handoff.target),
                    format!("one of: {known}"),
                );
            }
        }
        if let Audience::Only(ears) = &one.audience {
            for ear in ears {
                if !names.contains(ear.as_str()) && *ear != team.user {
                    report.error(
                        format!("{path}.audience"),
                        format!("there is no participant '{ear}'"),
                        format!("one of: {known}"),
                    );
                }
            }
        }
        if let View::Sources(sources) = &one.view {
            for shown in sources {
                if !names.contains(shown.source.as_str()) && shown.source != team.user {
                    report.error(
                        format!("{path}.view"),
                        format!("nobody called '{}' speaks here", shown.source),
                        format!("one of: {known}, {}", team.user),
                    );
                }
            }
        }
        output(one, &path, report);
        if let Some(name) = one.tools.iter().find(|name| name.starts_with('(')) {
            report.error(
                format!("{path}.tools"),
                format!("'{name}' is no tool that can be given"),
                "the name of a tool",
            );
        }
        if one.max_tokens == 0 {
            report.error(
                format!("{path}.max_tokens"),
                "no answer fits",
                "1 token or more",
            );
        }
        if one.max_tool_iterations == 0 {
            report.error(
                format!("{path}.max_tool_iterations"),
                "no tool could ever be called",
                "1 round or more",
            );
        }
        if !one.tools.is_empty() && one.kind != Kind::Assistant {
            report.error(
                format!("{path}.tools"),
                "only an assistant calls tools",
                "an assistant",
            );
        }
        let inner = match &one.kind {
            Kind::Team => Some(one.name.as_str()),
            Kind::Society { team, .. } => Some(team.as_str()),
            Kind::Assistant | Kind::Person => None,
            Kind::Coder { .. } => {
                coder(team, one, &path, at.is_empty(), report);
                None
            }
        };
        let Some(inner) = inner else { continue };
        if !team.teams.iter().any(|other| other.name == inner) {
            report.error(
                format!("{path}.kind"),
                format!("there is no team '{inner}' within this one"),
                "a team in `teams` of that name",
            );
        }
        *used.entry(inner).or_default() += 1;
        if *used.get(inner).unwrap_or(&0) > 1 {
            report.error(
                format!("{path}.kind"),
                format!("the team '{inner}' plays for somebody else already"),
                "a team of its own for each participant",
            );
        }
        if one.kind == Kind::Team && team.selection == Selection::Swarm {
            report.error(
                format!("{path}.kind"),
                "a team can't give the word to somebody, so it can't take part in a swarm",
                "a participant of kind Society, or another selection",
            );
        }
    }
    for (index, inner) in team.teams.iter().enumerate() {
        if !used.contains_key(inner.name.as_str()) {
            report.warn(
                format!("{at}teams[{index}]"),
                format!("nobody uses the team '{}'", inner.name),
                "a participant of kind Team or Society",
            );
        }
    }
    for (path, found) in team.transitions.names() {
        for name in found {
            if !names.contains(name) && name != team.user {
                report.error(
                    format!("{at}{path}"),
                    format!("there is no participant '{name}'"),
                    format!("one of: {known}"),
                );
            }
        }
    }
    excluded(team, at, report);
}

/// Who runs code must find somebody who can say yes, and code.
fn coder(team: &TeamFile, one: &Participant, path: &str, is_root: bool, report: &mut Report) {
    let Kind::Coder {
        sources, approver, ..
    } = &one.kind
    else {
        return;
    };
    let known = team.names().join(", ");
    for source in sources {
        if team.participant(source).is_none() && *source != team.user {
            report.error(
                format!("{path}.kind"),
                format!("nobody called '{source}' speaks here"),
                format!("one of: {known}, {}", team.user),
            );
        }
    }
    let is_user = (approver.is_empty() || *approver == team.user) && is_root;
    let judges = team
        .participant(approver)
        .is_some_and(|other| matches!(other.kind, Kind::Assistant | Kind::Person));
    if !is_user && !judges {
        report.error(
            format!("{path}.kind"),
            match approver.is_empty() {
                true => "nobody here could say yes to its code".to_owned(),
                false => format!("'{approver}' could not say yes to its code"),
            },
            "approver: the name of an assistant or a person of this team, or the user of the outermost",
        );
    }
}

/// The form of somebody's answers.
fn output(one: &Participant, path: &str, report: &mut Report) {
    let Some(output) = &one.output else { return };
    let schema = serde_json::from_str::<Value>(&output.schema);
    let schema = schema.ok().filter(Value::is_object);
    match schema.as_ref().map(check_schema) {
        Some(Ok(())) => {}
        Some(Err(SchemaError::Unsupported(keyword))) => report.error(
            format!("{path}.output.schema"),
            format!("the keyword {keyword} of JSON Schema is not supported"),
            "a schema without it",
        ),
        Some(Err(SchemaError::Malformed(keyword))) => report.error(
            format!("{path}.output.schema"),
            format!("this is no JSON schema: {keyword} has a wrong value"),
            "the schema of an object, as JSON text",
        ),
        None => report.error(
            format!("{path}.output.schema"),
            "this is no JSON schema",
            "the schema of an object, as JSON text",
        ),
    }
    if output.name.trim().is_empty() {
        report.error(
            format!("{path}.output.name"),
            "messages carry the name of the type",
            "a name such as Report",
        );
    }
    if !one.produces.is_empty() || !one.handoffs.is_empty() && one.tools.is_empty() {
        report.error(
            format!("{path}.output"),
            "answers of one form can carry neither other messages nor a handoff",
            "`output`, or `produces` or handoffs without tools",
        );
    }
}

/// Transitions that let nobody speak at all.
fn excluded(team: &TeamFile, at: &str, report: &mut Report) {
    if team.transitions == Transitions::Free {
        return;
    }
    let all = team.names();
    let dead_ends = all
        .iter()
        .all(|name| team.transitions.after(Some(name), &all).is_empty());
    let none_first = team.transitions.after(Some(&team.user), &all).is_empty();
    if dead_ends || none_first {
        report.error(
            format!("{at}transitions"),
            "they exclude everybody, so that nobody could ever speak",
            "at least one name after the user and after one participant",
        );
    }
    if matches!(team.selection, Selection::Selector { repeats: true, .. }) {
        report.error(
            format!("{at}transitions"),
            "transitions and `repeats` say the same thing twice",
            "one of the two; a transition from somebody to itself allows repeats",
        );
    }
}

fn selection(team: &TeamFile, at: &str, report: &mut Report) {
    let path = format!("{at}selection");
    let several = team.participants.len() >= 2;
    match &team.selection {
        Selection::RoundRobin | Selection::Function(_) => {}
        Selection::Selector { attempts: 0, .. } => {
            report.error(path, "nobody could ever be picked", "1 attempt or more");
        }
        Selection::Selector { .. } | Selection::Random { repeats: false } if !several => {
            report.error(
                path,
                "there is nobody to choose from",
                "at least two participants",
            );
        }
        Selection::Selector { .. } | Selection::Random { .. } => {}
        Selection::Manual { by } => {
            let known = by.is_empty() || *by == team.user;
            if !known && team.participant(by).is_none() {
                report.error(
                    path,
                    format!("there is no '{by}' who could pick"),
                    "the user or a participant of kind Person",
                );
            }
        }
        Selection::Swarm => {
            let first = team.participants.first();
            if first.is_some_and(|first| first.handoffs.is_empty()) {
                report.error(
                    format!("{at}participants[0].handoffs"),
                    "the first participant of a swarm can give the word to nobody",
                    "at least one handoff",
                );
            }
        }
        Selection::Graph(graph) => self::graph(team, graph, &path, report),
        Selection::Ledger { max_stalls: 0, .. } => {
            report.error(
                path,
                "it would plan anew at once and forever",
                "1 stall or more",
            );
        }
        Selection::Ledger { .. } => {}
    }
}

fn ending(team: &TeamFile, at: &str, is_root: bool, report: &mut Report) {
    if team.max_turns == Some(0) {
        report.error(
            format!("{at}max_turns"),
            "no turn would ever be taken",
            "1 turn or more",
        );
    }
    for (index, rule) in team.termination.iter().enumerate() {
        for part in rule.all() {
            let path = format!("{at}termination[{index}]");
            if let Some((wrong, right)) = part.mistake() {
                report.error(path, wrong, right);
                continue;
            }
            let (named, what): (Vec<&str>, _) = match part {
                Rule::SourceMatch { sources } | Rule::TextMention { sources, .. } => {
                    (sources.iter().map(String::as_str).collect(), "speaks here")
                }
                Rule::TextMessage {
                    source: Some(source),
                } => (vec![source], "speaks here"),
                Rule::Handoff { target } => (vec![target], "can be given the word"),
                _ => continue,
            };
            for name in named {
                let known = team.participant(name).is_some() || name == team.user;
                let inside = team.teams.iter().flat_map(TeamFile::all);
                let mut inside = inside.flat_map(|inner| inner.names());
                if !known && !inside.any(|other| other == name) {
                    report.error(
                        &path,
                        format!("nobody called '{name}' {what}"),
                        team.names().join(", "),
                    );
                }
            }
        }
    }
    let fires = team.termination.iter().any(Rule::surely_fires);
    let ends = match &team.selection {
        Selection::Graph(graph) => !has_cycle(graph),
        Selection::Function(_) => true,
        _ => false,
    };
    if team.max_turns.is_none() && !fires && !ends {
        let path = match team.termination.is_empty() {
            true => format!("{at}selection"),
            false => format!("{at}termination"),
        };
        let wrong = "no condition must ever fire, so a run might never end";
        let right = "max_turns, or a condition such as MaxMessages(max: 20)";
        // People can end it themselves.
        match is_root && team.open {
            true => report.warn(path, wrong, right),
            false => report.error(path, wrong, right),
        }
    }
}

// --- graphs ---

fn graph(team: &TeamFile, graph: &GraphFile, path: &str, report: &mut Report) {
    if graph.edges.is_empty() && graph.entry.is_empty() && team.participants.len() != 1 {
        return report.error(
            path,
            "the graph has no edges and no entry",
            "at least one edge",
        );
    }
    let names = team.names();
    for (index, edge) in graph.edges.iter().enumerate() {
        for (field, name) in [("from", &edge.from), ("to", &edge.to)] {
            if !names.contains(&name.as_str()) {
                report.error(
                    format!("{path}.edges[{index}].{field}"),
                    format!("there is no participant '{name}'"),
                    format!("one of: {}", names.join(", ")),
                );
            }
        }
        if matches!(&edge.when, When::Mentions(text) if text.is_empty()) {
            report.error(
                format!("{path}.edges[{index}].when"),
                "the empty text is in every message",
                "a text to look for, or Always",
            );
        }
    }
    if !graph.entry.is_empty() && !names.contains(&graph.entry.as_str()) {
        report.error(
            format!("{path}.entry"),
            format!("there is no participant '{}'", graph.entry),
            format!("one of: {}", names.join(", ")),
        );
    }
    mixed(graph, path, report);
    groups(graph, path, report);
    let starts = starts(graph, &names);
    if starts.is_empty() {
        report.error(
            path,
            "nobody can begin: everybody waits for somebody else",
            "an entry, or a participant without an edge to it",
        );
    } else {
        unreachable(graph, &names, &starts, path, report);
    }
    let leaf = |name: &&&str| !graph.edges.iter().any(|edge| edge.from == **name);
    if !names.iter().any(|name| leaf(&name)) {
        report.error(
            path,
            "the graph has no exit: somebody always follows",
            "at least one participant without an edge from it",
        );
    }
    for cycle in cycles(graph) {
        let round = cycle.iter().map(|(from, _)| *from).collect::<Vec<_>>();
        if cycle.iter().all(|(_, edge)| edge.when == When::Always) {
            report.error(
                path,
                format!("the cycle {} has no way out", round.join(" > ")),
                "a condition on one of its edges",
            );
        }
    }
}

/// Edges of one speaker are all conditional or none is.
fn mixed(graph: &GraphFile, path: &str, report: &mut Report) {
    let mut seen: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for edge in &graph.edges {
        let (always, sometimes) = seen.entry(&edge.from).or_default();
        match edge.when {
            When::Always => *always = true,
            _ => *sometimes = true,
        }
    }
    for (from, _) in seen.iter().filter(|(_, kinds)| **kinds == (true, true)) {
        report.error(
            path,
            format!("the edges from '{from}' are mixed: some have a condition, some have none"),
            "a condition on each of them, or on none",
        );
    }
}

/// Edges of one group agree on how many must be walked.
fn groups(graph: &GraphFile, path: &str, report: &mut Report) {
    let mut seen: BTreeMap<(&str, &str), BTreeSet<Activation>> = BTreeMap::new();
    for edge in &graph.edges {
        let group = seen.entry((&edge.to, edge.group())).or_default();
        group.insert(edge.activation);
    }
    for ((to, group), _) in seen.iter().filter(|(_, all)| all.len() > 1) {
        report.error(
            path,
            format!("the edges of group '{group}' to '{to}' conflict: some say All, some Any"),
            "one activation for all edges of a group",
        );
    }
}

fn starts<'a>(graph: &'a GraphFile, names: &[&'a str]) -> Vec<&'a str> {
    if !graph.entry.is_empty() {
        return vec![&graph.entry];
    }
    let free = names
        .iter()
        .filter(|name| !graph.edges.iter().any(|edge| edge.to == **name));
    free.copied().collect()
}

fn unreachable(
    graph: &GraphFile,
    names: &[&str],
    starts: &[&str],
    path: &str,
    report: &mut Report,
) {
    let mut reached: BTreeSet<&str> = starts.iter().copied().collect();
    let mut open: Vec<&str> = starts.to_vec();
    while let Some(from) = open.pop() {
        for edge in graph.edges.iter().filter(|edge| edge.from == from) {
            if reached.insert(&edge.to) {
                open.push(&edge.to);
            }
        }
    }
    for name in names.iter().filter(|name| !reached.contains(**name)) {
        report.error(
            path,
            format!("nobody leads to '{name}', who would never speak"),
            "an edge to it, or a team without it",
        );
    }
}

/// Whether somebody may come up again.
pub(super) fn has_cycle(graph: &GraphFile) -> bool {
    !cycles(graph).is_empty()
}

/// The simple cycles, each found once: the edges in order.
fn cycles(graph: &GraphFile) -> Vec<Vec<(&str, &EdgeFile)>> {
    /// A graph with more is judged by these.
    const MOST: usize = 64;
    let mut found = Vec::new();
    let nodes: BTreeSet<&str> = graph.edges.iter().map(|edge| edge.from.as_str()).collect();
    for start in nodes {
        let mut walk = Walk {
            graph,
            start,
            path: Vec::new(),
            found: &mut found,
            steps: 0,
        };
        walk.from(start);
        if found.len() >= MOST {
            break;
        }
    }
    found
}

struct Walk<'a, 'f> {
    graph: &'a GraphFile,
    start: &'a str,
    path: Vec<(&'a str, &'a EdgeFile)>,
    found: &'f mut Vec<Vec<(&'a str, &'a EdgeFile)>>,
    steps: u32,
}

impl<'a> Walk<'a, '_> {
    fn from(&mut self, node: &'a str) {
        // Big graphs have more paths than anybody can wait for.
        self.steps += 1;
        if self.steps > 20_000 {
            return;
        }
        for edge in self.graph.edges.iter().filter(|edge| edge.from == node) {
            self.path.push((node, edge));
            let to = edge.to.as_str();
            let seen = self.path.iter().any(|(from, _)| *from == to);
            if to == self.start {
                self.found.push(self.path.clone());
            } else if !seen && to > self.start {
                // Each cycle is found from its least node.
                self.from(to);
            }
            self.path.pop();
        }
    }
}
