//! How a command fails: what happened, where, what to do about it, and with which exit code.

use crate::engine::EngineError;
use crate::locale::{Argument, Language, Localize, UiText, text};
use crate::mind::improviser::GrammarErrors;
use crate::mind::models::ModelError;
use crate::save::SaveError;
use crate::session::{SessionError, SetupError};
use crate::world_data::DataError;

use serde_json::{Value, json};

use super::output::{Output, Paragraph, Style};
use super::printed::Printed;
use super::say::say;

/// The kinds of errors, each with its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    Other = 1,
    Usage = 2,
    /// A world or its data.
    World = 3,
    /// A save, or the disk it is on.
    Save = 4,
    /// A model or its server.
    Server = 5,
    /// A limit of the run.
    Limit = 6,
    /// A world's expectations, which a rehearsal does not meet.
    Expectation = 7,
}

impl ErrorKind {
    /// Its name in records.
    fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Usage => "usage",
            Self::World => "world",
            Self::Save => "save",
            Self::Server => "server",
            Self::Limit => "limit",
            Self::Expectation => "expectation",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub(crate) struct CommandError {
    pub(crate) kind: ErrorKind,
    /// What happened; `None` if that was printed already.
    pub(crate) message: Option<UiText>,
    /// Where: a file, a save, a server.
    place: Option<UiText>,
    pub(crate) help: Option<UiText>,
}

impl CommandError {
    pub(crate) fn new(kind: ErrorKind, message: UiText) -> Self {
        Self {
            message: Some(message),
            ..Self::printed(kind)
        }
    }

    /// A mistake in how the command was called.
    pub(crate) fn usage(message: UiText) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// An error of the library.
    pub(crate) fn of(kind: ErrorKind, error: &impl Localize) -> Self {
        Self::new(kind, error.text())
    }

    /// An error that was printed already: only the exit code is left.
    pub(crate) fn printed(kind: ErrorKind) -> Self {
        Self {
            kind,
            message: None,
            place: None,
            help: None,
        }
    }

    /// Says where it happened.
    pub(crate) fn at(mut self, place: impl Into<Argument>) -> Self {
        self.place = Some(text!(cli_place, place = place.into()));
        self
    }

    /// Says what to do about it.
    pub(crate) fn help(mut self, help: UiText) -> Self {
        self.help = Some(help);
        self
    }

    /// It as a record for programs; `None` if it was printed already.
    pub(crate) fn record(self, language: Language) -> Option<Value> {
        let text = |text: UiText| text.in_language(language);
        let place = self.place.map(text);
        Some(json!(Printed::Error {
            kind: self.kind.name(),
            code: self.kind as u8,
            text: text(self.message?),
            at: place,
            help: self.help.map(text),
        }))
    }

    /// Prints it; `at` and `help` in rows of their own.
    pub(crate) fn print(self, err: &mut Output, language: Language) {
        let Some(message) = self.message else {
            return;
        };
        // Problems of a file say themselves that they are errors.
        let is_list = message.is_one_of(&["world_data_problem_error", "locale_lines"]);
        if is_list {
            err.line(message.in_language(language));
        }
        let colon = say!(language, cli_colon);
        let mut print = |indent, label: String, style, text: UiText| {
            let row = Paragraph::indented(indent, indent + 2).add(style, label);
            err.paragraph(&row.plain(&colon).plain(text.in_language(language)));
        };
        if !is_list {
            print(0, say!(language, cli_error), Style::Bad, message);
        }
        if let Some(place) = self.place {
            print(2, say!(language, cli_at), Style::Dim, place);
        }
        if let Some(help) = self.help {
            print(2, say!(language, cli_help), Style::Dim, help);
        }
    }
}

pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// Makes an error of a command from one of the library.
pub(crate) trait OrFail<T> {
    /// The value, or an error of this kind.
    fn or_fail(self, kind: ErrorKind) -> Result<T>;
}

impl<T, E: Localize> OrFail<T> for Result<T, E> {
    fn or_fail(self, kind: ErrorKind) -> Result<T> {
        self.map_err(|error| CommandError::of(kind, &error))
    }
}

/// Errors of the library that are of one kind wherever they happen.
macro_rules! errors {
    ($($error:ty: $kind:ident),+ $(,)?) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                Self::of(ErrorKind::$kind, &error)
            }
        })+
    };
}

errors! {
    SetupError: World,
    DataError: World,
    GrammarErrors: World,
}

impl From<ModelError> for CommandError {
    fn from(error: ModelError) -> Self {
        let kind = match error {
            ModelError::Malformed(_) => ErrorKind::World,
            _ => ErrorKind::Server,
        };
        Self::of(kind, &error)
    }
}

impl From<SaveError> for CommandError {
    fn from(error: SaveError) -> Self {
        let kind = match error {
            SaveError::BadSlotName { .. } => ErrorKind::Usage,
            _ => ErrorKind::Save,
        };
        Self::of(kind, &error)
    }
}

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Save(error) => error.into(),
            SessionError::Engine(error) => (*error).into(),
            SessionError::World(_) => Self::of(ErrorKind::World, &error),
            error => Self::of(ErrorKind::Save, &error),
        }
    }
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> Self {
        let kind = match &error {
            EngineError::Journal(error) => return Self::of(ErrorKind::Save, error),
            EngineError::Snapshot(_)
            | EngineError::OtherRequest { .. }
            | EngineError::OtherState { .. } => ErrorKind::Save,
            EngineError::UnknownMind { .. } | EngineError::UnknownServerTool { .. } => {
                ErrorKind::Server
            }
            EngineError::UnknownTool { .. } => ErrorKind::World,
            EngineError::Ambiguous(_)
            | EngineError::ToolName(_)
            | EngineError::Fault { .. }
            | EngineError::NeverRests { .. }
            | EngineError::NotTaken { .. } => ErrorKind::Other,
        };
        Self::of(kind, &error)
    }
}
