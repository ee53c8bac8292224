//! Code in a process of its own: in a temporary folder, without the environment of this program, with
//! limits of time, memory and output. This keeps accidents small; it is no wall against malice, which is
//! why whoever runs the program must allow it and an approver must have said yes.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::{CodePolicy, FORBIDDEN, Lang, OUT_OF_TIME, Said, Snippet};
use crate::tool::ToolError;

/// Where programs are looked for.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The most bytes that are read of each stream; the rest makes it end.
const MOST_BYTES: u64 = 1_000_000;
/// Memory in KiB, the largest file in blocks of 512 bytes.
const LIMITS: &str = "ulimit -v 2097152; ulimit -f 40960; exec \"$@\"";

/// Runs a piece of code and waits for its end.
pub(super) async fn run(
    snippet: &Snippet,
    number: usize,
    folder: &Path,
    policy: &CodePolicy,
    said: &mut Said,
) -> Result<i32, ToolError> {
    let (program, options, ending): (_, &[&str], _) = match snippet.language {
        Lang::Python => ("python3", &["-I", "-B"], "py"),
        Lang::Sh | Lang::Rhai => ("sh", &[], "sh"),
    };
    let file = folder.join(format!("snippet-{}.{ending}", number + 1));
    let written =
        File::create_new(&file).and_then(|mut file| file.write_all(snippet.code.as_bytes()));
    written.map_err(|error| ToolError::new(error.to_string()))?;
    let mut command = Command::new("sh");
    command
        .args(["-c", LIMITS, "sh", program])
        .args(options)
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
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            said.push(&format!("{program}: {error}\n"));
            return Ok(FORBIDDEN);
        }
    };
    Ok(wait(child, policy, said).await)
}

async fn wait(mut child: Child, policy: &CodePolicy, said: &mut Said) -> i32 {
    let group = Group::of(&child);
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let ended = tokio::time::timeout(policy.time, async {
        let (out, err) = tokio::join!(read(out), read(err));
        // Whoever writes more than is read would wait forever.
        let is_full = [&out, &err]
            .iter()
            .any(|read| read.len() as u64 == MOST_BYTES);
        if is_full {
            group.end();
        }
        (out, err, child.wait().await)
    });
    match ended.await {
        Ok((out, err, status)) => {
            // What it started and left behind ends with it.
            group.end();
            said.push(&shown(&out));
            said.push(&shown(&err));
            status.ok().and_then(|status| status.code()).unwrap_or(1)
        }
        Err(_) => {
            group.end();
            said.push(&format!("({} s)\n", policy.time.as_secs_f64()));
            OUT_OF_TIME
        }
    }
}

async fn read(stream: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // What came before an error is output all the same.
        let _ = stream.take(MOST_BYTES).read_to_end(&mut bytes).await;
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

/// The process and all that it started. Ended when dropped, so that a cancelled run leaves nothing.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self {
            leader: id.and_then(rustix::process::Pid::from_raw),
        }
    }

    #[cfg(unix)]
    fn end(&self) {
        if let Some(leader) = self.leader {
            // A group that has ended already can't be ended.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn of(_child: &Child) -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    fn end(&self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}
