//! What every command works with: settings, the interface's words, the two outputs, the data.

use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use playhouse::dialect::format::MediaFolder;
use playhouse::mind::models::{Models, SHIPPED, SHIPPED_NAME};
use playhouse::world_data::{DataError, DataFolder};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::args::{ColourArg, LogFormat};
use super::env::{Env, variable};
use super::error::{Failure, Fault};
use super::output::Page;
use super::progress::{LogOutput, StatusLine};
use super::settings::Settings;
use super::words::Words;

/// The file of models in the data folder.
const MODELS: &str = "models.ron";

/// What every command works with.
pub(crate) struct App {
    /// The settings.
    pub(crate) settings: Settings,
    /// The interface's words.
    pub(crate) words: Words,
    /// The line that says who is thinking.
    pub(crate) status: StatusLine,
    out: Arc<Mutex<Page>>,
    stderr_colour: bool,
}

impl App {
    /// A app in these surroundings.
    pub(crate) fn new(settings: Settings, around: &Env) -> Self {
        let coloured = |is_terminal| match settings.colour.value {
            ColourArg::Auto => is_terminal,
            ColourArg::Always => true,
            ColourArg::Never => false,
        };
        let width = settings.width.value;
        let status = match around.stderr_is_terminal && !settings.quiet {
            true => StatusLine::on(io::stderr(), width),
            false => StatusLine::default(),
        };
        let out = io::BufWriter::new(io::stdout());
        let out = Page::new(out, width, coloured(around.stdout_is_terminal));
        Self {
            words: settings.words(),
            out: Arc::new(Mutex::new(out.wiping(status.clone()))),
            stderr_colour: coloured(around.stderr_is_terminal),
            settings,
            status,
        }
    }

    /// Standard output.
    pub(crate) fn out(&self) -> MutexGuard<'_, Page> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Standard output, to be shared with what runs beside the command.
    pub(crate) fn shared_out(&self) -> Arc<Mutex<Page>> {
        self.out.clone()
    }

    /// Standard error, to be shared with what runs beside the command.
    pub(crate) fn shared_err(&self) -> Arc<Mutex<Page>> {
        Arc::new(Mutex::new(self.err()))
    }

    /// Standard error, for words to people.
    pub(crate) fn err(&self) -> Page {
        let page = Page::new(io::stderr(), self.settings.width.value, self.stderr_colour);
        page.wiping(self.status.clone())
    }

    /// Sends logs to standard error.
    pub(crate) fn start_logs(&self) {
        let output = LogOutput(self.status.clone());
        let filter = EnvFilter::builder().parse_lossy(&self.settings.log_filter.value);
        let logs = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(move || output.clone())
            .with_ansi(self.stderr_colour)
            .with_span_events(FmtSpan::CLOSE);
        match self.settings.log_format {
            LogFormat::Text => logs.without_time().with_target(false).init(),
            LogFormat::Json => logs.json().init(),
        }
    }

    /// The data folder.
    pub(crate) fn data(&self) -> Result<DataFolder, Failure> {
        let data = DataFolder::find(self.settings.data.value.as_deref());
        data.map_err(|error| Failure::new(Fault::World, error))
    }

    /// The models of the data folder, or those that come with the program. Media files that they are sent lie
    /// in the data folder.
    pub(crate) fn models(&self) -> Result<Models, Failure> {
        let data = self.data()?;
        let name = data.name_of(MODELS);
        let models = match data.read_text(MODELS) {
            Ok(text) => Models::load(&text, &name, &variable),
            Err(DataError::Missing(_)) => Models::load(SHIPPED, SHIPPED_NAME, &variable),
            Err(error) => return Err(Failure::new(Fault::World, error)),
        };
        let models = models.map_err(|error| Failure::of(Fault::Server, &error))?;
        Ok(match data.root() {
            Some(root) => models.with_files(Arc::new(MediaFolder::new(root))),
            None => models,
        })
    }

    /// Tells how the command ended, and gives its exit code.
    pub(crate) fn finish(&self, done: Result<(), Failure>) -> ExitCode {
        self.status.wipe();
        let mut out = self.out();
        out.flush();
        let lost = out.failure().map(|error| {
            let why = self.words.error_text(&error.to_string());
            let what = self.words.cant_write(&why);
            Failure::new(Fault::Other, what)
        });
        match done.err().or(lost) {
            // Whoever stopped reading has seen enough.
            None => ExitCode::SUCCESS,
            Some(failure) => {
                failure.write(&mut self.err(), self.words);
                ExitCode::from(failure.fault as u8)
            }
        }
    }
}
