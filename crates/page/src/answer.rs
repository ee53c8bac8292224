//! Answers: JSON, or why there is none; and what addresses ask for.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use playhouse_engine::locale::{Language, UiText, text};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::assets::render;
use super::library::LibraryError;
use super::shared::{Shared, page_labels};

pub(super) struct Json(pub(super) Value);

/// What was asked for is done.
pub(super) fn done() -> Json {
    Json(json!({"ok": true}))
}

/// What was asked for is done; this slot is what there is to see.
pub(super) fn done_in(slot: String) -> Json {
    Json(json!({"ok": true, "slot": slot}))
}

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        let media_type = [(header::CONTENT_TYPE, "application/json")];
        (media_type, self.0.to_string()).into_response()
    }
}

/// The language that a reader asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InLanguage {
    pub(super) lang: Option<Language>,
}

/// The query of an address. If it can't be read, the reader is told so like everything else.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Shared>> for Asked<T> {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        shared: &Arc<Shared>,
    ) -> Result<Self, Self::Rejection> {
        if let Ok(Query(asked)) = Query::try_from_uri(&parts.uri) {
            return Ok(Self(asked));
        }
        let language = Query::<InLanguage>::try_from_uri(&parts.uri)
            .ok()
            .and_then(|Query(query)| query.lang);
        let reason = parts.uri.query().unwrap_or_default();
        let text = text!(page_bad_request, reason);
        let language = language.unwrap_or(shared.language);
        Err(Failure::new(StatusCode::BAD_REQUEST, text, language).at(&parts.uri))
    }
}

/// Why a request has no answer, for people.
pub(super) struct Failure {
    status: StatusCode,
    text: String,
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

    /// The failure as what this address answers with: JSON or a page.
    pub(super) fn at(self, address: &Uri) -> Response {
        if address.path().starts_with("/api/") {
            self.into_response()
        } else {
            FailurePage(self).into_response()
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

/// A failure as a page, for those who opened an address.
pub(super) struct FailurePage(Failure);

impl From<Failure> for FailurePage {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for FailurePage {
    fn into_response(self) -> Response {
        let Failure {
            text,
            help,
            language,
            ..
        } = &self.0;
        let labels = page_labels(*language);
        let page = json!({"lang": language, "labels": labels, "error": text, "help": help});
        match render("error.html", page) {
            Ok(page) => (self.0.status, Html(page)).into_response(),
            Err(_) => self.0.into_response(),
        }
    }
}
