//! Answers: JSON, or why there is none.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::locale::{Language, UiText, text};

/// A JSON answer.
pub(super) struct Json(pub(super) Value);

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        let media_type = [(header::CONTENT_TYPE, "application/json")];
        (media_type, self.0.to_string()).into_response()
    }
}

/// Why a request has no answer, for people.
pub(super) struct Failure {
    status: StatusCode,
    text: String,
}

impl Failure {
    pub(super) fn new(status: StatusCode, text: UiText, language: Language) -> Self {
        let text = text.in_language(language);
        Self { status, text }
    }

    /// There is no such thing, or it is not for this reader.
    pub(super) fn missing(language: Language) -> Self {
        Self::new(StatusCode::NOT_FOUND, text!(page_missing), language)
    }

    /// It is not for this reader.
    pub(super) fn forbidden(language: Language) -> Self {
        Self::new(StatusCode::FORBIDDEN, text!(page_forbidden), language)
    }

    /// It can't be done.
    pub(super) fn impossible(text: UiText, language: Language) -> Self {
        Self::new(StatusCode::CONFLICT, text, language)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"error": self.text}))).into_response()
    }
}
