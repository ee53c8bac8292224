//! Answers: JSON, or why there is none.

use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value, json};

use super::assets::render;
use super::library::LibraryError;
use super::shared::page_labels;
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
    /// What to do.
    help: Option<String>,
    language: Language,
}

impl Failure {
    pub(super) fn new(status: StatusCode, text: UiText, language: Language) -> Self {
        Self {
            status,
            text: text.in_language(language),
            help: None,
            language,
        }
    }

    fn help(mut self, help: UiText) -> Self {
        self.help = Some(help.in_language(self.language));
        self
    }

    /// The failure as a page, for those who opened an address.
    pub(super) fn page(self) -> Response {
        let Self {
            text,
            help,
            language,
            ..
        } = &self;
        let labels = page_labels(*language);
        let page = json!({"lang": language, "labels": labels, "error": text, "help": help});
        match render("error.html", page) {
            Ok(page) => (self.status, Html(page)).into_response(),
            Err(_) => self.into_response(),
        }
    }

    /// There is no such thing, or it is not for this reader.
    pub(super) fn missing(language: Language) -> Self {
        Self::new(StatusCode::NOT_FOUND, text!(page_missing), language)
            .help(text!(page_missing_help))
    }

    /// It is not for this reader.
    pub(super) fn forbidden(language: Language) -> Self {
        Self::new(StatusCode::FORBIDDEN, text!(page_forbidden), language)
            .help(text!(page_forbidden_help))
    }

    /// It can't be done, for this reason.
    pub(super) fn impossible(problem: impl Into<LibraryError>, language: Language) -> Self {
        let LibraryError { text, help } = problem.into();
        let failure = Self::new(StatusCode::CONFLICT, text, language);
        match help {
            Some(help) => failure.help(help),
            None => failure,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut error = json!({"error": self.text});
        if let Some(help) = self.help {
            error["help"] = help.into();
        }
        (self.status, Json(error)).into_response()
    }
}
