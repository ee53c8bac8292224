//! A server of tools as a process, which reads and writes a message a line.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::process::Family;

/// The maximum number of bytes of a message from a server. Read as JSON, it takes up to forty times
/// as much memory.
pub(super) const MAX_MESSAGE: usize = 4 << 20;
/// How long a server may take to end once nothing more is written to it.
const EXIT_TIME: Duration = Duration::from_secs(3);

/// The process and its streams. It is killed when this is dropped.
pub(super) struct ServerProcess {
    child: Child,
    messages: AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>,
}

impl ServerProcess {
    pub(super) fn start(mut command: Command) -> io::Result<(Self, Family)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let (mut child, family) = Family::start(|| command.spawn(), Child::id)?;
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let messages = AsyncRwTransport::new(output, input).with_max_line_length(MAX_MESSAGE);
        Ok((Self { child, messages }, family))
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
