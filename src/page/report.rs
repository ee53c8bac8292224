//! A story as one file that needs no server.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::assets::{render, script, style};
use super::pages::page;
use super::reader::{MOST, Query, Reader};
use super::request::{self, Sent};
use super::view::StoryView;
use crate::locale::{Language, UiText, labels, text};
use crate::secrets::redacted;
use crate::session::CallRequest;
use crate::wording::shown;

/// The events or calls in one chunk of a report.
const CHUNK: u32 = 2_000;
/// Members that two events rarely share.
const OF_EVENT: [&str; 7] = ["id", "turn", "day", "text", "said", "fight", "c"];
/// Members that two calls rarely share.
const OF_CALL: [&str; 9] = [
    "number", "turn", "start", "first", "end", "segments", "usage", "cost", "text",
];

/// What a report for a host holds beside what its view does.
#[derive(Debug, Default)]
pub struct Extras {
    /// The branches of the story, as [`branches`](super::branches()) gives them.
    pub branches: Option<Value>,
    /// What was sent for each call, in the order of the calls.
    pub requests: Vec<CallRequest>,
}

/// The story of a view as one page, for the host or, with a name, for whoever has that seat.
///
/// # Errors
/// There is nobody of that name, or the page can't be filled.
pub fn report(
    view: &StoryView,
    seat: Option<&str>,
    language: Language,
    extras: Extras,
) -> Result<String, UiText> {
    let id = match seat {
        Some(name) => {
            let id = view.read().id_of(name);
            Some(id.ok_or_else(|| text!(page_nobody, name))?)
        }
        None => None,
    };
    let reader = Reader {
        view,
        seat: id,
        language,
        seats: None,
    };
    let mut page = page(&reader, None);
    page["is_report"] = true.into();
    page["styles"] = style().into();
    page["scripts"] = script().replace("</", "<\\/").into();
    page["data"] = data(&reader, &page, extras).into();
    let report = render("story.html", &page);
    let report = report.map_err(|error| UiText::verbatim(error.to_string()))?;
    Ok(shown(redacted(report)))
}

/// What the addresses of the page answer, each as `{id, json}`.
fn data(reader: &Reader<'_>, page: &Value, extras: Extras) -> Vec<Value> {
    let mut data = Vec::new();
    let mut add = |id: String, value: &Value| {
        data.push(json!({"id": id, "json": escaped(value)}));
    };
    add("story".into(), &page["story"]);
    add("labels".into(), &json!(labels(reader.language, "page_")));
    add("turns".into(), &reader.turns());
    add("headings".into(), &reader.headings());
    let (people, facts) = (reader.people(), reader.facts());
    add("people".into(), &people);
    add("places".into(), &reader.places());
    add("facts".into(), &facts);
    add("items".into(), &reader.items());
    if reader.is_host() {
        add("qualities".into(), &reader.qualities());
        add("audience".into(), &json!({"counts": reader.counts()}));
        if let Some(branches) = &extras.branches {
            add("branches".into(), branches);
        }
        for (number, sent) in pairs(reader, extras.requests) {
            if let Some(mut call) = reader.call(number) {
                request::add(&mut call, reader.view, &sent);
                add(format!("call/{number}"), &call);
            }
        }
    }
    for id in people
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|person| person["id"].as_u64())
    {
        let id = id as u32;
        add(format!("person/{id}"), &json!(reader.person(id)));
        add(format!("context/{id}"), &json!(reader.context(id)));
    }
    for fact in facts
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|fact| fact["fact"].as_str())
    {
        add(format!("fact/{fact}"), &json!(reader.fact(fact)));
    }
    let events = page["story"]["events"].as_u64().unwrap_or_default() as u32;
    for from in (0..events).step_by(CHUNK as usize) {
        let chunk = reader.events_from(from, CHUNK).into_iter();
        let chunk = chunk.map(|event| json!(event));
        add(format!("events/{from}"), &packed(chunk, "n", &OF_EVENT));
    }
    let calls = page["story"]["calls"].as_u64().unwrap_or_default() as u32;
    for from in (0..calls).step_by(CHUNK as usize) {
        let parts = (from..calls.min(from + CHUNK)).step_by(MOST as usize);
        let chunk = parts.flat_map(|from| {
            let part = Query {
                from: Some(from),
                to: Some(from + MOST),
                ..Query::default()
            };
            reader.calls(&part).rows
        });
        add(format!("calls/{from}"), &packed(chunk, "c", &OF_CALL));
    }
    data
}

/// The last request of each call with its number, and with that of the call of the same entity
/// before it.
fn pairs(reader: &Reader<'_>, requests: Vec<CallRequest>) -> Vec<(u32, Sent)> {
    let contents = reader.view.read();
    let calls = contents.calls.iter().filter_map(|call| {
        let outcome = call.outcome.as_ref()?;
        Some(((outcome.entity.clone(), outcome.number), call.call))
    });
    let calls: BTreeMap<_, _> = calls.collect();
    let mut of_calls = BTreeMap::new();
    for request in requests {
        let key = (request.outcome.entity.clone(), request.outcome.number);
        of_calls.extend(calls.get(&key).map(|number| (*number, request)));
    }
    let mut last = BTreeMap::<_, CallRequest>::new();
    let pairs = of_calls.into_iter().map(|(number, request)| {
        let before = last.insert(request.outcome.entity.clone(), request.clone());
        (number, Sent { request, before })
    });
    pairs.collect()
}

/// Rows in few bytes: what several of them share is stored once, in a table, and each row names
/// its place there beside the fields that are its `own`. Their `number` is left out, since they
/// continue from that of the chunk, and so is the part of a text that is in `said`.
fn packed(rows: impl Iterator<Item = Value>, number: &str, own: &[&str]) -> Value {
    let mut places = BTreeMap::new();
    let mut shared = Vec::new();
    let mut packed = Vec::new();
    for mut row in rows {
        let said = row["said"].as_str().filter(|said| !said.is_empty());
        let around = said.and_then(|said| row["text"].as_str()?.split_once(said));
        let around = around.map(|(before, after)| json!([before, after]));
        if let Some(around) = &around {
            row["text"] = around.clone();
        }
        let Value::Object(mut row) = row else {
            continue;
        };
        row.remove(number);
        let own = own
            .iter()
            .filter(|field| **field != "text" || around.is_none());
        let own: Map<_, _> = own.filter_map(|field| row.remove_entry(*field)).collect();
        let row = Value::Object(row);
        let place = *places.entry(row.to_string()).or_insert_with(|| {
            shared.push(row);
            shared.len() - 1
        });
        packed.push(json!([place, own]));
    }
    json!({"shared": shared, "rows": packed})
}

/// JSON that no text in it can end.
fn escaped(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::Range;
    use std::sync::Arc;

    use super::*;
    use crate::cast::StableId;
    use crate::event::{AudienceRule, EventRecord, Recipient, Record};
    use crate::message::BodyId;
    use crate::page::About;

    fn speech(number: u32, words: &str, audience: Range<u32>) -> Record {
        let recipient = |id: u32| Recipient {
            id: StableId(id),
            name: format!("Somebody {id}").into(),
        };
        let speaker: Arc<str> = format!("Somebody {}", number % 8).into();
        Record::Event(EventRecord {
            id: BodyId {
                place: number % 5,
                number,
            },
            turn: u64::from(number / 50),
            time: u64::from(number),
            place: "Somebody 9".into(),
            kind: "speak".into(),
            data: json!({"actor": &*speaker, "target": "all", "message": words}),
            text: format!("{speaker} says: \"{words}\""),
            speaker: Some(speaker),
            audience: audience.map(recipient).collect(),
            masked: Vec::new(),
            rule: AudienceRule::Notified,
            guarded: Vec::new(),
        })
    }

    #[test]
    fn a_long_story_stays_small_and_its_parts_are_found() {
        const EVENTS: u32 = 10_000;
        let view = StoryView::new(About {
            slot: "long".into(),
            ..About::default()
        });
        for number in 0..EVENTS {
            let words = format!("Word {number} of a long evening by the fire, <b>and more</b>.");
            view.record(&speech(number, &words, 0..6));
        }
        view.record(&speech(EVENTS, "Only you.", 7..8));
        let page = report(&view, None, Language::En, Extras::default()).unwrap();
        assert!(
            page.len() < EVENTS as usize * 150 + 200_000,
            "{}",
            page.len()
        );
        assert!(!page.contains("<b>and"), "markup of a mind");
        let chunks = page.matches("id=\"events&#x2f;").count();
        assert_eq!(chunks, (EVENTS / CHUNK) as usize + 1);
        let seat = report(&view, Some("Somebody 7"), Language::En, Extras::default()).unwrap();
        assert!(seat.contains("Only you.") && !seat.contains("a long evening"));
        assert!(report(&view, Some("Nobody"), Language::En, Extras::default()).is_err());
        let of_others = |part: &Value| part["who"] != Value::Null;
        let seat = Reader {
            view: &view,
            seat: Some(3),
            language: Language::En,
            seats: None,
        };
        let seen = seat.events(&Query::default()).named("events");
        let seen = seen["events"].as_array().unwrap();
        assert!(!seen.is_empty() && !seen.iter().any(of_others));
        let numbers: BTreeSet<_> = seen.iter().map(|event| event["n"].as_u64()).collect();
        assert_eq!(numbers.len(), MOST as usize);
    }
}
