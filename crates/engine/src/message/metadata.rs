//! What a model's provider reports about an ai message.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::TokenUsage;

/// The `response_metadata` member of an ai message. Unknown members, and known ones in an unknown
/// form, are kept unchanged.
#[derive(Clone, Debug)]
pub struct ResponseMetadata(Repr);

#[derive(Clone, Debug)]
enum Repr {
    /// Made by the engine; as JSON it would take ten times the memory.
    Engine {
        provider: Arc<str>,
        model: Arc<str>,
        usage: TokenUsage,
    },
    Json(Map<String, Value>),
}

impl ResponseMetadata {
    /// Metadata as the engine writes it.
    pub fn new(
        provider: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        usage: TokenUsage,
    ) -> Self {
        Self(Repr::Engine {
            provider: provider.into(),
            model: model.into(),
            usage,
        })
    }

    /// The same metadata with one more member.
    #[must_use]
    pub fn with(self, key: &str, value: impl Into<Value>) -> Self {
        let mut map = self.to_map().into_owned();
        map.insert(key.to_owned(), value.into());
        Self(Repr::Json(map))
    }

    /// The same metadata with names that are shared with others.
    pub(crate) fn sharing_names(mut self, mut share: impl FnMut(Arc<str>) -> Arc<str>) -> Self {
        if let Repr::Engine {
            provider, model, ..
        } = &mut self.0
        {
            for name in [provider, model] {
                *name = share(name.clone());
            }
        }
        self
    }

    pub fn to_map(&self) -> Cow<'_, Map<String, Value>> {
        match &self.0 {
            Repr::Json(map) => Cow::Borrowed(map),
            Repr::Engine { .. } => match json!(self) {
                Value::Object(map) => Cow::Owned(map),
                _ => Cow::default(),
            },
        }
    }

    /// The provider, such as `deepseek`.
    pub fn model_provider(&self) -> Option<&str> {
        match &self.0 {
            Repr::Engine { provider, .. } => Some(provider),
            Repr::Json(map) => map.get("model_provider")?.as_str(),
        }
    }

    /// The model, such as `deepseek-chat`.
    pub fn model_name(&self) -> Option<&str> {
        match &self.0 {
            Repr::Engine { model, .. } => Some(model),
            Repr::Json(map) => map.get("model_name")?.as_str(),
        }
    }

    /// Prompt tokens that the provider read from its cache.
    pub fn prompt_cache_hit_tokens(&self) -> Option<u64> {
        match &self.0 {
            Repr::Engine { usage, .. } => Some(usage.cached),
            Repr::Json(map) => map.get("prompt_cache_hit_tokens")?.as_u64(),
        }
    }

    /// Tokens of the call that made the message.
    pub fn token_usage(&self) -> Option<TokenUsage> {
        let map = match &self.0 {
            Repr::Engine { usage, .. } => return Some(*usage),
            Repr::Json(map) => map,
        };
        let mut usage = TokenUsage::deserialize(map.get("token_usage")?).ok()?;
        let cached = self.prompt_cache_hit_tokens().unwrap_or_default();
        usage.cached = usage.cached.max(cached);
        Some(usage)
    }
}

/// What the engine writes, in the order of names.
#[derive(Serialize)]
struct Made<'a> {
    model_name: &'a str,
    model_provider: &'a str,
    prompt_cache_hit_tokens: u64,
    token_usage: MadeUsage,
}

#[derive(Serialize)]
struct MadeUsage {
    completion_tokens: u64,
    prompt_tokens: u64,
    reasoning_tokens: u64,
    total_tokens: u64,
}

impl From<Map<String, Value>> for ResponseMetadata {
    fn from(map: Map<String, Value>) -> Self {
        let json = Self(Repr::Json(map));
        let names = json.model_provider().zip(json.model_name());
        let own = names.zip(json.token_usage());
        let own = own.map(|((provider, model), usage)| Self::new(provider, model, usage));
        own.filter(|own| *own == json).unwrap_or(json)
    }
}

impl PartialEq for ResponseMetadata {
    fn eq(&self, other: &Self) -> bool {
        self.to_map() == other.to_map()
    }
}

impl Serialize for ResponseMetadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Json(map) => map.serialize(serializer),
            Repr::Engine {
                provider,
                model,
                usage,
            } => Made {
                model_name: model,
                model_provider: provider,
                prompt_cache_hit_tokens: usage.cached,
                token_usage: MadeUsage {
                    completion_tokens: usage.output,
                    prompt_tokens: usage.input,
                    reasoning_tokens: usage.reasoning,
                    total_tokens: usage.total(),
                },
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResponseMetadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_the_same_made_and_read() {
        let usage = TokenUsage {
            input: 9,
            output: 4,
            cached: 3,
            reasoning: 1,
        };
        let made = ResponseMetadata::new("openai", "gpt", usage);
        let json = serde_json::to_string(&made).unwrap();
        let read: ResponseMetadata = serde_json::from_str(&json).unwrap();
        assert_eq!(read, made);
        assert_eq!(read.model_provider(), made.model_provider());
        assert_eq!(read.model_name(), made.model_name());
        assert_eq!(read.token_usage(), made.token_usage());
        assert_eq!(made.with("fallback", "why").to_map()["fallback"], "why");
    }
}
