//! The server: connections, routes, and what every answer says of itself.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use playhouse_engine::locale::{Language, text};
use tokio::net::TcpListener;

use super::access::Access;
use super::answer::Failure;
use super::connections::{ConnectionLimiter, Permit, SentBody};
use super::error::ServerError;
use super::library::Library;
use super::shared::Shared;
use super::{pages, routes, stream};

/// The longest time until the head of the next request on a connection is there. A browser keeps
/// connections that it does not use, and a request that meets the end of one is lost to it: a page
/// without one of its scripts is dead. So the time is that of common servers.
const HEAD_TIME: Duration = Duration::from_secs(75);
/// The largest body of a request, in bytes, and the longest time until it is there.
const BODY: usize = 64 * 1024;
const BODY_TIME: Duration = Duration::from_secs(10);

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// Serves the stories of a library.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl Server {
    /// A server that listens at an address; port 0 takes a free one. It answers once it
    /// [runs](Self::run).
    ///
    /// # Errors
    /// The address can't be used.
    pub async fn new(
        address: SocketAddr,
        library: Arc<dyn Library>,
        language: Language,
        has_seats: bool,
    ) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let access = Access::new(address, has_seats)?;
        let shared = Shared {
            library,
            access: Arc::new(access),
            language,
        };
        Ok(Self {
            listener,
            shared: Arc::new(shared),
        })
    }

    /// Who may see what.
    pub fn access(&self) -> Arc<Access> {
        self.shared.access.clone()
    }

    /// Answers requests until it is dropped.
    pub async fn run(self) {
        let limiter = ConnectionLimiter::default();
        let router = TowerToHyperService::new(router(self.shared));
        loop {
            let (stream, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    // Out of files, most likely: some will be closed.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Some(permit) = limiter.acquire(peer.ip()) else {
                tracing::warn!(%peer, "there are too many connections");
                continue;
            };
            let (router, own) = (router.clone(), permit.clone());
            let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
                let busy = if request.body().is_end_stream() {
                    own.begin()
                } else {
                    own.begin_body()
                };
                let permit = own.clone();
                let ip = peer.ip();
                request.extensions_mut().insert(Peer { ip, permit });
                let answer = router.call(request);
                async move {
                    let answer: Response<Body> = answer.await?;
                    Ok::<_, Infallible>(answer.map(|body| SentBody::new(body, busy)))
                }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .serve_connection(TokioIo::new(stream), service);
            let own = permit.clone();
            let running = tokio::spawn(async move {
                // A client that disconnects wants no more.
                let _ = connection.await;
                drop(own);
            });
            permit.is_run_by(running.abort_handle());
        }
    }
}

/// Where a request comes from.
#[derive(Clone)]
struct Peer {
    ip: IpAddr,
    permit: Permit,
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(pages::stories))
        .route("/story/{slot}", get(pages::story))
        .route("/enter/{token}", get(pages::enter))
        .route("/seat/{token}", get(pages::enter))
        .route("/assets/{name}", get(pages::asset))
        .route("/api/labels", get(routes::labels))
        .route("/api/stories", get(routes::stories))
        .route("/api/{slot}/stream", get(stream::stream))
        .route("/api/{slot}/do", post(routes::steer))
        .route("/api/{slot}/seat", get(routes::seat).post(routes::answer))
        .route("/api/{slot}/{what}", get(routes::get))
        .route("/api/{slot}/{what}/{which}", get(routes::get_one))
        .fallback(nothing_here)
        .layer(from_fn_with_state(shared.clone(), check))
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(shared)
}

async fn nothing_here(State(shared): State<Arc<Shared>>) -> Failure {
    Failure::missing(shared.language)
}

/// A request with its whole body, unless that is too long, or too long in coming.
async fn whole(request: Request) -> Result<Request, StatusCode> {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(BODY_TIME, to_bytes(body, BODY)).await {
        Ok(Ok(body)) => Ok(Request::from_parts(head, body.into())),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Refuses what is not ours, and adds what browsers need to know to every answer.
async fn check(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Result<Response<Body>, Infallible> {
    let peer = request.extensions().get::<Peer>().cloned();
    let access = &shared.access;
    // What browsers keep anyway is not counted.
    let in_time = request.uri().path().starts_with("/assets/")
        || peer
            .as_ref()
            .is_none_or(|peer| access.has_time_for(peer.ip, request.headers()));
    // Nobody waits for what a stranger has to say.
    let is_strange = !request.body().is_end_stream() && access.visitor(request.headers()).is_none();
    let mut response = if !shared.access.allows(request.method(), request.headers()) {
        Failure::new(StatusCode::FORBIDDEN, text!(page_foreign), shared.language).into_response()
    } else if !in_time {
        let status = StatusCode::TOO_MANY_REQUESTS;
        let failure = Failure::new(status, text!(page_too_many), shared.language);
        ([(header::RETRY_AFTER, "1")], failure).into_response()
    } else if is_strange {
        Failure::forbidden(shared.language).into_response()
    } else {
        match whole(request).await {
            Ok(request) => {
                let _busy = peer.map(|peer| peer.permit.begin());
                next.run(request).await
            }
            Err(status) => {
                Failure::new(status, text!(page_too_long), shared.language).into_response()
            }
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let cache = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(cache);
    Ok(response)
}
