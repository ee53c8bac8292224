//! Servers whose certificates the model file names.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use playhouse_engine::context::AgentContext;
use playhouse_engine::message::Body;
use playhouse_engine::mind::{Completion, FailedCall, Prompt};
use playhouse_llm::models::Models;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A certificate that signed itself, and its key.
const SELF_SIGNED: &str = "tests/llm/self_signed.pem";

/// A server with that certificate, which says yes to each request; returns its port.
fn serve() -> u16 {
    let pem = std::fs::read(SELF_SIGNED).unwrap();
    let certificate = CertificateDer::from_pem_slice(&pem).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&pem).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            // Whoever does not trust it closes the connection.
            let _ = answer(StreamOwned::new(connection, stream));
        }
    });
    port
}

fn answer(mut stream: impl Read + Write) -> std::io::Result<()> {
    let (mut request, mut bytes) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"}") {
        let count = stream.read(&mut bytes)?;
        request.extend_from_slice(&bytes[..count]);
    }
    let body = r#"{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}"#;
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length:";
    write!(stream, "{head} {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

async fn asked(port: u16, settings: &str) -> Result<Completion, FailedCall> {
    let file = format!(
        r#"(providers: {{"own": (base_url: "https://localhost:{port}", retry: (times: 0), {settings})}},
            models: {{"m": (provider: "own", model: "m")}})"#
    );
    let models = Models::load(&file, "own.ron", &|_| None).unwrap();
    let mind = models.mind("m").unwrap();
    let history = AgentContext::new("Mira");
    let question = Body::text("Well?");
    mind.answer(&Prompt {
        max_tokens: 100,
        ..Prompt::new("test", &history, &question)
    })
    .await
}

#[tokio::test]
async fn a_certificate_that_signed_itself_is_trusted_if_it_is_named() {
    let port = serve();
    let unknown = asked(port, "").await.unwrap_err().to_string();
    assert!(unknown.contains("as `ca`"), "{unknown}");
    let named = asked(port, &format!("ca: \"{SELF_SIGNED}\""))
        .await
        .unwrap();
    assert_eq!(named.text, "Yes.");
}

#[test]
fn a_file_without_certificates_is_refused() {
    let file = r#"(providers: {"own": (base_url: "https://localhost", ca: "Cargo.toml")},
        models: {"m": (provider: "own", model: "m")})"#;
    let models = Models::load(file, "own.ron", &|_| None).unwrap();
    let Err(error) = models.mind("m") else {
        panic!("it has none");
    };
    assert!(error.to_string().contains("Cargo.toml"), "{error}");
}
