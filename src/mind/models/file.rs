//! The model file's form, and what can be wrong with it.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use ron::extensions::Extensions;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::ModelError;
use crate::dialect::format::{Api, Style, Thinking};
use crate::mind::Price;
use crate::mind::http::{Endpoint, LimitField, Retry, SchemaMode, Timeouts, Wording, own_members};
use crate::tool::WebPolicy;
use crate::tool::servers::ToolServer;

/// A model file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Seconds to wait for a connection to any server.
    #[serde(default = "ten_seconds")]
    pub connect: f64,
    /// What stands at the end of a prompt for servers that take no schema.
    #[serde(default)]
    pub wording: Wording,
    /// Who runs models, by name.
    #[serde(deserialize_with = "each_once")]
    pub providers: IndexMap<String, Provider>,
    /// Models by alias.
    #[serde(deserialize_with = "each_once")]
    pub models: IndexMap<String, ModelEntry>,
    /// Servers of tools by name. A world names their tools; only this file says what runs.
    #[serde(default, deserialize_with = "each_once")]
    pub servers: IndexMap<String, ToolServer>,
    /// What tools of the web may do; nothing where left out.
    #[serde(default)]
    pub web: WebPolicy,
}

/// Whoever runs models: where, and what may be sent there.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Whose interface the server has.
    #[serde(default)]
    pub api: Api,
    /// The server's address, with or without `/v1`.
    pub base_url: String,
    /// The environment variable that replaces the address.
    #[serde(default)]
    pub base_url_env: Option<String>,
    /// The environment variable that holds the key.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Whether the provider's own server answers nobody without a key.
    #[serde(default)]
    pub key_required: bool,
    /// The name of the limit of answer tokens.
    #[serde(default)]
    pub limit_field: LimitField,
    /// Whether answers are streamed.
    #[serde(default = "yes")]
    pub stream: bool,
    /// Whether to ask streams for their usage.
    #[serde(default)]
    pub stream_usage: bool,
    /// Whether turns of one role that follow each other are sent as one message.
    #[serde(default)]
    pub merge_turns: bool,
    /// How the turns of a conversation become messages.
    #[serde(default)]
    pub style: Style,
    /// Words before a conversation that is told as a history.
    #[serde(default)]
    pub history_header: String,
    /// Whether messages carry the names of their speakers, where the interface has a place for
    /// them.
    #[serde(default)]
    pub names: bool,
    /// Whether words are always sent as a list of parts.
    #[serde(default)]
    pub parts: bool,
    /// Which thoughts models are sent back; as usual behind the interface where absent.
    #[serde(default)]
    pub thinking: Option<Thinking>,
    /// Whether requests of an entity carry a key by which the provider finds its cache.
    #[serde(default)]
    pub cache_key: bool,
    /// How the schema of a reply travels.
    #[serde(default)]
    pub schema: SchemaMode,
    /// Sent only where set.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// The most tokens of an answer.
    #[serde(default = "a_page")]
    pub max_output: u32,
    /// How many calls of one model may be under way at once.
    #[serde(default = "eight")]
    pub width: usize,
    /// The most bytes of an answer.
    #[serde(default = "two_megabytes")]
    pub longest_answer: usize,
    /// How long silence may last.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How often to try again.
    #[serde(default)]
    pub retry: Retry,
    /// Whether its models take tools in words alone.
    #[serde(default)]
    pub tools_in_words: bool,
    /// Members of a request that only this provider knows.
    #[serde(default)]
    pub extra: Map<String, Value>,
}

impl Provider {
    /// A server of which nothing is known but its address.
    pub fn cautious(base_url: impl Into<String>) -> Self {
        Self {
            api: Api::default(),
            base_url: base_url.into(),
            base_url_env: None,
            key_env: None,
            key_required: false,
            limit_field: LimitField::default(),
            stream: yes(),
            stream_usage: false,
            merge_turns: false,
            style: Style::default(),
            history_header: String::new(),
            names: false,
            parts: false,
            thinking: None,
            cache_key: false,
            schema: SchemaMode::default(),
            temperature: None,
            max_output: a_page(),
            width: eight(),
            longest_answer: two_megabytes(),
            timeouts: Timeouts::default(),
            retry: Retry::default(),
            tools_in_words: false,
            extra: Map::new(),
        }
    }
}

/// A model of a provider. What is set here replaces what the provider says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Who runs it; a name among the providers.
    pub provider: String,
    /// Its name at the provider.
    pub model: String,
    /// The environment variable that replaces the model's name.
    #[serde(default)]
    pub model_env: Option<String>,
    /// Another address than the provider's.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Another variable for the key than the provider's.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Tokens of prompt and answer together.
    #[serde(default)]
    pub window: Option<u64>,
    /// What it costs; unknown where absent, and then no cap on cost can be promised.
    #[serde(default)]
    pub price: Option<Price>,
    /// See [`Provider::limit_field`].
    #[serde(default)]
    pub limit_field: Option<LimitField>,
    /// See [`Provider::stream`].
    #[serde(default)]
    pub stream: Option<bool>,
    /// See [`Provider::merge_turns`].
    #[serde(default)]
    pub merge_turns: Option<bool>,
    /// See [`Provider::style`].
    #[serde(default)]
    pub style: Option<Style>,
    /// See [`Provider::names`].
    #[serde(default)]
    pub names: Option<bool>,
    /// See [`Provider::parts`].
    #[serde(default)]
    pub parts: Option<bool>,
    /// See [`Provider::thinking`].
    #[serde(default)]
    pub thinking: Option<Thinking>,
    /// See [`Provider::schema`].
    #[serde(default)]
    pub schema: Option<SchemaMode>,
    /// See [`Provider::temperature`].
    #[serde(default)]
    pub temperature: Option<f64>,
    /// See [`Provider::max_output`].
    #[serde(default)]
    pub max_output: Option<u32>,
    /// See [`Provider::width`].
    #[serde(default)]
    pub width: Option<usize>,
    /// See [`Provider::timeouts`].
    #[serde(default)]
    pub timeouts: Option<Timeouts>,
    /// See [`Provider::retry`].
    #[serde(default)]
    pub retry: Option<Retry>,
    /// See [`Provider::tools_in_words`].
    #[serde(default)]
    pub tools_in_words: Option<bool>,
    /// Merged over [`Provider::extra`].
    #[serde(default)]
    pub extra: Map<String, Value>,
}

fn ten_seconds() -> f64 {
    10.0
}

fn yes() -> bool {
    true
}

fn a_page() -> u32 {
    1024
}

fn eight() -> usize {
    8
}

fn two_megabytes() -> usize {
    2_000_000
}

impl ModelFile {
    /// Reads a model file's text. `file_name` is for errors.
    ///
    /// # Errors
    /// The first place that is not in the form of a model file, or everything in it that can't be.
    pub fn read(text: &str, file_name: &str) -> Result<Self, ModelError> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let file: Self = options.from_str(text).map_err(|error| ModelError::Syntax {
            file: file_name.into(),
            line: error.span.start.line,
            column: error.span.start.col,
            reason: error.code.to_string(),
        })?;
        let problems = file.problems();
        match problems.is_empty() {
            true => Ok(file),
            false => Err(ModelError::Invalid {
                file: file_name.into(),
                problems,
            }),
        }
    }

    /// Everything that can't be, as `where: what would be right`.
    fn problems(&self) -> Vec<String> {
        let mut found = Problems::default();
        found.unless(
            self.wording.en.contains("{schema}") && self.wording.zh.contains("{schema}"),
            "wording",
            "each language must say where the schema stands, by {schema}",
        );
        found.unless(self.connect > 0.0, "connect", "must be more than 0 seconds");
        for (name, provider) in &self.providers {
            provider.check(&format!("providers.{name}"), &mut found);
        }
        for (alias, entry) in &self.models {
            let here = format!("models.{alias}");
            let known = self.providers.contains_key(&entry.provider);
            let names: Vec<_> = self.providers.keys().map(String::as_str).collect();
            let expected = format!(
                "unknown provider '{}'; there are {}",
                entry.provider,
                names.join(", ")
            );
            found.unless(known, &format!("{here}.provider"), &expected);
            let provider = self.providers.get(&entry.provider);
            let api = provider.map(|provider| provider.api).unwrap_or_default();
            entry.check(&here, api, &mut found);
        }
        for (name, server) in &self.servers {
            let here = format!("servers.{name}");
            let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            found.unless(
                !name.is_empty() && name.chars().all(legal),
                &here,
                "a server's name has letters, digits, '_' and '-' of ASCII",
            );
            found.variable(server.token_env.as_ref(), &format!("{here}.token_env"));
            let problems = server.problems().into_iter();
            found
                .all
                .extend(problems.map(|problem| format!("{here}: {problem}")));
        }
        let problems = self.web.problems().into_iter();
        found
            .all
            .extend(problems.map(|problem| format!("web: {problem}")));
        found.all
    }
}

/// Gathers what is wrong.
#[derive(Default)]
struct Problems {
    all: Vec<String>,
}

impl Problems {
    fn unless(&mut self, right: bool, place: &str, expected: &str) {
        if !right {
            self.all.push(format!("{place}: {expected}"));
        }
    }

    /// The value itself is not shown: it may be a key that was pasted into the wrong place.
    fn variable(&mut self, name: Option<&String>, place: &str) {
        let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let right = name.is_none_or(|name| !name.is_empty() && name.chars().all(allowed));
        let expected = "must be the name of an environment variable, in capitals; a key itself never stands in this file";
        self.unless(right, place, expected);
    }

    fn base_url(&mut self, base: &str, api: Api, place: &str) {
        if let Err(reason) = Endpoint::parse(base, api) {
            self.all
                .push(format!("{place}: '{base}' is no address: {reason}"));
        }
    }

    fn extra(&mut self, extra: &Map<String, Value>, api: Api, place: &str) {
        for name in extra.keys() {
            let free = !own_members(api).contains(&name.as_str());
            self.unless(
                free,
                place,
                &format!("'{name}' is set by the engine itself"),
            );
        }
    }

    fn temperature(&mut self, temperature: Option<f64>, place: &str) {
        let right = temperature.is_none_or(|degrees| (0.0..=2.0).contains(&degrees));
        self.unless(right, place, "must be from 0 to 2");
    }

    fn timeouts(&mut self, timeouts: &Timeouts, place: &str) {
        let right = timeouts.first_byte > 0.0 && timeouts.between_bytes > 0.0;
        self.unless(right, place, "must be more than 0 seconds");
    }
}

impl Provider {
    fn check(&self, here: &str, found: &mut Problems) {
        found.base_url(&self.base_url, self.api, &format!("{here}.base_url"));
        found.variable(self.base_url_env.as_ref(), &format!("{here}.base_url_env"));
        found.variable(self.key_env.as_ref(), &format!("{here}.key_env"));
        found.unless(
            !self.key_required || self.key_env.is_some(),
            &format!("{here}.key_env"),
            "missing; a key that is required comes from an environment variable",
        );
        found.unless(
            self.width > 0,
            &format!("{here}.width"),
            "must be at least 1",
        );
        found.unless(
            self.max_output > 0,
            &format!("{here}.max_output"),
            "must be at least 1",
        );
        found.temperature(self.temperature, &format!("{here}.temperature"));
        found.timeouts(&self.timeouts, &format!("{here}.timeouts"));
        found.extra(&self.extra, self.api, &format!("{here}.extra"));
    }
}

impl ModelEntry {
    fn check(&self, here: &str, api: Api, found: &mut Problems) {
        if let Some(base) = &self.base_url {
            found.base_url(base, api, &format!("{here}.base_url"));
        }
        found.variable(self.model_env.as_ref(), &format!("{here}.model_env"));
        found.variable(self.key_env.as_ref(), &format!("{here}.key_env"));
        found.unless(
            self.width != Some(0),
            &format!("{here}.width"),
            "must be at least 1",
        );
        found.unless(
            self.max_output != Some(0),
            &format!("{here}.max_output"),
            "must be at least 1",
        );
        let fits = |window| {
            self.max_output
                .is_none_or(|output| u64::from(output) < window)
        };
        found.unless(
            self.window.is_none_or(fits),
            &format!("{here}.window"),
            "must be greater than max_output; it holds prompt and answer",
        );
        let right = |amount: f64| amount.is_finite() && amount >= 0.0;
        let priced =
            |price: &Price| right(price.input) && right(price.cached) && right(price.output);
        found.unless(
            self.price.as_ref().is_none_or(priced),
            &format!("{here}.price"),
            "must not be negative",
        );
        found.temperature(self.temperature, &format!("{here}.temperature"));
        if let Some(timeouts) = &self.timeouts {
            found.timeouts(timeouts, &format!("{here}.timeouts"));
        }
        found.extra(&self.extra, api, &format!("{here}.extra"));
    }
}

/// Reads a map whose names stand once each.
fn each_once<'de, T, D>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    struct EachOnce<T>(PhantomData<T>);

    impl<'de, T: DeserializeOwned> Visitor<'de> for EachOnce<T> {
        type Value = IndexMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of names in quotes, such as { \"name\": (...) }")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = IndexMap::new();
            while let Some(name) = access.next_key::<String>()? {
                if map.contains_key(&name) {
                    return Err(A::Error::custom(format!(
                        "the name '{name}' stands here twice"
                    )));
                }
                map.insert(name, access.next_value()?);
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(EachOnce(PhantomData))
}
