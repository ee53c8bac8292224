//! The tool that runs code.

use std::time::Duration;

use super::{CodeJob, CodeOutcome, CodePolicy, RUN_CODE};
use crate::{ToolError, Toolbox};

/// Adds the tool that runs code under this policy.
pub fn register(tools: &mut Toolbox, policy: &CodePolicy) {
    // The pieces run one after another, each with a limit of its own.
    let time_limit = policy.time * 16 + Duration::from_secs(5);
    let policy = policy.clone();
    tools.add_private(RUN_CODE, "run_code", "Runs code.", move |job: CodeJob| {
        let policy = policy.clone();
        async move { run(&job, &policy).await.map(|result| result.to_text()) }
    });
    tools.change(RUN_CODE, |tool| tool.with_time_limit(time_limit));
}

#[cfg(not(feature = "scripts"))]
async fn run(_: &CodeJob, _: &CodePolicy) -> Result<CodeOutcome, ToolError> {
    Err(ToolError::of(&crate::NotBuilt::SCRIPTS))
}

#[cfg(feature = "scripts")]
pub(super) async fn run(job: &CodeJob, policy: &CodePolicy) -> Result<CodeOutcome, ToolError> {
    use super::output::CapturedOutput;
    use super::{CodeLanguage, child};
    use playhouse_engine::locale::text;

    /// The maximum number of pieces of one job.
    const MAX_SNIPPETS: usize = 16;
    if job.snippets.len() > MAX_SNIPPETS {
        let error = text!(tool_code_too_many_pieces, most = MAX_SNIPPETS);
        return Err(ToolError::of(&error));
    }
    let mut languages = job.snippets.iter().map(|snippet| snippet.language);
    if languages.any(CodeLanguage::needs_approval) {
        if !policy.allow_processes {
            return Ok(CodeOutcome::NotAllowed);
        }
        if !job.approved {
            return Ok(CodeOutcome::NeedsApproval);
        }
    }
    let folder = tempfile::tempdir().map_err(|error| ToolError::of(&error))?;
    let mut output = CapturedOutput::new(policy.output);
    for (index, snippet) in job.snippets.iter().enumerate() {
        let code = child::run(snippet, index, folder.path(), policy, &mut output).await?;
        if code != 0 {
            return Ok(output.into_outcome(code));
        }
    }
    Ok(output.into_outcome(0))
}
