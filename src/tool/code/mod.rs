//! Running code that minds wrote: scripts in a sandbox inside this process, and, where whoever runs the
//! program allows it, python and sh in a process of their own.
//!
//! It is a tool like all others outside the world: what it returned is recorded, so that a replay runs
//! nothing. Its name is not a legal one in a team or world file; only systems call it, who ask an
//! approver first.

#[cfg(feature = "scripts")]
mod child;
#[cfg(feature = "scripts")]
mod script;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolError, Toolbox};

/// The name under which systems call it.
pub const RUN_CODE: &str = "(code)";
/// The exit code of what ran out of time, as `timeout` has it.
pub const OUT_OF_TIME: i32 = 124;
/// The exit code of what may not be run, as shells have it.
pub const FORBIDDEN: i32 = 126;

/// What code may do. It belongs to whoever runs the program, not to a team.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePolicy {
    /// Whether python and sh may be run at all.
    pub allow_processes: bool,
    /// How long a process may take.
    pub time: Duration,
    /// The most characters of output that are kept.
    pub output: usize,
    /// The most steps of a script.
    pub steps: u64,
}

impl Default for CodePolicy {
    fn default() -> Self {
        Self {
            allow_processes: false,
            time: Duration::from_secs(20),
            // A tool's result has its own limit, which this one and the line of the exit code stay under.
            output: 6_000,
            steps: 1_000_000,
        }
    }
}

/// A language that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// Scripts in the sandbox.
    Rhai,
    /// Python 3, in a process.
    Python,
    /// A POSIX shell, in a process.
    Sh,
}

impl Lang {
    /// The language that a fenced block names.
    pub fn of(tag: &str) -> Option<Self> {
        match tag.trim().to_ascii_lowercase().as_str() {
            "rhai" => Some(Self::Rhai),
            "python" | "py" | "python3" => Some(Self::Python),
            "sh" | "bash" | "shell" => Some(Self::Sh),
            _ => None,
        }
    }

    /// Whether it runs in a process of its own.
    pub fn is_process(self) -> bool {
        self != Self::Rhai
    }

    /// Its usual name.
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
    pub language: Lang,
    /// The code.
    pub code: String,
}

/// What is to be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// The pieces, in order; the first that fails is the last that runs.
    pub snippets: Vec<Snippet>,
    /// Whether an approver said yes. Without that no process is started.
    pub approved: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    /// It ended, with this exit code and output.
    Ended {
        /// 0 where all went well.
        code: i32,
        /// What it printed.
        output: String,
    },
    /// An approver must be asked first.
    NeedsApproval,
    /// Whoever runs the program does not allow processes.
    NotAllowed,
}

const NEEDS_APPROVAL: &str = "needs approval";
const NOT_ALLOWED: &str = "not allowed";

impl Ran {
    /// As the tool returns it: a line that says how it ended, then the output.
    fn to_text(&self) -> String {
        match self {
            Self::Ended { code, output } => format!("exit {code}\n{output}"),
            Self::NeedsApproval => NEEDS_APPROVAL.into(),
            Self::NotAllowed => NOT_ALLOWED.into(),
        }
    }

    /// Reads what the tool returned. Anything else is a failure with that text as output.
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

/// Adds the tool that runs code under this policy.
pub fn register(tools: &mut Toolbox, policy: &CodePolicy) {
    let ours = policy.clone();
    // One after another; the tool's own limit only catches what the limits of the parts let through.
    let patience = policy.time * 16 + Duration::from_secs(5);
    tools.outside_private(RUN_CODE, "run_code", "Runs code.", move |job: Job| {
        let policy = ours.clone();
        async move { run(&job, &policy).await.map(|ran| ran.to_text()) }
    });
    tools.change(RUN_CODE, |tool| tool.within(patience));
}

/// The most pieces of one job.
#[cfg(feature = "scripts")]
const MOST_SNIPPETS: usize = 16;

#[cfg(not(feature = "scripts"))]
async fn run(_: &Job, _: &CodePolicy) -> Result<Ran, ToolError> {
    Err(super::NotBuilt::SCRIPTS.to_string().into())
}

#[cfg(feature = "scripts")]
async fn run(job: &Job, policy: &CodePolicy) -> Result<Ran, ToolError> {
    if job.snippets.len() > MOST_SNIPPETS {
        return Err(format!("at most {MOST_SNIPPETS} pieces of code are run at once").into());
    }
    let has_process = job.snippets.iter().any(|one| one.language.is_process());
    match (has_process, policy.allow_processes, job.approved) {
        (true, false, _) => return Ok(Ran::NotAllowed),
        (true, true, false) => return Ok(Ran::NeedsApproval),
        _ => {}
    }
    let folder = match has_process {
        true => Some(tempfile::tempdir().map_err(|error| ToolError::new(error.to_string()))?),
        false => None,
    };
    let mut said = Said::new(policy.output);
    for (number, snippet) in job.snippets.iter().enumerate() {
        let code = match (snippet.language, &folder) {
            (Lang::Rhai, _) | (_, None) => script::run(&snippet.code, policy, &mut said),
            (_, Some(folder)) => {
                child::run(snippet, number, folder.path(), policy, &mut said).await?
            }
        };
        if code != 0 {
            return Ok(said.ended(code));
        }
    }
    Ok(said.ended(0))
}

/// Output, up to its limit.
#[cfg(feature = "scripts")]
struct Said {
    text: String,
    left: usize,
    is_cut: bool,
}

#[cfg(feature = "scripts")]
impl Said {
    fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            left: most,
            is_cut: false,
        }
    }

    fn push(&mut self, text: &str) {
        let end = text.char_indices().nth(self.left).map(|(at, _)| at);
        let kept = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        self.left -= kept.chars().count().min(self.left);
        self.is_cut |= end.is_some();
        self.text.push_str(kept);
    }

    fn ended(self, code: i32) -> Ran {
        let mut output = self.text.trim_end().to_owned();
        if self.is_cut {
            output.push('…');
        }
        Ran::Ended { code, output }
    }
}

#[cfg(test)]
mod tests;
