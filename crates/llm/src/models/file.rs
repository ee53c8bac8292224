//! The model file, and what can be wrong with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::message::{Price, each_entry};
use playhouse_engine::mind::MaxDefaults;
use playhouse_engine::trust::Untrusted;
use playhouse_engine::world_data::{Problems, Source, is_within};
use playhouse_interop::format::{Api, Style, ThinkingPolicy};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::error::ModelError;
use super::tool_server::ToolServer;
use super::web_policy::WebPolicy;
use crate::http::{
    EmbeddingSettings, Endpoint, LimitField, Provider, RetryPolicy, SchemaInstruction, SchemaMode,
    Timeouts, own_members,
};

/// The model file that is part of the library.
pub const SHIPPED: &str = include_str!("../../../../data/models.ron");
/// The name of the shipped model file, for errors.
pub const SHIPPED_NAME: &str = "built-in:models.ron";

/// A model file, or several: see [`Self::with`]. Every member may be left out.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelFile {
    /// The connection timeout for all servers, in seconds; 10 by default.
    pub connect: Option<f64>,
    /// The instruction at the end of a prompt for servers that accept no schema.
    pub wording: Option<SchemaInstruction>,
    #[serde(deserialize_with = "each_once")]
    pub providers: IndexMap<String, Provider>,
    #[serde(deserialize_with = "each_once")]
    pub models: IndexMap<String, ModelEntry>,
    /// Tool servers by name. A world names their tools, but only this file says what is run.
    #[serde(deserialize_with = "each_once")]
    pub servers: IndexMap<String, ToolServer>,
    /// What web tools may do; nothing by default.
    pub web: Option<WebPolicy>,
    /// Which file defines what, for people.
    #[serde(skip)]
    pub(super) defined_in: DefinedIn,
}

/// The file of each provider and model, by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DefinedIn {
    pub(super) providers: BTreeMap<String, Arc<str>>,
    pub(super) models: BTreeMap<String, Arc<str>>,
}

/// A model of a provider. Its settings override those of the provider.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelEntry {
    /// The name of its provider.
    pub provider: String,
    /// Its name at the provider.
    pub model: String,
    /// The environment variable that overrides the model's name.
    pub model_env: Option<String>,
    /// Another URL than the provider's.
    pub base_url: Option<String>,
    /// Another variable for the key than the provider's.
    pub key_env: Option<String>,
    /// The context window in tokens, prompt and answer together.
    pub window: Option<u64>,
    /// What it costs. Without a price, no limit on cost can be guaranteed.
    pub price: Option<Price>,
    pub limit_field: Option<LimitField>,
    pub stream: Option<bool>,
    pub merge_turns: Option<bool>,
    pub system_role: Option<bool>,
    pub style: Option<Style>,
    pub names: Option<bool>,
    pub parts: Option<bool>,
    pub thoughts: Option<(String, String)>,
    pub thinking: Option<ThinkingPolicy>,
    pub schema: Option<SchemaMode>,
    pub temperature: Option<f64>,
    pub max_output: Option<u32>,
    pub thought_tokens: Option<u32>,
    pub width: Option<usize>,
    pub timeouts: Option<Timeouts>,
    pub retry: Option<RetryPolicy>,
    pub max_defaults: Option<MaxDefaults>,
    #[serde(alias = "tools_in_words")]
    pub prompted_tools: Option<bool>,
    pub extra: Map<String, Value>,
    /// How it is asked for vectors of texts, if it makes these and doesn't talk.
    pub embeddings: Option<EmbeddingSettings>,
}

impl ModelFile {
    /// The model file that is part of the library.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::read_own(SHIPPED, SHIPPED_NAME, &Self::default())
    }

    /// Reads a file that its user vouches for: everything in it counts. `known` as for
    /// [`Self::read`].
    pub fn read_own(text: &str, file_name: &str, known: &Self) -> Result<Self, ModelError> {
        Ok(Self::read(text, file_name, known)?.admit_own())
    }

    /// Reads the text of a model file. Its models may use the providers of `known`, too.
    /// `file_name` is for errors.
    pub fn read(text: &str, file_name: &str, known: &Self) -> Result<Untrusted<Self>, ModelError> {
        let read = Source::new(file_name, text).secret().read_all::<Self>();
        let read = read.and_then(|(parsed, problems)| {
            let (source, skipped) = (parsed.source, parsed.skipped);
            let mut found = FileProblems {
                source,
                skipped,
                problems,
            };
            parsed.value.check(known, &mut found);
            found.problems.unless_errors(parsed.value)
        });
        let (mut file, _) = read.map_err(ModelError::Malformed)?;
        let name: Arc<str> = file_name.into();
        let named = |key: &String| (key.clone(), Arc::clone(&name));
        file.defined_in = DefinedIn {
            providers: file.providers.keys().map(named).collect(),
            models: file.models.keys().map(named).collect(),
        };
        Ok(Untrusted::new(file, text))
    }

    /// This file and another, whose definitions replace those of the same name.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.connect = other.connect.or(self.connect);
        self.wording = other.wording.or(self.wording);
        self.providers.extend(other.providers);
        self.models.extend(other.models);
        self.servers.extend(other.servers);
        self.web = other.web.or(self.web);
        let DefinedIn { providers, models } = other.defined_in;
        self.defined_in.providers.extend(providers);
        self.defined_in.models.extend(models);
        self
    }

    /// The provider of this name, here or in `known`.
    pub(super) fn provider<'a>(&'a self, known: &'a Self, name: &str) -> Option<&'a Provider> {
        self.providers
            .get(name)
            .or_else(|| known.providers.get(name))
    }

    fn check(&self, known: &Self, problems: &mut FileProblems) {
        let has_schema = self.wording.iter().all(|wording| {
            let mut texts = [&wording.en, &wording.zh].into_iter();
            texts.all(|text| text.contains("{schema}"))
        });
        problems.require(has_schema, "wording", text!(mind_file_wording));
        if let Some(connect) = self.connect {
            problems.positive_seconds(connect, "connect");
        }
        for (name, provider) in &self.providers {
            provider.check(&format!("providers.{name:?}"), problems);
        }
        for (alias, entry) in &self.models {
            let path = format!("models.{alias:?}");
            let has_model = !entry.model.is_empty();
            problems.require(
                has_model,
                &format!("{path}.model"),
                text!(mind_file_missing),
            );
            let provider = self.provider(known, &entry.provider);
            let provider_path = format!("providers.{:?}", entry.provider);
            if provider.is_none() && !problems.has_skipped(&provider_path) {
                let known = self.providers.keys().chain(known.providers.keys());
                let known = Argument::list(known);
                let problem = text!(mind_file_provider, name = &entry.provider, known);
                problems.add(&format!("{path}.provider"), problem);
            }
            let api = provider.map(|provider| provider.api).unwrap_or_default();
            entry.check(&path, api, problems);
        }
        for (name, server) in &self.servers {
            let path = format!("servers.{name:?}");
            let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let is_name = !name.is_empty() && name.chars().all(is_legal);
            problems.require(is_name, &path, text!(mind_file_server_name));
            problems.variable(server.token_env.as_ref(), &format!("{path}.token_env"));
            for problem in server.problems() {
                problems.add(&path, problem);
            }
        }
        for problem in self.web.iter().flat_map(WebPolicy::problems) {
            problems.add("web", problem);
        }
    }
}

/// Collects problems, but for those of parts that could not be read and are problems already.
struct FileProblems {
    source: Source,
    skipped: Vec<String>,
    problems: Problems,
}

impl FileProblems {
    fn add(&mut self, path: &str, problem: UiText) {
        let mut skipped = self.skipped.iter();
        if !skipped.any(|skipped| is_within(path, skipped) || is_within(skipped, path)) {
            let problem = self.source.problem(path, problem, UiText::default());
            self.problems.push(problem);
        }
    }

    /// Whether what has this path could not be read.
    fn has_skipped(&self, path: &str) -> bool {
        self.skipped.iter().any(|skipped| is_within(path, skipped))
    }

    fn require(&mut self, is_right: bool, path: &str, problem: UiText) {
        if !is_right {
            self.add(path, problem);
        }
    }

    /// The value is not shown: it may be a key that was pasted into the wrong place.
    fn variable(&mut self, name: Option<&String>, path: &str) {
        let is_legal = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_name = name.is_none_or(|name| !name.is_empty() && name.chars().all(is_legal));
        self.require(is_name, path, text!(mind_file_variable));
    }

    fn base_url(&mut self, base_url: &str, api: Api, path: &str) {
        if let Err(error) = Endpoint::parse(base_url, api) {
            let base_url = without_secrets(base_url);
            let problem = text!(mind_file_base_url, base_url, error = &error);
            self.add(path, problem);
        }
    }

    fn extra(&mut self, extra: &Map<String, Value>, api: Api, path: &str) {
        let own = own_members(api);
        for name in extra.keys().filter(|name| own.contains(&name.as_str())) {
            self.add(path, text!(mind_file_own_member, name));
        }
    }

    fn at_least_one(&mut self, is_zero: bool, path: &str) {
        self.require(!is_zero, path, text!(mind_file_at_least_one));
    }

    fn positive_seconds(&mut self, seconds: f64, path: &str) {
        self.require(seconds > 0.0, path, text!(mind_file_seconds));
    }

    fn temperature(&mut self, temperature: Option<f64>, path: &str) {
        let is_right = temperature.is_none_or(|value| (0.0..=2.0).contains(&value));
        self.require(is_right, path, text!(mind_file_temperature));
    }

    fn timeouts(&mut self, timeouts: &Timeouts, path: &str) {
        let limits = [timeouts.first_byte, timeouts.between_bytes, timeouts.whole];
        let are_right = limits.iter().all(|seconds| *seconds > 0.0);
        self.require(are_right, path, text!(mind_file_seconds));
        let path = format!("{path}.min_rate");
        self.require(timeouts.min_rate >= 0.0, &path, text!(mind_file_price));
    }
}

impl Provider {
    fn check(&self, path: &str, problems: &mut FileProblems) {
        let path = |member: &str| format!("{path}.{member}");
        if self.base_url.is_empty() {
            problems.add(&path("base_url"), text!(mind_file_missing));
        } else {
            problems.base_url(&self.base_url, self.api, &path("base_url"));
        }
        problems.variable(self.base_url_env.as_ref(), &path("base_url_env"));
        problems.variable(self.key_env.as_ref(), &path("key_env"));
        let has_key = !self.key_required || self.key_env.is_some();
        problems.require(has_key, &path("key_env"), text!(mind_file_key_env));
        problems.at_least_one(self.width == 0, &path("width"));
        problems.at_least_one(self.max_output == 0, &path("max_output"));
        problems.temperature(self.temperature, &path("temperature"));
        problems.timeouts(&self.timeouts, &path("timeouts"));
        problems.extra(&self.extra, self.api, &path("extra"));
    }
}

impl ModelEntry {
    /// The settings of its provider with its own in their place.
    pub(super) fn over(&self, mut provider: Provider) -> Provider {
        macro_rules! take {
            ($($member:ident),*) => {
                $(if let Some(own) = self.$member { provider.$member = own; })*
            };
        }
        take!(
            limit_field, stream, merge_turns, system_role, style, names, parts, schema
        );
        take!(
            max_output, thought_tokens, width, timeouts, retry, max_defaults, prompted_tools
        );
        provider.thinking = self.thinking.or(provider.thinking);
        provider.temperature = self.temperature.or(provider.temperature);
        provider.extra.extend(self.extra.clone());
        provider
    }

    fn check(&self, path: &str, api: Api, problems: &mut FileProblems) {
        let path = |member: &str| format!("{path}.{member}");
        if let Some(base_url) = &self.base_url {
            problems.base_url(base_url, api, &path("base_url"));
        }
        problems.variable(self.model_env.as_ref(), &path("model_env"));
        problems.variable(self.key_env.as_ref(), &path("key_env"));
        problems.at_least_one(self.width == Some(0), &path("width"));
        problems.at_least_one(self.max_output == Some(0), &path("max_output"));
        if let (Some(window), Some(max_output)) = (self.window, self.max_output) {
            let thoughts = u64::from(self.thought_tokens.unwrap_or_default());
            let fits = u64::from(max_output) + thoughts < window;
            problems.require(fits, &path("window"), text!(mind_file_window));
        }
        if let Some(price) = &self.price {
            let amounts = [
                ("input", price.input),
                ("cached", price.cached),
                ("output", price.output),
            ];
            for (member, amount) in amounts {
                let path = path(&format!("price.{member}"));
                problems.require(!amount.is_nan(), &path, text!(mind_file_missing));
                let is_right = amount.is_nan() || amount.is_finite() && amount >= 0.0;
                problems.require(is_right, &path, text!(mind_file_price));
            }
            for (member, text) in [("currency", &price.currency), ("date", &price.date)] {
                let path = path(&format!("price.{member}"));
                problems.require(!text.is_empty(), &path, text!(mind_file_missing));
            }
        }
        problems.temperature(self.temperature, &path("temperature"));
        if let Some(timeouts) = &self.timeouts {
            problems.timeouts(timeouts, &path("timeouts"));
        }
        problems.extra(&self.extra, api, &path("extra"));
        if let Some(embeddings) = &self.embeddings {
            problems.at_least_one(embeddings.batch == 0, &path("embeddings.batch"));
            problems.positive_seconds(embeddings.timeout, &path("embeddings.timeout"));
        }
    }
}

/// A URL that can't be parsed, without a user name, a password and a query.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => url.to_owned(),
    }
}

/// Reads a map without duplicate names.
fn each_once<'de, T, D>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let mut map = IndexMap::new();
    let expected = "a map with names in quotes, such as { \"name\": (...) }";
    each_entry(deserializer, expected, |name: String, value| {
        if map.contains_key(&name) {
            return Err(format!("duplicate name '{name}'"));
        }
        map.insert(name, value);
        Ok(())
    })?;
    Ok(map)
}
