//! HTTP clients, all with the same cryptography, name and no redirects of their own; and what of a
//! URL people may see.

use playhouse_engine::secrets::remember;
use reqwest::{Client, ClientBuilder, Url, redirect};

/// Lets the clients of this process have the same cryptography.
pub fn use_ring() {
    // It fails if there is a default already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// What every client is built from. It follows no redirects.
pub fn client_builder() -> ClientBuilder {
    use_ring();
    Client::builder()
        .redirect(redirect::Policy::none())
        .user_agent(concat!("playhouse/", env!("CARGO_PKG_VERSION")))
}

/// A URL for people: without user name, password and query, and without parts of its path that may
/// be keys.
pub fn shown_url(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    let parts: Vec<_> = path
        .split('/')
        .map(|part| if may_be_key(part) { "…" } else { part })
        .collect();
    format!("{}{}", url.origin().ascii_serialization(), parts.join("/"))
}

/// Makes secrets of all that [`shown_url`] leaves out.
pub fn keep_secrets_of(url: &Url) {
    for part in url.path().split('/').filter(|part| may_be_key(part)) {
        remember(part);
    }
    remember(url.password().unwrap_or_default());
    for (_, value) in url.query_pairs() {
        remember(&value);
    }
}

/// Whether a part of a path looks like a key: long, with letters and digits.
fn may_be_key(part: &str) -> bool {
    const LONG: usize = 20;
    let has = |is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
    part.len() >= LONG && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::secrets::redact;

    #[test]
    fn whatever_may_be_a_key_is_left_out_of_a_url() {
        let url = "https://me:pass-w0rd-1@x.org/v1/0123456789abcdef0123/gateway?key=query-s3cret";
        let url = Url::parse(url).unwrap();
        assert_eq!(shown_url(&url), "https://x.org/v1/…/gateway");
        keep_secrets_of(&url);
        let echoed = redact("pass-w0rd-1 0123456789abcdef0123 query-s3cret");
        assert_eq!(echoed, "*** *** ***");
        let ordinary = "https://x.org/api/v1/services/aigc/text-generation/generation";
        assert_eq!(shown_url(&Url::parse(ordinary).unwrap()), ordinary);
    }
}
