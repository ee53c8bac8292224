//! What a model file says of a server.

#[cfg(feature = "mcp")]
use std::time::Duration;

use serde::Deserialize;

/// A server of tools: a command to run, or an address to reach.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolServer {
    /// The program that is the server; it is spoken to over its standard input and output.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that hold keys of models and that this program may see all the same; all others of
    /// the environment it sees anyway.
    pub env: Vec<String>,
    /// The address of a server that runs already, such as `http://localhost:8931/mcp`.
    pub url: Option<String>,
    /// The environment variable that holds what opens it.
    pub token_env: Option<String>,
    /// The tools that may be used; all where empty.
    pub tools: Vec<String>,
    /// Seconds until it must have told its tools; 30 where left out.
    pub start: Option<f64>,
    /// Seconds that one call may take; 60 where left out.
    pub call: Option<f64>,
}

/// The way to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way<'a> {
    Process {
        command: &'a str,
        arguments: &'a [String],
    },
    Http {
        url: &'a str,
    },
}

impl ToolServer {
    /// The way to it; nothing where the file names none or two.
    pub(super) fn way(&self) -> Option<Way<'_>> {
        match (&self.command, &self.url) {
            (Some(command), None) => Some(Way::Process {
                command,
                arguments: &self.args,
            }),
            (None, Some(url)) => Some(Way::Http { url }),
            _ => None,
        }
    }

    /// What is wrong with it, as `field: what would be right`.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        match (&self.command, &self.url) {
            (None, None) => found.push("needs `command`, a program to run, or `url`, an address"),
            (Some(_), Some(_)) => found.push("has both `command` and `url`; keep one"),
            _ => {}
        }
        if self
            .command
            .as_deref()
            .is_some_and(|command| command.trim().is_empty())
        {
            found.push("command: must not be empty");
        }
        if self.command.is_none() && !(self.args.is_empty() && self.env.is_empty()) {
            found.push("`args` and `env` go with `command`");
        }
        let is_web = |url: &String| {
            let url = reqwest::Url::parse(url).ok();
            url.is_some_and(|url| matches!(url.scheme(), "http" | "https"))
        };
        if self.url.as_ref().is_some_and(|url| !is_web(url)) {
            found.push("url: must be an http or https address");
        }
        let right = |seconds: Option<f64>| seconds.is_none_or(|s| (0.1..=3_600.0).contains(&s));
        if !right(self.start) || !right(self.call) {
            found.push("start and call: must be from 0.1 to 3600 seconds");
        }
        found.into_iter().map(Into::into).collect()
    }

    /// How long it may take to tell its tools.
    #[cfg(feature = "mcp")]
    pub(super) fn start(&self) -> Duration {
        seconds(self.start, 30.0)
    }

    /// How long one call may take.
    #[cfg(feature = "mcp")]
    pub(super) fn call(&self) -> Duration {
        seconds(self.call, 60.0)
    }

    /// Whether the file allows this tool of it.
    #[cfg(feature = "mcp")]
    pub(super) fn allows(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|allowed| allowed == tool)
    }

    /// What is said of it, without what may be secret in its address.
    #[cfg(feature = "mcp")]
    pub(super) fn clean(&self, said: &str) -> String {
        let Some(Way::Http { url }) = self.way() else {
            return said.to_owned();
        };
        let shown = self.shown();
        // As errors of the connection have it, and as the file has it.
        let whole = reqwest::Url::parse(url).map(|url| url.to_string());
        let spellings = [whole.as_deref().unwrap_or(url), url];
        let secret = spellings.into_iter().filter(|url| !shown.starts_with(url));
        secret.fold(said.to_owned(), |said, url| said.replace(url, &shown))
    }

    /// Its command or address for people, without anything that may be secret.
    pub(crate) fn shown(&self) -> String {
        match self.way() {
            Some(Way::Process { command, .. }) => command.into(),
            Some(Way::Http { url }) => match reqwest::Url::parse(url) {
                Ok(url) => format!("{}{}", url.origin().ascii_serialization(), url.path()),
                Err(_) => "no address".into(),
            },
            None => "nowhere".into(),
        }
    }
}

#[cfg(feature = "mcp")]
fn seconds(given: Option<f64>, usual: f64) -> Duration {
    Duration::from_secs_f64(given.unwrap_or(usual).clamp(0.1, 3_600.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_one_way_to_it() {
        let read = |text: &str| {
            let options = ron::Options::default()
                .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
            options.from_str::<ToolServer>(text).unwrap().problems()
        };
        assert!(read(r#"(command: "npx", args: ["x"], tools: ["a"])"#).is_empty());
        assert!(read(r#"(url: "http://localhost:1/mcp", call: 5)"#).is_empty());
        for (wrong, said) in [
            ("()", "needs `command`"),
            (r#"(command: "a", url: "http://b")"#, "keep one"),
            (r#"(url: "file:///etc")"#, "http or https"),
            (r#"(url: "http://b", args: ["a"])"#, "go with `command`"),
            (r#"(command: "a", start: 0)"#, "0.1 to 3600"),
            (r#"(command: " ")"#, "must not be empty"),
        ] {
            let found = read(wrong).join("; ");
            assert!(found.contains(said), "{wrong}: {found}");
        }
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        let server = ToolServer {
            url: Some("https://me:secret@x.org/mcp?key=secret".into()),
            ..ToolServer::default()
        };
        assert_eq!(server.shown(), "https://x.org/mcp");
        let said = "no answer from https://me:secret@x.org/mcp?key=secret (refused)";
        assert_eq!(
            server.clean(said),
            "no answer from https://x.org/mcp (refused)"
        );
        let bare = ToolServer {
            url: Some("http://x.org?key=secret".into()),
            ..ToolServer::default()
        };
        assert_eq!(
            bare.clean("url (http://x.org/?key=secret)"),
            "url (http://x.org/)"
        );
    }
}
