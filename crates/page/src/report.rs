//! A story as one file that needs no server.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;
use foldhash::fast::FixedState;
use indexmap::IndexSet;
use minijinja::HtmlEscape;
use playhouse_engine::locale::{Language, Localize, UiText};
use playhouse_engine::parallel;
use playhouse_engine::secrets::redacted;
use playhouse_engine::session::CallRequest;
use playhouse_engine::wording::shown;
use playhouse_story::{Form, StoryView};
use serde_json::{Value, json};
use thiserror::Error;

use super::assets::{render, script, style};
use super::pages::page;
use super::reader::{ListQuery, MOST, Reader};
use super::request::{self, Sent};
use super::shared::page_labels;

/// The events or calls in one chunk of a report.
const CHUNK: u32 = 2_000;
/// Members that two events rarely share. One of a member is named with a dot.
const OF_EVENT: [&str; 7] = ["id", "turn", "day", "text", "said", "board", "call"];
/// Members that two calls rarely share.
const OF_CALL: [&str; 13] = [
    "number", "turn", "start", "first", "end", "segments", "usage.prompt", "usage.cached",
    "usage.completion", "usage.reasoning", "cost", "text", "told",
];
/// Members that most rows share with the one before.
const STEADY: [&str; 2] = ["turn", "day"];

/// What a report for a host holds beside what its view does.
#[derive(Debug, Default)]
pub struct Extras {
    /// The branches of the story, as [`branches`](super::branches()) gives them.
    pub branches: Option<Value>,
    /// What was sent for each call, in the order of the calls.
    pub requests: Vec<CallRequest>,
}

#[derive(Debug, Error, Localize)]
pub enum ReportError {
    /// The story has no character of this name.
    #[text(page_nobody, name)]
    Nobody(String),
    /// The page can't be filled.
    #[text(|error| UiText::verbatim(error))]
    Page(#[from] minijinja::Error),
}

/// The story of a view as one page, for the host or, with a name, for the reader at that seat.
///
/// # Errors
/// There is no character of that name, or the page can't be filled.
pub fn report(
    view: &StoryView,
    seat: Option<&str>,
    language: Language,
    extras: Extras,
) -> Result<String, ReportError> {
    let id = match seat {
        Some(name) => {
            let id = view.read().id_of(name);
            Some(id.ok_or_else(|| ReportError::Nobody(name.into()))?)
        }
        None => None,
    };
    let reader = Reader {
        view,
        seat: id,
        language,
        seats: None,
        has_desk: false,
    };
    let mut page = page(&reader, None);
    page["is_report"] = true.into();
    // The same story gives the same file.
    page["story"]["now"] = 0.into();
    page["styles"] = style().into();
    page["scripts"] = script().replace("</", "<\\/").into();
    let frame = render("story.html", &page)?;
    let data = data(&reader, &page, extras);
    let (before, after) = frame.split_once(DATA).unwrap_or((&frame, ""));
    let (before, after) = (cleaned(before.into()), cleaned(after.into()));
    let mut report = before;
    report.reserve(data.iter().map(String::len).sum::<usize>() + after.len());
    report.extend(data);
    report.push_str(&after);
    Ok(report)
}

/// Where the data stand in the page. No text can look like it, since they are escaped.
const DATA: &str = "<!-- data -->";

fn cleaned(text: String) -> String {
    shown(redacted(text))
}

/// What an address of the page answers that takes a while to make.
enum Part {
    Turns,
    Headings,
    Places,
    Audience,
    Stays,
    Call(u32, Box<Sent>),
    Person(u32),
    Context(u32),
    Fact(String),
    Events(u32),
    Calls(u32),
}

/// What the addresses of the page answer, each as an element of the page.
fn data(reader: &Reader<'_>, page: &Value, extras: Extras) -> Vec<String> {
    let mut data = Vec::new();
    let mut add = |id: &str, value: &Value| data.push(element(id, value));
    add("story", &page["story"]);
    add("labels", &json!(page_labels(reader.language)));
    let (people, facts) = (reader.people(), reader.facts_and_whom());
    add("people", &people);
    add("facts", &facts);
    for (name, list) in reader.lists() {
        add(name, &list);
    }
    let mut parts = vec![Part::Turns, Part::Headings, Part::Places];
    if reader.is_host() {
        if let Some(branches) = &extras.branches {
            add("branches", branches);
        }
        parts.extend([Part::Audience, Part::Stays]);
        let sent = pairs(reader, extras.requests).into_iter();
        parts.extend(sent.map(|(number, sent)| Part::Call(number, Box::new(sent))));
    }
    let people: BTreeSet<_> = people
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|person| person["id"].as_u64())
        .map(|id| id as u32)
        .collect();
    for id in &people {
        parts.extend([Part::Person(*id), Part::Context(*id)]);
    }
    let facts = facts
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|fact| fact["fact"].as_str());
    parts.extend(facts.map(|fact| Part::Fact(fact.to_owned())));
    let chunks = |count: &Value| {
        let count = count.as_u64().unwrap_or_default() as u32;
        (0..count).step_by(CHUNK as usize)
    };
    parts.extend(chunks(&page["story"]["events"]).map(Part::Events));
    parts.extend(chunks(&page["story"]["calls"]).map(Part::Calls));
    let told = told_by(reader);
    let made = parallel::map(&parts, |part| answer(reader, part, (&told, &people)));
    data.extend(made.into_iter().flatten());
    data
}

/// The element of a part; `None` for a call that is not there.
fn answer(
    reader: &Reader<'_>,
    part: &Part,
    (told, people): (&BTreeMap<u32, u32>, &BTreeSet<u32>),
) -> Option<String> {
    Some(match part {
        Part::Turns => element("turns", &reader.turns()),
        Part::Headings => element("headings", &reader.headings()),
        Part::Places => element("places", &reader.places()),
        Part::Audience => element("audience", &json!({"counts": reader.counts()})),
        Part::Stays => element("stays", &reader.stays()),
        Part::Call(number, sent) => {
            let mut call = reader.call(*number)?;
            request::add(&mut call, reader.view, sent);
            element(&format!("call/{number}"), &call)
        }
        Part::Person(id) => zipped(&format!("person/{id}"), &json!(reader.person(*id))),
        Part::Context(id) => element(&format!("context/{id}"), &json!(reader.context(*id))),
        Part::Fact(fact) => element(&format!("fact/{fact}"), &json!(reader.fact(fact))),
        Part::Events(from) => {
            let chunk = reader
                .events_from(*from, CHUNK)
                .into_iter()
                .map(|event| json!(event.without_chapter(people)));
            written(
                &format!("events/{from}"),
                packed(chunk, "number", &OF_EVENT),
            )
        }
        Part::Calls(from) => {
            let parts = (*from..from + CHUNK).step_by(MOST as usize);
            let chunk = parts
                .flat_map(|from| {
                    let part = ListQuery {
                        from: Some(from),
                        to: Some(from + MOST),
                        ..ListQuery::default()
                    };
                    reader.calls(&part).rows
                })
                .map(|mut call| {
                    let number = call["call"].as_u64().unwrap_or_default() as u32;
                    if let (Some(event), Some(call)) = (told.get(&number), call.as_object_mut()) {
                        call.insert("told".into(), (*event).into());
                        call.remove("text");
                    }
                    call
                });
            written(&format!("calls/{from}"), packed(chunk, "call", &OF_CALL))
        }
    })
}

/// By call, the first event that tells its answer; a thought only if nothing else does.
fn told_by(reader: &Reader<'_>) -> BTreeMap<u32, u32> {
    let contents = reader.view.read();
    let events = contents.events.iter().rev();
    let told = events.filter_map(|event| Some((event.call?, event)));
    let (thoughts, others): (Vec<_>, Vec<_>) =
        told.partition(|(_, event)| event.form == Form::Thought);
    let told = thoughts.into_iter().chain(others);
    told.map(|(call, event)| (call, event.number)).collect()
}

/// The last request of each call with its number, and with that of the call of the same entity
/// before it.
fn pairs(reader: &Reader<'_>, requests: Vec<CallRequest>) -> Vec<(u32, Sent)> {
    let contents = reader.view.read();
    let calls: BTreeMap<_, _> = contents
        .calls
        .iter()
        .filter_map(|call| {
            let outcome = call.outcome()?;
            Some(((outcome.entity.clone(), outcome.number), call.call))
        })
        .collect();
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

/// Rows in few bytes: what several of them share is stored once, in a table, with the names of the
/// fields that are each row's `own`; a row is its place there and the values of these. Their
/// `number` is left out, since they continue from that of the chunk; so are the turn and the day of
/// the row before, and the part of a text that is in `said`.
fn packed(rows: impl Iterator<Item = Value>, number: &str, own: &[&str]) -> String {
    let mut shared = IndexSet::<_, FixedState>::default();
    let mut packed = Vec::new();
    let mut before = STEADY.map(|_| Value::Null);
    for mut row in rows {
        let said = row["said"].as_str().filter(|said| !said.is_empty());
        let around = said
            .and_then(|said| row["text"].as_str()?.split_once(said))
            .map(|(before, after)| json!([before, after]));
        if let Some(around) = &around {
            row["text"] = around.clone();
        }
        let Value::Object(mut row) = row else {
            continue;
        };
        row.remove(number);
        for (name, before) in STEADY.iter().zip(&mut before) {
            match row.remove(*name) {
                Some(value) if value == *before => {}
                Some(value) => {
                    before.clone_from(&value);
                    row.insert((*name).into(), value);
                }
                None => {}
            }
        }
        let own = own
            .iter()
            .filter(|field| **field != "text" || around.is_none())
            .filter_map(|field| {
                let value = match field.split_once('.') {
                    Some((member, field)) => row.get_mut(member)?.as_object_mut()?.remove(field),
                    None => row.remove(*field),
                };
                Some((*field, value?))
            });
        let (fields, values): (Vec<_>, Vec<_>) = own.unzip();
        row.retain(|_, value| value.as_object().is_none_or(|members| !members.is_empty()));
        let (place, _) = shared.insert_full(json!([row, fields]).to_string());
        let row = std::iter::once(place.into()).chain(values);
        packed.push(Value::Array(row.collect()).to_string());
    }
    let shared = shared.iter().map(String::as_str).collect::<Vec<_>>();
    let (shared, rows) = (shared.join(","), packed.join(","));
    format!("{{\"rows\":[{rows}],\"shared\":[{shared}]}}")
}

/// An element with JSON that no text in it can end.
fn element(id: &str, value: &Value) -> String {
    written(id, value.to_string())
}

/// As [`element`], for JSON that is written already.
fn written(id: &str, json: String) -> String {
    let json = cleaned(json.replace('<', "\\u003c"));
    script_element("json", id, &json)
}

/// As [`element`], for JSON that repeats much: compressed, in base64.
fn zipped(id: &str, value: &Value) -> String {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    let json = cleaned(value.to_string());
    // Memory never fails.
    let _ = zipped.write_all(json.as_bytes());
    let zipped = zipped.finish().unwrap_or_default();
    script_element("gzip", id, &BASE64_STANDARD.encode(zipped))
}

fn script_element(kind: &str, id: &str, content: &str) -> String {
    let id = HtmlEscape(id);
    format!("<script type=\"application/{kind}\" id=\"{id}\">{content}</script>\n")
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Arc;

    use super::*;
    use playhouse_engine::cast::StableId;
    use playhouse_engine::event::{AudienceRule, EventRecord, Recipient};
    use playhouse_engine::journal::{AskEnding, Outcome};
    use playhouse_engine::message::{BodyId, Cost, Digest, FinishReason, PromptBytes, TokenUsage};
    use playhouse_engine::session::Logged;
    use playhouse_story::About;

    fn speech(number: u32, words: &str, audience: Range<u32>) -> Logged {
        let recipient = |id: u32| Recipient {
            id: StableId(id),
            name: format!("Somebody {id}").into(),
        };
        let speaker: Arc<str> = format!("Somebody {}", number % 8).into();
        Logged::Event(Box::new(EventRecord {
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
            rule: AudienceRule::Notified,
            ..EventRecord::default()
        }))
    }

    fn answer(who: u32, number: u32, text: String) -> Outcome {
        Outcome {
            entity: format!("Somebody {who}").into(),
            id: who,
            number,
            purpose: "home.speak".into(),
            hash: Digest::default(),
            asked: "What do you say?".into(),
            recalled: Vec::new(),
            ending: AskEnding::Answered {
                text,
                thinking: None,
                finish: FinishReason::Stop,
            },
            refused: Vec::new(),
            rounds: Vec::new(),
            folded: 0,
            calls: 1,
            retries: 0,
            usage: TokenUsage {
                input: 4_000 + u64::from(number % 97),
                output: 80 + u64::from(number % 31),
                ..TokenUsage::default()
            },
            prompt_bytes: PromptBytes::default(),
            estimated: 0,
            cost: Cost::from_units(0.001),
            unpriced: 0,
            provider: "test".into(),
            model: "test".into(),
            ms: 2_000 + u64::from(number % 89),
            at: 0,
        }
    }

    #[test]
    fn a_long_story_stays_small_and_its_parts_are_found() {
        const EVENTS: u32 = 10_000;
        let view = StoryView::new(About {
            slot: "long".into(),
            ..About::default()
        });
        for number in 0..EVENTS {
            // 47 calls for 100 events; most answers are told.
            let who = match (number % 3, number % 7) {
                (1, _) => number % 8,
                (_, 0) => 20,
                _ => 30,
            };
            if who < 30 {
                let text = format!("I listen, number {number}, and say nothing of it.");
                let outcome = Arc::new(answer(who, number, text));
                view.fill(vec![Logged::Answers(vec![(outcome, None)])]);
            }
            let words = format!("Word {number} of a long evening by the fire, <b>and more</b>.");
            view.fill(vec![speech(number, &words, 0..6)]);
        }
        view.fill(vec![speech(EVENTS, "Only you.", 7..8)]);
        let page = report(&view, None, Language::En, Extras::default()).unwrap();
        // Of 100,000 events and 47,000 calls, 30 MB.
        let most = EVENTS as usize * 300;
        assert!(page.len() < most, "{} bytes", page.len());
        let chunk = page.split_once("id=\"calls&#x2f;0\">").unwrap().1;
        let chunk: Value = serde_json::from_str(chunk.split_once("</script>").unwrap().0).unwrap();
        let [silent, speaking] = [0, 1].map(|number| chunk["rows"][number].to_string());
        assert!(silent.contains("I listen, number 0") && !speaking.contains("I listen"));
        assert!(!page.contains("<b>and"), "markup of a mind");
        let chunks = page.matches("id=\"events&#x2f;").count();
        assert_eq!(chunks, (EVENTS / CHUNK) as usize + 1);
        let seat = report(&view, Some("Somebody 7"), Language::En, Extras::default()).unwrap();
        // It was told nothing else than that, and said every eighth word itself.
        assert!(seat.contains("Only you.") && seat.contains("Word 7 of a long evening"));
        assert!(!seat.contains("Word 6 of a long evening"));
        assert!(report(&view, Some("Nobody"), Language::En, Extras::default()).is_err());
        let of_others = |part: &Value| part["who"] != Value::Null;
        let seat = Reader {
            view: &view,
            seat: Some(3),
            language: Language::En,
            seats: None,
            has_desk: false,
        };
        let seen = seat.events(&ListQuery::default()).named("events");
        let seen = seen["events"].as_array().unwrap();
        assert!(!seen.is_empty() && !seen.iter().any(of_others));
        let numbers: BTreeSet<_> = seen.iter().map(|event| event["number"].as_u64()).collect();
        assert_eq!(numbers.len(), MOST as usize);
    }
}
