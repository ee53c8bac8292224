//! AutoGen's component files: a team as its `dump_component` writes it, as the text of a team file.
//!
//! Who takes part, who speaks when and when it ends is taken. Models, tools, memories and code are
//! not: they name classes of Python. Each of them is named instead.

use playhouse_engine::locale::Localize;
use serde_json::{Map, Value};
use thiserror::Error;

/// How deep teams and conditions may stand in one another.
const DEPTH: usize = 16;

/// A team file, and what the component says that it has no place for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentTeam {
    pub name: String,
    pub text: String,
    /// The paths of what is left out, each with its class or value.
    pub left_out: Vec<(String, String)>,
}

/// Why a component is no team.
#[derive(Debug, Error, Localize)]
pub enum ComponentError {
    #[text(groupchat_component_none)]
    NoComponent,
    /// It describes something else.
    #[text(groupchat_component_no_team, kind)]
    NoTeam { kind: String },
    #[text(groupchat_component_too_deep, max = DEPTH)]
    TooDeep,
}

/// Reads the component of a team. A team has no name there, so it gets this one.
pub fn read_component(component: &Value, name: &str) -> Result<ComponentTeam, ComponentError> {
    let mut reader = Reader::default();
    let fields = reader.team(component, "config", name, 0)?;
    let fields: String = fields
        .iter()
        .map(|field| format!("    {field},\n"))
        .collect();
    Ok(ComponentTeam {
        name: name.to_owned(),
        text: format!("Team(\n{fields})\n"),
        left_out: reader.left_out,
    })
}

/// The class of a component, without its module, and its settings.
fn parts(component: &Value) -> Option<(&str, Map<String, Value>)> {
    let provider = component.get("provider")?.as_str()?;
    let config = component.get("config")?.as_object()?.clone();
    Some((provider.rsplit('.').next().unwrap_or(provider), config))
}

/// A list of items as RON has it.
fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn texts(value: &Value) -> String {
    let items = value.as_array().into_iter().flatten();
    list(
        items
            .filter_map(Value::as_str)
            .map(|text| format!("{text:?}")),
    )
}

#[derive(Default)]
struct Reader {
    left_out: Vec<(String, String)>,
}

impl Reader {
    /// The fields of a team.
    fn team(
        &mut self,
        component: &Value,
        path: &str,
        name: &str,
        depth: usize,
    ) -> Result<Vec<String>, ComponentError> {
        let (kind, mut config) = parts(component).ok_or(ComponentError::NoComponent)?;
        if depth == DEPTH {
            return Err(ComponentError::TooDeep);
        }
        let mut take = |member: &str| config.remove(member).unwrap_or_default();
        let selection = match kind {
            "RoundRobinGroupChat" => None,
            "SelectorGroupChat" => {
                let (prompt, repeats) = (take("selector_prompt"), take("allow_repeated_speaker"));
                let attempts = take("max_selector_attempts").as_u64().unwrap_or(3);
                let prompt = prompt.as_str().unwrap_or_default();
                let repeats = repeats == true;
                Some(format!(
                    "Selector(prompt: {prompt:?}, repeats: {repeats}, attempts: {attempts})"
                ))
            }
            "Swarm" => Some("Swarm".to_owned()),
            "MagenticOneGroupChat" => {
                let stalls = take("max_stalls").as_u64().unwrap_or(3);
                Some(format!("Ledger(max_stalls: {stalls})"))
            }
            "GraphFlow" => Some(format!("Graph({})", graph(&take("graph")))),
            kind => return Err(ComponentError::NoTeam { kind: kind.into() }),
        };
        let (participants, ends) = (take("participants"), take("termination_condition"));
        let (turns, events) = (take("max_turns"), take("emit_team_events"));
        let mut inner = Vec::new();
        let mut taken = Vec::new();
        for (index, participant) in participants.as_array().into_iter().flatten().enumerate() {
            let path = format!("{path}.participants[{index}].config");
            taken.push(self.participant(participant, &path, &mut inner, depth)?);
        }
        let mut fields = vec![format!("name: {name:?}")];
        let title = component.get("description").and_then(Value::as_str);
        fields.extend(title.map(|title| format!("title: {title:?}")));
        fields.push(format!("participants: {}", list(taken)));
        if !inner.is_empty() {
            fields.push(format!("teams: {}", list(inner)));
        }
        fields.extend(selection.map(|selection| format!("selection: {selection}")));
        let path_of_ends = format!("{path}.termination_condition");
        if let Some(ends) = self.condition(&ends, &path_of_ends, 0)? {
            fields.push(format!("termination: [{ends}]"));
        }
        fields.extend(turns.as_u64().map(|turns| format!("max_turns: {turns}")));
        if events == true {
            fields.push("emit_team_events: true".into());
        }
        self.leave(config, path);
        Ok(fields)
    }

    fn participant(
        &mut self,
        component: &Value,
        path: &str,
        inner: &mut Vec<String>,
        depth: usize,
    ) -> Result<String, ComponentError> {
        let (kind, mut config) = parts(component).ok_or(ComponentError::NoComponent)?;
        let mut take = |member: &str| config.remove(member).unwrap_or_default();
        let name = take("name").as_str().unwrap_or(kind).to_owned();
        let mut fields = vec![format!("name: {name:?}")];
        for member in ["description", "system_message"] {
            if let Some(text) = take(member).as_str().filter(|text| !text.is_empty()) {
                fields.push(format!("{member}: {text:?}"));
            }
        }
        let handoffs = take("handoffs");
        let handoffs = handoffs
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|handoff| {
                let target = handoff.get("target").unwrap_or(handoff).as_str()?;
                let message = handoff
                    .get("message")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                Some(format!("(target: {target:?}, message: {message:?})"))
            });
        let handoffs: Vec<_> = handoffs.collect();
        if !handoffs.is_empty() {
            fields.push(format!("handoffs: {}", list(handoffs)));
        }
        if take("model_client_stream") == true {
            fields.push("stream: true".into());
        }
        if let Some(reflects) = take("reflect_on_tool_use").as_bool() {
            fields.push(format!("reflect_on_tool_use: Some({reflects})"));
        }
        if let Some(rounds) = take("max_tool_iterations")
            .as_u64()
            .filter(|rounds| *rounds > 1)
        {
            fields.push(format!("max_tool_iterations: {rounds}"));
        }
        let format = take("tool_call_summary_format");
        if let Some(format) = format.as_str().filter(|format| *format != "{result}") {
            fields.push(format!("tool_call_summary_format: {format:?}"));
        }
        match kind {
            "AssistantAgent" => {}
            "UserProxyAgent" => fields.push("kind: Person".into()),
            "CodeExecutorAgent" => {
                let writes = config
                    .get("model_client")
                    .is_some_and(|model| !model.is_null());
                let sources = texts(&config.remove("sources").unwrap_or_default());
                fields.push(format!("kind: Coder(writes: {writes}, sources: {sources})"));
            }
            "SocietyOfMindAgent" => {
                let team = config.remove("team").unwrap_or_default();
                let instruction = config.remove("instruction").unwrap_or_default();
                let instruction = instruction.as_str().unwrap_or_default();
                let team_name = format!("{name} team");
                let own =
                    self.team(&team, &format!("{path}.team.config"), &team_name, depth + 1)?;
                inner.push(format!("({})", own.join(", ")));
                fields.push(format!(
                    "kind: Society(team: {team_name:?}, instruction: {instruction:?})"
                ));
            }
            _ if config.contains_key("participants") => {
                let own = self.team(component, path, &name, depth + 1)?;
                inner.push(format!("({})", own.join(", ")));
                fields.push("kind: Team".into());
                config.clear();
            }
            // What it can do is left out; what it is remains.
            kind => self
                .left_out
                .push((format!("{path}.provider"), kind.to_owned())),
        }
        self.leave(config, path);
        Ok(format!("({})", fields.join(", ")))
    }

    /// A condition as RON has it; `None` if there is none, or if it is left out.
    fn condition(
        &mut self,
        component: &Value,
        path: &str,
        depth: usize,
    ) -> Result<Option<String>, ComponentError> {
        let Some((kind, config)) = parts(component) else {
            return Ok(None);
        };
        if depth == DEPTH {
            return Err(ComponentError::TooDeep);
        }
        let text = |member: &str| {
            config
                .get(member)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let number = |member: &str| config.get(member).and_then(Value::as_u64);
        let of = |member: &str| config.get(member).cloned().unwrap_or_default();
        Ok(Some(match kind {
            "TextMentionTermination" => {
                let (text, sources) = (text("text"), texts(&of("sources")));
                format!("TextMention(text: {text:?}, sources: {sources})")
            }
            "MaxMessageTermination" => {
                let max = number("max_messages").unwrap_or_default();
                let events = of("include_agent_event") == true;
                format!("MaxMessages(max: {max}, include_events: {events})")
            }
            "StopMessageTermination" => "StopMessage()".to_owned(),
            "HandoffTermination" => format!("Handoff(target: {:?})", text("target")),
            "TimeoutTermination" => {
                let seconds = of("timeout_seconds").as_f64().unwrap_or_default();
                format!("Timeout(seconds: Some({seconds:?}))")
            }
            "TokenUsageTermination" => {
                let limits = [
                    ("total", number("max_total_token")),
                    ("prompt", number("max_prompt_token")),
                    ("completion", number("max_completion_token")),
                ]
                .into_iter()
                .filter_map(|(name, limit)| Some((name, limit?)))
                .map(|(name, limit)| format!("{name}: Some({limit})"));
                format!("TokenUsage({})", limits.collect::<Vec<_>>().join(", "))
            }
            "ExternalTermination" => "External".to_owned(),
            "SourceMatchTermination" => {
                format!("SourceMatch(sources: {})", texts(&of("sources")))
            }
            "TextMessageTermination" => match of("source").as_str() {
                Some(source) => format!("TextMessage(source: Some({source:?}))"),
                None => "TextMessage()".to_owned(),
            },
            "FunctionCallTermination" => {
                format!("FunctionCall(name: {:?})", text("function_name"))
            }
            "OrTerminationCondition" | "AndTerminationCondition" => {
                let mut all = Vec::new();
                let conditions = of("conditions");
                for (index, condition) in conditions.as_array().into_iter().flatten().enumerate() {
                    let path = format!("{path}.config.conditions[{index}]");
                    all.extend(self.condition(condition, &path, depth + 1)?);
                }
                let kind = if kind.starts_with("Or") { "Any" } else { "All" };
                format!("{kind}({})", list(all))
            }
            kind => {
                self.left_out.push((path.to_owned(), kind.to_owned()));
                return Ok(None);
            }
        }))
    }

    /// Names what is left of some settings.
    fn leave(&mut self, config: Map<String, Value>, path: &str) {
        for (member, value) in config {
            let items = match value {
                Value::Array(items) => items,
                value => vec![value],
            };
            let what = items.iter().filter_map(|item| {
                let own = item.get("config").and_then(|config| config.get("name"));
                let class = parts(item).map(|(class, _)| class);
                match own.and_then(Value::as_str).or(class) {
                    Some(name) => Some(name.to_owned()),
                    None if is_nothing(item) => None,
                    None => Some(item.to_string().chars().take(60).collect()),
                }
            });
            let what: Vec<String> = what.collect();
            if !what.is_empty() {
                self.left_out
                    .push((format!("{path}.{member}"), what.join(", ")));
            }
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn graph(graph: &Value) -> String {
    let entry = graph.get("default_start_node").and_then(Value::as_str);
    let nodes = graph.get("nodes").and_then(Value::as_object);
    let edges = nodes.into_iter().flatten().flat_map(|(from, node)| {
        let edges = node.get("edges").and_then(Value::as_array);
        edges.into_iter().flatten().filter_map(move |edge| {
            let to = edge.get("target")?.as_str()?;
            let when = edge.get("condition").and_then(Value::as_str);
            let when = when.map_or_else(String::new, |text| format!(", when: Mentions({text:?})"));
            Some(format!("(from: {from:?}, to: {to:?}{when})"))
        })
    });
    let entry = entry.map_or_else(String::new, |entry| format!("entry: {entry:?}, "));
    format!("({entry}edges: {})", list(edges))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::team::{Selection, TeamFile};
    use crate::termination::Termination;

    fn component(class: &str, config: Value) -> Value {
        json!({"provider": format!("autogen_agentchat.x.{class}"), "component_type": "x", "version": 1,
            "config": config})
    }

    fn read(component: &Value) -> (TeamFile, Vec<(String, String)>) {
        let read = read_component(component, "desk").unwrap();
        match TeamFile::parse("desk.ron", &read.text) {
            Ok((team, _)) => (team, read.left_out),
            Err(problems) => panic!("{problems}\n{}", read.text),
        }
    }

    #[test]
    fn a_team_is_taken_and_what_is_left_out_is_named() {
        let model = component("OpenAIChatCompletionClient", json!({"model": "gpt-4o"}));
        let tool = component(
            "FunctionTool",
            json!({"name": "weather", "source_code": "def …"}),
        );
        let writer = component(
            "AssistantAgent",
            json!({"name": "Writer", "model_client": model,
            "tools": [tool], "handoffs": [], "system_message": "You \"write\".", "memory": null,
            "reflect_on_tool_use": false, "tool_call_summary_format": "{result}"}),
        );
        let person = component(
            "UserProxyAgent",
            json!({"name": "Ann", "description": "asks"}),
        );
        let ends = component(
            "OrTerminationCondition",
            json!({"conditions": [
            component("TextMentionTermination", json!({"text": "APPROVE"})),
            component("MaxMessageTermination", json!({"max_messages": 9})),
            component("MyOwnTermination", json!({}))]}),
        );
        let team = component(
            "SelectorGroupChat",
            json!({"participants": [writer, person],
            "model_client": model, "termination_condition": ends, "max_turns": 5,
            "allow_repeated_speaker": true, "selector_prompt": "Who of {participants}?"}),
        );
        let (team, left_out) = read(&team);
        assert_eq!(team.participants[0].system_message, "You \"write\".");
        assert_eq!(team.participants[1].name, "Ann");
        assert_eq!(team.max_turns, Some(5));
        assert!(matches!(
            &team.selection,
            Selection::Selector { repeats: true, .. }
        ));
        let [Termination::Any(ends)] = &team.termination[..] else {
            panic!("{:?}", team.termination);
        };
        assert_eq!(ends.len(), 2);
        let named: Vec<_> = left_out
            .iter()
            .map(|(path, what)| (&**path, &**what))
            .collect();
        assert_eq!(
            named,
            [
                (
                    "config.participants[0].config.model_client",
                    "OpenAIChatCompletionClient"
                ),
                ("config.participants[0].config.tools", "weather"),
                (
                    "config.termination_condition.config.conditions[2]",
                    "MyOwnTermination"
                ),
                ("config.model_client", "OpenAIChatCompletionClient"),
            ]
        );
    }

    #[test]
    fn graphs_and_societies_are_taken() {
        let agent = |name: &str| component("AssistantAgent", json!({"name": name}));
        let graph = json!({"default_start_node": "A", "nodes": {
            "A": {"name": "A", "edges": [{"target": "B", "condition": "go"}]},
            "B": {"name": "B", "edges": []}}});
        let flow = component(
            "GraphFlow",
            json!({"participants": [agent("A"), agent("B")], "graph": graph}),
        );
        let (team, left_out) = read(&flow);
        assert!(matches!(&team.selection, Selection::Graph(graph) if graph.edges.len() == 1));
        assert_eq!(left_out, []);
        let talk = component(
            "RoundRobinGroupChat",
            json!({"participants": [agent("C"), agent("D")], "max_turns": 2}),
        );
        let society = component("SocietyOfMindAgent", json!({"name": "Panel", "team": talk}));
        let outer = component(
            "RoundRobinGroupChat",
            json!({"participants": [society, agent("E")], "max_turns": 3}),
        );
        let (team, _) = read(&outer);
        assert_eq!(team.teams[0].participants.len(), 2);
    }

    #[test]
    fn what_is_no_team_is_refused() {
        for wrong in [json!(null), json!({"provider": 5}), json!([])] {
            assert!(read_component(&wrong, "x").is_err());
        }
        let agent = component("AssistantAgent", json!({"name": "Ann"}));
        let error = read_component(&agent, "x").unwrap_err().to_string();
        assert!(error.contains("AssistantAgent"), "{error}");
        let mut deep = component("TextMentionTermination", json!({"text": "x"}));
        for _ in 0..50 {
            deep = component("OrTerminationCondition", json!({"conditions": [deep]}));
        }
        let team = component(
            "Swarm",
            json!({"participants": [], "termination_condition": deep}),
        );
        assert!(matches!(
            read_component(&team, "x"),
            Err(ComponentError::TooDeep)
        ));
    }
}
