//! Fetching pages: pooled, kept for a while, and bounded in size, time, redirects and hosts.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use playhouse_llm::http_client::client_builder;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url};
use tokio::time::Instant;

use super::address::{is_listed, is_public};
use crate::ToolError;
use crate::WebPolicy;
use crate::web_error::WebError;

/// The most pages that are kept at once.
const MOST_KEPT: usize = 64;

/// A page as it came.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) text: Arc<str>,
    pub(super) is_html: bool,
}

/// Fetches pages under a policy.
pub(super) struct Fetcher {
    policy: WebPolicy,
    /// Made at the first fetch, since it reads the system's certificates; `None` if it has none.
    client: OnceLock<Option<Client>>,
    /// By address, the oldest first.
    kept: Mutex<IndexMap<String, (Instant, Page)>>,
}

impl Fetcher {
    pub(super) fn new(policy: WebPolicy) -> Self {
        Self {
            policy,
            client: OnceLock::new(),
            kept: Mutex::default(),
        }
    }

    fn client(&self) -> Option<&Client> {
        let make = || {
            let resolver = PublicResolver {
                private: self.policy.private.clone().into(),
            };
            let seconds = self.policy.seconds.clamp(0.1, 3_600.0);
            // A proxy would look names up for us, where we can't check what they lead to.
            let client = client_builder()
                .no_proxy()
                .dns_resolver(Arc::new(resolver))
                .timeout(Duration::from_secs_f64(seconds));
            client.build().ok()
        };
        self.client.get_or_init(make).as_ref()
    }

    /// Fetches a page, or takes it from those that are kept.
    pub(super) async fn fetch(&self, address: &str) -> Result<Page, ToolError> {
        let mut url = self.allowed(address)?;
        let key = url.to_string();
        if let Some(page) = self.kept(&key) {
            return Ok(page);
        }
        for _ in 0..=self.policy.redirects {
            let response = self.get(url.clone()).await?;
            let Some(next) = redirect_of(&response, &url) else {
                let page = self.read(response).await?;
                self.keep(key, &page);
                return Ok(page);
            };
            url = self.allowed(&next?)?;
        }
        Err(WebError::Redirects(self.policy.redirects).into())
    }

    /// The address, if it may be asked.
    fn allowed(&self, address: &str) -> Result<Url, ToolError> {
        let url = Url::parse(address.trim())
            .map_err(|error| WebError::Address(address.into(), error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(WebError::Scheme(url.scheme().into()).into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(WebError::Login.into());
        }
        let host = url
            .host_str()
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']');
        if !is_listed(host, &self.policy.hosts) {
            if self.policy.hosts.is_empty() {
                return Err(WebError::NoHost.into());
            }
            let hosts = self.policy.hosts.join(", ");
            return Err(WebError::Host(host.into(), hosts).into());
        }
        // Names are looked up and checked by the client's resolver; numbers never get there.
        if let Ok(number) = host.parse::<IpAddr>()
            && !is_public(number)
            && !is_listed(host, &self.policy.private)
        {
            return Err(WebError::Private(host.into()).into());
        }
        Ok(url)
    }

    async fn get(&self, url: Url) -> Result<Response, ToolError> {
        let client = self.client().ok_or(WebError::NoConnections)?;
        let response = client.get(url).send().await;
        response.map_err(|error| failed(error).into())
    }

    async fn read(&self, mut response: Response) -> Result<Page, ToolError> {
        let status = response.status();
        if !status.is_success() {
            return Err(WebError::Status(status.to_string()).into());
        }
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        if !is_text(&kind) {
            return Err(WebError::NoText(kind).into());
        }
        let longest = self.policy.longest_page;
        let too_long = || Err(WebError::TooLong(longest).into());
        if response
            .content_length()
            .is_some_and(|length| length > longest as u64)
        {
            return too_long();
        }
        let mut bytes = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(failed)?;
            let Some(chunk) = chunk else { break };
            if bytes.len() + chunk.len() > longest {
                return too_long();
            }
            bytes.extend_from_slice(&chunk);
        }
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        let start = text
            .trim_start()
            .get(..15)
            .unwrap_or_default()
            .to_ascii_lowercase();
        Ok(Page {
            is_html: kind.contains("html")
                || start.starts_with("<!doctype html")
                || start.starts_with("<html"),
            text,
        })
    }

    fn kept(&self, key: &str) -> Option<Page> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let keep = Duration::from_secs_f64(self.policy.keep.clamp(0.0, 86_400.0));
        kept.retain(|_, (since, _)| since.elapsed() < keep);
        kept.get(key).map(|(_, page)| page.clone())
    }

    fn keep(&self, key: String, page: &Page) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.shift_remove(&key);
        if kept.len() >= MOST_KEPT {
            kept.shift_remove_index(0);
        }
        kept.insert(key, (Instant::now(), page.clone()));
    }
}

/// Where a response leads, if it leads on.
fn redirect_of(response: &Response, from: &Url) -> Option<Result<String, ToolError>> {
    if !response.status().is_redirection() {
        return None;
    }
    let to = response
        .headers()
        .get(LOCATION)?
        .to_str()
        .ok()
        .and_then(|to| from.join(to).ok());
    Some(
        to.map(String::from)
            .ok_or_else(|| WebError::LeadsNowhere.into()),
    )
}

fn is_text(kind: &str) -> bool {
    kind.is_empty()
        || kind.starts_with("text/")
        || kind.ends_with("+xml")
        || kind.ends_with("+json")
        || matches!(
            kind,
            "application/json" | "application/xml" | "application/xhtml+xml"
        )
}

/// The cause that lies deepest; the outer ones only say that there is one.
fn failed(error: reqwest::Error) -> WebError {
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    match cause.downcast_ref() {
        Some(WebError::Private(host)) => WebError::Private(host.clone()),
        _ => WebError::Connection(cause.to_string()),
    }
}

/// Looks names up and leaves out what is not public.
struct PublicResolver {
    private: Arc<[String]>,
}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let may_be_private = is_listed(name.as_str(), &self.private);
        Box::pin(async move {
            let host = name.as_str();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0))
                .await?
                .filter(|address| may_be_private || is_public(address.ip()))
                .collect();
            if found.is_empty() {
                return Err(WebError::Private(host.into()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(policy: WebPolicy, address: &str) -> String {
        let refused = Fetcher::new(policy).allowed(address);
        refused.unwrap_err().to_string()
    }

    #[test]
    fn an_address_is_checked_before_anything_is_sent() {
        let policy = || WebPolicy {
            hosts: ["example.org", "127.0.0.1", "10.0.0.8", "::1", "0x7f.1"]
                .map(Into::into)
                .into(),
            private: vec!["10.0.0.8".into()],
            ..WebPolicy::default()
        };
        for (address, said) in [
            ("no address", "is no address"),
            ("file:///etc/passwd", "only http and https"),
            ("http://me:pw@example.org/", "name or password"),
            ("http://example.com/", "allowed are example.org"),
            ("http://example.org.evil.test/", "may not be asked"),
            ("http://127.0.0.1:8080/", "private network"),
            ("http://[::1]/", "private network"),
            // Numbers in other spellings are the same numbers.
            ("http://2130706433/", "private network"),
            ("http://0x7f.1/", "private network"),
            ("http://0177.0.0.1/", "private network"),
        ] {
            let refused = refusal(policy(), address);
            assert!(refused.contains(said), "{address}: {refused}");
        }
        assert!(refusal(WebPolicy::default(), "http://example.org/").contains("model file"));
        let fetcher = Fetcher::new(policy());
        for address in [
            "https://example.org/a?b",
            "http://EXAMPLE.org:81",
            "http://10.0.0.8/",
        ] {
            assert!(fetcher.allowed(address).is_ok(), "{address}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_unless_it_is_listed() {
        let resolve = |private: &[&str]| {
            let resolver = PublicResolver {
                private: private.iter().map(ToString::to_string).collect(),
            };
            resolver.resolve("localhost".parse().unwrap())
        };
        let refused = resolve(&[]).await.err().unwrap();
        assert!(
            refused.to_string().contains("must be allowed by name"),
            "{refused}"
        );
        assert!(resolve(&["localhost"]).await.is_ok());
    }
}
