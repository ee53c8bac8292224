//! Calls of tools that a server left in the text of an answer.
//!
//! There are many forms, but few parts of which they consist: marks around calls, an object that
//! names a tool and its arguments, a tool's name before an object of arguments, before tagged
//! parameters or before arguments in brackets. Where there are marks, each of these parts is a
//! call; without marks, only an object that names a tool that was offered, or an answer that is
//! nothing but a call.

use serde_json::{Map, Value};

use super::json::json_at;
use super::marks::{Match, matches};
use super::options::words_of;

#[derive(Clone, Copy, Debug)]
pub struct CallableTool<'a> {
    pub name: &'a str,
    /// The JSON schema of its arguments.
    pub schema: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCall {
    /// The tool; one that was not offered keeps the name that the model wrote.
    pub name: String,
    /// The arguments as JSON; empty if there are none.
    pub arguments: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCalls {
    /// What is said before the first.
    pub before: String,
    /// The calls, in order.
    pub calls: Vec<TextCall>,
}

/// The marks with which calls begin.
const MARKS: [&str; 28] = [
    // Hermes, Qwen, GLM, Granite.
    "<tool_call",
    "<|tool_call",
    // Llama.
    "<|python_tag|>",
    "<|python_start|>",
    "<function=",
    "<function_call",
    // Mistral.
    "[TOOL_CALLS]",
    // Harmony, with its marks and without.
    "<|channel|>commentary to=",
    "<|channel|>analysis to=",
    "commentary to=functions.",
    "to=functions.",
    // DeepSeek.
    "<｜tool",
    "<｜DSML｜",
    // Claude, MiniMax.
    "<invoke ",
    "<minimax:tool_call",
    // Gemma.
    "```tool_code",
    "<tool_code",
    "<start_function_call>",
    // InternLM, Command R, Phi, Nemotron, Hunyuan, LFM.
    "<|action_start|>",
    "<|START_ACTION|>",
    "functools[",
    "<TOOLCALL",
    "<tool_calls",
    "<tools>",
    "<｜function",
    "<tool>",
    // Qwen-Agent.
    "✿FUNCTION✿",
    "Action: ",
];

/// The members that name a tool, and those that hold its arguments.
const NAMES: [&str; 7] = [
    "name", "tool", "tool_name", "function", "function_name", "action", "recipient_name",
];
const ARGUMENTS: [&str; 9] = [
    "arguments", "parameters", "args", "params", "input", "action_input", "tool_input", "kwargs",
    "tool_arguments",
];
/// The members that hold whole calls.
const HOLDERS: [&str; 5] = [
    "tool_calls", "tool_call", "function_call", "calls", "function",
];

/// A token that stands for a quotation mark.
const QUOTE: &str = "<|\"|>";

/// The maximum number of calls that are read.
const MAX_CALLS: usize = 128;
/// How many brackets of a text are tried as the start of a call, so that the search is linear.
const MAX_STARTS: usize = 64;
/// How much may stand between a tool's name and its arguments, in bytes.
const MAX_BETWEEN: usize = 160;

impl<'a> CallableTool<'a> {
    /// The name of the tool that is meant by this one: without what stands for the list of tools or
    /// counts the calls, and in any case.
    pub fn named(tools: &'a [Self], name: &str) -> Option<&'a str> {
        Tools(tools).known(name).map(|tool| tool.name)
    }
}

impl TextCalls {
    pub fn are_marked(text: &str) -> bool {
        mark_in(text, &Tools(&[])).is_some()
    }

    /// The calls of tools in a text; `None` if there are none.
    pub fn find(text: &str, tools: &[CallableTool]) -> Option<Self> {
        // Gemma 4 has a token of its own for quotation marks.
        let quoted = text.contains(QUOTE).then(|| text.replace(QUOTE, "\""));
        let text = quoted.as_deref().unwrap_or(text);
        let tools = Tools(tools);
        let marked = mark_in(text, &tools);
        let (at, calls) = match marked {
            Some(at) => (at, tools.marked(text.get(at..)?)),
            None => tools.unmarked(text),
        };
        let before = text.get(..at)?.trim_end();
        let unfenced = ["```json", "```tool_call", "```python", "```"];
        let before = unfenced
            .iter()
            .find_map(|fence| before.strip_suffix(fence))
            .unwrap_or(before);
        (!calls.is_empty()).then(|| Self {
            before: before.trim().to_owned(),
            calls,
        })
    }
}

/// Up to where a text, as far as it has arrived, is certain to be no call. An answer that begins
/// with a bracket may be one as a whole.
pub fn before_calls(text: &str, is_beginning: bool) -> usize {
    if is_beginning && text.trim_start().starts_with(['{', '[', '`', '<']) {
        return 0;
    }
    let mut places = text
        .char_indices()
        .filter(|(_, char)| matches!(char, '<' | '[' | '`' | 'c' | 't' | 'f' | '{' | 'A' | '✿'));
    let begins = places.find(|(at, _)| {
        let rest = text.get(*at..).unwrap_or_default();
        let is_begun = |mark: &&str| matches(rest, mark) != Match::None;
        rest.starts_with(['{', '`']) || MARKS.iter().any(is_begun)
    });
    begins.map_or(text.len(), |(at, _)| at)
}

/// Whether a call may begin with this character.
fn may_begin(char: char) -> bool {
    matches!(
        char.to_ascii_lowercase(),
        '<' | '[' | '`' | '{' | 'a' | 'c' | 'f' | 't' | '✿'
    )
}

/// Where calls with marks begin.
fn mark_in(text: &str, tools: &Tools) -> Option<usize> {
    let mut places = text.char_indices().filter(|(_, char)| may_begin(*char));
    let has_input = text.contains("Action Input");
    let found = places.find(|(at, _)| {
        let rest = text.get(*at..).unwrap_or_default();
        MARKS.iter().any(|mark| match matches(rest, mark) {
            // The last is a word of prose, too.
            Match::Whole if *mark == "Action: " => {
                let name = rest.get(mark.len()..).unwrap_or_default().lines().next();
                has_input && name.is_some_and(|name| tools.known(name).is_some())
            }
            found => found == Match::Whole,
        })
    });
    found.map(|(at, _)| at)
}

struct Tools<'a>(&'a [CallableTool<'a>]);

impl<'a> Tools<'a> {
    /// The tool that a name means.
    fn known(&self, name: &str) -> Option<&CallableTool<'a>> {
        let name = name.trim_matches(|c: char| c.is_whitespace() || "\"'`*".contains(c));
        let exact = |part: &str| self.0.iter().find(|tool| tool.name == part);
        let glued = |part: &str| {
            let wanted = words_of(part).concat();
            let mut meant = self
                .0
                .iter()
                .filter(|tool| words_of(tool.name).concat() == wanted);
            meant
                .next()
                .filter(|_| meant.next().is_none() && !wanted.is_empty())
        };
        let mut parts = name
            .split(['.', ':', '/'])
            .filter(|part| part.len() <= 64)
            .take(4);
        exact(name)
            .or_else(|| parts.clone().find_map(exact))
            .or_else(|| parts.find_map(glued))
    }

    /// Calls without marks, and where they begin.
    fn unmarked(&self, text: &str) -> (usize, Vec<TextCall>) {
        let whole = text.trim();
        let unfenced = whole
            .strip_prefix("```")
            .and_then(|rest| rest.strip_suffix("```"))
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
        let code = unfenced.unwrap_or(whole).trim();
        if let Some(calls) = self.only_python(code).or_else(|| self.only_named(code)) {
            return (0, calls);
        }
        let (mut calls, mut first, mut read) = (Vec::new(), text.len(), 0);
        let starts = text
            .char_indices()
            .filter(|(_, char)| matches!(char, '{' | '['));
        for (start, _) in starts.take(MAX_STARTS) {
            let rest = text.get(start..).filter(|_| start >= read);
            let Some((value, length)) = rest.and_then(json_at) else {
                continue;
            };
            read = start + length;
            // In the midst of a sentence a call is only spoken of.
            let after = text
                .get(read..)
                .and_then(|rest| rest.split(['\n', '{', '[']).next());
            if after.is_some_and(|rest| rest.contains(char::is_alphabetic)) {
                continue;
            }
            let found = self.calls_of(&value, false);
            if !found.is_empty() {
                first = first.min(start);
            }
            calls.extend(found);
        }
        calls.truncate(MAX_CALLS);
        (first, calls)
    }

    /// The call of a text that is nothing but a tool's name on a line, and its arguments.
    fn only_named(&self, text: &str) -> Option<Vec<TextCall>> {
        let (name, arguments) = text.split_once('\n')?;
        let tool = self.known(name)?;
        let (value, length) = json_at(arguments.trim())?;
        let is_all = length == arguments.trim().len() && value.is_object();
        is_all.then(|| vec![tool.call(value)])
    }

    /// The calls of a text that is nothing but calls of the form `name(argument=value)`.
    fn only_python(&self, text: &str) -> Option<Vec<TextCall>> {
        let inside = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let mut rest = inside.unwrap_or(text).trim();
        let mut calls = Vec::new();
        while !rest.is_empty() && calls.len() < MAX_CALLS {
            let name = rest
                .split(|c| !is_name(c))
                .next()
                .filter(|name| !name.is_empty())?;
            let tool = self.known(name)?;
            let (arguments, length) = bracketed(rest.get(name.len()..)?)?;
            calls.push(tool.call_python(&arguments));
            let after = rest.get(name.len() + length..)?;
            rest = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        }
        (!calls.is_empty()).then_some(calls)
    }

    /// Calls in a text that begins with a mark.
    fn marked(&self, text: &str) -> Vec<TextCall> {
        let mut scan = Scan {
            tools: self,
            text,
            calls: Vec::new(),
            name: None,
            parameters: Map::new(),
            tries: 0,
        };
        scan.read();
        let mut calls = scan.calls;
        if calls.is_empty() {
            calls.extend(unknown_call(text));
        }
        calls.truncate(MAX_CALLS);
        calls
    }

    /// The calls that a value names. Where marks say that it is a call, the tool need not be known.
    fn calls_of(&self, value: &Value, is_marked: bool) -> Vec<TextCall> {
        let members = match value {
            Value::Array(values) => {
                let values = values.iter();
                return values
                    .flat_map(|value| self.calls_of(value, is_marked))
                    .collect();
            }
            Value::Object(members) => members,
            _ => return Vec::new(),
        };
        let held = HOLDERS.iter().filter_map(|name| members.get(*name));
        if let Some(held) = held
            .filter(|held| held.is_object() || held.is_array())
            .find(|held| !self.calls_of(held, is_marked).is_empty())
        {
            return self.calls_of(held, is_marked);
        }
        let named = NAMES
            .iter()
            .find_map(|key| Some((*key, members.get(*key)?.as_str()?)));
        let arguments = ARGUMENTS.iter().find_map(|key| members.get(*key));
        let is_call = arguments.is_some() || is_marked || members.contains_key("tool");
        let Some((_, name)) = named.filter(|_| is_call) else {
            return self
                .keyed_call(members)
                .filter(|_| is_marked)
                .into_iter()
                .collect();
        };
        let tool = self.known(name);
        let name = match tool {
            Some(tool) => tool.name,
            None if is_marked && arguments.is_some() => name,
            None => return Vec::new(),
        };
        let arguments = match (arguments, tool) {
            (None | Some(Value::Null), _) => String::new(),
            (Some(Value::String(text)), _) => text.clone(),
            (Some(Value::Object(members)), Some(tool)) => {
                let is_other = |kind: Option<&str>| kind.is_some_and(|kind| kind != "string");
                return vec![tool.call_typed(members.clone(), is_other)];
            }
            (Some(arguments), _) => arguments.to_string(),
        };
        vec![TextCall {
            name: name.to_owned(),
            arguments,
        }]
    }

    /// `{"calculate": {"expression": "1 + 1"}}`
    fn keyed_call(&self, members: &Map<String, Value>) -> Option<TextCall> {
        let (name, arguments) = members.iter().next().filter(|_| members.len() == 1)?;
        let tool = self.known(name).filter(|_| arguments.is_object())?;
        Some(TextCall {
            name: tool.name.to_owned(),
            arguments: arguments.to_string(),
        })
    }
}

impl CallableTool<'_> {
    fn schema(&self) -> Value {
        serde_json::from_str(self.schema).unwrap_or_default()
    }

    /// A call with parameters that came as text: JSON if the tool wants no text there.
    fn call_tagged(&self, parameters: Map<String, Value>) -> TextCall {
        self.call_typed(parameters, |kind| kind != Some("string"))
    }

    /// A call with parameters of which the text is JSON where the schema's type is another.
    fn call_typed(
        &self,
        parameters: Map<String, Value>,
        is_other: impl Fn(Option<&str>) -> bool,
    ) -> TextCall {
        let schema = self.schema();
        let kind_of = |name: &str| schema.get("properties")?.get(name)?.get("type")?.as_str();
        let typed = parameters.into_iter().map(|(name, value)| {
            let text = value.as_str().filter(|_| is_other(kind_of(&name)));
            let json = text.and_then(|text| serde_json::from_str(text.trim()).ok());
            (name, json.unwrap_or(value))
        });
        self.call(Value::Object(typed.collect()))
    }

    /// A call with arguments as Python writes them. One without a name is the first that the tool
    /// needs.
    fn call_python(&self, arguments: &[Argument]) -> TextCall {
        let schema = self.schema();
        let needed = schema
            .get("required")
            .and_then(|names| names.get(0)?.as_str());
        let only = schema
            .get("properties")
            .and_then(Value::as_object)
            .and_then(|known| known.keys().next());
        let first = needed.or(only.map(String::as_str));
        let named = arguments.iter().filter_map(|argument| {
            let name = argument.name.or(first.filter(|_| arguments.len() == 1))?;
            let json =
                json_at(argument.value).filter(|(_, length)| *length == argument.value.len());
            Some((
                name.to_owned(),
                json.map_or_else(|| argument.value.into(), |(value, _)| value),
            ))
        });
        self.call(Value::Object(named.collect()))
    }

    fn call(&self, arguments: Value) -> TextCall {
        TextCall {
            name: self.name.to_owned(),
            arguments: arguments.to_string(),
        }
    }
}

/// An argument in brackets.
struct Argument<'t> {
    name: Option<&'t str>,
    value: &'t str,
}

/// The arguments in the brackets with which a text begins, and their length.
fn bracketed(text: &str) -> Option<(Vec<Argument<'_>>, usize)> {
    let inside = text.strip_prefix('(')?;
    let (mut parts, mut begin, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    let mut chars = inside.char_indices();
    while let Some((at, char)) = chars.next() {
        match (char, quote) {
            ('\\', Some(_)) => {
                chars.next();
            }
            (char, Some(open)) if char == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(char),
            (')', None) if depth == 0 => {
                parts.push(inside.get(begin..at)?);
                let arguments = parts
                    .into_iter()
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                return Some((arguments.map(Argument::of).collect(), at + 2));
            }
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth = depth.checked_sub(1)?,
            (',', None) if depth == 0 => {
                parts.push(inside.get(begin..at)?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    None
}

impl<'t> Argument<'t> {
    fn of(part: &'t str) -> Self {
        let named = part
            .split_once('=')
            .filter(|(name, _)| name.trim().chars().all(is_name));
        let (name, value) = match named {
            Some((name, value)) => (Some(name.trim()), value.trim()),
            None => (None, part),
        };
        Self { name, value }
    }
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-')
}

/// Reads the calls of a text with marks.
struct Scan<'s> {
    tools: &'s Tools<'s>,
    text: &'s str,
    calls: Vec<TextCall>,
    /// The tool whose arguments are expected, and where its name ends.
    name: Option<(&'s CallableTool<'s>, usize)>,
    parameters: Map<String, Value>,
    tries: usize,
}

impl<'s> Scan<'s> {
    fn read(&mut self) {
        let text = self.text;
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if self.calls.len() >= MAX_CALLS {
                return;
            }
            let char = rest.chars().next().unwrap_or(' ');
            at += match char {
                '{' | '[' if self.tries < MAX_STARTS => self.json(rest, at).unwrap_or(1),
                '<' => self.tag(rest).unwrap_or(1),
                char if char.is_ascii_alphabetic() || char == '_' => self.word(rest, at),
                char => char.len_utf8(),
            };
        }
        self.finish(false);
    }

    /// An object that is a call, or the arguments of the tool that was named before it.
    fn json(&mut self, rest: &str, at: usize) -> Option<usize> {
        self.tries += 1;
        let escaped = rest
            .contains("<escape>")
            .then(|| rest.replace("<escape>", "\""));
        let (value, length) = match escaped {
            Some(text) => json_at(&text).map(|(value, _)| (value, rest.len()))?,
            None => json_at(rest)?,
        };
        let calls = self.tools.calls_of(&value, true);
        if !calls.is_empty() {
            self.calls.extend(calls);
            self.name = None;
        } else if value.is_object()
            && let Some((tool, end)) = self.name
            && is_between(self.text.get(end..at)?)
        {
            self.name = None;
            self.calls.push(tool.call(value));
        } else if value.is_array() {
            return None;
        }
        Some(length)
    }

    /// A parameter in tags, or the end of a call.
    fn tag(&mut self, rest: &str) -> Option<usize> {
        let tag = rest.get(..rest.floor_char_boundary(MAX_BETWEEN))?;
        let inside = tag.get(1..tag.find('>')?)?;
        if matches!(
            inside,
            "/function"
                | "/invoke"
                | "/tool_call"
                | "|call|"
                | "|tool_call_end|"
                | "｜tool▁call▁end｜"
        ) {
            self.finish(true);
            return Some(inside.len() + 2);
        }
        let bare = inside.trim_start_matches("｜DSML｜");
        let key = match bare.strip_prefix("parameter") {
            Some(name) => quoted(name.trim_start_matches('=').trim()),
            None if bare == "arg_key" => tag.get(inside.len() + 2..)?.split('<').next()?.trim(),
            None => return None,
        };
        let value_at = match bare {
            "arg_key" => rest.find("<arg_value>")? + "<arg_value>".len(),
            _ => inside.len() + 2,
        };
        self.tries += 1;
        let value = rest.get(value_at..).filter(|_| self.tries < MAX_STARTS)?;
        let ends = [
            "</parameter>",
            "</arg_value>",
            "</｜DSML｜parameter>",
            "<parameter",
            "</function>",
            "</invoke>",
        ];
        let end = ends
            .iter()
            .filter_map(|end| value.find(end))
            .min()
            .unwrap_or(value.len());
        let text = value.get(..end)?.trim_matches('\n');
        self.parameters.insert(key.to_owned(), text.into());
        Some(value_at + end)
    }

    /// A word, which may be a tool's name.
    fn word(&mut self, rest: &str, at: usize) -> usize {
        let end = rest
            .find(|c| !(is_name(c) || c == ':' || c == '/'))
            .unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let name = word.trim_end_matches([':', '.']);
        let Some(tool) = self.tools.known(name) else {
            return end;
        };
        let after = rest
            .get(name.len()..)
            .filter(|after| after.starts_with('('));
        self.tries += usize::from(after.is_some());
        let tried = after.filter(|_| self.tries < MAX_STARTS);
        if let Some((arguments, length)) = tried.and_then(bracketed) {
            self.calls.push(tool.call_python(&arguments));
            return name.len() + length;
        }
        let before = self.text.get(..at).unwrap_or_default();
        // In the midst of a sentence a tool is only spoken of.
        let is_named = before
            .trim_end()
            .ends_with(['>', '=', '"', '\'', ']', '.', ':', '|', '｜', '✿']);
        if is_named && self.name.is_none() {
            self.name = Some((tool, at + end));
        }
        end
    }

    /// A call is over: it has the parameters that were tagged, or none if its end is marked.
    fn finish(&mut self, is_marked: bool) {
        let parameters = std::mem::take(&mut self.parameters);
        let named = self
            .name
            .take()
            .filter(|_| is_marked || !parameters.is_empty());
        self.calls
            .extend(named.map(|(tool, _)| tool.call_tagged(parameters)));
    }
}

/// The name in the attribute of a tag: `name="expression" string="true"`.
fn quoted(attribute: &str) -> &str {
    let value = attribute
        .strip_prefix("name=")
        .unwrap_or(attribute)
        .trim_start_matches(['"', '\'']);
    value.split(['"', '\'', ' ']).next().unwrap_or(value)
}

/// Whether what stands between a tool's name and its arguments means nothing.
fn is_between(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "commentary", "json", "action", "input", "arguments", "args", "call", "id", "constrain",
        "message", "code", "sep", "tool",
    ];
    let mut words = String::new();
    let mut depth = 0_usize;
    for char in text.chars() {
        match char {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.saturating_sub(1),
            char if depth == 0 => words.push(char),
            _ => {}
        }
    }
    let lower = words.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let is_id = |word: &str| word.chars().any(|c| c.is_ascii_digit());
    text.len() <= MAX_BETWEEN
        && words
            .into_iter()
            .all(|word| WORDS.contains(&word) || is_id(word))
}

/// The call of a tool that was not offered, so that the model can be told.
fn unknown_call(text: &str) -> Option<TextCall> {
    const BEFORE: [&str; 6] = [
        "<function=", "name=\"", "functions.", "[TOOL_CALLS]", "\"name\": \"", "\"name\":\"",
    ];
    let after = BEFORE
        .iter()
        .find_map(|mark| text.split_once(mark).map(|(_, after)| after))?;
    let name = after.trim_start().split(|c| !is_name(c)).next()?;
    (1..=64).contains(&name.len()).then(|| TextCall {
        name: name.to_owned(),
        arguments: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const SCHEMA: &str = r#"{"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}"#;
    const DICE: &str = r#"{"type": "object", "properties": {"sides": {"type": "integer"}, "why": {"type": "string"}}, "required": ["sides"]}"#;
    const TOOLS: [CallableTool; 4] = [
        CallableTool {
            name: "calculate",
            schema: SCHEMA,
        },
        CallableTool {
            name: "dice",
            schema: DICE,
        },
        CallableTool {
            name: "look",
            schema: "{}",
        },
        CallableTool {
            name: "search_lore",
            schema: "{}",
        },
    ];

    fn calls(text: &str) -> Option<(String, Vec<(String, Value)>)> {
        let found = TextCalls::find(text, &TOOLS)?;
        let calls = found.calls.into_iter().map(|call| {
            let arguments = super::super::find_json(&call.arguments).map(|found| found.value);
            (call.name, arguments.unwrap_or_default())
        });
        Some((found.before, calls.collect()))
    }

    #[test]
    fn a_call_is_found_in_every_form() {
        let call = vec![("calculate".to_owned(), json!({"expression": "123 * 456"}))];
        for text in [
            // Hermes, Qwen.
            "<tool_call>\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}\n</tool_call>",
            "<tool_call>\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}",
            "<tool_call>{'name': 'calculate', 'arguments': {'expression': '123 * 456',}}</tool_call>",
            "<tool_call>[{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]</tool_call>",
            "<tool_call>{\"name\": \"calculate\", \"arguments\": \"{\\\"expression\\\": \\\"123 * 456\\\"}\"}</tool_call>",
            "<tool_call>\n<function=calculate>\n<parameter=expression>\n123 * 456\n</parameter>\n</function>\n</tool_call>",
            "<function=calculate>\n<parameter=expression>\n123 * 456\n</parameter>\n</function>",
            // Llama.
            "<|python_tag|>{\"type\": \"function\", \"name\": \"calculate\", \"parameters\": {\"expression\": \"123 * 456\"}}",
            "<|python_start|>[calculate(expression=\"123 * 456\")]<|python_end|>",
            "<|python_tag|>calculate.call(expression=\"123 * 456\")",
            "<function=calculate>{\"expression\": \"123 * 456\"}</function>",
            "{\"name\": \"calculate\", \"parameters\": {\"expression\": \"123 * 456\"}}",
            "[calculate(expression=\"123 * 456\")]",
            "calculate(expression='123 * 456')",
            "calculate(\"123 * 456\")",
            // Mistral.
            "[TOOL_CALLS]calculate{\"expression\": \"123 * 456\"}",
            "[TOOL_CALLS][{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]",
            "[TOOL_CALLS]calculate[ARGS]{\"expression\": \"123 * 456\"}",
            "[TOOL_CALLS]calculate[CALL_ID]abc123[ARGS]{\"expression\": \"123 * 456\"}",
            // DeepSeek.
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>calculate\n```json\n{\"expression\": \"123 * 456\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calculate<｜tool▁sep｜>{\"expression\": \"123 * 456\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"calculate\">\n<｜DSML｜parameter name=\"expression\" string=\"true\">123 * 456</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
            // GLM.
            "<tool_call>calculate\n<arg_key>expression</arg_key>\n<arg_value>123 * 456</arg_value>\n</tool_call>",
            // Kimi.
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.calculate:0<|tool_call_argument_begin|>{\"expression\": \"123 * 456\"}<|tool_call_end|><|tool_calls_section_end|>",
            // Harmony.
            "<|start|>assistant to=functions.calculate<|channel|>commentary json<|message|>{\"expression\": \"123 * 456\"}<|call|>",
            "<|channel|>commentary to=functions.calculate <|constrain|>json<|message|>{\"expression\": \"123 * 456\"}<|call|>",
            "<|start|>assistant<|channel|>commentary to=functions.calculate<|message|>{\"expression\": \"123 * 456\"}<|call|>",
            "assistantcommentary to=functions.calculate json{\"expression\": \"123 * 456\"}",
            // Gemma.
            "```tool_code\ncalculate(expression=\"123 * 456\")\n```",
            "```tool_code\nprint(default_api.calculate(expression = \"123 * 456\"))\n```",
            "<|tool_call>call:calculate{expression:<|\"|>123 * 456<|\"|>}<tool_call|>",
            "<start_function_call>call:calculate{expression:<escape>123 * 456<escape>}<end_function_call>",
            // Claude, MiniMax.
            "<function_calls>\n<invoke name=\"calculate\">\n<parameter name=\"expression\">123 * 456</parameter>\n</invoke>\n</function_calls>",
            "<minimax:tool_call>\n<invoke name=\"calculate\">\n<parameter name=\"expression\">123 * 456</parameter>\n</invoke>\n</minimax:tool_call>",
            // InternLM, Command R, Phi, Nemotron, Hunyuan, LFM, Granite.
            "<|action_start|><|plugin|>{\"name\": \"calculate\", \"parameters\": {\"expression\": \"123 * 456\"}}<|action_end|>",
            "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"calculate\", \"parameters\": {\"expression\": \"123 * 456\"}}]<|END_ACTION|>",
            "functools[{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]",
            "<TOOLCALL>[{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]</TOOLCALL>",
            "<tool_calls>[{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]</tool_calls>",
            "<|tool_call_start|>[calculate(expression=\"123 * 456\")]<|tool_call_end|>",
            "<|tool_call|>[{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]",
            // In a fence, bare, and as other frameworks have it.
            "✿FUNCTION✿: calculate\n✿ARGS✿: {\"expression\": \"123 * 456\"}\n✿RESULT✿",
            "calculate\n{\"expression\": \"123 * 456\"}",
            "```json\n{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}\n```",
            "```\n[{\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}]\n```",
            "{\"tool\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}",
            "{\"tool\": \"calculate\", \"args\": {\"expression\": \"123 * 456\",},}",
            "{\"function\": {\"name\": \"calculate\", \"arguments\": \"{\\\"expression\\\": \\\"123 * 456\\\"}\"}}",
            "{\"tool_calls\": [{\"id\": \"1\", \"type\": \"function\", \"function\": {\"name\": \"calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}}]}",
            "{\"function_call\": {\"name\": \"functions.calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}}",
            "{\"action\": \"calculate\", \"action_input\": {\"expression\": \"123 * 456\"}}",
            "Thought: I must calculate.\nAction: calculate\nAction Input: {\"expression\": \"123 * 456\"}",
            "{\"name\": \"Calculate\", \"arguments\": {\"expression\": \"123 * 456\"}}",
        ] {
            let found = calls(text).map(|(_, calls)| calls);
            assert_eq!(found, Some(call.clone()), "{text}");
        }
    }

    #[test]
    fn what_is_said_before_stays_and_several_calls_are_several() {
        let call = |name: &str, arguments: Value| (name.to_owned(), arguments);
        for (text, before, found) in [
            (
                "Let me work that out.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n</tool_call>",
                "Let me work that out.",
                vec![call("look", json!({})), call("dice", json!({"sides": 6}))],
            ),
            (
                "I look.\n```json\n{\"tool\": \"look\"}\n```",
                "I look.",
                vec![call("look", Value::Null)],
            ),
            (
                "```\n{\"tool\":\"look\"}\n```\n```\n{\"tool\":\"dice\"}\n```",
                "",
                vec![call("look", Value::Null), call("dice", Value::Null)],
            ),
            (
                "[look(), dice(sides=6, why=\"a (b), c\")]",
                "",
                vec![
                    call("look", json!({})),
                    call("dice", json!({"sides": 6, "why": "a (b), c"})),
                ],
            ),
            (
                "<tool_call>\n<function=dice>\n<parameter=sides>\n6\n</parameter>\n<parameter=why>\n12\n</parameter>\n</function>\n</tool_call>",
                "",
                vec![call("dice", json!({"sides": 6, "why": "12"}))],
            ),
            (
                "{\"name\": \"dice\", \"parameters\": {\"sides\": \"6\", \"why\": \"12\"}}",
                "",
                vec![call("dice", json!({"sides": 6, "why": "12"}))],
            ),
            (
                "<tool_call>\n<function=look>\n</function>\n</tool_call>",
                "",
                vec![call("look", json!({}))],
            ),
            (
                "<tool_call>{\"name\": \"teleport\", \"arguments\": {\"to\": \"x\"}}</tool_call>",
                "",
                vec![call("teleport", json!({"to": "x"}))],
            ),
            (
                "<function=teleport>\n<parameter=to>\nx\n</parameter>\n</function>",
                "",
                vec![call("teleport", Value::Null)],
            ),
            (
                "[TOOL_CALLS]look{}[TOOL_CALLS]dice{\"sides\": 6}",
                "",
                vec![call("look", json!({})), call("dice", json!({"sides": 6}))],
            ),
        ] {
            assert_eq!(calls(text), Some((before.to_owned(), found)), "{text}");
        }
    }

    #[test]
    fn what_only_speaks_of_a_tool_is_no_call() {
        for text in [
            "",
            "I could calculate it.",
            "The function calculate(expression) does that, dice(sides=6) doesn't.",
            "{\"tool\": \"teleport\"}",
            "{\"name\": \"calculate\"}",
            "{\"name\": \"Mira\", \"arguments\": {\"for\": \"peace\"}}",
            "{\"mind\": \"so\", \"speak\": {\"tool\": 3}}",
            "{\"tool\": \"dice\", ",
            "{\"action\": \"look\", \"seen\": \"x\"}",
            "Action: she looks at the dice.",
            "[look around]",
            "Write for example {\"name\": \"dice\", \"arguments\": {\"sides\": 6}} in your next line.",
        ] {
            assert_eq!(calls(text), None, "{text}");
        }
    }

    #[test]
    fn what_people_watch_ends_before_a_call() {
        for (text, shown) in [
            ("I look.\n<tool_call>", "I look.\n"),
            ("I look.\n<tool", "I look.\n"),
            ("I look at [TOOL", "I look at "),
            ("{\"name\"", ""),
            ("The fog < the rain.", "The fog < the rain."),
        ] {
            assert_eq!(&text[..before_calls(text, true)], shown, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_searched(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", "\"tool\": ", "\"dice\"", "look", "\"lava\"", "\"arguments\": ", "(", ")", "=",
                "{\"tool\": \"dice\"}", "null", "7", "```json\n", "```", "\\", "\"", "雨", "<tool_call>", "</tool_call>",
                "<function=", ">", "<parameter=", "[TOOL_CALLS]", "to=functions.", "<arg_key>", "<", "｜",
            ]), 0..24),
        ) {
            let text = pieces.concat();
            if let Some(found) = TextCalls::find(&text, &TOOLS) {
                prop_assert!(found.before.len() <= text.len());
                prop_assert!(!found.calls.is_empty());
            }
            prop_assert!(text.is_char_boundary(before_calls(&text, false)));
        }
    }

    #[test]
    fn hostile_texts_are_read_to_their_end() {
        for hostile in [
            "{", "[", "<tool_call>{", "<function=look>", "look(", "<parameter=a>", "<", "a ",
            "look ", "[TOOL_CALLS]look{", "Action: look\n",
        ] {
            let text = hostile.repeat(100_000 / hostile.len());
            TextCalls::find(&text, &TOOLS);
            TextCalls::find(&format!("<tool_call>{text}"), &TOOLS);
            before_calls(&text, true);
        }
    }
}
