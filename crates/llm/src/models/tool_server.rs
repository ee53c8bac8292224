//! A server of tools as in the model file.

use std::time::Duration;

use playhouse_engine::locale::{UiText, text};
use serde::Deserialize;

use crate::http_client::{keep_secrets_of, shown_url};

/// A server of tools: a command to run, or an address to reach.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolServer {
    /// The program of the server, which uses its standard input and output.
    pub command: Option<String>,
    pub args: Vec<String>,
    /// Environment variables that the program sees beside harmless ones such as `PATH` and `HOME`.
    pub env: Vec<String>,
    /// The address of a running server, such as `http://localhost:8931/mcp`.
    pub url: Option<String>,
    /// The environment variable with its bearer token.
    pub token_env: Option<String>,
    /// The tools that may be used; empty for all.
    pub tools: Vec<String>,
    /// Seconds within which it must have listed its tools; 30 by default.
    pub start: Option<f64>,
    /// Seconds that one call may take; 60 by default.
    pub call: Option<f64>,
}

/// How to connect to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection<'a> {
    /// To a process of its own.
    Process {
        command: &'a str,
        /// What the program is given.
        arguments: &'a [String],
    },
    /// To a running server.
    Http { url: &'a str },
}

impl ToolServer {
    /// How to connect to it; `None` if the file says nothing, or two things.
    pub fn connection(&self) -> Option<Connection<'_>> {
        match (&self.command, &self.url) {
            (Some(command), None) => Some(Connection::Process {
                command,
                arguments: &self.args,
            }),
            (None, Some(url)) => Some(Connection::Http { url }),
            _ => None,
        }
    }

    /// Its problems, each with its field.
    pub(super) fn problems(&self) -> Vec<UiText> {
        let is_web = |url: &str| {
            let url = reqwest::Url::parse(url).ok();
            url.is_some_and(|url| matches!(url.scheme(), "http" | "https"))
        };
        let mut found = Vec::new();
        match (&self.command, &self.url) {
            (None, None) => found.push(text!(tool_server_neither)),
            (Some(_), Some(_)) => found.push(text!(tool_server_both)),
            _ => {}
        }
        if let Some(command) = &self.command {
            if command.trim().is_empty() {
                found.push(text!(tool_server_empty_command));
            }
        } else if !(self.args.is_empty() && self.env.is_empty()) {
            found.push(text!(tool_server_args_without_command));
        }
        if self.url.as_ref().is_some_and(|url| !is_web(url)) {
            found.push(text!(tool_server_url));
        }
        let is_right = |seconds: Option<f64>| seconds.is_none_or(|s| (0.1..=3_600.0).contains(&s));
        if !is_right(self.start) || !is_right(self.call) {
            found.push(text!(tool_server_times));
        }
        found
    }

    /// How long it may take to list its tools.
    pub fn start(&self) -> Duration {
        seconds(self.start, 30.0)
    }

    /// How long one call may take.
    pub fn call(&self) -> Duration {
        seconds(self.call, 60.0)
    }

    /// Whether the file allows this tool.
    pub fn allows(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|allowed| allowed == tool)
    }

    /// A text about it without the parts of its address that may be secret.
    pub fn redact(&self, text: &str) -> String {
        let Some(Connection::Http { url }) = self.connection() else {
            return text.to_owned();
        };
        let shown = self.shown();
        // As in errors of the connection, and as in the file.
        let whole = reqwest::Url::parse(url).map(|url| url.to_string());
        let spellings = [whole.as_deref().unwrap_or(url), url];
        let secret = spellings.into_iter().filter(|url| !shown.starts_with(url));
        secret.fold(text.to_owned(), |text, url| text.replace(url, &shown))
    }

    /// Makes secrets of all parts of its address that may be keys.
    pub(super) fn keep_secrets(&self) {
        let url = self.url.as_deref().map(reqwest::Url::parse);
        if let Some(Ok(url)) = url {
            keep_secrets_of(&url);
        }
    }

    /// Its command or address for people, without parts that may be secret.
    pub fn shown(&self) -> String {
        match self.connection() {
            Some(Connection::Process { command, .. }) => command.into(),
            Some(Connection::Http { url }) => match reqwest::Url::parse(url) {
                Ok(url) => shown_url(&url),
                Err(_) => "no address".into(),
            },
            None => "nowhere".into(),
        }
    }
}

fn seconds(given: Option<f64>, usual: f64) -> Duration {
    Duration::from_secs_f64(given.unwrap_or(usual).clamp(0.1, 3_600.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_one_connection() {
        let read = |text: &str| {
            let options = ron::Options::default()
                .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
            options.from_str::<ToolServer>(text).unwrap().problems()
        };
        assert!(read(r#"(command: "npx", args: ["x"], tools: ["a"])"#).is_empty());
        assert!(read(r#"(url: "http://localhost:1/mcp", call: 5)"#).is_empty());
        for (wrong, said) in [
            ("()", "needs `command`"),
            (r#"(command: "a", url: "http://b")"#, "remove one"),
            (r#"(url: "file:///etc")"#, "http or https"),
            (r#"(url: "http://b", args: ["a"])"#, "only with `command`"),
            (r#"(command: "a", start: 0)"#, "0.1 to 3600"),
            (r#"(command: " ")"#, "must not be empty"),
        ] {
            let found: Vec<_> = read(wrong).iter().map(ToString::to_string).collect();
            let found = found.join("; ");
            assert!(found.contains(said), "{wrong}: {found}");
        }
    }

    #[test]
    fn parts_that_may_be_secret_are_not_shown() {
        let server = ToolServer {
            url: Some("https://me:secret@x.org/mcp?key=secret".into()),
            ..ToolServer::default()
        };
        assert_eq!(server.shown(), "https://x.org/mcp");
        let said = "no answer from https://me:secret@x.org/mcp?key=secret (refused)";
        assert_eq!(
            server.redact(said),
            "no answer from https://x.org/mcp (refused)"
        );
        let bare = ToolServer {
            url: Some("http://x.org?key=secret".into()),
            ..ToolServer::default()
        };
        assert_eq!(
            bare.redact("url (http://x.org/?key=secret)"),
            "url (http://x.org)"
        );
    }
}
