//! HTTP clients, all with the same cryptography, name and no redirects of their own.

use reqwest::{Client, ClientBuilder, redirect};

/// What every client is built from. It follows no redirects.
pub(crate) fn client_builder() -> ClientBuilder {
    // It fails if there is a default already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(redirect::Policy::none())
        .user_agent(concat!("playhouse/", env!("CARGO_PKG_VERSION")))
}
