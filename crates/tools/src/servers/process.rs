//! A server of tools as a process, which reads and writes a message a line.

use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::Notify;

use crate::process::Family;

/// The maximum number of bytes of a message from a server. Read as JSON, it takes up to forty times
/// as much memory.
pub(super) const MAX_MESSAGE: usize = 4 << 20;
/// How long a server may take to end once nothing more is written to it.
const EXIT_TIME: Duration = Duration::from_secs(3);

/// How many bytes at the end of what a server wrote to standard error are kept, and how many lines
/// of them are shown.
const MAX_WORDS: usize = 2_000;
const MAX_LINES: usize = 8;
/// How long a server that is gone may take to have written it.
const WORDS_TIME: Duration = Duration::from_millis(500);

/// The end of what a server writes to standard error. Clones share it.
#[derive(Clone, Default)]
pub(super) struct LastWords {
    end: Arc<Mutex<VecDeque<u8>>>,
    /// Whether it will write no more.
    is_over: Arc<Notify>,
}

impl LastWords {
    /// Those of a server that is not a process of this machine.
    pub(super) fn none() -> Self {
        let words = Self::default();
        words.is_over.notify_one();
        words
    }

    fn of(stderr: Option<ChildStderr>) -> Self {
        let words = Self::default();
        let heard = words.clone();
        tokio::spawn(async move {
            if let Some(stderr) = stderr {
                heard.hear(stderr).await;
            }
            heard.is_over.notify_one();
        });
        words
    }

    async fn hear(&self, mut stderr: ChildStderr) {
        let mut bytes = [0; 1024];
        while let Ok(count @ 1..) = stderr.read(&mut bytes).await {
            let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            end.extend(bytes.iter().take(count));
            let surplus = end.len().saturating_sub(MAX_WORDS);
            end.drain(..surplus);
        }
    }

    /// Its last lines, once the server is gone; empty if it wrote none.
    pub(super) async fn text(&self) -> String {
        let over = tokio::time::timeout(WORDS_TIME, self.is_over.notified());
        if over.await.is_ok() {
            // For the next who asks.
            self.is_over.notify_one();
        }
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(end.make_contiguous()).into_owned();
        let lines = text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty());
        let lines: Vec<_> = lines.collect();
        let last = lines.len().saturating_sub(MAX_LINES);
        lines.get(last..).unwrap_or_default().join("\n")
    }
}

/// The process and its streams. It is killed when this is dropped.
pub(super) struct ServerProcess {
    child: Child,
    messages: AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>,
}

impl ServerProcess {
    pub(super) fn start(mut command: Command) -> io::Result<(Self, Family, LastWords)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let (mut child, family) = Family::start(|| command.spawn(), Child::id)?;
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let words = LastWords::of(child.stderr.take());
        let messages = AsyncRwTransport::new(output, input).with_max_line_length(MAX_MESSAGE);
        Ok((Self { child, messages }, family, words))
    }
}

impl Transport<RoleClient> for ServerProcess {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.messages.send(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.messages.receive()
    }

    /// Ends its input, as the protocol asks for, and kills it if that does not end it.
    async fn close(&mut self) -> io::Result<()> {
        self.messages.close().await?;
        match tokio::time::timeout(EXIT_TIME, self.child.wait()).await {
            Ok(ended) => ended.map(drop),
            Err(_) => self.child.kill().await,
        }
    }
}
