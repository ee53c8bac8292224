//! The tools of a run, and how one is called.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::prompts::Failure;
use super::spec::is_legal;
use super::{
    ToolCaller, ToolError, ToolNameError, ToolSpec, ToolTrace, read_arguments, schema_for,
};
use crate::locale::text;
use crate::secrets::{redact, redact_value};

/// What a tool returned, as text, or why it failed.
pub type ToolOutput = Result<String, ToolError>;
/// An async tool that is running.
pub type RunningTool = Pin<Box<dyn Future<Output = ToolOutput> + Send>>;

type PureRun = dyn Fn(&ToolCaller<'_>, &str) -> ToolOutput + Send + Sync;
type AsyncRun = dyn Fn(&str, &ToolTrace) -> RunningTool + Send + Sync;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolLimits {
    /// Rounds of calls in one ask; then the mind is told to answer without tools.
    pub rounds: u32,
    /// Calls in one reply. Further ones are ignored.
    pub calls: usize,
    /// Characters of one result. The rest is cut off, and the mind is told so.
    pub result_chars: usize,
    /// How long a tool may take, unless it has a limit of its own.
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
    /// The name by which minds call it.
    wire_name: String,
    about: String,
    schema: Value,
    run: Run,
    time_limit: Option<Duration>,
    /// Whether its description comes from outside, such as from a server.
    is_foreign: bool,
}

#[derive(Clone)]
enum Run {
    Pure(Arc<PureRun>),
    Async(Arc<AsyncRun>),
}

impl Tool {
    /// What a mind is told of it. `about` replaces its own description: lines such as `- sides: how
    /// many` describe arguments, all others the tool.
    ///
    /// # Errors
    /// Its name is not one that every provider accepts.
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

    /// Passes a description that comes from outside through a guard, with all texts of its schema.
    /// What the engine or a game says of a tool stays as it is.
    pub fn guarded(mut self, mut guard: impl FnMut(&str) -> String) -> Self {
        if self.is_foreign {
            self.about = guard(&self.about);
            guard_schema(&mut self.schema, &mut guard, 0);
        }
        self
    }

    /// Runs a pure tool; `None` if it is an async tool.
    pub fn run_pure(&self, caller: &ToolCaller<'_>, arguments: &str) -> Option<ToolOutput> {
        match &self.run {
            Run::Pure(run) => {
                let output = catch_unwind(AssertUnwindSafe(|| run(caller, arguments)));
                Some(output_or_panic(output))
            }
            Run::Async(_) => None,
        }
    }

    /// An async tool that begins when it is awaited; `None` if it is a pure tool. It fails after
    /// `time_limit`, unless it has a limit of its own. What it reports of its work goes to `trace`.
    pub fn start_async(
        &self,
        arguments: &str,
        time_limit: Duration,
        trace: &ToolTrace,
    ) -> Option<RunningTool> {
        let Run::Async(run) = &self.run else {
            return None;
        };
        let (run, arguments, trace) = (run.clone(), arguments.to_owned(), trace.clone());
        let running = async move { run(&arguments, &trace).await };
        let running = AssertUnwindSafe(running).catch_unwind();
        let time_limit = self.time_limit.unwrap_or(time_limit);
        Some(Box::pin(async move {
            let output = tokio::time::timeout(time_limit, running).await;
            output.map(output_or_panic).unwrap_or_else(|_| {
                let seconds = time_limit.as_secs_f64();
                let words = format!("the tool did not answer within {seconds} s");
                Err(ToolError::new(words).with_prompt(&Failure::Time { seconds }))
            })
        }))
    }

    /// The same tool with a time limit of its own.
    #[must_use]
    pub fn with_time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = Some(time_limit);
        self
    }
}

/// What a tool returned. One that panicked has failed, and nothing else has.
fn output_or_panic(output: std::thread::Result<ToolOutput>) -> ToolOutput {
    output.unwrap_or_else(|_| {
        let error = ToolError::new("the tool broke down");
        Err(error.with_prompt(&Failure::BrokeDown))
    })
}

/// Passes the texts of a schema that only minds read through a guard.
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
                    member => guard_schema(member, guard, depth + 1),
                }
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| guard_schema(item, guard, depth + 1)),
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

/// The tools of a run, by the names that tool sets use.
///
/// A *pure tool* is a function of its arguments and of what its caller may see of the world, so
/// equal worlds give equal results. An *async tool* is a function of its arguments alone. Its
/// results are recorded, and never fetched again for an ask that was recorded.
#[derive(Resource, Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<Arc<str>, Tool>,
    pub limits: ToolLimits,
    /// Names that were refused, for the engine to report.
    refused: Vec<ToolNameError>,
}

impl Toolbox {
    /// Adds a pure tool. The function must not depend on anything but its parameters. The schema of
    /// its arguments is derived; `about` tells minds what it is for.
    pub fn add_pure<A, R>(
        &mut self,
        name: &str,
        about: &str,
        run: impl Fn(&ToolCaller<'_>, A) -> Result<R, ToolError> + Send + Sync + 'static,
    ) -> &mut Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
    {
        let run = move |caller: &ToolCaller<'_>, arguments: &str| {
            text_of(run(caller, read_arguments(arguments)?)?)
        };
        self.add_pure_described(name, about, arguments_schema::<A>(), run)
    }

    /// As [`Self::add_pure`], for a tool that has a schema of its own and reads its arguments
    /// itself.
    pub(super) fn add_pure_described(
        &mut self,
        name: &str,
        about: &str,
        schema: Value,
        run: impl Fn(&ToolCaller<'_>, &str) -> ToolOutput + Send + Sync + 'static,
    ) -> &mut Self {
        let tool = Tool {
            wire_name: name.into(),
            about: about.into(),
            schema,
            run: Run::Pure(Arc::new(run)),
            time_limit: None,
            is_foreign: false,
        };
        self.add(name, tool)
    }

    /// Adds an async tool. The schema of its arguments is derived; `about` tells minds what it is
    /// for.
    pub fn add_async<A, R, F>(
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
        self.add_async_traced(name, about, move |arguments, _| run(arguments))
    }

    /// As [`Self::add_async`], for a tool that reports its work while it runs.
    pub fn add_async_traced<A, R, F>(
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
        let run = move |arguments: &str, trace: &ToolTrace| -> RunningTool {
            match read_arguments(arguments) {
                Ok(arguments) => {
                    let running = run(arguments, trace.clone());
                    Box::pin(async move { text_of(running.await?) })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        };
        let tool = Tool {
            wire_name: name.into(),
            about: about.into(),
            schema: arguments_schema::<A>(),
            run: Run::Async(Arc::new(run)),
            time_limit: None,
            is_foreign: false,
        };
        self.add(name, tool)
    }

    /// Adds an async tool that only systems can call, since no file can contain `name`.
    pub fn add_private<A, R, F>(
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
        self.add_async(wire_name, about, run);
        if let Some(tool) = self.tools.remove(wire_name) {
            self.tools.insert(name.into(), tool);
        }
    }

    /// Adds an async tool whose description and schema come from outside, such as from a server.
    /// Sets use `name`, minds use `wire_name`.
    pub fn add_foreign(
        &mut self,
        name: &str,
        wire_name: &str,
        about: &str,
        mut schema: Value,
        run: impl Fn(&str) -> RunningTool + Send + Sync + 'static,
    ) -> &mut Self {
        redact_value(&mut schema);
        let tool = Tool {
            wire_name: wire_name.into(),
            about: redact(about).into(),
            schema,
            run: Run::Async(Arc::new(move |arguments, _| run(arguments))),
            time_limit: None,
            is_foreign: true,
        };
        self.add(name, tool)
    }

    fn add(&mut self, name: &str, tool: Tool) -> &mut Self {
        if is_legal(&tool.wire_name) {
            self.tools.insert(name.into(), tool);
        } else {
            self.refused.push(ToolNameError(tool.wire_name));
        }
        self
    }

    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// Changes a tool if it exists, such as its time limit.
    pub fn change(&mut self, name: &str, change: impl FnOnce(Tool) -> Tool) {
        if let Some((name, tool)) = self.tools.remove_entry(name) {
            self.tools.insert(name, change(tool));
        }
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.keys()
    }

    /// The names that an entry of a set means: itself, or all tools of a server.
    pub fn named_by<'a>(&'a self, entry: &'a str) -> impl Iterator<Item = &'a Arc<str>> {
        let of_server = entry.strip_suffix('*').filter(|start| start.ends_with('.'));
        self.tools.keys().filter(move |name| match of_server {
            Some(start) => name.starts_with(start),
            None => ***name == *entry,
        })
    }

    /// The first name that was refused, if any.
    pub fn refused(&self) -> Option<&ToolNameError> {
        self.refused.first()
    }
}

/// The schema of an argument type without its name, which means nothing to minds. A type without
/// arguments is an empty object.
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

/// What a tool returned, as minds read it: text as it is, anything else as JSON.
fn text_of(value: impl Serialize) -> ToolOutput {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => Ok(text),
        Ok(value) => Ok(value.to_string()),
        Err(error) => Err(ToolError::of(&text!(tool_result_untold, error = &error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;
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
            .add_pure("roll", "Rolls.", |_: &ToolCaller<'_>, _: Roll| Ok("4"))
            .add_async("wait", "Waits.", |_: NoArguments| async {
                tokio::time::sleep(Duration::from_secs(60)).await;
                Ok(())
            });
        tools
    }

    #[test]
    fn what_cannot_be_told_is_a_failure_in_both_languages() {
        let error = text_of(BTreeMap::from([((), 1)])).unwrap_err();
        let [en, zh] = told(&error);
        assert_eq!(en, error.to_string());
        assert!(zh.starts_with("结果无法转述："), "{zh}");
    }

    #[test]
    fn a_tool_is_described_by_its_type_or_by_a_phrase() {
        let tools = tools();
        let spec = tools.get("roll").unwrap().spec(None).unwrap();
        assert_eq!(spec.description().as_str(), "Rolls.");
        let schema: Value = serde_json::from_str(spec.schema()).unwrap();
        assert_eq!(schema["properties"]["dice"]["description"], "How many.");
        assert_eq!(schema["required"], json!(["dice"]));

        let about = "掷骰子。\n只在需要时用。\n- dice：几个\n- nobody: x";
        let spec = tools.get("roll").unwrap().spec(Some(about)).unwrap();
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
        let start = |tool: &Tool| {
            let limit = Duration::from_secs(2);
            tool.start_async("{}", limit, &ToolTrace::default())
                .unwrap()
        };
        let output = start(tool).await;
        assert!(output.unwrap_err().to_string().contains("within 2 s"));
        let patient = tool.clone().with_time_limit(Duration::from_secs(90));
        assert_eq!(start(&patient).await.unwrap(), "null");
    }

    #[tokio::test]
    async fn a_tool_that_panics_has_failed() {
        let mut tools = Toolbox::default();
        let broken: fn(NoArguments) -> std::future::Ready<Result<(), ToolError>> =
            |_| panic!("before it begins");
        tools
            .add_async("early", "", broken)
            .add_async("late", "", |_: NoArguments| async {
                panic!("while it runs");
                #[expect(unreachable_code, reason = "it says what the tool returns")]
                Ok(())
            })
            .add_pure(
                "pure",
                "",
                |_: &ToolCaller<'_>, _: NoArguments| match Some(3) {
                    Some(_) => panic!("at once"),
                    None => Ok(()),
                },
            );
        let failed = Err("the tool broke down".to_owned());
        for name in ["early", "late"] {
            let tool = tools.get(name).unwrap();
            let running = tool.start_async("{}", Duration::from_secs(9), &ToolTrace::default());
            let output = running.unwrap().await.map_err(|error| error.to_string());
            assert_eq!(output, failed, "{name}");
        }
        let mut world = World::new();
        let entity = world.spawn_empty().id();
        let caller = ToolCaller::new(&world, entity, 1, 0, 0);
        let output = tools.get("pure").unwrap().run_pure(&caller, "{}").unwrap();
        assert_eq!(output.map_err(|error| error.to_string()), failed);
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
        tools.add_pure("骰子", "", |_: &ToolCaller<'_>, _: NoArguments| Ok(()));
        assert!(tools.refused().is_some());
    }
}
