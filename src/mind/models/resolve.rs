//! From a name to a mind.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde::{Serialize, Serializer};

use super::file::{ModelEntry, ModelFile, Provider};
use super::{ModelError, SHIPPED, SHIPPED_NAME};
use crate::dialect::format::{MediaFiles, NoFiles};
use crate::mind::http::{self, Dialect, Endpoint, Examination, HttpMind, KeyState, Server};
use crate::mind::{InWords, Mind, MindInfo, Price};
use crate::tool::WebPolicy;
use crate::world_data::by_distance;

const BASE_URL: &str = "OPENAI_BASE_URL";
pub(super) const KEY: &str = "OPENAI_API_KEY";

/// The models of a file and an environment. Minds of one alias share their connections, their limit
/// of calls and what they learned of their server.
#[derive(Debug)]
pub struct Models {
    pub(super) file_name: String,
    pub(super) file: ModelFile,
    /// The variables that the file names, as far as they are set; some are keys.
    pub(super) environment: BTreeMap<String, SecretString>,
    minds: Mutex<BTreeMap<String, HttpMind>>,
    /// Where media files are.
    files: Arc<dyn MediaFiles>,
    /// One connection pool for servers outside (`false`) and one for this machine's (`true`).
    clients: Mutex<BTreeMap<bool, Client>>,
}

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The model file.
    File(String),
    /// An environment variable.
    Environment(String),
    /// The name that was asked for.
    Name,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.write_str(file),
            Self::Environment(variable) => f.write_str(variable),
            Self::Name => f.write_str("the name"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One model as people see it: every setting with its origin, the key only as set or missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The name by which it is chosen.
    pub alias: String,
    /// Who runs it.
    pub provider: String,
    /// Its name at the provider.
    pub model: String,
    /// Where that name came from.
    pub model_from: Origin,
    /// The server's address, without name and password.
    pub base_url: String,
    /// Where the address came from.
    pub base_url_from: Origin,
    /// `set`, `missing` (and needed), or `none`.
    pub key: &'static str,
    /// The variable that holds the key, or would.
    pub key_from: Option<Origin>,
    /// Tokens of prompt and answer together.
    pub window: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
}

/// A name led to this.
struct Resolved {
    alias: String,
    provider_name: String,
    provider: Provider,
    entry: ModelEntry,
    model: (String, Origin),
    base_url: (String, Origin),
    key_env: Option<String>,
}

impl Models {
    /// Reads a model file's text and the environment variables it names. `file_name` is for errors,
    /// `env` looks a variable up.
    ///
    /// # Errors
    /// As [`ModelFile::read`].
    pub fn load(
        text: &str,
        file_name: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let file = ModelFile::read(text, file_name)?;
        let providers = file.providers.values();
        let of_providers = providers.flat_map(|p| [&p.base_url_env, &p.key_env]);
        let of_models = (file.models.values()).flat_map(|entry| [&entry.model_env, &entry.key_env]);
        let tokens = file.servers.values().map(|server| &server.token_env);
        let named = of_providers.chain(of_models).chain(tokens);
        let named = named.flatten().map(String::as_str);
        let environment = named
            .chain([BASE_URL, KEY])
            .filter_map(|name| Some((name.to_owned(), env(name)?)))
            .map(|(name, value)| (name, value.trim().to_owned()))
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name, value.into()))
            .collect();
        Ok(Self {
            file_name: file_name.into(),
            file,
            environment,
            minds: Mutex::default(),
            files: Arc::new(NoFiles),
            clients: Mutex::default(),
        })
    }

    /// The same models, which send media files from this place.
    #[must_use]
    pub fn with_files(self, files: Arc<dyn MediaFiles>) -> Self {
        Self { files, ..self }
    }

    /// The models that the engine ships with.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn shipped(env: &dyn Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        Self::load(SHIPPED, SHIPPED_NAME, env)
    }

    /// The aliases of the file, in its order.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.file.models.keys().map(String::as_str)
    }

    /// The mind of this name (see the room's page for which names there are).
    ///
    /// # Errors
    /// The name leads to no model, its key is missing, or its settings can't be used.
    pub fn mind(&self, alias: &str) -> Result<Arc<dyn Mind>, ModelError> {
        let mind = self.http_mind(alias)?;
        Ok(match mind.info().tools_in_words {
            true => Arc::new(InWords::new(mind)),
            false => Arc::new(mind),
        })
    }

    /// What tools of the web may do.
    pub fn web(&self) -> &WebPolicy {
        &self.file.web
    }

    /// What is set for this name, and where each setting came from.
    ///
    /// # Errors
    /// The name leads to no model, or its address can't be read.
    pub fn describe_one(&self, alias: &str) -> Result<Row, ModelError> {
        let resolved = self.resolve(alias)?;
        let endpoint = resolved.endpoint()?;
        Ok(self.row(resolved, &endpoint))
    }

    /// What is set for each alias of the file; an address that can't be read is shown as its error.
    pub fn describe(&self) -> Vec<Result<Row, ModelError>> {
        let aliases = self.aliases();
        aliases.map(|alias| self.describe_one(alias)).collect()
    }

    /// Asks a model one cheap question, to see what its server can do.
    ///
    /// # Errors
    /// The name leads to no model, or its settings can't be used. A missing key is no error but a
    /// finding.
    pub async fn examine(&self, alias: &str) -> Result<Examination, ModelError> {
        match self.http_mind(alias) {
            Ok(mind) => Ok(mind.examine().await),
            Err(error @ ModelError::MissingKey { .. }) => {
                let row = self.describe_one(alias)?;
                let mut found = Examination::untried(alias, &row.base_url, &row.model);
                found.key = KeyState::Missing;
                found.window = row.window;
                found.notes.push(error.to_string());
                Ok(found)
            }
            Err(error) => Err(error),
        }
    }

    fn http_mind(&self, alias: &str) -> Result<HttpMind, ModelError> {
        let mut minds = self.minds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mind) = minds.get(alias) {
            return Ok(mind.clone());
        }
        let mind = self.build(self.resolve(alias)?)?;
        minds.insert(alias.into(), mind.clone());
        Ok(mind)
    }

    fn resolve(&self, alias: &str) -> Result<Resolved, ModelError> {
        let known = |name: &str| self.file.providers.get(name).cloned();
        if let Some(entry) = self.file.models.get(alias)
            && let Some(provider) = known(&entry.provider)
        {
            let from = Origin::File(self.file_name.clone());
            return Ok(self.settle(alias, provider, entry.clone(), from));
        }
        if let Some((name, model)) = alias.split_once('/')
            && let Some(provider) = known(name)
            && !model.is_empty()
        {
            let entry = ModelEntry {
                provider: name.into(),
                model: model.into(),
                ..ModelEntry::default()
            };
            return Ok(self.settle(alias, provider, entry, Origin::Name));
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
            return Ok(self.settle(alias, provider, entry, Origin::Name));
        }
        Err(self.unknown(alias))
    }

    /// Decides what comes from the entry, the environment or the provider.
    fn settle(
        &self,
        alias: &str,
        provider: Provider,
        mut entry: ModelEntry,
        model_from: Origin,
    ) -> Resolved {
        let from_file = || Origin::File(self.file_name.clone());
        let from = |variable: &Option<String>| {
            let name = variable.as_deref()?;
            Some((self.variable(name)?, Origin::Environment(name.into())))
        };
        let written = (entry.model.clone(), model_from);
        let model = from(&entry.model_env).unwrap_or(written);
        if model.0 != entry.model {
            // What the file knows is known of another model.
            entry.price = None;
            entry.window = None;
        }
        let own = entry.base_url.clone().map(|base| (base, from_file()));
        let base_url = own
            .or_else(|| from(&provider.base_url_env))
            .unwrap_or_else(|| (provider.base_url.clone(), from_file()));
        Resolved {
            alias: alias.into(),
            provider_name: entry.provider.clone(),
            key_env: entry.key_env.clone().or(provider.key_env.clone()),
            provider,
            entry,
            model,
            base_url,
        }
    }

    fn build(&self, resolved: Resolved) -> Result<HttpMind, ModelError> {
        let endpoint = resolved.endpoint()?;
        let key = self.key(&resolved);
        if let (None, Some(variable)) = (&key, resolved.missing_key()) {
            return Err(ModelError::MissingKey {
                alias: resolved.alias.clone(),
                variable: variable.into(),
            });
        }
        let unusable = |reason| ModelError::Unusable {
            alias: resolved.alias.clone(),
            reason,
        };
        let client = self.client(endpoint.is_local()).map_err(unusable)?;
        let server = Server {
            endpoint,
            key,
            connect: self.file.connect,
            timeouts: resolved
                .entry
                .timeouts
                .unwrap_or(resolved.provider.timeouts),
            retry: resolved.entry.retry.unwrap_or(resolved.provider.retry),
            longest_answer: resolved.provider.longest_answer,
        };
        let dialect = self.dialect(&resolved);
        let info = resolved.info(&dialect);
        let files = Arc::clone(&self.files);
        HttpMind::new(client, server, dialect, info, files).map_err(unusable)
    }

    fn dialect(&self, resolved: &Resolved) -> Dialect {
        let Resolved {
            provider, entry, ..
        } = resolved;
        let mut extra = provider.extra.clone();
        extra.extend(entry.extra.clone());
        Dialect {
            api: provider.api,
            style: entry.style.unwrap_or(provider.style),
            history_header: provider.history_header.clone(),
            names: entry.names.unwrap_or(provider.names),
            parts: entry.parts.unwrap_or(provider.parts),
            thinking: entry.thinking.or(provider.thinking),
            // Another server behind the provider's name may not know it.
            cache_key: provider.cache_key && resolved.is_own(),
            window: entry.window,
            model: resolved.model.0.clone(),
            limit_field: entry.limit_field.unwrap_or(provider.limit_field),
            max_output: entry.max_output.unwrap_or(provider.max_output),
            stream: entry.stream.unwrap_or(provider.stream),
            stream_usage: provider.stream_usage,
            temperature: entry.temperature.or(provider.temperature),
            merge_turns: entry.merge_turns.unwrap_or(provider.merge_turns),
            schema: entry.schema.unwrap_or(provider.schema),
            wording: self.file.wording.clone(),
            extra,
        }
    }

    fn row(&self, resolved: Resolved, endpoint: &Endpoint) -> Row {
        let key = match (self.key(&resolved), resolved.missing_key()) {
            (Some(_), _) => "set",
            (None, Some(_)) => "missing",
            (None, None) => "none",
        };
        Row {
            alias: resolved.alias,
            provider: resolved.provider_name,
            model: resolved.model.0,
            model_from: resolved.model.1,
            base_url: endpoint.shown(),
            base_url_from: resolved.base_url.1,
            key,
            key_from: resolved.key_env.map(Origin::Environment),
            window: resolved.entry.window,
            price: resolved.entry.price,
        }
    }

    fn client(&self, local: bool) -> Result<Client, String> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&local) {
            return Ok(client.clone());
        }
        let client = http::client(self.file.connect, local)?;
        clients.insert(local, client.clone());
        Ok(client)
    }

    fn key(&self, resolved: &Resolved) -> Option<SecretString> {
        let variable = resolved.key_env.as_deref()?;
        self.environment.get(variable).cloned()
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.get(name)?;
        Some(value.expose_secret().to_owned())
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

impl Resolved {
    fn endpoint(&self) -> Result<Endpoint, ModelError> {
        let (base, from) = &self.base_url;
        Endpoint::parse(base, self.provider.api).map_err(|reason| ModelError::Unusable {
            alias: self.alias.clone(),
            reason: format!("the address from {from} can't be read: {reason}"),
        })
    }

    /// The variable of a key without which the server won't answer. Another server than the
    /// provider's own may do without.
    fn missing_key(&self) -> Option<&str> {
        let needed = self.is_own() && self.provider.key_required;
        self.key_env.as_deref().filter(|_| needed)
    }

    /// Whether the server is the provider's own.
    fn is_own(&self) -> bool {
        matches!(self.base_url.1, Origin::File(_)) && self.entry.base_url.is_none()
    }

    fn info(&self, dialect: &Dialect) -> MindInfo {
        MindInfo {
            alias: self.alias.clone(),
            provider: self.provider_name.as_str().into(),
            model: dialect.model.as_str().into(),
            window: self.entry.window,
            max_output: dialect.max_output,
            price: self.entry.price.clone(),
            warms: true,
            metered: true,
            billed_attempts: 1 + self.entry.retry.unwrap_or(self.provider.retry).billed,
            tools_in_words: self
                .entry
                .tools_in_words
                .unwrap_or(self.provider.tools_in_words),
            width: self.entry.width.unwrap_or(self.provider.width),
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
    fn the_shipped_file_is_right_and_each_of_its_models_can_be_had() {
        let keys = |name: &str| name.ends_with("_API_KEY").then(|| "sk-secret".to_owned());
        let models = Models::shipped(&keys).unwrap();
        for alias in models.aliases() {
            let mind = models.mind(alias).unwrap();
            assert_eq!(mind.info().alias, alias);
        }
        let shown = format!("{models:?} {:?}", models.describe());
        assert!(!shown.contains("sk-secret"));
        let priced = models
            .describe()
            .into_iter()
            .filter_map(|row| row.ok()?.price);
        for price in priced.filter(|price| price.input > 0.0) {
            let date: Vec<_> = price.date.split('-').map(str::len).collect();
            assert!(
                date == [4, 2, 2] && price.source.starts_with("https://"),
                "{price:?}"
            );
        }
    }

    #[test]
    fn the_environment_stands_above_the_file() {
        let env = |name: &str| match name {
            "OPENAI_BASE_URL" => Some("localhost:9/".into()),
            "OPENAI_MODEL" => Some("mine".into()),
            _ => None,
        };
        let models = Models::shipped(&env).unwrap();
        let row = models.describe_one("openai").unwrap();
        assert_eq!(
            (row.model.as_str(), row.base_url.as_str()),
            ("mine", "http://localhost:9/v1")
        );
        assert_eq!(row.base_url_from.to_string(), "OPENAI_BASE_URL");
        assert_eq!(row.model_from.to_string(), "OPENAI_MODEL");
        assert_eq!((row.key, row.price, row.window), ("none", None, None));
        assert!(
            models.mind("openai").is_ok(),
            "another server may do without a key"
        );
        let row = models.describe_one("deepseek").unwrap();
        assert_eq!(row.base_url, "https://api.deepseek.com/v1");
    }

    #[test]
    fn names_that_are_no_alias_lead_to_models_too() {
        let models = Models::shipped(&nothing).unwrap();
        let row = models.describe_one("ollama/hf.co/some:8b").unwrap();
        assert_eq!(
            (row.provider.as_str(), row.model.as_str()),
            ("ollama", "hf.co/some:8b")
        );
        assert!(matches!(
            models.mind("qwen"),
            Err(ModelError::Unknown { .. })
        ));
        let env = |name: &str| (name == BASE_URL).then(|| "http://localhost:9".to_owned());
        let models = Models::shipped(&env).unwrap();
        let row = models.describe_one("org/qwen").unwrap();
        assert_eq!(
            (row.provider.as_str(), row.model.as_str()),
            ("openai-compatible", "org/qwen")
        );
    }

    #[test]
    fn an_unknown_name_is_told_its_neighbours() {
        let models = Models::shipped(&nothing).unwrap();
        let Err(ModelError::Unknown { nearest, .. }) = models.mind("depseek") else {
            panic!("expected an unknown name");
        };
        assert_eq!(nearest[0], "deepseek");
    }

    #[test]
    fn a_missing_key_names_its_variable() {
        let models = Models::shipped(&nothing).unwrap();
        let error = models.mind("deepseek").err().unwrap();
        assert!(error.to_string().contains("DEEPSEEK_API_KEY"), "{error}");
        assert_eq!(models.describe_one("deepseek").unwrap().key, "missing");
        assert!(models.mind("ollama").is_ok());
    }

    #[test]
    fn a_syntax_error_tells_file_line_and_column() {
        let shown = error("(\n  providers: {},\n  modles: {},\n)");
        assert!(shown.starts_with("my.ron:3:"), "{shown}");
        assert!(shown.contains("modles"), "{shown}");
        let twice = error(
            "(providers: {\"a\": (base_url: \"x.y\"), \"a\": (base_url: \"x.y\")}, models: {})",
        );
        assert!(twice.contains("'a' stands here twice"), "{twice}");
    }

    #[test]
    fn every_mistake_is_told_at_once_and_no_pasted_key_is_shown() {
        let shown = error(
            r#"(
                providers: {"p": (base_url: "ftp://x", key_env: "sk-pasted", width: 0)},
                models: {
                    "m": (provider: "q", model: "m", temperature: 7.0, extra: {"messages": []}),
                    "n": (provider: "p", model: "n", window: 10, max_output: 20),
                },
            )"#,
        );
        for place in [
            "providers.p.base_url",
            "providers.p.key_env",
            "providers.p.width",
            "models.m.provider: unknown provider 'q'; there are p",
            "models.m.temperature",
            "models.m.extra: 'messages'",
            "models.n.window",
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
        let dialect = models.dialect(&models.resolve("m").unwrap());
        assert_eq!(dialect.temperature, Some(0.5));
        assert_eq!(
            serde_json::Value::from(dialect.extra),
            serde_json::json!({"top_k": 7, "deep": {"on": true, "list": [1, 2.5, null]}})
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_spoilt_file_is_an_error_or_has_models(
            at in any::<prop::sample::Index>(), taken in 0usize..40,
            put in "[\\PC\n\"'(){}:,0-9a-z]{0,12}", env in prop::option::of("\\PC{0,20}"),
        ) {
            let bounds: Vec<_> = SHIPPED.char_indices().map(|(at, _)| at).collect();
            let at = at.index(bounds.len());
            let end = bounds.get(at + taken).copied().unwrap_or(SHIPPED.len());
            let text = [&SHIPPED[..bounds[at]], &put, &SHIPPED[end..]].concat();
            if let Ok(models) = Models::load(&text, "my.ron", &|_| env.clone()) {
                for row in models.describe() {
                    let aliases: Vec<_> = models.aliases().collect();
                    prop_assert!(row.is_err() || row.is_ok_and(|row| aliases.contains(&&*row.alias)));
                }
                models.describe_servers();
            }
        }

        #[test]
        fn no_text_is_too_strange_for_a_file(text in "[\\PC\n\"'(){}:,/*]{0,80}") {
            let _ = Models::load(&text, "my.ron", &nothing);
        }
    }
}
