//! Vectors of texts from servers that have `/v1/embeddings`.

use std::sync::Arc;

use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::{Price, Vector, VectorError, tokens};
use playhouse_engine::mind::{Awaited, Embedded, Embedder, Embedding, MindError};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, Method, Request, Url};
use serde::{Deserialize, Serialize};
use serde_json::json;
use thiserror::Error;
use tokio::time::timeout;

use super::failure::ErrorContext;
use super::mind::{HttpMindError, MAX_ERROR_BYTES, ModelServer};
use super::pace::{Wait, now};
use super::probe::ProbeReport;
use super::settings::seconds;

/// The most bytes of an answer for each text: 8,192 numbers in up to 24 characters.
const LONGEST_VECTOR: usize = 8_192 * 24;
/// The most bytes of an answer beside its vectors.
const LONGEST_REST: usize = 64 * 1024;

/// How a server is asked for vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// The most texts of a request.
    pub batch: usize,
    /// How long all requests for some texts may take together, in seconds. A turn never waits
    /// longer.
    pub timeout: f64,
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self {
            batch: 64,
            timeout: 20.0,
        }
    }
}

/// A model behind a server that makes vectors of texts.
#[derive(Clone, Debug)]
pub struct HttpEmbedder(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    client: Client,
    server: ModelServer,
    settings: EmbeddingSettings,
    alias: String,
    model: Arc<str>,
    price: Option<Price>,
    url: Url,
    key: Option<HeaderValue>,
    errors: ErrorContext,
}

/// What a server answers. Members that are not needed are not read.
#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
    usage: Option<Usage>,
}

/// The tokens of all texts. Servers tell one of them or both.
#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    total_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Item {
    /// The number of the text; servers that leave it out answer in order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl HttpEmbedder {
    /// Asks a server, known to people as `alias`, for vectors of a model.
    ///
    /// # Errors
    /// [`HttpMindError::InvalidKey`].
    pub fn new(
        client: Client,
        server: ModelServer,
        alias: &str,
        (model, price): (&str, Option<Price>),
        settings: EmbeddingSettings,
    ) -> Result<Self, HttpMindError> {
        let key = server.key.as_ref().map(|key| {
            let mut value = HeaderValue::try_from(format!("Bearer {}", key.expose()))
                .map_err(|_| HttpMindError::InvalidKey)?;
            value.set_sensitive(true);
            Ok::<_, HttpMindError>(value)
        });
        let name = format!("{alias} ({})", server.endpoint.display_url());
        Ok(Self(Arc::new(Shared {
            url: server.endpoint.embeddings(),
            key: key.transpose()?,
            errors: ErrorContext {
                server: name.into(),
                proxy: server.proxy.clone(),
            },
            alias: alias.into(),
            model: model.into(),
            price,
            client,
            server,
            settings,
        })))
    }
}

impl HttpEmbedder {
    /// Asks for the vector of one word, to see what the server says.
    pub async fn probe(&self) -> ProbeReport {
        let shared = &*self.0;
        let (server, key) = (shared.server.endpoint.display_url(), &shared.server.key);
        let mut report = ProbeReport::untried(&shared.alias, &server, &shared.model);
        let began = now();
        match self.embed(vec!["ready".into()]).await {
            Ok(Embedded { vectors, .. }) => {
                report.succeeded(key.is_some());
                let width = vectors.first().map_or(0, Vector::width);
                report.notes.push(text!(mind_probe_vectors, width));
            }
            Err(error) => report.failed(&error, key.is_some()),
        }
        let elapsed = u64::try_from(began.elapsed().as_millis());
        report.latency_ms = elapsed.ok().filter(|_| report.reachable == Some(true));
        report
    }
}

impl Embedder for HttpEmbedder {
    fn model(&self) -> &Arc<str> {
        &self.0.model
    }

    fn price(&self) -> Option<&Price> {
        self.0.price.as_ref()
    }

    fn embed(&self, texts: Vec<String>) -> Embedding {
        let shared = self.0.clone();
        Box::pin(async move {
            let limit = seconds(shared.settings.timeout);
            let answered = timeout(limit, shared.all(&texts)).await;
            answered.unwrap_or_else(|_| {
                Err(shared.errors.timed_out(Wait {
                    time: limit,
                    limit,
                    awaited: Awaited::Vectors,
                }))
            })
        })
    }
}

impl Shared {
    async fn all(&self, texts: &[String]) -> Result<Embedded, MindError> {
        let mut embedded = Embedded::default();
        for texts in texts.chunks(self.settings.batch.max(1)) {
            let some = self.some(texts).await?;
            embedded.vectors.extend(some.vectors);
            embedded.tokens = embedded.tokens.saturating_add(some.tokens);
        }
        Ok(embedded)
    }

    /// The vectors of the texts of one request.
    async fn some(&self, texts: &[String]) -> Result<Embedded, MindError> {
        let body = json!({"model": &*self.model, "input": texts});
        let mut request = Request::new(Method::POST, self.url.clone());
        let headers = request.headers_mut();
        let json = HeaderValue::from_static("application/json");
        headers.insert(reqwest::header::CONTENT_TYPE, json);
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        *request.body_mut() = Some(body.to_string().into());
        let response = self.client.execute(request).await;
        let connect = seconds(self.server.connect);
        let mut response =
            response.map_err(|error| self.errors.unanswered(error, connect).error)?;
        let is_refused = !response.status().is_success();
        let limit = if is_refused {
            MAX_ERROR_BYTES
        } else {
            LONGEST_REST + LONGEST_VECTOR * texts.len()
        };
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(_) if is_refused => break,
                Err(error) => return Err(self.errors.broke_off(error)),
            }
            if bytes.len() > limit {
                if is_refused {
                    break;
                }
                return Err(self.errors.invalid(text!(mind_answer_too_large, limit)));
            }
        }
        if is_refused {
            let text = String::from_utf8_lossy(&bytes);
            let (status, headers) = (response.status(), response.headers());
            return Err(self.errors.refused(status, headers, &text).error);
        }
        let (vectors, tokens) = read_vectors(&bytes, texts.len()).map_err(|reason| {
            let page = self.errors.html_page(&String::from_utf8_lossy(&bytes));
            let reason = || {
                let shown = self.errors.sanitized(&reason.to_string());
                // What quotes too much, or a secret, is shown as what is left of it.
                if shown == reason.to_string() {
                    reason.text()
                } else {
                    UiText::verbatim(shown)
                }
            };
            self.errors.invalid(page.unwrap_or_else(reason))
        })?;
        let estimated = || {
            texts
                .iter()
                .map(|text| u64::from(tokens::estimate(text)))
                .sum()
        };
        let tokens = tokens.unwrap_or_else(estimated);
        Ok(Embedded { vectors, tokens })
    }
}

/// The problem of the vectors that a server answered.
#[derive(Debug, Error, Localize)]
enum VectorsError {
    /// It is no JSON of the right form.
    Json(#[from] serde_json::Error),
    /// One of them is bad.
    Vector(#[from] VectorError),
    /// There is not one for each text.
    #[text(mind_vectors_count)]
    Count { expected: usize, found: usize },
}

/// Reads what a server answered for this many texts: their vectors, and the tokens that it counted.
fn read_vectors(bytes: &[u8], expected: usize) -> Result<(Vec<Vector>, Option<u64>), VectorsError> {
    let answer: Answer = serde_json::from_slice(bytes)?;
    let found = answer.data.len();
    let wrong_number = || VectorsError::Count { expected, found };
    let mut vectors: Vec<Option<Vector>> = vec![None; expected];
    for (place, item) in answer.data.into_iter().enumerate() {
        let vector = Vector::new(&item.embedding)?;
        let slot = vectors
            .get_mut(item.index.unwrap_or(place))
            .filter(|slot| slot.is_none());
        *slot.ok_or_else(wrong_number)? = Some(vector);
    }
    let vectors: Option<Vec<_>> = vectors.into_iter().collect();
    let tokens = answer
        .usage
        .and_then(|usage| usage.prompt_tokens.or(usage.total_tokens));
    Ok((vectors.ok_or_else(wrong_number)?, tokens))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Anything that a server may give for a number.
    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            8 => any::<f32>().prop_map(|number| json!(number)),
            1 => any::<f64>().prop_map(|number| json!(number)),
            1 => prop::sample::select(vec![
                json!(1e300), Value::Null, json!("NaN"), json!([]), json!(u64::MAX), json!(0),
            ]),
        ]
    }

    fn item() -> impl Strategy<Value = Value> {
        let numbers = prop::collection::vec(number(), 0..5);
        let index = prop::option::of(prop_oneof![0..4u64, Just(u64::MAX)]);
        (numbers, index).prop_map(|(embedding, index)| match index {
            Some(index) => json!({"index": index, "embedding": embedding}),
            None => json!({"embedding": embedding}),
        })
    }

    proptest! {
        #[test]
        fn whatever_a_server_says_is_one_good_vector_for_each_text_or_an_error(
            data in prop::collection::vec(item(), 0..5), expected in 0usize..5,
            tokens in prop::option::of(any::<u64>()), cut in any::<prop::sample::Index>(),
        ) {
            let whole = json!({"data": data, "usage": {"total_tokens": tokens}}).to_string();
            if let Ok((vectors, counted)) = read_vectors(whole.as_bytes(), expected) {
                prop_assert_eq!(vectors.len(), expected);
                prop_assert_eq!(counted, tokens);
                for vector in &vectors {
                    prop_assert!((vector.cosine(vector) - 1.0).abs() < 1e-9);
                }
            }
            let cut = cut.index(whole.len());
            prop_assert!(read_vectors(&whole.as_bytes()[..cut], expected).is_err());
        }

        #[test]
        fn random_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read_vectors(&bytes, 1).is_err());
        }
    }

    #[test]
    fn a_vector_of_too_many_numbers_is_refused() {
        let of = |width: usize| json!({"data": [{"embedding": vec![0.5; width]}]}).to_string();
        assert!(read_vectors(of(8_192).as_bytes(), 1).is_ok());
        assert!(read_vectors(of(8_193).as_bytes(), 1).is_err());
    }
}
