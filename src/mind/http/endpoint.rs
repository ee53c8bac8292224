//! Addresses of servers, as people write them.

use std::net::IpAddr;

use reqwest::Url;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    chat: Url,
}

impl Endpoint {
    /// Reads a base URL, with or without `/v1` or `/chat/completions`, a trailing slash or, on this
    /// machine, `http://`. A path that names a version (`/v4`, `/v1beta/openai`) stays as it is.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub fn parse(base: &str) -> Result<Self, String> {
        let base = base.trim();
        let scheme = match base.contains("://") {
            true => "",
            false if is_local_name(base) => "http://",
            false => "https://",
        };
        let mut chat = Url::parse(&format!("{scheme}{base}")).map_err(|error| error.to_string())?;
        if !matches!(chat.scheme(), "http" | "https") || !chat.has_host() {
            return Err("it must begin with http:// or https:// and name a host".into());
        }
        chat.set_fragment(None);
        let path = chat.path().trim_end_matches('/').to_owned();
        let path = match path.strip_suffix("/chat/completions") {
            Some(_) => path,
            None if path.split('/').any(is_version) => format!("{path}/chat/completions"),
            None => format!("{path}/v1/chat/completions"),
        };
        chat.set_path(&path);
        Ok(Self { chat })
    }

    /// Where chat completions are asked for.
    pub fn chat(&self) -> &Url {
        &self.chat
    }

    /// Where the server lists its models.
    pub fn models(&self) -> Url {
        let mut url = self.chat.clone();
        let path = url.path().trim_end_matches("/chat/completions");
        let path = format!("{path}/models");
        url.set_path(&path);
        url
    }

    /// The address for people: without name and password, query and `/chat/completions`.
    pub fn shown(&self) -> String {
        let path = self.chat.path().trim_end_matches("/chat/completions");
        format!("{}{path}", self.chat.origin().ascii_serialization())
    }

    /// Whether the server runs on this machine, where no proxy stands in between.
    pub fn is_local(&self) -> bool {
        self.chat.host_str().is_some_and(is_local_name)
    }
}

/// Whether an address without scheme begins with a name of this machine.
fn is_local_name(address: &str) -> bool {
    let host = match address.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => address.split([':', '/']).next(),
    };
    let host = host.unwrap_or_default();
    let is_own = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    host == "localhost" || host.ends_with(".localhost") || host.parse().is_ok_and(is_own)
}

fn is_version(segment: &str) -> bool {
    let mut characters = segment.chars();
    characters.next() == Some('v') && characters.next().is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_an_address_leads_to_the_same_place() {
        for base in [
            "http://localhost:8080",
            "http://localhost:8080/",
            " localhost:8080/v1 ",
            "http://localhost:8080/v1/",
            "http://localhost:8080/v1/chat/completions",
            "http://localhost:8080/v1/chat/completions/",
        ] {
            let endpoint = Endpoint::parse(base).unwrap();
            assert_eq!(
                endpoint.chat().as_str(),
                "http://localhost:8080/v1/chat/completions"
            );
            assert_eq!(
                endpoint.models().as_str(),
                "http://localhost:8080/v1/models"
            );
            assert_eq!(endpoint.shown(), "http://localhost:8080/v1");
            assert!(endpoint.is_local());
        }
    }

    #[test]
    fn versions_and_full_paths_stay() {
        for (base, chat) in [
            (
                "https://open.bigmodel.cn/api/paas/v4",
                "https://open.bigmodel.cn/api/paas/v4/chat/completions",
            ),
            (
                "https://openrouter.ai/api",
                "https://openrouter.ai/api/v1/chat/completions",
            ),
            (
                "https://x.com/v1beta/openai/",
                "https://x.com/v1beta/openai/chat/completions",
            ),
            (
                "https://x.com/mine/chat/completions?version=2",
                "https://x.com/mine/chat/completions?version=2",
            ),
            (
                "api.deepseek.com",
                "https://api.deepseek.com/v1/chat/completions",
            ),
        ] {
            assert_eq!(Endpoint::parse(base).unwrap().chat().as_str(), chat);
        }
    }

    #[test]
    fn passwords_are_not_shown_and_nonsense_is_refused() {
        let endpoint = Endpoint::parse("http://me:secret@[::1]:1/v1").unwrap();
        assert_eq!(endpoint.shown(), "http://[::1]:1/v1");
        assert!(Endpoint::parse("ftp://x").is_err());
        assert!(Endpoint::parse("").is_err());
        assert!(Endpoint::parse("http://").is_err());
    }
}
