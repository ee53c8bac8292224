//! How a command fails: what happened, where, what to do, and with which exit code.

use std::fmt;

use playhouse::engine::EngineError;
use playhouse::locale::{Localize, UiText};

use super::output::{Ink, Page, Paragraph};
use super::words::Words;

/// What kind of failure it is; each has its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Anything else.
    Other = 1,
    /// The command line.
    Usage = 2,
    /// A world or its data.
    World = 3,
    /// A save, or the disk it is on.
    Save = 4,
    /// A model or its server.
    Server = 5,
    /// A cap of the run.
    Budget = 6,
}

/// The exit codes as `--help` lists them.
pub(crate) const EXIT_CODES: &str = "\
Exit codes: 0 all is well, 1 something else failed, 2 usage, 3 world or its data, 4 save,
5 model or server, 6 a cap was reached.

Caps (--max-calls, --max-tokens, --max-cost) are checked before each call with its worst case;
a run that is stopped by one leaves a save that resumes. Settings come from flags, then the
environment, then playhouse.ron in the working directory, then defaults; `playhouse config` shows
which. NO_COLOR is honoured; RUST_LOG filters logs.";

/// Why a command failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// Its kind.
    pub(crate) fault: Fault,
    /// What happened: in the interface's words, or in the library's, which are translated when it is
    /// written.
    pub(crate) what: UiText,
    /// Where: a file, a slot, a server; empty where `what` says it.
    pub(crate) place: String,
    /// What to do about it; empty where `what` says it.
    pub(crate) remedy: String,
    /// Whether everything was said already.
    pub(crate) is_told: bool,
}

impl Failure {
    /// A failure.
    pub(crate) fn new(fault: Fault, what: impl fmt::Display) -> Self {
        Self {
            fault,
            what: UiText::verbatim(what.to_string()),
            place: String::new(),
            remedy: String::new(),
            is_told: false,
        }
    }

    /// A failure because of an error that is said in each language.
    pub(crate) fn of(fault: Fault, error: &impl Localize) -> Self {
        Self {
            what: error.text(),
            ..Self::new(fault, "")
        }
    }

    /// A failure of which everything was said already: only the exit code is left.
    pub(crate) fn told(fault: Fault) -> Self {
        Self {
            is_told: true,
            ..Self::new(fault, "")
        }
    }

    /// Says where.
    #[must_use]
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = place.to_string();
        self
    }

    /// Says what to do.
    #[must_use]
    pub(crate) fn try_this(mut self, remedy: impl fmt::Display) -> Self {
        self.remedy = remedy.to_string();
        self
    }

    /// Writes it as one block.
    pub(crate) fn write(&self, page: &mut Page, words: Words) {
        if self.is_told {
            return;
        }
        let row = |indent, name: String, ink, text: &str| {
            Paragraph::indented(indent, indent + 2)
                .add(ink, name)
                .plain(words.colon())
                .plain(text)
        };
        let what = words.error_text(&self.what.in_language(words.0));
        page.paragraph(&row(0, words.error(), Ink::Bad, &what));
        // The place may be one that the library names, such as the data built in.
        let place = words.error_text(&self.place);
        for (name, text) in [(words.place(), &place), (words.remedy(), &self.remedy)] {
            if !text.is_empty() {
                page.paragraph(&row(2, name, Ink::Dim, text));
            }
        }
    }
}

/// Why an engine broke off, as a failure of the right kind.
pub(crate) fn engine_failure(error: &EngineError) -> Failure {
    let fault = match error {
        EngineError::Journal(error) => return Failure::of(Fault::Save, error),
        EngineError::Snapshot(_)
        | EngineError::OtherRequest { .. }
        | EngineError::OtherState { .. } => Fault::Save,
        EngineError::UnknownMind { .. } | EngineError::UnknownServerTool { .. } => Fault::Server,
        EngineError::UnknownTool { .. } => Fault::World,
        EngineError::Ambiguous(_)
        | EngineError::ToolName(_)
        | EngineError::Fault { .. }
        | EngineError::NeverRests { .. }
        | EngineError::NotTaken { .. } => Fault::Other,
    };
    Failure::new(fault, error)
}
