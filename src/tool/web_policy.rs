//! What the model file says of tools that read web pages.

use serde::Deserialize;

/// What tools of the web may do.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebPolicy {
    /// The hosts that may be asked: `example.org` itself, `*.example.org` for all below it.
    pub hosts: Vec<String>,
    /// Hosts among them that may be in a private network or on this machine.
    pub private: Vec<String>,
    /// The most bytes of a page.
    pub longest_page: usize,
    /// The most redirects of one fetch.
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
    /// What is wrong with it, as `field: what would be right`.
    pub(crate) fn problems(&self) -> Vec<String> {
        let bad = |host: &&String| {
            let name = host.strip_prefix("*.").unwrap_or(host);
            name.is_empty() || name.contains(['/', '*', ' ', '@']) || name.contains("://")
        };
        let hosts = self.hosts.iter().chain(&self.private).filter(bad);
        let mut found: Vec<_> = hosts
            .map(|host| format!("'{host}' is no host; write it like example.org or *.example.org"))
            .collect();
        let right = |seconds: f64| (0.1..=3_600.0).contains(&seconds);
        if !right(self.seconds) || !(0.0..=86_400.0).contains(&self.keep) {
            found.push("seconds must be from 0.1 to 3600, keep from 0 to 86400".into());
        }
        found
    }
}
