//! Tools of the web against a real server on loopback.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use crate::http::HttpServer;
use hyper::body::Incoming;
use hyper::{Request, Response};
use playhouse::tool::{ToolTrace, Toolbox, WebPolicy, allow_web};
use serde_json::{Value, json};

const PAGE: &str =
    "<!doctype html><title>The Inn</title><p>Two beds.<script>x</script><p class=price>12 pence";

async fn page(request: Request<Incoming>) -> Response<String> {
    let path = request.uri().path().to_owned();
    let port = request.headers()["host"]
        .to_str()
        .unwrap()
        .rsplit(':')
        .next()
        .unwrap()
        .to_owned();
    let answer = |status: u16, kind: &str, body: &str| {
        let response = Response::builder()
            .status(status)
            .header("content-type", kind);
        response.body(body.to_owned()).unwrap()
    };
    let redirect = |to: String| {
        let response = Response::builder().status(302).header("location", to);
        response.body(String::new()).unwrap()
    };
    match path.as_str() {
        "/inn" => answer(200, "text/html; charset=utf-8", PAGE),
        "/plain" => answer(200, "text/plain", "<b>as it is</b>"),
        "/long" => answer(200, "text/html", &"x".repeat(60_000)),
        "/picture" => answer(200, "image/png", "PNG"),
        "/once" => redirect("/inn".into()),
        "/round" => redirect("/round".into()),
        "/home" => redirect(format!("http://127.0.0.1:{port}/inn")),
        "/elsewhere" => redirect("http://example.org/".into()),
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
    let tool = tools.get(name).unwrap();
    let running = tool
        .start_async(
            &arguments.to_string(),
            Duration::from_secs(20),
            &ToolTrace::default(),
        )
        .unwrap();
    running.await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_page_is_read_fetched_once_and_followed_where_it_leads() {
    let server = HttpServer::start(page).await;
    let (tools, base) = (tools(), format!("http://localhost:{}", server.port));
    let fetch = async |path: &str| {
        call(
            &tools,
            "fetch_web_content",
            json!({"url": format!("{base}{path}")}),
        )
        .await
    };
    assert_eq!(fetch("/inn").await.unwrap(), "The Inn\nTwo beds.\n12 pence");
    assert_eq!(fetch("/inn").await.unwrap(), "The Inn\nTwo beds.\n12 pence");
    assert_eq!(server.count(), 1, "the second time it was kept");
    assert_eq!(
        fetch("/once").await.unwrap(),
        "The Inn\nTwo beds.\n12 pence"
    );
    assert_eq!(fetch("/plain").await.unwrap(), "<b>as it is</b>");
    let raw = json!({"url": format!("{base}/inn"), "html": true});
    assert_eq!(call(&tools, "fetch_web_content", raw).await.unwrap(), PAGE);
}

#[tokio::test]
async fn what_may_not_be_fetched_is_refused_with_a_reason() {
    let server = HttpServer::start(page).await;
    let (tools, port) = (tools(), server.port);
    for (url, said) in [
        (
            format!("http://localhost:{port}/long"),
            "longer than 50000 bytes",
        ),
        (
            format!("http://localhost:{port}/picture"),
            "no text but image/png",
        ),
        (format!("http://localhost:{port}/gone"), "404"),
        (
            format!("http://localhost:{port}/round"),
            "more than 5 redirects",
        ),
        (format!("http://localhost:{port}/slow"), "timed out"),
        // Allowed by name, but a private address that is not listed; directly, and by a redirect.
        (format!("http://127.0.0.1:{port}/inn"), "private network"),
        (format!("http://localhost:{port}/home"), "private network"),
        (
            format!("http://localhost:{port}/elsewhere"),
            "may not be asked",
        ),
        ("http://example.org/".into(), "may not be asked"),
    ] {
        let refused = call(&tools, "fetch_web_content", json!({"url": url}))
            .await
            .unwrap_err();
        assert!(refused.contains(said), "{url}: {refused}");
    }
    let mut none = Toolbox::standard();
    allow_web(&mut none, &WebPolicy::default());
    let refused = call(
        &none,
        "fetch_web_content",
        json!({"url": "http://example.org/"}),
    )
    .await;
    assert!(refused.unwrap_err().contains("model file"));
}

#[tokio::test]
async fn information_is_extracted_from_a_page_or_from_html() {
    let server = HttpServer::start(page).await;
    let tools = tools();
    let rules = json!({"price": ".price"});
    let from_page = json!({"url": format!("http://localhost:{}/inn", server.port), "rules": rules, "fields": ["title"]});
    let found = call(&tools, "extract_information", from_page)
        .await
        .unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found, json!({"title": "The Inn", "price": "12 pence"}));
    let from_html = json!({"html": PAGE, "rules": rules});
    let found = call(&tools, "extract_information", from_html)
        .await
        .unwrap();
    assert_eq!(found, r#"{"price":"12 pence"}"#);
    for (wrong, said) in [
        (json!({"rules": rules}), "either `url` or `html`"),
        (json!({"html": PAGE}), "what to extract"),
        (
            json!({"html": PAGE, "fields": ["price"]}),
            "fields[0]: unknown variant",
        ),
        (
            json!({"html": PAGE, "rules": {"a": "<"}}),
            "no CSS selector",
        ),
        (json!({"html": PAGE, "rules": {"a": 3}}), "rules"),
    ] {
        let refused = call(&tools, "extract_information", wrong)
            .await
            .unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
}
