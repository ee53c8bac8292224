//! Tools of the web against a real server on loopback.

use std::time::Duration;

use crate::has;
use crate::http::HttpServer;
use hyper::body::Incoming;
use hyper::{Request, Response};
use playhouse_tools::{ToolTrace, Toolbox, WebPolicy, allow_web};
use serde_json::{Value, json};

const PAGE: &str =
    "<!doctype html><title>The Inn</title><p>Two beds.<script>x</script><p class=price>12 pence";

async fn page(request: Request<Incoming>) -> Response<String> {
    let path = request.uri().path().to_owned();
    let host = request.headers()["host"].to_str().unwrap();
    let port = host.rsplit(':').next().unwrap().to_owned();
    let response = |status: u16, header: &str, value: &str, body: &str| {
        let response = Response::builder().status(status).header(header, value);
        response.body(body.to_owned()).unwrap()
    };
    let answer = |status, kind: &str, body: &str| response(status, "content-type", kind, body);
    let redirect = |to: &str| response(302, "location", to, "");
    match path.as_str() {
        "/inn" => answer(200, "text/html; charset=utf-8", PAGE),
        "/plain" => answer(200, "text/plain", "<b>as it is</b>"),
        "/long" => answer(200, "text/html", &"x".repeat(60_000)),
        "/picture" => answer(200, "image/png", "PNG"),
        "/once" => redirect("/inn"),
        "/round" => redirect("/round"),
        "/home" => redirect(&format!("http://127.0.0.1:{port}/inn")),
        "/elsewhere" => redirect("http://example.org/"),
        "/slow" => {
            tokio::time::sleep(Duration::from_secs(30)).await;
            answer(200, "text/html", PAGE)
        }
        _ => answer(404, "text/html", "gone"),
    }
}

/// The tools, allowed to ask this machine under one of its names only.
fn tools() -> Toolbox {
    let mut tools = Toolbox::standard();
    let policy = WebPolicy {
        hosts: vec!["localhost".into(), "127.0.0.1".into()],
        private: vec!["localhost".into()],
        longest_page: 50_000,
        seconds: 2.0,
        ..WebPolicy::default()
    };
    allow_web(&mut tools, &policy);
    tools
}

async fn call(tools: &Toolbox, name: &str, arguments: Value) -> Result<String, String> {
    let (tool, time) = (tools.get(name).unwrap(), Duration::from_secs(20));
    let running = tool.start_async(&arguments.to_string(), time, &ToolTrace::default());
    running.unwrap().await.map_err(|error| error.to_string())
}

async fn fetch(tools: &Toolbox, arguments: Value) -> Result<String, String> {
    call(tools, "fetch_web_content", arguments).await
}

#[tokio::test]
async fn a_page_is_read_fetched_once_and_followed_where_it_leads() {
    let server = HttpServer::start(page).await;
    let (tools, base) = (tools(), format!("http://localhost:{}", server.port));
    let read = async |path: &str| {
        let arguments = json!({"url": format!("{base}{path}")});
        fetch(&tools, arguments).await.unwrap()
    };
    let inn = "The Inn\nTwo beds.\n12 pence";
    assert_eq!(read("/inn").await, inn);
    assert_eq!(read("/inn").await, inn);
    assert_eq!(server.count(), 1, "the second time it was kept");
    assert_eq!(read("/once").await, inn);
    assert_eq!(read("/plain").await, "<b>as it is</b>");
    let raw = json!({"url": format!("{base}/inn"), "html": true});
    assert_eq!(fetch(&tools, raw).await.unwrap(), PAGE);
}

#[tokio::test]
async fn what_may_not_be_fetched_is_refused_with_a_reason() {
    let server = HttpServer::start(page).await;
    let (tools, port) = (tools(), server.port);
    let here = |path: &str| format!("http://localhost:{port}/{path}");
    for (url, said) in [
        (here("long"), "longer than 50000 bytes"),
        (here("picture"), "no text but image/png"),
        (here("gone"), "404"),
        (here("round"), "more than 5 redirects"),
        (here("slow"), "timed out"),
        // Allowed by name, but a private address that is not listed; directly, and by a redirect.
        (format!("http://127.0.0.1:{port}/inn"), "private network"),
        (here("home"), "private network"),
        (here("elsewhere"), "may not be asked"),
        ("http://example.org/".into(), "may not be asked"),
    ] {
        let refused = fetch(&tools, json!({"url": url})).await.unwrap_err();
        has(&refused, &[said]);
    }
    let mut none = Toolbox::standard();
    allow_web(&mut none, &WebPolicy::default());
    let refused = fetch(&none, json!({"url": "http://example.org/"})).await;
    has(&refused.unwrap_err(), &["model file"]);
}

#[tokio::test]
async fn information_is_extracted_from_a_page_or_from_html() {
    let server = HttpServer::start(page).await;
    let tools = tools();
    let extract = async |arguments| call(&tools, "extract_information", arguments).await;
    let (url, rules) = (
        format!("http://localhost:{}/inn", server.port),
        json!({"price": ".price"}),
    );
    let from_page = json!({"url": url, "rules": rules, "fields": ["title"]});
    let found: Value = serde_json::from_str(&extract(from_page).await.unwrap()).unwrap();
    assert_eq!(found, json!({"title": "The Inn", "price": "12 pence"}));
    let from_html = json!({"html": PAGE, "rules": rules});
    assert_eq!(extract(from_html).await.unwrap(), r#"{"price":"12 pence"}"#);
    let of = |member: &str, value: Value| json!({"html": PAGE, member: value});
    for (wrong, said) in [
        (json!({"rules": rules}), "either `url` or `html`"),
        (json!({"html": PAGE}), "what to extract"),
        (of("fields", json!(["price"])), "fields[0]: unknown variant"),
        (of("rules", json!({"a": "<"})), "no CSS selector"),
        (of("rules", json!({"a": 3})), "rules"),
    ] {
        has(&extract(wrong).await.unwrap_err(), &[said]);
    }
}
