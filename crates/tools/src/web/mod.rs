//! Tools of the web: `fetch_web_content` and `extract_information`.
//!
//! Which hosts may be asked stands in the player's own model file, as a [`WebPolicy`]; without one,
//! none may. Addresses are checked as they are written, after they were looked up, and again at
//! every redirect, so that no page leads into the player's own network.

mod address;
mod extract;
mod fetch;
mod page;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub use self::page::page_text;

use self::extract::{Named, Rules};
use self::fetch::Fetcher;
use super::{ToolError, Toolbox};
use crate::web_error::WebError;
pub use playhouse_llm::models::WebPolicy;

/// Adds the tools of the web under this policy.
pub fn allow_web(tools: &mut Toolbox, policy: &WebPolicy) {
    let fetcher = Arc::new(Fetcher::new(policy.clone()));
    let for_pages = fetcher.clone();
    tools
        .add_async(
            "fetch_web_content",
            "Fetches a web page and returns its text.",
            move |arguments| fetch(for_pages.clone(), arguments),
        )
        .add_async(
            "extract_information",
            "Extracts information from a web page, or from HTML, and returns it as JSON.",
            move |arguments| extract(fetcher.clone(), arguments),
        );
}

#[derive(Deserialize, JsonSchema)]
struct Fetch {
    /// The page's address.
    #[schemars(extend("format" = "uri"))]
    url: String,
    /// Whether to return its HTML instead of its text.
    #[serde(default)]
    html: bool,
}

async fn fetch(fetcher: Arc<Fetcher>, asked: Fetch) -> Result<String, ToolError> {
    let page = fetcher.fetch(&asked.url).await?;
    if asked.html || !page.is_html {
        return Ok(page.text.to_string());
    }
    apart(move || page_text(&page.text)).await
}

#[derive(Deserialize, JsonSchema)]
struct Extract {
    /// The page's address.
    #[serde(default)]
    url: Option<String>,
    /// The HTML itself, instead of an address.
    #[serde(default)]
    html: Option<String>,
    /// What is wanted that every page may have.
    #[serde(default)]
    fields: Vec<Named>,
    /// Other things that are wanted, by name, each with the CSS selector that finds it.
    #[serde(default)]
    rules: Rules,
}

async fn extract(fetcher: Arc<Fetcher>, asked: Extract) -> Result<Value, ToolError> {
    let html = match (asked.url, asked.html) {
        (Some(url), None) => fetcher.fetch(&url).await?.text.clone(),
        (None, Some(html)) => html.into(),
        _ => return Err(WebError::OneSource.into()),
    };
    if asked.fields.is_empty() && asked.rules.is_empty() {
        return Err(WebError::NothingWanted.into());
    }
    apart(move || extract::extract(&html, &asked.fields, &asked.rules)).await?
}

/// Reads HTML on a thread of its own, so that a long page delays nothing else.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| WebError::Unreadable.into())
}
