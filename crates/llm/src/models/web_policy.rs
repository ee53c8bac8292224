//! What tools may read on the web, as in the model file.

use playhouse_engine::locale::{UiText, text};
use serde::Deserialize;

/// What tools may read on the web.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebPolicy {
    /// The hosts that may be accessed: `example.org` itself, `*.example.org` for all below it.
    pub hosts: Vec<String>,
    /// Hosts among them that may be in a private network or on this machine.
    pub private: Vec<String>,
    /// The maximum number of bytes of a page.
    pub longest_page: usize,
    /// The maximum number of redirects of one fetch.
    pub redirects: usize,
    /// Seconds that one fetch may take.
    pub seconds: f64,
    /// Seconds for which a page is kept, so that it is not fetched twice.
    pub keep: f64,
}

impl Default for WebPolicy {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            private: Vec::new(),
            longest_page: 1_000_000,
            redirects: 5,
            seconds: 20.0,
            keep: 300.0,
        }
    }
}

impl WebPolicy {
    /// Its problems, each with its field.
    pub(super) fn problems(&self) -> Vec<UiText> {
        let is_bad = |host: &&String| {
            let name = host.strip_prefix("*.").unwrap_or(host);
            name.is_empty() || name.contains(['/', '*', ' ', '@']) || name.contains("://")
        };
        let hosts = self.hosts.iter().chain(&self.private).filter(is_bad);
        let mut found: Vec<_> = hosts.map(|host| text!(tool_web_host, host)).collect();
        let is_right = |seconds: f64| (0.1..=3_600.0).contains(&seconds);
        if !is_right(self.seconds) || !(0.0..=86_400.0).contains(&self.keep) {
            found.push(text!(tool_web_times));
        }
        found
    }
}
