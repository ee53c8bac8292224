//! Connections end once nothing comes or goes for some time, or else whoever says nothing, or never
//! reads, would keep files of the server open for ever.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};

/// How long nothing may come or go. To play a story again may take a while.
pub(super) const IDLE: Duration = Duration::from_secs(120);

/// A listener whose connections last as long as something comes or goes on them.
pub(super) struct Lasting {
    listener: TcpListener,
    idle: Duration,
}

impl Lasting {
    pub(super) fn new(listener: TcpListener, idle: Duration) -> Self {
        Self { listener, idle }
    }
}

impl Listener for Lasting {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let connection = Connection {
            stream,
            idle: self.idle,
            end: Box::pin(sleep(self.idle)),
        };
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

pub(super) struct Connection {
    stream: TcpStream,
    idle: Duration,
    end: Pin<Box<Sleep>>,
}

impl Connection {
    /// What came of a poll, or an error if nothing came or went for too long.
    fn lasting<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_pending() {
            ready!(self.end.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        self.end.as_mut().reset(Instant::now() + self.idle);
        polled
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.lasting(context, polled)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.lasting(context, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net;
    use std::sync::mpsc::{Sender, channel};
    use std::thread;

    use axum::Router;
    use axum::body::{Body, Bytes};
    use axum::response::sse::{Event, KeepAlive, Sse};
    use axum::routing::get;
    use futures_util::stream;
    use tokio::runtime::Runtime;

    use super::*;

    const SHORT: Duration = Duration::from_millis(400);

    /// Tells when it is dropped.
    struct Ended(Sender<()>);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    /// Connects, and sends a request for a path if it is not empty.
    fn connect(address: SocketAddr, path: &str) -> net::TcpStream {
        let mut stream = net::TcpStream::connect(address).unwrap();
        if !path.is_empty() {
            write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
        }
        stream
    }

    #[test]
    fn a_stream_that_is_sent_lasts_and_what_is_silent_or_never_read_ends() {
        let (ended, has_ended) = channel();
        let endless = move || async move {
            let ended = Ended(ended);
            let bytes = stream::repeat_with(move || {
                let _held = &ended;
                Ok::<_, Infallible>(Bytes::from_static(&[0; 65_536]))
            });
            Body::from_stream(bytes)
        };
        let alive = || async {
            let nothing = stream::pending::<Result<Event, Infallible>>();
            Sse::new(nothing).keep_alive(KeepAlive::new().interval(SHORT / 8))
        };
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Router::new()
            .route("/endless", get(endless))
            .route("/alive", get(alive));
        runtime.spawn(axum::serve(Lasting::new(listener, SHORT), routes).into_future());

        let mut stream = BufReader::new(connect(address, "/alive")).lines();
        let reading = thread::spawn(move || {
            let comments = stream
                .by_ref()
                .filter(|line| line.as_deref().unwrap().starts_with(':'));
            comments.take(24).count()
        });
        let unread = connect(address, "/endless");
        let mut silent = connect(address, "");
        assert_eq!(silent.read(&mut [0]).unwrap(), 0, "a silent one is closed");
        has_ended.recv().unwrap();
        drop(unread);
        assert_eq!(
            reading.join().unwrap(),
            24,
            "three times as long as is idle"
        );
    }
}
