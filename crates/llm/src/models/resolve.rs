//! From the name of a model to its mind.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::Price;
use playhouse_engine::mind::{Embedder, Mind, MindInfo, PromptedTools};
use playhouse_engine::secrets::Secret;
use playhouse_engine::wording::by_distance;
use playhouse_engine::world_data::file_text;
use playhouse_interop::format::{Api, MediaFiles, NoFiles};
use reqwest::Client;
use serde::{Serialize, Serializer};

use super::environment::ChildEnvironment;
use super::error::ModelError;
use super::file::{ModelEntry, ModelFile, SHIPPED, SHIPPED_NAME};
use super::web_policy::WebPolicy;
use crate::http::{
    self, Endpoint, HttpEmbedder, HttpMind, HttpMindError, KeyState, ModelServer, ModelSettings,
    ProbeReport, Provider,
};

const BASE_URL: &str = "OPENAI_BASE_URL";
const KEY: &str = "OPENAI_API_KEY";
/// The variables of proxies that the HTTP client uses.
const PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// Connection pools, by the seconds that a connection may take, for servers on this machine
/// (`true`) or others (`false`), and the file of their certificates. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct ConnectionPools(Arc<Mutex<BTreeMap<PoolKey, Client>>>);

type PoolKey = (u64, bool, Option<PathBuf>);

/// The models of a file and an environment. Minds of one alias share their connections, their limit
/// of concurrent calls, and what they learned about their server.
#[derive(Debug)]
#[must_use]
pub struct Models {
    pub(super) file_name: String,
    pub(super) file: ModelFile,
    /// The variables that the file names for keys and tokens, and that are set.
    pub(super) keys: BTreeMap<String, Secret>,
    /// Those that it names for addresses and models.
    settings: BTreeMap<String, String>,
    /// What the process of each tool server sees.
    pub(super) environments: BTreeMap<String, ChildEnvironment>,
    minds: Mutex<BTreeMap<String, HttpMind>>,
    /// Where media files are read.
    files: Arc<dyn MediaFiles>,
    pools: ConnectionPools,
    /// The variable with the proxy for servers elsewhere.
    proxy: Option<String>,
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq, Localize)]
pub enum SettingSource {
    #[text(|file| file_text(file))]
    File(String),
    #[text(|variable| UiText::verbatim(variable))]
    Environment(String),
    /// The name that was requested.
    #[text(mind_setting_from_name)]
    Name,
}

impl Serialize for SettingSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A model as people see it: its settings with their sources, the key only as set or missing.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ModelSummary {
    /// The name by which it is chosen.
    pub alias: String,
    pub provider: String,
    /// Its name at the provider; the name of the variable that holds it, such as `$OPENAI_MODEL`,
    /// if the model file does not say it.
    pub model: String,
    /// The source of that name.
    #[schemars(with = "String")]
    pub model_from: SettingSource,
    /// The server's URL, without user name and password.
    pub base_url: String,
    #[schemars(with = "String")]
    pub base_url_from: SettingSource,
    /// `set`, `missing` (but required), or `none`.
    pub key: &'static str,
    /// The variable for the key.
    #[schemars(with = "Option<String>")]
    pub key_from: Option<SettingSource>,
    /// The context window in tokens.
    pub window: Option<u64>,
    pub price: Option<Price>,
}

/// What a name was resolved to.
struct ResolvedModel {
    alias: String,
    provider_name: String,
    /// With the settings of the entry.
    provider: Provider,
    entry: ModelEntry,
    model: (String, SettingSource),
    base_url: (String, SettingSource),
    key_env: Option<String>,
}

impl Models {
    /// The models of a single file for which the caller vouches. `file_name` is for errors, `env`
    /// looks up a variable.
    pub fn load(
        text: &str,
        file_name: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let file = ModelFile::read_own(text, file_name, &ModelFile::default())?;
        Ok(Self::new(file, file_name, env))
    }

    /// The models of a file, with the environment variables that it names. `file_name` is the file
    /// in which people may define more.
    pub fn new(file: ModelFile, file_name: &str, env: &dyn Fn(&str) -> Option<String>) -> Self {
        let find = |name: &str| {
            let value = env(name)?.trim().to_owned();
            (!value.is_empty()).then(|| (name.to_owned(), value))
        };
        let (providers, models) = (file.providers.values(), file.models.values());
        let tokens = file.servers.values().map(|server| &server.token_env);
        let keys = providers
            .clone()
            .map(|provider| &provider.key_env)
            .chain(models.clone().map(|entry| &entry.key_env))
            .chain(tokens)
            .flatten()
            .map(String::as_str)
            .chain([KEY])
            .filter_map(find)
            .map(|(name, key)| (name, key.into()))
            .collect();
        let settings = providers
            .map(|provider| &provider.base_url_env)
            .chain(models.map(|entry| &entry.model_env))
            .flatten()
            .map(String::as_str)
            .chain([BASE_URL])
            .filter_map(find)
            .collect();
        let environments = file.servers.iter().map(|(name, server)| {
            let named = server.env.iter().map(String::as_str);
            (name.clone(), ChildEnvironment::new(named, env))
        });
        Self {
            file_name: file_name.into(),
            keys,
            settings,
            environments: environments.collect(),
            file,
            minds: Mutex::default(),
            files: Arc::new(NoFiles),
            pools: ConnectionPools::default(),
            proxy: PROXIES
                .into_iter()
                .map(str::to_owned)
                .find(|name| find(name).is_some()),
        }
    }

    /// The same models, reading media files from `files`.
    pub fn with_files(self, files: Arc<dyn MediaFiles>) -> Self {
        Self { files, ..self }
    }

    /// The same models, connected as others are.
    pub fn with_pools(self, pools: ConnectionPools) -> Self {
        Self { pools, ..self }
    }

    /// The models of the shipped file.
    pub fn shipped(env: &dyn Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        Self::load(SHIPPED, SHIPPED_NAME, env)
    }

    /// The aliases of the file, in its order.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.file.models.keys().map(String::as_str)
    }

    /// The mind of this name; see the [module](self) for which names there are.
    pub fn mind(&self, alias: &str) -> Result<Arc<dyn Mind>, ModelError> {
        Ok(as_asked(self.http_mind(alias)?))
    }

    /// The mind that answered as this provider and model, to see what it was sent; it needs no key
    /// and can't be asked without one. `likely` are the names by which it was probably chosen.
    pub fn answered<'n>(
        &self,
        provider: &str,
        model: &str,
        likely: impl IntoIterator<Item = &'n str>,
    ) -> Option<Arc<dyn Mind>> {
        let likely = likely.into_iter().map(str::to_owned);
        let names = likely
            .chain(self.aliases().map(str::to_owned))
            .chain([format!("{provider}/{model}")]);
        let of_provider = names.filter_map(|name| {
            let resolved = self.resolve(&name).ok()?;
            (resolved.provider_name == provider).then_some(resolved)
        });
        let mut found: Vec<_> = of_provider.collect();
        // A server may report another name than the one that it was sent.
        let index = found.iter().position(|found| found.model.0 == model);
        let resolved = found.swap_remove(index.or((!found.is_empty()).then_some(0))?);
        let endpoint = resolved.endpoint().ok()?;
        let key = self.key(&resolved);
        self.connected(resolved, endpoint, key).ok().map(as_asked)
    }

    /// What is known of the mind of this name before it is asked; it needs no key.
    pub fn info(&self, alias: &str) -> Result<MindInfo, ModelError> {
        let resolved = self.resolve(alias)?;
        Ok(resolved.info(&self.model_settings(&resolved)))
    }

    /// What web tools may do.
    pub fn web(&self) -> WebPolicy {
        self.file.web.clone().unwrap_or_default()
    }

    /// The settings of a model.
    pub fn summary(&self, alias: &str) -> Result<ModelSummary, ModelError> {
        let resolved = self.resolve(alias)?;
        let endpoint = resolved.endpoint()?;
        Ok(self.summarize(resolved, &endpoint))
    }

    /// The settings of each model of the file, or why it can't be used.
    pub fn summaries(&self) -> Vec<Result<ModelSummary, ModelError>> {
        self.aliases().map(|alias| self.summary(alias)).collect()
    }

    /// Whether a model or a provider has this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.file.models.contains_key(name) || self.file.providers.contains_key(name)
    }

    /// The name of a model at a URL, as it is shown, in the file in which people define more.
    pub fn own_name_of(&self, base_url: &str, model: &str) -> Option<String> {
        let own = SettingSource::File(self.file_name.clone());
        let summaries = self.summaries().into_iter().flatten();
        let mut same = summaries.filter(|summary| {
            summary.model_from == own && summary.base_url == base_url && summary.model == model
        });
        same.next().map(|summary| summary.alias)
    }

    /// Sends a model one cheap request, to see what its server supports.
    ///
    /// # Errors
    /// There is no such model, or its settings can't be used. A missing key is not an error but
    /// part of the report.
    pub async fn probe(&self, alias: &str) -> Result<ProbeReport, ModelError> {
        let resolved = self.resolve(alias);
        if resolved.is_ok_and(|resolved| resolved.entry.embeddings.is_some()) {
            return self.probe_embedder(alias).await;
        }
        match self.http_mind(alias) {
            Ok(mind) => {
                let mut report = mind.probe().await;
                if report.model == *mind.info().model {
                    report.model = self.resolve(alias)?.shown_model();
                }
                Ok(report)
            }
            Err(error) => self.unprobed(alias, error),
        }
    }

    async fn probe_embedder(&self, alias: &str) -> Result<ProbeReport, ModelError> {
        match self.http_embedder(alias) {
            Ok(embedder) => {
                let mut report = embedder.probe().await;
                report.model = self.resolve(alias)?.shown_model();
                Ok(report)
            }
            Err(error) => self.unprobed(alias, error),
        }
    }

    /// The report of a model that lacks its key.
    fn unprobed(&self, alias: &str, error: ModelError) -> Result<ProbeReport, ModelError> {
        let ModelError::MissingKey { .. } = error else {
            return Err(error);
        };
        let summary = self.summary(alias)?;
        let mut report = ProbeReport::untried(alias, &summary.base_url, &summary.model);
        report.key = KeyState::Missing;
        report.window = summary.window;
        report.notes.push(error.text());
        Ok(report)
    }

    /// Who makes vectors of texts by the model of this name. Its server must have
    /// `/v1/embeddings`, whatever else it has.
    pub fn embedder(&self, alias: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        Ok(Arc::new(self.http_embedder(alias)?))
    }

    fn http_embedder(&self, alias: &str) -> Result<HttpEmbedder, ModelError> {
        let mut resolved = self.resolve(alias)?;
        resolved.provider.api = Api::OpenAi;
        let endpoint = resolved.endpoint()?;
        let key = self.key_or_error(&resolved)?;
        let client = self
            .client(endpoint.is_local(), resolved.provider.ca.as_ref())
            .map_err(|error| resolved.unusable(&error))?;
        let server = self.server(&resolved, endpoint, key);
        let model = (&*resolved.model.0, resolved.entry.price.clone());
        let settings = resolved.entry.embeddings.unwrap_or_default();
        HttpEmbedder::new(client, server, alias, model, settings)
            .map_err(|error| resolved.unusable(&error))
    }

    pub(crate) fn http_mind(&self, alias: &str) -> Result<HttpMind, ModelError> {
        let mut minds = self.minds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mind) = minds.get(alias) {
            return Ok(mind.clone());
        }
        let resolved = self.resolve(alias)?;
        if resolved.entry.embeddings.is_some() {
            return Err(ModelError::Unusable {
                alias: alias.into(),
                reason: text!(mind_makes_vectors),
            });
        }
        let mind = self.build(resolved)?;
        minds.insert(alias.into(), mind.clone());
        Ok(mind)
    }

    fn resolve(&self, alias: &str) -> Result<ResolvedModel, ModelError> {
        let provider_of = |name: &str| self.file.providers.get(name).cloned();
        if let Some(entry) = self.file.models.get(alias)
            && let Some(provider) = provider_of(&entry.provider)
        {
            let source = self.file_of(self.file.defined_in.models.get(alias));
            return Ok(self.combine(alias, provider, entry.clone(), source));
        }
        if let Some((name, model)) = alias.split_once('/')
            && let Some(provider) = provider_of(name)
            && !model.is_empty()
        {
            let entry = ModelEntry {
                provider: name.into(),
                model: model.into(),
                ..ModelEntry::default()
            };
            return Ok(self.combine(alias, provider, entry, SettingSource::Name));
        }
        if let (Some(base), false) = (self.variable(BASE_URL), alias.trim().is_empty()) {
            let provider = Provider {
                base_url_env: Some(BASE_URL.into()),
                key_env: Some(KEY.into()),
                ..Provider::cautious(base)
            };
            let entry = ModelEntry {
                provider: "openai-compatible".into(),
                model: alias.into(),
                ..ModelEntry::default()
            };
            return Ok(self.combine(alias, provider, entry, SettingSource::Name));
        }
        Err(self.unknown(alias))
    }

    /// Combines the settings of the entry, the environment and the provider.
    fn combine(
        &self,
        alias: &str,
        provider: Provider,
        mut entry: ModelEntry,
        model_source: SettingSource,
    ) -> ResolvedModel {
        let defined_in = &self.file.defined_in;
        let from_environment = |variable: &Option<String>| {
            let name = variable.as_deref()?;
            let source = SettingSource::Environment(name.into());
            Some((self.variable(name)?, source))
        };
        let in_entry = (entry.model.clone(), model_source);
        let model = from_environment(&entry.model_env).unwrap_or(in_entry);
        if model.0 != entry.model {
            // These are of the model that the file names.
            entry.price = None;
            entry.window = None;
        }
        let own = entry.base_url.clone().map(|base| {
            let source = self.file_of(defined_in.models.get(alias));
            (base, source)
        });
        let base_url = own
            .or_else(|| from_environment(&provider.base_url_env))
            .unwrap_or_else(|| {
                let source = self.file_of(defined_in.providers.get(&entry.provider));
                (provider.base_url.clone(), source)
            });
        ResolvedModel {
            alias: alias.into(),
            provider_name: entry.provider.clone(),
            key_env: entry.key_env.clone().or(provider.key_env.clone()),
            provider: entry.over(provider),
            entry,
            model,
            base_url,
        }
    }

    fn build(&self, resolved: ResolvedModel) -> Result<HttpMind, ModelError> {
        let endpoint = resolved.endpoint()?;
        let key = self.key_or_error(&resolved)?;
        self.connected(resolved, endpoint, key)
    }

    fn key_or_error(&self, resolved: &ResolvedModel) -> Result<Option<Secret>, ModelError> {
        let key = self.key(resolved);
        match resolved.required_key() {
            Some(variable) if key.is_none() => Err(ModelError::MissingKey {
                alias: resolved.alias.clone(),
                variable: variable.into(),
            }),
            _ => Ok(key),
        }
    }

    fn server(
        &self,
        resolved: &ResolvedModel,
        endpoint: Endpoint,
        key: Option<Secret>,
    ) -> ModelServer {
        let provider = &resolved.provider;
        let is_local = endpoint.is_local();
        ModelServer {
            endpoint,
            key,
            connect: self.connect(),
            timeouts: provider.timeouts,
            retry: provider.retry,
            longest_answer: provider.longest_answer,
            proxy: self.proxy.clone().filter(|_| !is_local),
        }
    }

    fn connected(
        &self,
        resolved: ResolvedModel,
        endpoint: Endpoint,
        key: Option<Secret>,
    ) -> Result<HttpMind, ModelError> {
        let unusable = |error: HttpMindError| resolved.unusable(&error);
        let ca = resolved.provider.ca.as_ref();
        let client = self.client(endpoint.is_local(), ca).map_err(unusable)?;
        let server = self.server(&resolved, endpoint, key);
        let settings = self.model_settings(&resolved);
        let info = resolved.info(&settings);
        let files = Arc::clone(&self.files);
        HttpMind::new(client, server, settings, info, files).map_err(unusable)
    }

    fn model_settings(&self, resolved: &ResolvedModel) -> ModelSettings {
        let ResolvedModel {
            provider, entry, ..
        } = resolved;
        let thoughts = entry.thoughts.iter().chain(&provider.thoughts);
        ModelSettings {
            window: entry.window,
            thoughts: thoughts.cloned().collect(),
            wording: self.file.wording.clone().unwrap_or_default(),
            provider: Provider {
                // Another server with the provider's API may not know it.
                cache_key: provider.cache_key && resolved.is_own(),
                ..provider.clone()
            },
            model: resolved.model.0.clone(),
        }
    }

    fn summarize(&self, resolved: ResolvedModel, endpoint: &Endpoint) -> ModelSummary {
        let key = match (self.key(&resolved), resolved.required_key()) {
            (Some(_), _) => "set",
            (None, Some(_)) => "missing",
            (None, None) => "none",
        };
        ModelSummary {
            model: resolved.shown_model(),
            alias: resolved.alias,
            provider: resolved.provider_name,
            model_from: resolved.model.1,
            base_url: endpoint.display_url(),
            base_url_from: resolved.base_url.1,
            key,
            key_from: resolved.key_env.map(SettingSource::Environment),
            window: resolved.entry.window,
            price: resolved.entry.price,
        }
    }

    fn client(&self, local: bool, ca: Option<&PathBuf>) -> Result<Client, HttpMindError> {
        let mut pools = self.pools.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.connect().to_bits(), local, ca.cloned());
        if let Some(client) = pools.get(&key) {
            return Ok(client.clone());
        }
        let client = http::client(self.connect(), local, ca.map(PathBuf::as_path))?;
        pools.insert(key, client.clone());
        Ok(client)
    }

    fn key(&self, resolved: &ResolvedModel) -> Option<Secret> {
        let variable = resolved.key_env.as_deref()?;
        self.keys.get(variable).cloned()
    }

    fn file_of(&self, file: Option<&Arc<str>>) -> SettingSource {
        SettingSource::File(file.map_or(&*self.file_name, |file| file).to_owned())
    }

    fn connect(&self) -> f64 {
        const DEFAULT: f64 = 10.0;
        self.file.connect.unwrap_or(DEFAULT)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.settings.get(name).cloned()
    }

    fn unknown(&self, alias: &str) -> ModelError {
        let names = by_distance(alias, self.aliases());
        ModelError::Unknown {
            alias: alias.into(),
            file: self.file_name.clone(),
            nearest: names.into_iter().take(3).map(str::to_owned).collect(),
        }
    }
}

/// The mind as it is asked: with tools in words if it takes them no other way.
fn as_asked(mind: HttpMind) -> Arc<dyn Mind> {
    if mind.info().prompted_tools {
        Arc::new(PromptedTools::new(mind))
    } else {
        Arc::new(mind)
    }
}

impl ResolvedModel {
    fn endpoint(&self) -> Result<Endpoint, ModelError> {
        let (base, source) = &self.base_url;
        let endpoint =
            Endpoint::parse(base, self.provider.api).map_err(|error| ModelError::Unusable {
                alias: self.alias.clone(),
                reason: text!(mind_bad_base_url, source, error = &error),
            })?;
        endpoint.keep_secrets();
        Ok(endpoint)
    }

    fn unusable(&self, error: &HttpMindError) -> ModelError {
        ModelError::Unusable {
            alias: self.alias.clone(),
            reason: error.text(),
        }
    }

    /// The model's name for people: the variable's, since its value may be a key by mistake.
    fn shown_model(&self) -> String {
        match &self.model {
            (_, SettingSource::Environment(variable)) => format!("${variable}"),
            (name, _) => name.clone(),
        }
    }

    /// The variable of the key that the server requires. Another server than the provider's own may
    /// require none.
    fn required_key(&self) -> Option<&str> {
        let is_required = self.is_own() && self.provider.key_required;
        self.key_env.as_deref().filter(|_| is_required)
    }

    /// Whether the server is the provider's own.
    fn is_own(&self) -> bool {
        matches!(self.base_url.1, SettingSource::File(_)) && self.entry.base_url.is_none()
    }

    fn info(&self, settings: &ModelSettings) -> MindInfo {
        let provider = &self.provider;
        MindInfo {
            alias: self.alias.clone(),
            provider: self.provider_name.as_str().into(),
            model: settings.model.as_str().into(),
            window: self.entry.window,
            max_output: provider.max_output,
            thought_tokens: provider.thought_tokens,
            price: self.entry.price.clone(),
            caches_prompts: true,
            metered: true,
            billed_attempts: 1 + provider.retry.billed,
            patience: http::seconds(provider.retry.patience),
            max_defaults: provider.max_defaults,
            prompted_tools: provider.prompted_tools,
            width: provider.width,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nothing(_: &str) -> Option<String> {
        None
    }

    fn error(text: &str) -> String {
        let error = Models::load(text, "my.ron", &nothing).unwrap_err();
        error.to_string()
    }

    #[test]
    fn every_model_of_the_shipped_file_can_be_used() {
        let keys = |name: &str| name.ends_with("_API_KEY").then(|| "sk-secret".to_owned());
        let models = Models::shipped(&keys).unwrap();
        for alias in models.aliases() {
            let mind = models.mind(alias).unwrap();
            assert_eq!(mind.info().alias, alias);
        }
        let shown = format!("{models:?} {:?}", models.summaries());
        assert!(!shown.contains("sk-secret"));
        let summaries = models.summaries().into_iter();
        let priced = summaries.filter_map(|summary| summary.ok()?.price);
        for price in priced.filter(|price| price.input > 0.0) {
            let date: Vec<_> = price.date.split('-').map(str::len).collect();
            assert_eq!(date, [4, 2, 2], "{price:?}");
            assert!(price.source.starts_with("https://"), "{price:?}");
        }
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let env = |name: &str| match name {
            "OPENAI_BASE_URL" => Some("localhost:9/".into()),
            "OPENAI_MODEL" => Some("mine".into()),
            _ => None,
        };
        let models = Models::shipped(&env).unwrap();
        let summary = models.summary("openai").unwrap();
        assert_eq!(summary.model, "$OPENAI_MODEL");
        assert_eq!(summary.base_url, "http://localhost:9/v1");
        assert_eq!(&*models.mind("openai").unwrap().info().model, "mine");
        assert_eq!(summary.base_url_from.to_string(), "OPENAI_BASE_URL");
        assert_eq!(summary.model_from.to_string(), "OPENAI_MODEL");
        assert_eq!(summary.key, "none");
        assert_eq!(summary.price, None);
        assert_eq!(summary.window, None);
        // Another server may require no key.
        assert!(models.mind("openai").is_ok());
        let summary = models.summary("deepseek").unwrap();
        assert_eq!(summary.base_url, "https://api.deepseek.com/v1");
    }

    #[test]
    fn names_other_than_aliases_are_resolved_too() {
        let models = Models::shipped(&nothing).unwrap();
        let summary = models.summary("ollama/hf.co/some:8b").unwrap();
        assert_eq!(summary.provider, "ollama");
        assert_eq!(summary.model, "hf.co/some:8b");
        let unknown = models.mind("qwen").err();
        assert!(matches!(unknown, Some(ModelError::Unknown { .. })));
        let env = |name: &str| (name == BASE_URL).then(|| "http://localhost:9".to_owned());
        let models = Models::shipped(&env).unwrap();
        let summary = models.summary("org/qwen").unwrap();
        assert_eq!(summary.provider, "openai-compatible");
        assert_eq!(summary.model, "org/qwen");
    }

    #[test]
    fn the_error_of_an_unknown_name_suggests_similar_ones() {
        let models = Models::shipped(&nothing).unwrap();
        let Err(ModelError::Unknown { nearest, .. }) = models.mind("depseek") else {
            panic!("expected an unknown name");
        };
        assert_eq!(nearest[0], "deepseek");
    }

    #[test]
    fn the_error_of_a_missing_key_names_its_variable() {
        let models = Models::shipped(&nothing).unwrap();
        let error = models.mind("deepseek").err().unwrap();
        assert!(error.to_string().contains("DEEPSEEK_API_KEY"), "{error}");
        assert_eq!(models.summary("deepseek").unwrap().key, "missing");
        assert!(models.mind("ollama").is_ok());
    }

    #[test]
    fn a_syntax_error_has_file_line_and_column() {
        let shown = error("(\n  providers: {},\n  modles: {},\n)");
        assert!(shown.starts_with("my.ron:3:"), "{shown}");
        assert!(shown.contains("modles"), "{shown}");
        let twice = error(
            "(providers: {\"a\": (base_url: \"x.y\"), \"a\": (base_url: \"x.y\")}, models: {})",
        );
        assert!(twice.contains("duplicate name 'a'"), "{twice}");
    }

    #[test]
    fn all_problems_are_reported_at_once_without_a_pasted_key() {
        let shown = error(
            r#"(
                providers: {"p": (base_url: "ftp://x", key_env: "sk-pasted", width: 0, modles: 1)},
                models: {
                    "m": (provider: "q", model: "m", temperature: 7.0, extra: {"messages": []}),
                    "n": (provider: "p", model: "n", window: 10, max_output: 20, price: (input: -1)),
                },
            )"#,
        );
        for place in [
            "my.ron:2:45: error: providers.\"p\".base_url",
            "providers.\"p\".key_env",
            "providers.\"p\".width",
            "providers.\"p\".modles: unknown field",
            "models.\"m\".provider: unknown provider 'q'; expected one of: p",
            "models.\"m\".temperature",
            "models.\"m\".extra: 'messages'",
            "models.\"n\".window",
            "models.\"n\".price.input",
            "models.\"n\".price.cached: missing",
            "models.\"n\".price.output: missing",
            "models.\"n\".price.date: missing",
        ] {
            assert!(shown.contains(place), "{place} in {shown}");
        }
        assert!(!shown.contains("sk-pasted"));
    }

    #[test]
    fn vendor_members_are_merged_into_the_request() {
        let text = r#"(
            providers: {"p": (base_url: "localhost:1", extra: {"top_k": 40, "deep": {"on": true, "list": [1, 2.5, None]}})},
            models: {"m": (provider: "p", model: "x", temperature: 0.5, extra: {"top_k": 7})},
        )"#;
        let models = Models::load(text, "my.ron", &nothing).unwrap();
        let settings = models.model_settings(&models.resolve("m").unwrap());
        assert_eq!(settings.provider.temperature, Some(0.5));
        assert_eq!(
            serde_json::Value::from(settings.provider.extra),
            serde_json::json!({"top_k": 7, "deep": {"on": true, "list": [1, 2.5, null]}})
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_damaged_file_is_an_error_or_has_models(
            cut in any::<prop::sample::Index>(), taken in 0usize..40,
            put in "[\\PC\n\"'(){}:,0-9a-z]{0,12}", env in prop::option::of("\\PC{0,20}"),
        ) {
            let bounds: Vec<_> = SHIPPED.char_indices().map(|(start, _)| start).collect();
            let first = cut.index(bounds.len());
            let end = bounds.get(first + taken).copied().unwrap_or(SHIPPED.len());
            let text = [&SHIPPED[..bounds[first]], &put, &SHIPPED[end..]].concat();
            if let Ok(models) = Models::load(&text, "my.ron", &|_| env.clone()) {
                for summary in models.summaries() {
                    let aliases: Vec<_> = models.aliases().collect();
                    prop_assert!(summary.is_err() || summary.is_ok_and(|summary| aliases.contains(&&*summary.alias)));
                }
                models.server_summaries();
            }
        }

        #[test]
        fn no_text_is_too_strange_for_a_file(text in "[\\PC\n\"'(){}:,/*]{0,80}") {
            let _ = Models::load(&text, "my.ron", &nothing);
        }
    }
}
