//! The pages themselves, with their first paint, and their files.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use playhouse_engine::locale::{Language, UiText};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::access::Visitor;
use super::answer::{Asked, Failure, FailurePage};
use super::assets::{asset as find_asset, render};
use super::book::in_order;
use super::reader::{ListQuery, Reader};
use super::routes::{Visit, blocking};
use super::shared::{Shared, page_labels};

/// How many events a page shows without scripts.
const FIRST_EVENTS: u32 = 300;

/// The query in a page's address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PageQuery {
    lang: Option<Language>,
    before: Option<u32>,
}

/// The list of stories, or the only one.
pub(super) async fn stories(
    State(shared): State<Arc<Shared>>,
    Asked(query): Asked<PageQuery>,
    headers: HeaderMap,
) -> Result<Response, FailurePage> {
    let language = query.lang.unwrap_or(shared.language);
    match shared.access.visitor(&headers) {
        Some(Visitor::Host) => {}
        Some(Visitor::Seat { slots, .. }) => {
            return Ok(to_story(newest(&slots), query.lang));
        }
        None => return Err(Failure::forbidden(language).into()),
    }
    let library = shared.library.clone();
    let listing = move || Ok((library.list(), library.offers(), library.figures()?));
    let (listed, offers, figures) = blocking(language, listing).await?;
    if let ([only], None) = (&listed[..], &offers) {
        return Ok(to_story(&only.slot, query.lang));
    }
    let listed: Vec<_> = listed
        .into_iter()
        .map(|listed| {
            let problem = listed
                .problem
                .as_ref()
                .map(|problem| problem.in_language(language));
            let mut listed = json!(listed);
            listed["problem"] = problem.into();
            listed
        })
        .collect();
    let figures = figures.iter();
    let figures = figures.map(|figure| figure.text.in_language(language));
    let page = json!({
        "figures": figures.collect::<Vec<_>>(), "lang": language,
        "labels": page_labels(language), "stories": listed, "offers": offers,
    });
    html("stories.html", &page, language)
}

/// The story that a seat is in now.
fn newest(slots: &[String]) -> &str {
    slots.last().map_or("", String::as_str)
}

fn to_story(slot: &str, language: Option<Language>) -> Response {
    Redirect::to(&format!("{}{}", address_of(slot), in_query(language))).into_response()
}

/// The address of a story. The name of a slot may have letters of all scripts and spaces, which a
/// header may not.
fn address_of(slot: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
    format!("/story/{}", utf8_percent_encode(slot, ESCAPED))
}

/// A language as addresses name it.
fn in_query(language: Option<Language>) -> String {
    language.map_or(String::new(), |language| {
        format!("?lang={}", language.code())
    })
}

/// A story, as far as it goes without scripts.
pub(super) async fn story(
    Asked(query): Asked<PageQuery>,
    visit: Visit,
) -> Result<Response, FailurePage> {
    let page = page(&visit.reader(), query.before);
    html("story.html", &page, visit.language)
}

/// What the template of a story gets.
pub(super) fn page(reader: &Reader<'_>, before: Option<u32>) -> Value {
    let part = ListQuery {
        to: before,
        from: before.map(|before| before.saturating_sub(FIRST_EVENTS)),
        told: Some(1),
        ..ListQuery::default()
    };
    let events = match before {
        Some(_) => reader.events(&part),
        None => reader.last_told(FIRST_EVENTS),
    };
    let story = reader.story();
    json!({
        "lang": reader.language, "slot": story["slot"], "title": story["title"],
        "labels": page_labels(reader.language), "before": events.from, "names": names(reader),
        "events": in_order(events.rows, reader.is_host()), "story": story, "is_report": false,
    })
}

/// The names of everybody and everything, by number as text.
pub(super) fn names(reader: &Reader<'_>) -> Map<String, Value> {
    let named = reader.named().into_iter();
    named
        .map(|(id, mut entity)| (id.to_string(), entity["name"].take()))
        .collect()
}

pub(super) fn html(
    template: &str,
    page: &Value,
    language: Language,
) -> Result<Response, FailurePage> {
    let page = render(template, page).map_err(|error| {
        tracing::error!(%error, template, "a page could not be filled");
        let text = UiText::verbatim(error);
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, text, language)
    });
    Ok(Html(page?).into_response())
}

/// Sets the cookie and opens the story. After a click on another site, such as web mail, browsers
/// don't send a strict cookie with a redirect, so this is a page that continues by itself.
pub(super) async fn enter(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    Asked(query): Asked<PageQuery>,
    headers: HeaderMap,
) -> Result<Response, FailurePage> {
    let visitor = shared.access.visitor_of(&token);
    // A guest did not choose the language of the program.
    let wanted = query.lang.or_else(|| match visitor {
        Some(Visitor::Host) => None,
        _ => preferred(&headers),
    });
    let language = wanted.unwrap_or(shared.language);
    let to = match visitor {
        Some(Visitor::Host) => "/".to_owned(),
        Some(Visitor::Seat { slots, .. }) => address_of(newest(&slots)),
        None => return Err(Failure::forbidden(language).into()),
    };
    let page = json!({
        "lang": language, "labels": page_labels(language), "to": format!("{to}{}", in_query(wanted)),
    });
    let cookie = [(header::SET_COOKIE, shared.access.cookie(&token))];
    Ok((cookie, html("enter.html", &page, language)?).into_response())
}

/// The first language that a browser asks for and that there is.
fn preferred(headers: &HeaderMap) -> Option<Language> {
    let mut wanted = headers
        .get(header::ACCEPT_LANGUAGE)?
        .to_str()
        .ok()?
        .split([',', ';'])
        .map(str::trim);
    wanted.find_map(|tag| {
        let mut languages = [Language::En, Language::Zh].into_iter();
        languages.find(|language| tag.split('-').next() == Some(language.code()))
    })
}

/// A file of the page.
pub(super) async fn asset(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Some(asset) = find_asset(&name) else {
        return Err(Failure::missing(shared.language));
    };
    let fresh = [
        (header::ETAG, asset.tag.clone()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
    ];
    let known = headers.get(header::IF_NONE_MATCH);
    if known.is_some_and(|known| known.as_bytes() == asset.tag.as_bytes()) {
        return Ok((StatusCode::NOT_MODIFIED, fresh).into_response());
    }
    let media_type = [(header::CONTENT_TYPE, asset.media_type)];
    Ok((fresh, media_type, asset.bytes).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_stories_have_only_what_a_header_may_have() {
        assert_eq!(address_of("lantern-2"), "/story/lantern-2");
        assert_eq!(address_of("my 灯"), "/story/my%20%E7%81%AF");
    }
}
