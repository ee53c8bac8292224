//! URLs of servers, as people write them.

use std::net::IpAddr;

use playhouse_engine::locale::{Localize, UiText};
use playhouse_interop::format::Api;
use reqwest::Url;
use thiserror::Error;

use crate::http_client::{keep_secrets_of, shown_url};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    api: Api,
    /// What all its URLs begin with; its path has no slash at the end.
    root: Url,
    /// The whole path of requests, if it was given.
    path: Option<String>,
}

/// Why a base URL can't be used.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
pub enum EndpointError {
    #[text(|reason| UiText::verbatim(reason))]
    InvalidUrl { reason: String },
    /// It is not `http` or `https`, or has no host.
    #[text(mind_url_not_http)]
    NotHttp,
}

impl Endpoint {
    /// Parses a base URL. The version (`/v1`), the rest of the path of requests, a trailing slash
    /// and the scheme are optional. A path with a version (`/v4`, `/v1beta/openai`) is not changed.
    pub fn parse(base: &str, api: Api) -> Result<Self, EndpointError> {
        let base = base.trim();
        let scheme = if base.contains("://") {
            ""
        } else if is_local_name(base) {
            "http://"
        } else {
            "https://"
        };
        let mut root =
            Url::parse(&format!("{scheme}{base}")).map_err(|error| EndpointError::InvalidUrl {
                reason: error.to_string(),
            })?;
        if !matches!(root.scheme(), "http" | "https") || !root.has_host() {
            return Err(EndpointError::NotHttp);
        }
        root.set_fragment(None);
        let path = root.path().trim_end_matches('/').to_owned();
        let [version, _] = default_paths(api);
        let before = before_request_path(api, &path);
        let below = match before {
            Some(before) => before.to_owned(),
            None if api == Api::Ollama => {
                // At `/v1`, it has OpenAI's API.
                let path = path.trim_end_matches("/v1").trim_end_matches(version);
                format!("{path}{version}")
            }
            None if path.split('/').any(is_version) => path.clone(),
            None => format!("{path}{version}"),
        };
        root.set_path(&below);
        // It may have no version, or name another service: it can't be rebuilt from its beginning.
        let path = before.is_some().then(|| path.clone());
        Ok(Self { api, root, path })
    }

    /// The URL of requests for a model.
    pub fn chat(&self, model: &str, stream: bool) -> Url {
        if self.api != Api::Gemini {
            return match &self.path {
                Some(path) => self.url_at(path),
                None => self.url_below(default_paths(self.api)[1]),
            };
        }
        let model = model.trim_start_matches("models/");
        if !stream {
            return self.url_of_model(&format!("{model}:generateContent"));
        }
        let mut url = self.url_of_model(&format!("{model}:streamGenerateContent"));
        url.query_pairs_mut().append_pair("alt", "sse");
        url
    }

    /// The URL of information about a model, or about all models.
    pub fn models(&self, model: &str) -> Url {
        match self.api {
            Api::OpenAi | Api::DeepSeek | Api::DashScope => self.url_below("/models"),
            Api::Anthropic => self.url_of_model(model),
            Api::Gemini => self.url_of_model(model.trim_start_matches("models/")),
            Api::Ollama => self.url_below("/ps"),
        }
    }

    /// The URL for people: without user name, password, query, the path of requests, and parts of
    /// the path that may be keys.
    pub fn display_url(&self) -> String {
        shown_url(&self.root)
    }

    /// Makes secrets of all parts of the URL that may be keys.
    pub(crate) fn keep_secrets(&self) {
        keep_secrets_of(&self.root);
    }

    /// Whether the server runs on this machine, so that no proxy is used.
    pub fn is_local(&self) -> bool {
        self.root.host_str().is_some_and(is_local_name)
    }

    /// The URL of requests for vectors of texts.
    pub fn embeddings(&self) -> Url {
        match self.root.path() {
            path if path.ends_with("/embeddings") => self.url_at(path),
            _ => self.url_below("/embeddings"),
        }
    }

    fn url_below(&self, path: &str) -> Url {
        self.url_at(&format!("{}{path}", self.root.path().trim_end_matches('/')))
    }

    /// The URL below that of all models whose last part is this, whatever is in it: who chooses a
    /// model does not choose where on the server keys and prompts go.
    fn url_of_model(&self, model: &str) -> Url {
        let mut url = self.url_below("/models");
        // URLs of HTTP have paths.
        if let Ok(mut path) = url.path_segments_mut() {
            path.push(model);
        }
        url
    }

    fn url_at(&self, path: &str) -> Url {
        let mut url = self.root.clone();
        url.set_path(path);
        url
    }
}

/// The version in an API's paths, and what follows it in the path of requests. At Gemini, the name
/// of the model follows that, too.
fn default_paths(api: Api) -> [&'static str; 2] {
    match api {
        Api::OpenAi | Api::DeepSeek => ["/v1", "/chat/completions"],
        Api::Anthropic => ["/v1", "/messages"],
        Api::Gemini => ["/v1beta", "/models/"],
        Api::DashScope => ["/api/v1", "/services/aigc/text-generation/generation"],
        Api::Ollama => ["/api", "/chat"],
    }
}

/// The path without that of requests, if it ends with that. DashScope has several services.
fn before_request_path(api: Api, path: &str) -> Option<&str> {
    let split = |at| path.split_once(at).map(|(before, _)| before);
    let [_, requests] = default_paths(api);
    match api {
        Api::Gemini => split(requests),
        Api::DashScope => split("/services/"),
        _ => path.strip_suffix(requests),
    }
}

/// Whether a URL without a scheme begins with a name of this machine.
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
    use playhouse_engine::testing::each_row;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_a_url_leads_to_the_same_endpoint() {
        for base in [
            "http://localhost:8080",
            "http://localhost:8080/",
            " localhost:8080/v1 ",
            "http://localhost:8080/v1/",
            "http://localhost:8080/v1/chat/completions",
            "http://localhost:8080/v1/chat/completions/",
        ] {
            let endpoint = Endpoint::parse(base, Api::OpenAi).unwrap();
            assert_eq!(
                endpoint.chat("m", true).as_str(),
                "http://localhost:8080/v1/chat/completions"
            );
            assert_eq!(
                endpoint.models("m").as_str(),
                "http://localhost:8080/v1/models"
            );
            assert_eq!(endpoint.display_url(), "http://localhost:8080/v1");
            assert!(endpoint.is_local());
        }
    }

    #[test]
    fn versions_and_full_paths_stay() {
        each_row(
            "
                https://open.bigmodel.cn/api/paas/v4 => https://open.bigmodel.cn/api/paas/v4/chat/completions
                https://openrouter.ai/api => https://openrouter.ai/api/v1/chat/completions
                https://x.com/v1beta/openai/ => https://x.com/v1beta/openai/chat/completions
                https://x.com/mine/chat/completions?version=2 => https://x.com/mine/chat/completions?version=2
                api.deepseek.com => https://api.deepseek.com/v1/chat/completions
        ",
            |[base, chat]| {
                let endpoint = Endpoint::parse(base, Api::OpenAi).unwrap();
                assert_eq!(endpoint.chat("m", true).as_str(), chat);
            },
        );
    }

    #[test]
    fn each_api_has_its_own_paths() {
        each_row(
            "
                Anthropic => https://x.com https://x.com/v1/ https://x.com/v1/messages => https://x.com/v1/messages => https://x.com/v1/models/m
                Gemini => x.com https://x.com/v1beta https://x.com/v1beta/models/m:generateContent => https://x.com/v1beta/models/m:streamGenerateContent?alt=sse => https://x.com/v1beta/models/m
                DashScope => https://x.com https://x.com/api/v1 => https://x.com/api/v1/services/aigc/text-generation/generation => https://x.com/api/v1/models
                Ollama => http://localhost:11434 localhost:11434/api localhost:11434/api/chat localhost:11434/v1 => http://localhost:11434/api/chat => http://localhost:11434/api/ps
        ",
            |[named, bases, chat, models]| {
                let api = Api::ALL.into_iter().find(|api| format!("{api:?}") == named).unwrap();
                for base in bases.split(' ') {
                    let endpoint = Endpoint::parse(base, api).unwrap();
                    assert_eq!(endpoint.chat("m", true).as_str(), chat, "{base}");
                    assert_eq!(endpoint.models("m").as_str(), models, "{base}");
                }
            },
        );
        let gemini = Endpoint::parse("x.com", Api::Gemini).unwrap();
        assert_eq!(
            gemini.chat("models/m", false).path(),
            "/v1beta/models/m:generateContent"
        );
        let path = "/api/v1/services/aigc/multimodal-generation/generation";
        let other = Endpoint::parse(&format!("https://x.com{path}"), Api::DashScope).unwrap();
        assert_eq!(other.chat("m", true).path(), path);
        assert_eq!(other.display_url(), "https://x.com/api/v1");
    }

    #[test]
    fn a_model_is_one_part_of_the_path() {
        for model in [
            "../../evil?x=y#/../z",
            "a/../../../b",
            "..",
            "%2e%2e/%2e%2e/b",
            "a\\..\\b",
            "models/../b",
        ] {
            for api in [Api::Gemini, Api::Anthropic] {
                let endpoint = Endpoint::parse("https://x.com/tenant", api).unwrap();
                for url in [endpoint.chat(model, true), endpoint.models(model)] {
                    let path = url.path().strip_prefix("/tenant/v1");
                    assert!(path.is_some_and(|path| !path.contains("..\u{2f}")), "{url}");
                    assert!(url.path_segments().unwrap().count() <= 4, "{url}");
                    assert!(matches!(url.query(), None | Some("alt=sse")), "{url}");
                }
            }
        }
    }

    #[test]
    fn passwords_are_hidden_and_nonsense_is_refused() {
        let endpoint = Endpoint::parse("http://me:secret@[::1]:1/v1", Api::OpenAi).unwrap();
        assert_eq!(endpoint.display_url(), "http://[::1]:1/v1");
        assert!(Endpoint::parse("ftp://x", Api::OpenAi).is_err());
        assert!(Endpoint::parse("", Api::OpenAi).is_err());
        assert!(Endpoint::parse("http://", Api::OpenAi).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_url_or_is_refused(
            base in "\\PC{0,30}|(https?://)?[a-z.:@\\[\\]/0-9%?#]{0,20}(/v1|/api)?/?", model in "\\PC{0,9}",
        ) {
            for api in Api::ALL {
                if let Ok(endpoint) = Endpoint::parse(&base, api) {
                    for url in [endpoint.chat(&model, true), endpoint.models(&model)] {
                        prop_assert!(matches!(url.scheme(), "http" | "https"), "{url}");
                    }
                    prop_assert!(!endpoint.display_url().contains('@') || endpoint.root.path().contains('@'), "{}", endpoint.display_url());
                }
            }
        }
    }
}
