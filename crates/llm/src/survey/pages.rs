//! What a server says of itself.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::http::HttpMind;

/// The window that a model of Ollama gets: its full one may need more memory than there is.
const OLLAMA_WINDOW: u64 = 8_192;

/// The pages on which servers describe themselves; null if there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages {
    list: Value,
    props: Value,
    lm_studio: Value,
    /// Ollama's `/api/tags`, and `/api/ps`.
    tags: Value,
    loaded: Value,
    kobold: Value,
}

/// Programs that serve models, and how they are known: what comes first counts, since some have the
/// pages of others, too.
const SERVERS: [(&str, fn(&Pages) -> bool); 5] = [
    ("KoboldCpp", |pages| pages.kobold["value"].is_u64()),
    ("LM Studio", |pages| {
        pages.lm_studio["data"][0]["state"].is_string()
    }),
    ("llama.cpp", |pages| {
        pages.props["default_generation_settings"].is_object()
            || pages.list["data"][0]["owned_by"] == "llamacpp"
    }),
    ("vLLM", |pages| pages.list["data"][0]["owned_by"] == "vllm"),
    ("Ollama", |pages| pages.tags["models"].is_array()),
];

impl Pages {
    pub(super) async fn read(mind: &HttpMind) -> Self {
        let paths = [
            "",
            "/props",
            "/api/v0/models",
            "/api/tags",
            "/api/ps",
            "/api/extra/true_max_context_length",
        ];
        let mut pages = join_all(paths.map(|path| mind.page(path, None)))
            .await
            .into_iter()
            .map(Option::unwrap_or_default);
        let [list, props, lm_studio, tags, loaded, kobold] =
            std::array::from_fn(|_| pages.next().unwrap_or_default());
        Self {
            list,
            props,
            lm_studio,
            tags,
            loaded,
            kobold,
        }
    }

    /// Which program it is, if that is known.
    pub(super) fn server(&self) -> Option<&'static str> {
        let found = SERVERS.iter().find(|(_, is_it)| is_it(self));
        found.map(|(name, _)| *name)
    }

    /// The models that answer, by name; those that are loaded come alone if there are any.
    pub(super) fn models(&self) -> Vec<String> {
        let talk: Vec<_> = entries(&self.lm_studio["data"])
            .filter(|entry| entry["type"] != "embeddings")
            .collect();
        let loaded = talk.iter().filter(|entry| entry["state"] == "loaded");
        let lists = [
            names(loaded.copied(), "id"),
            names(talk.iter().copied(), "id"),
            names(entries(&self.loaded["models"]), "name"),
            names(entries(&self.list["data"]), "id"),
            names(entries(&self.tags["models"]), "name"),
        ];
        let found = lists.into_iter().find(|names| !names.is_empty());
        found.unwrap_or_default()
    }

    /// The context window of a model, if it is told.
    pub(super) async fn window(&self, mind: &HttpMind, model: &str) -> Option<u64> {
        match self.told_window(model) {
            Some(window) => Some(window),
            None if self.server() == Some("Ollama") => longest_of_ollama(mind, model).await,
            None => mind.listed_window().await,
        }
    }

    /// The context window of a model on these pages.
    fn told_window(&self, model: &str) -> Option<u64> {
        let own = [
            &self.kobold["value"],
            &self.props["default_generation_settings"]["n_ctx"],
        ];
        let named = |list, name: &str| entries(list).find(|entry| entry[name] == model);
        // Of a model that is not loaded, only the longest possible window is known.
        let loaded = [
            named(&self.loaded["models"], "name").map(|entry| &entry["context_length"]),
            named(&self.lm_studio["data"], "id").map(|entry| &entry["loaded_context_length"]),
        ];
        let listed = named(&self.list["data"], "id").unwrap_or(&Value::Null);
        let listed = [
            "max_model_len", "context_length", "context_window", "max_context_length",
        ]
        .map(|member| &listed[member]);
        let all = own.into_iter().chain(loaded.into_iter().flatten());
        all.chain(listed).find_map(Value::as_u64)
    }

    /// How many requests the server answers at a time, if it says so.
    pub(super) fn slots(&self) -> Option<u64> {
        self.props["total_slots"].as_u64()
    }
}

async fn longest_of_ollama(mind: &HttpMind, model: &str) -> Option<u64> {
    let body = json!({ "model": model });
    let page = mind.page("/api/show", Some(&body)).await?;
    let mut members = page["model_info"].as_object()?.iter();
    let longest = members.find(|(name, _)| name.ends_with(".context_length"));
    Some(longest?.1.as_u64()?.min(OLLAMA_WINDOW))
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The names of models; longer ones are none that a person could choose.
fn names<'a>(entries: impl Iterator<Item = &'a Value>, member: &str) -> Vec<String> {
    const LONGEST: usize = 256;
    let names = entries
        .filter_map(|entry| entry[member].as_str())
        .filter(|name| name.len() <= LONGEST);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_known_by_their_pages() {
        let listed = |entry: Value| Pages {
            list: json!({ "data": [entry] }),
            ..Pages::default()
        };
        let one = listed(json!({"id": "m"}));
        let vllm = listed(json!({"id": "m", "owned_by": "vllm", "max_model_len": 8192}));
        let router = listed(json!({"id": "m", "context_length": 131_072}));
        let props = json!({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 3});
        let studio = json!({"data": [
            {"id": "e", "type": "embeddings", "state": "loaded"},
            {"id": "n", "type": "llm", "state": "not-loaded", "max_context_length": 32768},
            {"id": "m", "type": "llm", "state": "loaded", "loaded_context_length": 4096},
        ]});
        let tags = json!({"models": [{"name": "m"}]});
        let llama = Pages {
            props,
            tags: tags.clone(),
            ..one.clone()
        };
        let studio = Pages {
            lm_studio: studio,
            ..one.clone()
        };
        let ollama = Pages {
            tags: tags.clone(),
            loaded: json!({"models": [{"name": "m", "context_length": 4096}]}),
            ..Pages::default()
        };
        let kobold = Pages {
            tags,
            kobold: json!({"value": 8192}),
            ..one.clone()
        };
        for (pages, server, window) in [
            (one, None, None),
            (vllm, Some("vLLM"), Some(8192)),
            (router, None, Some(131_072)),
            (llama, Some("llama.cpp"), Some(4096)),
            (studio, Some("LM Studio"), Some(4096)),
            (ollama, Some("Ollama"), Some(4096)),
            (kobold, Some("KoboldCpp"), Some(8192)),
        ] {
            assert_eq!(pages.server(), server, "{pages:?}");
            assert_eq!(pages.told_window("m"), window, "{pages:?}");
            assert_eq!(pages.models(), ["m"], "{pages:?}");
        }
    }
}
