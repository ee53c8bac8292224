//! What differs from API to API.

use serde_json::{Map, Value};

use crate::http::request_parts::{AskParts, FixedParts};
use crate::http::response_accumulator::ResponseAccumulator;
use crate::http::settings::{ModelSettings, SchemaMode};

pub(in crate::http) trait Protocol: Sync {
    /// Members of a request that the engine sets itself.
    fn own_members(&self) -> &'static [&'static str];

    /// The member that holds settings such as the temperature, if they are not beside the messages.
    /// What a model file sets in it is merged with what we set.
    fn settings_member(&self) -> Option<&'static str> {
        None
    }

    /// The settings that are the same in every request, except those that the model file adds.
    fn settings(&self, model: &ModelSettings) -> Map<String, Value> {
        let temperature = model
            .provider
            .temperature
            .map(|value| ("temperature".to_owned(), value.into()));
        temperature.into_iter().collect()
    }

    /// What comes before the messages: an open object.
    fn head(&self, fixed: &FixedParts, ask: &AskParts) -> String;

    /// What comes after the messages, to the end of the request.
    fn ending(&self, fixed: &FixedParts, ask: &AskParts, mode: SchemaMode) -> String;

    /// Whether the schema is an instruction at the end of the prompt in this mode.
    fn puts_schema_in_prompt(&self, mode: SchemaMode) -> bool {
        matches!(mode, SchemaMode::JsonMode | SchemaMode::Text)
    }

    /// Whether a schema may be sent beside tools.
    fn accepts_schema_beside_tools(&self, callable: bool) -> bool {
        // With both, llama-server answers by the schema and never calls.
        !callable
    }

    /// The header that carries the key, and its value.
    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn headers(&self, _stream: bool) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Adds a whole answer, or one value of a stream.
    fn read(&self, response: &mut ResponseAccumulator, value: &Value);

    /// The context window of a model in tokens, according to the server's page of models.
    fn window(&self, page: &Value, model: &str) -> Option<u64>;
}
