//! Code in a process of its own: in a temporary folder, without the environment of this program,
//! with limits on time, memory and output. For python and sh this limits accidents, but does not
//! stop malicious code; therefore the user must allow them, and an approver must approve it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use playhouse_engine::locale::text;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::output::CapturedOutput;
use super::{CodeLanguage, CodePolicy, OUT_OF_TIME, Snippet, process};
use crate::ToolError;
use crate::process::Family;

/// Where programs are searched.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The maximum number of bytes that are read from each stream. A process that writes more is
/// killed.
const MAX_BYTES: u64 = 1_000_000;
/// Limits memory, in KiB, the size of files, in blocks of 512 bytes, and the processes of the user,
/// whose option differs between shells; then runs a program. Linux exempts root from the last.
const LIMITS: &str = "ulimit -v 2097152; ulimit -f 40960; \
    { ulimit -u 4096 || ulimit -p 4096; } 2>/dev/null; exec \"$@\"";

/// Runs a piece of code to its end and returns its exit code.
pub(super) async fn run(
    snippet: &Snippet,
    index: usize,
    folder: &Path,
    policy: &CodePolicy,
    output: &mut CapturedOutput,
) -> Result<i32, ToolError> {
    let mut command = match (snippet.language, &policy.script_program) {
        (CodeLanguage::Python, _) => limited(&["python3", "-I", "-B"]),
        (CodeLanguage::Sh, _) => limited(&["sh"]),
        (CodeLanguage::Rhai, Some(program)) => {
            let mut command = Command::new(program);
            command.args(process::arguments(policy));
            command
        }
        (CodeLanguage::Rhai, None) => {
            return Err(ToolError::of(&text!(tool_no_script_program)));
        }
    };
    let language = snippet.language.name();
    let file = folder.join(format!("snippet-{}.{language}", index + 1));
    let written =
        File::create_new(&file).and_then(|mut file| file.write_all(snippet.code.as_bytes()));
    written.map_err(|error| ToolError::of(&error))?;
    command
        .arg(&file)
        .current_dir(folder)
        .env_clear()
        .envs([("PATH", PATH), ("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8")])
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let started = Family::start(|| command.spawn(), Child::id);
    let (child, family) = started
        .map_err(|error| ToolError::of(&text!(tool_code_not_started, language, error = &error)))?;
    Ok(wait(child, &family, policy, output).await)
}

fn limited(program: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", LIMITS, "sh"]).args(program);
    command
}

async fn wait(
    mut child: Child,
    family: &Family,
    policy: &CodePolicy,
    output: &mut CapturedOutput,
) -> i32 {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let ended = tokio::time::timeout(policy.time, async {
        let (out, err) = tokio::join!(read(out), read(err));
        // A process that writes more than is read would wait forever.
        let is_full = [&out, &err]
            .iter()
            .any(|read| read.len() as u64 == MAX_BYTES);
        if is_full {
            family.end();
        }
        (out, err, child.wait().await)
    });
    match ended.await {
        Ok((out, err, status)) => {
            // What it started and left behind must end with it.
            family.end();
            output.push(&shown(&out));
            output.push(&shown(&err));
            status.ok().and_then(|status| status.code()).unwrap_or(1)
        }
        Err(_) => {
            family.end();
            output.push(&format!("({} s)\n", policy.time.as_secs_f64()));
            OUT_OF_TIME
        }
    }
}

async fn read(stream: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // What came before an error is output, too.
        let _ = stream.take(MAX_BYTES).read_to_end(&mut bytes).await;
    }
    bytes
}

/// A stream as text that ends its last line.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
