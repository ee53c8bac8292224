//! What every command works with: the settings, the two outputs, the data.

use crate::cli::prelude::*;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::interop::format::MediaFolder;
use crate::mind::models::{ConnectionPools, ModelFile, Models, SHIPPED_NAME};
use crate::world_data::{DataError, DataFault, DataFolder};
use serde::Serialize;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use super::args::{ColourArg, LogFormat};
use super::env::{Env, variable};
use super::keys;
use super::output::{clean, clean_styled, escape_json, wait_until_told};
use super::process::{INTERRUPTED, was_interrupted};
use super::settings::{Origin, Settings};
pub(crate) use super::shell::shell_quoted;
use super::status_line::{LogOutput, StatusLine};
#[cfg(feature = "otel")]
use super::telemetry::Telemetry;
use super::trust::{Gate, answer_to, read_text, says_yes};

/// Nothing is sent.
#[cfg(not(feature = "otel"))]
type Telemetry = std::convert::Infallible;

/// The file of models in the data folder, and in the user's settings folder.
const MODELS: &str = "models.ron";

/// What every command works with. Clones share their outputs.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) language: Language,
    /// The line that says who is thinking.
    pub(crate) status: StatusLine,
    out: Arc<Mutex<Output>>,
    stderr_colour: bool,
    config_folder: Option<PathBuf>,
    /// Whether the user can be asked.
    can_ask: bool,
    /// The connections to servers of models.
    pools: ConnectionPools,
}

impl App {
    /// What commands work with, given these settings and this environment.
    pub(crate) fn new(settings: Settings, env: &Env) -> Self {
        let has_colour = |is_terminal| match settings.colour.value {
            ColourArg::Auto => is_terminal,
            ColourArg::Always => true,
            ColourArg::Never => false,
        };
        let status = if env.stderr_is_terminal && !settings.quiet {
            StatusLine::stderr()
        } else {
            StatusLine::default()
        };
        let stdout = io::BufWriter::new(io::stdout());
        let colour = has_colour(env.stdout_is_terminal);
        let out = Output::new(stdout, settings.width.value, colour)
            .on_terminal(env.stdout_is_terminal)
            .beside(status.clone());
        let out = match settings.pace {
            Some(words_a_minute) if settings.prints_text() => {
                let has_keys = env.can_ask && env.stdout_is_terminal && keys::has_keys();
                let keys = (has_keys, settings.language.value);
                out.paced(io::stdout(), words_a_minute, keys)
            }
            _ => out,
        };
        Self {
            language: settings.language.value,
            out: Arc::new(Mutex::new(out)),
            stderr_colour: has_colour(env.stderr_is_terminal),
            config_folder: env.config_folder.clone(),
            can_ask: env.can_ask,
            pools: ConnectionPools::default(),
            settings,
            status,
        }
    }

    pub(crate) fn out(&self) -> MutexGuard<'_, Output> {
        lock(&self.out)
    }

    /// Standard output, for what runs beside the command.
    pub(crate) fn shared_out(&self) -> Arc<Mutex<Output>> {
        self.out.clone()
    }

    /// Standard error, for messages to people.
    pub(crate) fn err(&self) -> Output {
        let err = Output::new(io::stderr(), self.settings.width.value, self.stderr_colour);
        err.beside(self.status.clone())
    }

    /// Standard error, for what runs beside the command.
    pub(crate) fn shared_err(&self) -> Arc<Mutex<Output>> {
        Arc::new(Mutex::new(self.err()))
    }

    /// Whether the story, progress and tables are printed as text.
    pub(crate) fn prints_text(&self) -> bool {
        self.settings.prints_text()
    }

    /// Prints a record for programs, or a line for people.
    pub(crate) fn tell(&self, record: &Printed<'_>, line: impl AsRef<str>) {
        if self.settings.json {
            self.out().json(record);
        } else if !self.settings.quiet {
            self.out().line(line);
        }
    }

    /// Prints rows as records for programs, or as a table.
    pub(crate) fn list<T, J: Serialize, R: IntoIterator<Item = String>>(
        &self,
        columns: impl IntoIterator<Item = (String, Alignment)>,
        rows: impl IntoIterator<Item = T>,
        json: impl Fn(&T) -> J,
        cells: impl Fn(T) -> R,
    ) {
        let mut out = self.out();
        if self.settings.json {
            rows.into_iter().for_each(|row| out.json(&json(&row)));
        } else {
            TextTable::of(columns, rows.into_iter().map(cells)).write(&mut out);
        }
    }

    /// A save as printed commands name it: with the folder of all saves and the file of models, if
    /// they were given.
    pub(crate) fn in_command(&self, slot: &str) -> String {
        let (saves, models) = (&self.settings.saves, &self.settings.models);
        let saves = (saves.origin == Origin::Flag).then_some(&saves.value);
        let models = models.value.as_ref();
        let given = [("--saves", saves), ("--models", models)].into_iter();
        let given = given.filter_map(|(option, path)| Some((option, shell_quoted(path?))));
        let options: String = given
            .map(|(option, path)| format!(" {option} {path}"))
            .collect();
        format!("{slot}{options}")
    }

    /// Sends logs to standard error, and spans to a collector if one is named, until what it
    /// returns is dropped.
    pub(crate) fn start_logs(&self) -> Option<Telemetry> {
        let clean: fn(&str) -> Cow<'_, str> = match self.settings.log_format {
            LogFormat::Json => escape_json,
            LogFormat::Text if self.stderr_colour => clean_styled,
            LogFormat::Text => clean,
        };
        let output = LogOutput {
            status: self.status.clone(),
            clean,
        };
        let filter = EnvFilter::builder().parse_lossy(&self.settings.log_filter.value);
        let logs = fmt::layer::<Registry>()
            .with_writer(move || output.clone())
            .with_ansi(self.stderr_colour)
            .with_span_events(FmtSpan::CLOSE);
        let logs = match self.settings.log_format {
            LogFormat::Text => logs.without_time().with_target(false).boxed(),
            LogFormat::Json => logs.json().boxed(),
        };
        let subscriber = tracing_subscriber::registry().with(logs.with_filter(filter));
        #[cfg(feature = "otel")]
        match Telemetry::from_env() {
            Some(Ok(telemetry)) => {
                subscriber.with(telemetry.layer()).init();
                return Some(telemetry);
            }
            Some(Err(error)) => {
                subscriber.init();
                tracing::warn!(%error, "nothing is sent to the collector");
                return None;
            }
            None => {}
        }
        subscriber.init();
        None
    }

    pub(crate) fn data(&self) -> Result<DataFolder> {
        DataFolder::find(self.settings.data.value.as_deref()).or_fail(ErrorKind::World)
    }

    /// Asks a question that a yes or no answers; `None` if nobody can be asked.
    pub(crate) fn confirm(&self, question: &str) -> Option<bool> {
        self.can_ask.then(|| says_yes(&mut self.err(), question))
    }

    /// Lets somebody at the terminal choose one of `options` by its number; `None` if nobody can be
    /// asked, or chooses none.
    pub(crate) fn choose(&self, question: &str, options: &[String]) -> Option<usize> {
        let mut err = self.can_ask.then(|| self.err())?;
        for (number, option) in (1..).zip(options) {
            err.line(format!("  {number}) {option}"));
        }
        let number: usize = answer_to(&mut err, question)?.parse().ok()?;
        number.checked_sub(1).filter(|index| *index < options.len())
    }

    pub(crate) fn config_folder(&self) -> Option<&Path> {
        self.config_folder.as_deref()
    }

    /// What decides on files of folders.
    pub(crate) fn gate(&self) -> Gate {
        Gate {
            config_folder: self.config_folder.clone(),
            can_ask: self.can_ask,
            err: self.err(),
            language: self.language,
        }
    }

    /// The models that count without any folder: the built-in ones, and those of the user's own
    /// file or of the one that they named.
    pub(crate) fn own_models(&self) -> Result<ModelFile> {
        let known = ModelFile::built_in()?;
        let Some(path) = self.own_models_path() else {
            return Ok(known);
        };
        let Some(text) = read_text(&path)? else {
            if self.settings.models.value.is_none() {
                return Ok(known);
            }
            let error = CommandError::usage(text!(cli_no_such_file));
            return Err(error.at(&path));
        };
        let own = ModelFile::read_own(&text, &path.display().to_string(), &known);
        Ok(known.with(own?))
    }

    /// The user's own model file, or the one that they named.
    pub(crate) fn own_models_path(&self) -> Option<PathBuf> {
        let named = self.settings.models.value.clone();
        named.or_else(|| Some(self.config_folder()?.join(MODELS)))
    }

    /// The model file of the data folder, unless the user named another.
    pub(crate) fn folder_models_path(&self) -> Result<Option<PathBuf>> {
        if self.settings.models.value.is_some() {
            return Ok(None);
        }
        Ok(self.data()?.root().map(|root| root.join(MODELS)))
    }

    /// All models that count: the user's, and what a data folder adds to them. Media files that
    /// they are sent are in the data folder.
    pub(crate) fn models(&self) -> Result<Models> {
        let data = self.data()?;
        let mut file = self.own_models()?;
        if let Some(path) = self.folder_models_path()? {
            let text = match data.read_text(MODELS) {
                Ok(text) => Some(text),
                Err(DataError::InFile(_, DataFault::Missing)) => None,
                Err(error) => return Err(CommandError::of(ErrorKind::World, &error)),
            };
            if let Some(text) = text {
                let added = ModelFile::read(&text, &data.name_of(MODELS), &file)?;
                let added = self.gate().admit(added, &path, &file)?;
                file = file.with(added);
            }
        }
        let own = self.own_models_path();
        let own = own.map_or_else(|| SHIPPED_NAME.into(), |path| path.display().to_string());
        let models = Models::new(file, &own, &variable).with_pools(self.pools.clone());
        Ok(match data.root() {
            Some(root) => models.with_files(Arc::new(MediaFolder::new(root))),
            None => models,
        })
    }

    /// Prints why the command failed, if it did, and gives its exit code.
    pub(crate) fn finish(&self, result: Result<()>) -> ExitCode {
        wait_until_told(&self.out);
        self.status.hide();
        let out = self.out();
        let lost = out.failure().map(|error| {
            let message = text!(cli_cant_write, error);
            CommandError::new(ErrorKind::Other, message)
        });
        let error = result.err().or(lost);
        let code = error.as_ref().map(|error| error.kind as u8);
        if let Some(error) = error {
            if self.settings.json {
                let record = error.record(self.language);
                record.iter().for_each(|record| self.err().json(record));
            } else {
                error.print(&mut self.err(), self.language);
            }
        }
        match code {
            _ if was_interrupted() => ExitCode::from(INTERRUPTED),
            // A reader who went away has seen enough.
            None => ExitCode::SUCCESS,
            Some(code) => ExitCode::from(code),
        }
    }
}
