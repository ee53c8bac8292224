//! The tools of a run, and how one is called.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::spec::is_legal;
use super::{
    ToolCaller, ToolError, ToolNameError, ToolSpec, ToolTrace, read_arguments, schema_for,
};

/// What a tool returned, as text, or why it failed.
pub type Output = Result<String, ToolError>;
/// A tool at work.
pub type Running = Pin<Box<dyn Future<Output = Output> + Send>>;

type PureRun = dyn Fn(&ToolCaller<'_>, &str) -> Output + Send + Sync;
type AsyncRun = dyn Fn(&str, &ToolTrace) -> Running + Send + Sync;

/// How much minds may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolLimits {
    /// Rounds of calls in one ask; then the mind is told to answer without tools.
    pub rounds: u32,
    /// Calls in one reply. Further ones are left out, as if they had not been made.
    pub calls: usize,
    /// Characters of one result; what is over is cut off, and the mind is told so.
    pub result_chars: usize,
    /// How long a tool may take, unless it says otherwise.
    pub time: Duration,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            rounds: 4,
            calls: 8,
            result_chars: 8_000,
            time: Duration::from_secs(30),
        }
    }
}

/// One tool: what minds are told of it, and what it does.
#[derive(Clone)]
pub struct Tool {
    /// The name under which minds call it.
    wire_name: String,
    about: String,
    schema: Value,
    run: Run,
    time: Option<Duration>,
    /// Whether others wrote what minds are told of it.
    is_foreign: bool,
}

#[derive(Clone)]
pub(crate) enum Run {
    World(Arc<PureRun>),
    Outside(Arc<AsyncRun>),
}

impl Tool {
    /// What a mind is told of it. `about`, if any, are other words than its own: the first lines
    /// describe it, lines such as `- sides: how many` describe arguments.
    ///
    /// # Errors
    /// Its name is not one that every provider takes.
    pub fn spec(&self, about: Option<&str>) -> Result<ToolSpec, ToolNameError> {
        let Some(about) = about else {
            return ToolSpec::new(&self.wire_name, self.about.as_str(), &self.schema);
        };
        let is_argument = |line: &&str| line.trim_start().starts_with("- ");
        let (arguments, lines): (Vec<_>, Vec<_>) = about.lines().partition(is_argument);
        let mut schema = self.schema.clone();
        for (name, words) in arguments.iter().filter_map(|line| argument(line)) {
            if let Some(argument) = schema.pointer_mut(&format!("/properties/{name}"))
                && argument.is_object()
            {
                argument["description"] = words.into();
            }
        }
        ToolSpec::new(&self.wire_name, lines.join("\n").trim(), &schema)
    }

    /// Passes every text that others wrote about it through a guard: its description, and those in its
    /// schema. What the engine or a game says of a tool stays as it is.
    pub fn guarded(mut self, mut guard: impl FnMut(&str) -> String) -> Self {
        if self.is_foreign {
            self.about = guard(&self.about);
            guard_schema(&mut self.schema, &mut guard, 0);
        }
        self
    }

    /// The result of a world tool; nothing where it is an outside tool.
    pub fn look(&self, asker: &ToolCaller<'_>, arguments: &str) -> Option<Output> {
        match &self.run {
            Run::World(run) => Some(run(asker, arguments)),
            Run::Outside(_) => None,
        }
    }

    /// Starts an outside tool, which ends with an error after `time` unless the tool has a limit of
    /// its own; nothing where it is a world tool. What it tells of its work goes to `inside`.
    pub fn start(&self, arguments: &str, time: Duration, inside: &ToolTrace) -> Option<Running> {
        let Run::Outside(run) = &self.run else {
            return None;
        };
        let (running, time) = (run(arguments, inside), self.time.unwrap_or(time));
        Some(Box::pin(async move {
            let ended = tokio::time::timeout(time, running).await;
            ended.unwrap_or_else(|_| {
                let seconds = time.as_secs_f64();
                let words = format!("the tool did not answer within {seconds} s");
                Err(ToolError::new(words).said("tools/errors/time", json!({"seconds": seconds})))
            })
        }))
    }

    /// The same tool with another limit of time.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }
}

/// Guards the words of a schema that only a mind reads.
fn guard_schema(schema: &mut Value, guard: &mut impl FnMut(&str) -> String, depth: usize) {
    // A schema that came as JSON is at most 128 deep.
    if depth > 128 {
        return;
    }
    match schema {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(words)
                        if matches!(key.as_str(), "description" | "title" | "$comment") =>
                    {
                        *words = guard(words);
                    }
                    other => guard_schema(other, guard, depth + 1),
                }
            }
        }
        Value::Array(all) => all
            .iter_mut()
            .for_each(|one| guard_schema(one, guard, depth + 1)),
        _ => {}
    }
}

/// `- sides: how many` as name and words.
fn argument(line: &str) -> Option<(&str, &str)> {
    let (name, words) = line
        .trim_start()
        .strip_prefix("- ")?
        .split_once([':', '：'])?;
    Some((name.trim(), words.trim()))
}

/// The tools of a run, by the names by which sets name them. Filled when a game is set up.
#[derive(Resource, Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<Arc<str>, Tool>,
    /// How much minds may call.
    pub limits: ToolLimits,
    /// Names that were refused, for whoever builds the engine.
    refused: Vec<ToolNameError>,
}

impl Toolbox {
    /// The tools that come along: see [`super::BUILT_IN`]. Those of the web may ask no host yet.
    pub fn standard() -> Self {
        let mut tools = Self::default();
        super::game::register(&mut tools);
        super::calculate::register(&mut tools);
        #[cfg(feature = "web")]
        tools.allow_web(&super::WebPolicy::default());
        tools
    }

    /// Lets the tools of the web do what a policy allows. A build without `web` has no such tools.
    #[cfg(feature = "http")]
    #[cfg_attr(
        not(feature = "web"),
        expect(unused_variables, reason = "no tools to allow it")
    )]
    pub fn allow_web(&mut self, policy: &super::WebPolicy) {
        #[cfg(feature = "web")]
        super::web::register(self, policy);
    }

    /// Adds a world tool: a function of what its asker may see and of its arguments. It must not look at
    /// anything else, so that a replay of the same world gives the same result.
    pub fn world<A, R>(
        &mut self,
        name: &str,
        about: &str,
        run: impl Fn(&ToolCaller<'_>, A) -> Result<R, ToolError> + Send + Sync + 'static,
    ) -> &mut Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
    {
        let run = move |asker: &ToolCaller<'_>, arguments: &str| {
            text_of(run(asker, read_arguments(arguments)?)?)
        };
        self.add_native::<A>(name, about, Run::World(Arc::new(run)))
    }

    /// Adds a world tool whose arguments are described by a schema of its own, and read by itself.
    pub(super) fn world_described(
        &mut self,
        name: &str,
        about: &str,
        schema: Value,
        run: impl Fn(&ToolCaller<'_>, &str) -> Output + Send + Sync + 'static,
    ) -> &mut Self {
        let tool = Tool {
            wire_name: name.into(),
            about: about.into(),
            schema,
            run: Run::World(Arc::new(run)),
            time: None,
            is_foreign: false,
        };
        self.add(name, tool)
    }

    /// Adds an outside tool: an async function of its arguments. Its results are recorded, and never
    /// fetched again for an ask that was recorded.
    pub fn outside<A, R, F>(
        &mut self,
        name: &str,
        about: &str,
        run: impl Fn(A) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.outside_telling(name, about, move |arguments, _| run(arguments))
    }

    /// As [`Self::outside`], for a tool that tells of its work while it runs.
    pub fn outside_telling<A, R, F>(
        &mut self,
        name: &str,
        about: &str,
        run: impl Fn(A, ToolTrace) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        let run = move |arguments: &str, inside: &ToolTrace| -> Running {
            match read_arguments(arguments) {
                Ok(arguments) => {
                    let running = run(arguments, inside.clone());
                    Box::pin(async move { text_of(running.await?) })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        };
        self.add_native::<A>(name, about, Run::Outside(Arc::new(run)))
    }

    /// Adds an outside tool that minds can't be given, since `name` is none that a file may name. Systems
    /// call it by that name.
    pub(super) fn outside_private<A, R, F>(
        &mut self,
        name: &str,
        wire_name: &str,
        about: &str,
        run: impl Fn(A) -> F + Send + Sync + 'static,
    ) where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.outside(wire_name, about, run);
        if let Some(tool) = self.tools.remove(wire_name) {
            self.tools.insert(name.into(), tool);
        }
    }

    /// Adds an outside tool whose arguments are described by a schema that came from elsewhere, such as
    /// a server's. `name` is the one by which sets name it, `wire_name` the one by which minds call it.
    pub fn add_foreign(
        &mut self,
        name: &str,
        wire_name: &str,
        about: &str,
        schema: Value,
        run: impl Fn(&str) -> Running + Send + Sync + 'static,
    ) -> &mut Self {
        let tool = Tool {
            wire_name: wire_name.into(),
            about: about.into(),
            schema,
            run: Run::Outside(Arc::new(move |arguments, _| run(arguments))),
            time: None,
            is_foreign: true,
        };
        self.add(name, tool)
    }

    fn add_native<A: JsonSchema>(&mut self, name: &str, about: &str, run: Run) -> &mut Self {
        let tool = Tool {
            wire_name: name.into(),
            about: about.into(),
            schema: arguments_schema::<A>(),
            run,
            time: None,
            is_foreign: false,
        };
        self.add(name, tool)
    }

    fn add(&mut self, name: &str, tool: Tool) -> &mut Self {
        match is_legal(&tool.wire_name) {
            true => {
                self.tools.insert(name.into(), tool);
            }
            false => self.refused.push(ToolNameError(tool.wire_name)),
        }
        self
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// Changes a tool that is there, such as its limit of time.
    pub fn change(&mut self, name: &str, change: impl FnOnce(Tool) -> Tool) {
        if let Some((name, tool)) = self.tools.remove_entry(name) {
            self.tools.insert(name, change(tool));
        }
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.keys()
    }

    /// The names that an entry of a set stands for: itself, or all tools of a server.
    pub fn named_by<'a>(&'a self, entry: &'a str) -> impl Iterator<Item = &'a Arc<str>> {
        let of_server = entry.strip_suffix('*').filter(|start| start.ends_with('.'));
        self.tools.keys().filter(move |name| match of_server {
            Some(start) => name.starts_with(start),
            None => ***name == *entry,
        })
    }

    /// The first name that was refused, if any was.
    pub fn refused(&self) -> Option<&ToolNameError> {
        self.refused.first()
    }
}

/// The schema of an argument type. Its own name says nothing to a mind; a type without arguments is an
/// empty object.
fn arguments_schema<A: JsonSchema>() -> Value {
    let mut schema = schema_for::<A>();
    match schema
        .as_object_mut()
        .filter(|members| members.get("type") == Some(&json!("object")))
    {
        Some(members) => {
            members.remove("title");
            members.remove("description");
            members.entry("properties").or_insert_with(|| json!({}));
            schema
        }
        None => json!({"type": "object", "properties": {}}),
    }
}

/// What a function returned as the text that a mind reads: text as it is, all else as JSON.
fn text_of(value: impl Serialize) -> Output {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => Ok(text),
        Ok(value) => Ok(value.to_string()),
        Err(error) => Err(ToolError::new(format!("the result can't be told: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::NoArguments;

    #[derive(serde::Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the schema matters")]
    struct Roll {
        /// How many.
        dice: u8,
    }

    fn tools() -> Toolbox {
        let mut tools = Toolbox::default();
        tools
            .world("roll", "Rolls.", |_: &ToolCaller<'_>, _: Roll| Ok("4"))
            .outside("wait", "Waits.", |_: NoArguments| async {
                tokio::time::sleep(Duration::from_secs(60)).await;
                Ok(())
            });
        tools
    }

    #[test]
    fn a_tool_is_described_by_its_type_or_by_a_phrase() {
        let tools = tools();
        let spec = tools.get("roll").unwrap().spec(None).unwrap();
        assert_eq!(spec.description().as_str(), "Rolls.");
        let schema: Value = serde_json::from_str(spec.schema()).unwrap();
        assert_eq!(schema["properties"]["dice"]["description"], "How many.");
        assert_eq!(schema["required"], json!(["dice"]));

        let told = "掷骰子。\n只在需要时用。\n- dice：几个\n- nobody: x";
        let spec = tools.get("roll").unwrap().spec(Some(told)).unwrap();
        assert_eq!(spec.description().as_str(), "掷骰子。\n只在需要时用。");
        let schema: Value = serde_json::from_str(spec.schema()).unwrap();
        assert_eq!(schema["properties"]["dice"]["description"], "几个");

        let spec = tools.get("wait").unwrap().spec(None).unwrap();
        assert_eq!(spec.schema(), r#"{"properties":{},"type":"object"}"#);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tool_that_takes_too_long_fails() {
        let tools = tools();
        let tool = tools.get("wait").unwrap();
        let waited = tool.start("{}", Duration::from_secs(2), &ToolTrace::default());
        let waited = waited.unwrap().await;
        assert!(waited.unwrap_err().to_string().contains("within 2 s"));
        let patient = tool.clone().within(Duration::from_secs(90));
        let waited = patient.start("", Duration::from_secs(2), &ToolTrace::default());
        let waited = waited.unwrap().await;
        assert_eq!(waited.unwrap(), "null");
    }

    #[test]
    fn a_set_names_one_tool_or_all_of_a_server() {
        let mut tools = Toolbox::default();
        for name in ["weather.now", "weather.soon", "weatherman", "roll"] {
            let wire = name.replace('.', "__");
            tools.add_foreign(name, &wire, "", json!({}), |_| {
                Box::pin(std::future::ready(Ok(String::new())))
            });
        }
        let named = |entry| {
            tools
                .named_by(entry)
                .map(|name| &**name)
                .collect::<Vec<_>>()
        };
        assert_eq!(named("roll"), ["roll"]);
        assert_eq!(named("weather.*"), ["weather.now", "weather.soon"]);
        assert_eq!(named("weather.now"), ["weather.now"]);
        assert!(named("*").is_empty());
        tools.world("骰子", "", |_: &ToolCaller<'_>, _: NoArguments| Ok(()));
        assert!(tools.refused().is_some());
    }
}
