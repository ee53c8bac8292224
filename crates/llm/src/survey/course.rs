//! The course of a survey.

use std::path::Path;
use std::time::Duration;

use playhouse_engine::locale::{Argument, Language, Localize, UiText, text};
use playhouse_engine::message::{TokenUsage, tokens};
use playhouse_engine::mind::{FailedCall, MindError};
use playhouse_interop::format::Api;
use serde_json::json;
use thiserror::Error;

use super::entry::{Entry, Member};
use super::finding::{Finding, about};
use super::pages::Pages;
use super::probes::{Outcome, PROBES, Probe, Reply, State};
use crate::http::{Endpoint, HttpMind};
use crate::models::{ModelError, Models};

/// The most questions that are asked, whatever is found.
const MOST_REQUESTS: u32 = 12;
/// How long a server that is busy is waited for, once for each question.
const PAUSE: Duration = Duration::from_secs(3);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How many models are named.
const MOST_MODELS: usize = 20;

/// What local servers need: they load a model first, read slowly, and cost nothing.
const PATIENT: &str = "(first_byte: 600.0, between_bytes: 120.0, whole: 3600.0)";
const FREE: &str = r#"(input: 0, cached: 0, output: 0, currency: "USD", date: "always")"#;
const LOCAL_WIDTH: u64 = 2;
const MOST_WIDTH: u64 = 64;

/// Hosts whose API is known.
const HOSTS: [(&str, Api); 4] = [
    ("api.anthropic.com", Api::Anthropic),
    ("generativelanguage.googleapis.com", Api::Gemini),
    ("dashscope", Api::DashScope),
    ("api.deepseek.com", Api::DeepSeek),
];
/// The name of a model at a server that lists none: most of these have one and ignore the name.
const UNNAMED: &str = "default";

pub struct SurveyPlan<'a> {
    /// The URL, as a person wrote it.
    pub url: &'a str,
    /// The model; the only one if `None`.
    pub model: Option<&'a str>,
    pub key_env: Option<&'a str>,
    /// The file with the certificate of the server, or of its authority.
    pub ca: Option<&'a Path>,
    /// The API; found out if `None`.
    pub api: Option<Api>,
    /// The models that are there already, whose names are taken.
    pub known: &'a Models,
    /// Looks up a variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Another one for each survey.
    pub seed: u64,
}

#[derive(Debug)]
pub struct Survey {
    /// The name of the model at the server.
    pub model: String,
    pub findings: Vec<Finding>,
    /// An entry for the model file.
    pub entry: Entry,
    /// The name of this model of this server in the user's own file, if it is there.
    pub known_as: Option<String>,
    /// How many questions were asked.
    pub requests: u32,
    /// What they cost, as reported or else estimated.
    pub usage: TokenUsage,
    /// Whether the server reads what it is sent, as far as it tells.
    pub reads_all: bool,
}

/// Why there is nothing to find.
#[derive(Debug, Error, Localize)]
pub enum SurveyError {
    /// The URL or the key can't be used.
    Model(#[from] ModelError),
    /// The server does not answer.
    Mind(#[from] MindError),
    /// It has several models.
    #[text(mind_survey_choose_model, models = Argument::list(models.iter().take(MOST_MODELS)))]
    ChooseModel(Vec<String>),
}

/// Finds out what a server can do. `progress` is told what is tried.
pub async fn survey(
    plan: &SurveyPlan<'_>,
    progress: &dyn Fn(UiText),
) -> Result<Survey, SurveyError> {
    let mut course = Course::begin(plan, progress).await?;
    for probe in &PROBES {
        if (probe.applies)(&course.state) {
            course.run(probe).await?;
        }
    }
    Ok(course.end())
}

struct Course<'p> {
    plan: &'p SurveyPlan<'p>,
    progress: &'p dyn Fn(UiText),
    state: State,
    model: String,
    requests: u32,
    usage: TokenUsage,
}

impl<'p> Course<'p> {
    async fn begin(
        plan: &'p SurveyPlan<'p>,
        progress: &'p dyn Fn(UiText),
    ) -> Result<Self, SurveyError> {
        progress(text!(mind_survey_about_server));
        let of_host = HOSTS.iter().find(|(host, _)| plan.url.contains(host));
        let supposed = plan.api.or(of_host.map(|(_, api)| *api));
        let first = basic_entry(plan, supposed.unwrap_or_default(), UNNAMED);
        let mind = connect(plan, &first)?;
        let pages = Pages::read(&mind).await;
        let is_ollama = pages.server() == Some("Ollama");
        let found = if is_ollama { Api::Ollama } else { Api::OpenAi };
        let api = supposed.unwrap_or(found);
        let models = pages.models();
        let model = match (plan.model, &models[..]) {
            (Some(model), _) => model,
            (None, [only]) => only,
            (None, []) => UNNAMED,
            (None, _) => return Err(SurveyError::ChooseModel(models)),
        };
        let mut course = Self {
            plan,
            progress,
            state: State {
                api,
                is_local: endpoint(plan, api)?.is_local(),
                thinks: false,
                entry: basic_entry(plan, api, model),
                window: None,
                findings: Vec::new(),
                speed: [None; 2],
                is_unread: false,
            },
            model: model.to_owned(),
            requests: 0,
            usage: TokenUsage::default(),
        };
        let mind = connect(plan, &course.state.entry)?;
        course.describe(&mind, &pages, &models).await;
        Ok(course)
    }

    /// Takes note of what the server says of itself.
    async fn describe(&mut self, mind: &HttpMind, pages: &Pages, models: &[String]) {
        let (api, state) = (self.state.api.name(), &mut self.state);
        let server = pages.server();
        let text = match server {
            Some(server) => text!(mind_survey_server, server, api),
            None => text!(mind_survey_server_unknown, api),
        };
        state.found("server", json!({"program": server, "api": api}), text);
        if models.len() > 1 {
            let names = Argument::list(models.iter().take(MOST_MODELS));
            state.found("models", json!(models), text!(mind_survey_models, names));
        }
        let name = UiText::verbatim(&self.model);
        state.found("model", self.model.as_str(), name);
        let window = pages.window(mind, &self.model).await;
        let text = match window {
            Some(window) => text!(mind_survey_window, window),
            None => text!(mind_survey_window_unknown),
        };
        state.found("window", window, text);
        state.window = window;
        if let Some(window) = window {
            state.entry.set(Member("window", window.to_string()));
        }
        if state.is_local {
            let width = pages.slots().unwrap_or(LOCAL_WIDTH).clamp(1, MOST_WIDTH);
            state.entry.set(Member("width", width.to_string()));
            state.entry.set(Member("timeouts", PATIENT.into()));
            state.entry.set(Member("price", FREE.into()));
        }
    }

    async fn run(&mut self, probe: &Probe) -> Result<(), SurveyError> {
        (self.progress)(about(probe.topic));
        let mut outcome = Outcome::default();
        let settings = (probe.settings)(&self.state);
        for (number, members) in settings.iter().enumerate() {
            if self.requests >= MOST_REQUESTS {
                break;
            }
            let entry = self.state.entry.with(members);
            match self.ask(probe, &entry).await? {
                Ok(reply) => {
                    let accepts = (probe.accepts)(&reply);
                    outcome.reply = Some(reply);
                    if accepts {
                        (outcome.accepted, self.state.entry) = (Some(number), entry);
                        break;
                    }
                }
                Err(failed) => outcome.refusal = outcome.refusal.or(Some(failed.error)),
            }
        }
        if outcome.was_asked() || settings.is_empty() {
            (probe.read)(&mut self.state, &outcome);
        } else {
            let text = text!(mind_survey_not_tried);
            self.state.found(probe.topic, (), text);
        }
        match outcome.refusal {
            Some(error) if probe.is_first() && outcome.reply.is_none() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Asks the question of a probe; fails if there is no use in any other.
    async fn ask(
        &mut self,
        probe: &Probe,
        entry: &Entry,
    ) -> Result<Result<Reply, FailedCall>, SurveyError> {
        let mind = connect(self.plan, entry)?;
        let mut result = self.put(probe, &mind).await;
        if let Err(failed) = &result
            && matches!(failed.error, MindError::Busy { .. })
        {
            let pause = failed.retry_after.unwrap_or(PAUSE).min(LONGEST_PAUSE);
            tokio::time::sleep(pause).await;
            result = self.put(probe, &mind).await;
        }
        match result {
            Err(failed) if is_final(&failed.error, probe.is_first()) => Err(failed.error.into()),
            result => Ok(result),
        }
    }

    async fn put(&mut self, probe: &Probe, mind: &HttpMind) -> Result<Reply, FailedCall> {
        let (thinks, seed) = (self.state.thinks, self.plan.seed);
        let (estimate, result) = probe.ask.put(mind, thinks, seed).await;
        let (usage, retries) = match &result {
            Ok(answer) => {
                let completion = &answer.completion;
                let estimated = || TokenUsage {
                    input: estimate,
                    output: u64::from(tokens::estimate(&answer.marked_text)),
                    ..TokenUsage::default()
                };
                let usage = completion.usage.unwrap_or_else(estimated);
                (usage, completion.retries)
            }
            Err(failed) => (failed.usage.unwrap_or_default(), failed.retries),
        };
        self.requests += 1 + retries;
        self.usage += usage;
        Ok(Reply {
            answer: result?,
            estimate,
        })
    }

    fn end(mut self) -> Survey {
        let known = self.plan.known;
        let shown =
            |rate: Option<u64>| rate.map_or_else(|| "?".to_owned(), |rate| rate.to_string());
        let [read, written] = self.state.speed;
        if read.or(written).is_some() {
            let (value, [read, written]) = (
                json!({"read": read, "written": written}),
                [read, written].map(shown),
            );
            self.state
                .found("speed", value, text!(mind_survey_speed, read, written));
        }
        let endpoint = endpoint(self.plan, self.state.api).ok();
        let url = endpoint.map(|endpoint| endpoint.display_url());
        Survey {
            known_as: url.and_then(|url| known.own_name_of(&url, &self.model)),
            model: self.model,
            findings: self.state.findings,
            entry: self.state.entry,
            requests: self.requests,
            usage: self.usage,
            reads_all: !self.state.is_unread,
        }
    }
}

/// Whether there is no use in further questions.
fn is_final(error: &MindError, is_first: bool) -> bool {
    const NOT_FOUND: u16 = 404;
    match error {
        MindError::Unreachable { .. } => true,
        MindError::Denied { .. } | MindError::TimedOut { .. } | MindError::Busy { .. } => is_first,
        MindError::Rejected { status, .. } => is_first && *status == NOT_FOUND,
        _ => false,
    }
}

fn endpoint(plan: &SurveyPlan<'_>, api: Api) -> Result<Endpoint, ModelError> {
    Endpoint::parse(plan.url, api).map_err(|error| ModelError::Unusable {
        alias: plan.url.into(),
        reason: error.text(),
    })
}

/// The mind that an entry describes.
fn connect(plan: &SurveyPlan<'_>, entry: &Entry) -> Result<HttpMind, ModelError> {
    let file = entry.file(Language::En);
    Models::load(&file, plan.url, plan.env)?.http_mind(&entry.alias)
}

/// An entry with what is known from the start.
fn basic_entry(plan: &SurveyPlan<'_>, api: Api, model: &str) -> Entry {
    let address = plan.url.trim().trim_end_matches('/');
    let host = address
        .rsplit('@')
        .next()
        .unwrap_or_default()
        .rsplit("://")
        .next()
        .unwrap_or_default()
        .split(['/', '?'])
        .next()
        .unwrap_or_default();
    let last = model.rsplit('/').next().unwrap_or_default();
    let mut entry = Entry::new(
        free_name(plan.known, host),
        free_name(plan.known, last.trim_end_matches(".gguf")),
    );
    entry.set(Member::text("base_url", address));
    entry.set(Member("api", api.name().into()));
    if let Some(variable) = plan.key_env {
        entry.set(Member::text("key_env", variable));
    }
    if let Some(file) = plan.ca {
        // The model file is read elsewhere, too.
        let file = file.canonicalize().unwrap_or(file.to_owned());
        entry.set(Member::text("ca", &file.to_string_lossy()));
    }
    entry.set(Member::text("model", model));
    entry
}

/// A name that is easily typed, and that no model or provider has.
fn free_name(known: &Models, wanted: &str) -> String {
    let is_easy = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let easy = wanted.to_lowercase().replace(|c| !is_easy(c), "-");
    let easy = easy.trim_matches('-');
    let names = (2..).map(|number| format!("{easy}-{number}"));
    let mut names = std::iter::once(easy.to_owned()).chain(names);
    let free = names.find(|name| !name.is_empty() && !known.has_name(name));
    free.unwrap_or_default()
}
