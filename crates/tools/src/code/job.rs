//! Code that is to be run, what it may do, and how it ended.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name by which systems call the tool.
pub const RUN_CODE: &str = "(code)";
/// The exit code of code that ran out of time, as of `timeout`.
pub const OUT_OF_TIME: i32 = 124;
/// The exit code of a program that can't be run, as in shells.
pub const FORBIDDEN: i32 = 126;

/// What code may do. The user decides it, not a team.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePolicy {
    /// Whether python and sh may be run at all.
    pub allow_processes: bool,
    /// The absolute path of the program that scripts run in: one whose `main` begins with
    /// [`run_script_process`](super::run_script_process), such as `playhouse`. Without one no
    /// script runs.
    pub script_program: Option<PathBuf>,
    /// How long a process may take.
    pub time: Duration,
    /// The maximum number of characters of output.
    pub output: usize,
    /// The maximum number of steps of a script.
    pub steps: u64,
}

impl Default for CodePolicy {
    fn default() -> Self {
        Self {
            allow_processes: false,
            script_program: None,
            time: Duration::from_secs(20),
            // With the line of the exit code it stays below the limit of tool results.
            output: 6_000,
            steps: 1_000_000,
        }
    }
}

/// A language that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CodeLanguage {
    /// Scripts that reach nothing outside of them.
    Rhai,
    /// Python 3.
    Python,
    /// A POSIX shell.
    Sh,
}

impl CodeLanguage {
    /// The language that a fenced block names.
    pub fn of(tag: &str) -> Option<Self> {
        match tag.trim().to_ascii_lowercase().as_str() {
            "rhai" => Some(Self::Rhai),
            "python" | "py" | "python3" => Some(Self::Python),
            "sh" | "bash" | "shell" => Some(Self::Sh),
            _ => None,
        }
    }

    /// Whether the user must allow it and an approver approve it.
    pub fn needs_approval(self) -> bool {
        self != Self::Rhai
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Rhai => "rhai",
            Self::Python => "python",
            Self::Sh => "sh",
        }
    }
}

/// A piece of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snippet {
    /// Its language.
    pub language: CodeLanguage,
    /// The code.
    pub code: String,
}

/// A request to run code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeJob {
    /// The pieces, in order. After one that fails no other runs.
    pub snippets: Vec<Snippet>,
    /// Whether an approver approved it. Otherwise no process is started.
    pub approved: bool,
}

/// How code ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeOutcome {
    /// It ended, with this exit code and output.
    Ended { code: i32, output: String },
    /// An approver must be asked first.
    NeedsApproval,
    /// The user does not allow processes.
    NotAllowed,
}

const NEEDS_APPROVAL: &str = "needs approval";
const NOT_ALLOWED: &str = "not allowed";

impl CodeOutcome {
    /// The result of the tool: a line that says how the code ended, then its output.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Ended { code, output } => format!("exit {code}\n{output}"),
            Self::NeedsApproval => NEEDS_APPROVAL.into(),
            Self::NotAllowed => NOT_ALLOWED.into(),
        }
    }

    /// Reads a result of the tool. Any other text is the output of a failure.
    pub fn read(text: &str) -> Self {
        match text {
            NEEDS_APPROVAL => return Self::NeedsApproval,
            NOT_ALLOWED => return Self::NotAllowed,
            _ => {}
        }
        let (head, output) = text.split_once('\n').unwrap_or((text, ""));
        let code = head
            .strip_prefix("exit ")
            .and_then(|code| code.parse().ok());
        match code {
            Some(code) => Self::Ended {
                code,
                output: output.to_owned(),
            },
            None => Self::Ended {
                code: 1,
                output: text.to_owned(),
            },
        }
    }
}
