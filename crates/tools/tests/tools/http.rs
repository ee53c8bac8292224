//! A tiny HTTP server on loopback that answers by a function.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server that runs until it is dropped.
pub(crate) struct HttpServer {
    pub(crate) port: u16,
    requests: Arc<AtomicUsize>,
    running: JoinHandle<()>,
}

impl HttpServer {
    /// Answers every request by `answer`.
    pub(crate) async fn start<B, F>(
        answer: impl Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Response<B>> + Send + 'static,
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = requests.clone();
        let running = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, counted) = (answer.clone(), counted.clone());
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        counted.fetch_add(1, Ordering::SeqCst);
                        let answering = answer(request);
                        async move { Ok::<_, Infallible>(answering.await) }
                    });
                    let connection = hyper::server::conn::http1::Builder::new();
                    let _ = connection
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Self {
            port,
            requests,
            running,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.running.abort();
    }
}
