//! The server: connections, routes, and what every answer says of itself.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use playhouse_engine::locale::{Language, text};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::access::Access;
use super::answer::Failure;
use super::connection::{IDLE, Lasting};
use super::draft::{self, Drafts};
use super::error::ServerError;
use super::library::{Figure, Library, LibraryError};
use super::shared::Shared;
use super::{book, pages, routes, stream};

/// The largest body of a request, in bytes.
const BODY: usize = 64 * 1024;
/// How many stories are played again at a time.
const REPLAYS: usize = 2;
/// How long a body may take to come.
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
            drafts: Drafts::default(),
            language,
            replays: Arc::new(Semaphore::new(REPLAYS)),
        };
        Ok(Self {
            listener,
            shared: Arc::new(shared),
        })
    }

    pub fn access(&self) -> Arc<Access> {
        self.shared.access.clone()
    }

    /// Answers requests until it is dropped.
    pub async fn run(self) {
        serve(self.listener, router(self.shared)).await;
    }
}

/// What is told to whoever watches over a process.
pub type Figures = dyn Fn() -> Result<Vec<Figure>, LibraryError> + Send + Sync;

/// Answers at an address until it is dropped, to everybody: `/metrics` with figures, `/ready` if
/// there are any, `/health` always, and nothing else.
///
/// # Errors
/// The address can't be used.
pub async fn monitor(
    address: SocketAddr,
    figures: Arc<Figures>,
) -> Result<impl Future<Output = ()>, ServerError> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|source| ServerError::Listen { address, source })?;
    let router = Router::new()
        .route("/metrics", get(routes::metrics))
        .route("/ready", get(is_ready))
        .route("/health", get(async || ()));
    Ok(serve(listener, router.with_state(figures)))
}

async fn is_ready(figures: State<Arc<Figures>>) -> Result<(), StatusCode> {
    routes::metrics(figures).await.map(drop)
}

/// Connections that can't be accepted are tried again, so that this never ends.
async fn serve(listener: TcpListener, router: Router) {
    let _ = axum::serve(Lasting::new(listener, IDLE), router).await;
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(pages::stories))
        .route("/story/{slot}", get(pages::story))
        .route("/story/{slot}/book", get(book::whole))
        .route("/story/{slot}/book/{chapter}", get(book::chapter))
        .route("/enter/{token}", get(pages::enter))
        .route("/seat/{token}", get(pages::enter))
        .route("/assets/{name}", get(pages::asset))
        .route("/health", get(routes::health))
        .route("/api/labels", get(routes::labels))
        .route("/api/stories", get(routes::stories).post(routes::begin))
        .route("/api/{slot}/stream", get(stream::stream))
        .route("/api/{slot}/do", post(routes::steer))
        .route("/api/{slot}/draft", post(draft::draft))
        .route("/api/{slot}/seat", get(routes::seat).post(routes::answer))
        .route("/api/{slot}/{what}", get(routes::get))
        .route("/api/{slot}/{what}/{which}", get(routes::get_one))
        .fallback(nothing_here)
        .layer(from_fn_with_state(shared.clone(), check))
        .with_state(shared)
}

async fn nothing_here(State(shared): State<Arc<Shared>>) -> Failure {
    Failure::missing(shared.language)
}

/// Refuses what is not ours, and adds what browsers need to know to every answer.
async fn check(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Result<Response<Body>, Infallible> {
    let mut response = match admit(&shared, request).await {
        Ok(request) => next.run(request).await,
        Err(failure) => failure.into_response(),
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

/// A request of a page of ours with its whole body, or why it is refused.
async fn admit(shared: &Shared, request: Request) -> Result<Request, Failure> {
    let language = shared.language;
    if !shared.access.allows(request.method(), request.headers()) {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            text!(page_foreign),
            language,
        ));
    }
    let (head, body) = request.into_parts();
    // Nobody waits for what a stranger has to say.
    if !body.is_end_stream() && shared.access.visitor(&head.headers).is_none() {
        return Err(Failure::forbidden(language));
    }
    let refused = |status| Failure::new(status, text!(page_too_long), language);
    let body = timeout(BODY_TIME, to_bytes(body, BODY))
        .await
        .map_err(|_| refused(StatusCode::REQUEST_TIMEOUT))?
        .map_err(|_| refused(StatusCode::PAYLOAD_TOO_LARGE))?;
    Ok(Request::from_parts(head, body.into()))
}
