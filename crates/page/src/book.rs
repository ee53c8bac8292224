//! A story as a book to print: a title page, and a chapter for each day or round.

use axum::extract::Path;
use axum::response::Response;
use indexmap::IndexMap;
use playhouse_engine::cast::Kind;
use playhouse_story::{Contents, Form};
use serde_json::{Value, json};

use super::answer::{Failure, FailurePage};
use super::pages::{html, names};
use super::reader::{EventJson, Reader};
use super::routes::Visit;
use super::shared::page_labels;

/// A part of a story between two headings.
#[derive(Debug, PartialEq, Eq)]
struct Chapter {
    /// Empty for what comes before the first heading.
    title: String,
    /// The numbers of its events, for this reader.
    from: u32,
    to: u32,
}

pub(super) async fn whole(visit: Visit) -> Result<Response, FailurePage> {
    printed(&visit, None)
}

pub(super) async fn chapter(
    Path((_, chapter)): Path<(String, usize)>,
    visit: Visit,
) -> Result<Response, FailurePage> {
    printed(&visit, Some(chapter))
}

fn printed(visit: &Visit, chapter: Option<usize>) -> Result<Response, FailurePage> {
    let page = book(&visit.reader(), chapter).ok_or_else(|| Failure::missing(visit.language))?;
    html("book.html", &page, visit.language)
}

/// What the template of a book gets; `None` if there is no such chapter, counted from 1.
fn book(reader: &Reader<'_>, chapter: Option<usize>) -> Option<Value> {
    let names = names(reader);
    let contents = reader.view.read();
    let chapters = chapters(reader, &contents);
    let wanted = match chapter {
        None => 0..chapters.len(),
        Some(chapter) => chapter.checked_sub(1)?..chapter,
    };
    let texts = chapters.get(wanted)?.iter().map(|chapter| {
        let events = (chapter.from..chapter.to).filter_map(|n| reader.told(&contents, n));
        json!({"title": chapter.title, "events": in_order(events, reader.is_host())})
    });
    let texts: Vec<_> = texts.collect();
    let titles: Vec<_> = chapters.iter().map(|chapter| &chapter.title).collect();
    let people = contents.state.beings.iter();
    let people = people.filter(|being| being.kind == Kind::Actor && reader.is_host());
    let people: Vec<_> = people.map(|being| &being.name).collect();
    let about = &reader.view.about;
    Some(json!({
        "lang": reader.language, "story_lang": about.language, "labels": page_labels(reader.language),
        "slot": about.slot, "title": about.title, "premise": about.premise, "people": people,
        "chapter": chapter, "chapters": titles, "texts": texts, "names": names,
    }))
}

/// The chapters of a story: they begin with its days or rounds.
fn chapters(reader: &Reader<'_>, contents: &Contents) -> Vec<Chapter> {
    let total = reader.count(contents);
    let mut chapters = Vec::new();
    let mut begun = Chapter {
        title: String::new(),
        from: 0,
        to: total,
    };
    for n in 0..total {
        if let Some((Form::Day, title)) = reader.heading(contents, n) {
            begun.to = n;
            let next = Chapter {
                title,
                from: n + 1,
                to: total,
            };
            chapters.push(std::mem::replace(&mut begun, next));
        }
    }
    chapters.push(begun);
    let has_text = |chapter: &Chapter| {
        let mut events = chapter.from..chapter.to;
        events.any(|n| reader.told(contents, n).is_some())
    };
    chapters.retain(|chapter| !chapter.title.is_empty() || has_text(chapter));
    chapters
}

/// Events as they are told without scripts: places play at the same time, so one follows the other
/// until something happens at no place, such as the next part of the day, and `where` says so. A
/// seat has one place at a time.
pub(super) fn in_order(events: impl IntoIterator<Item = EventJson>, is_host: bool) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut last = None;
    let mut places = IndexMap::<_, Vec<EventJson>>::new();
    let mut close = |places: &mut IndexMap<_, Vec<EventJson>>| {
        for event in places.drain(..).flat_map(|(_, events)| events) {
            let mut row = json!(event);
            let is_heading = matches!(event.form, Form::Day | Form::Round | Form::Place);
            if event.place.is_some() && event.place != last && !is_heading {
                row["where"] = json!(event.place);
            }
            last = event.place.or(last);
            rows.push(row);
        }
    };
    for event in events {
        if !is_host || event.is_of_all() {
            close(&mut places);
        }
        let is_of_all = event.is_of_all();
        places.entry(event.place).or_default().push(event);
        if is_of_all {
            close(&mut places);
        }
    }
    close(&mut places);
    rows
}
