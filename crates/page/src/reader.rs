//! What one reader may see of a story, as JSON. `docs/page.md` has the shapes.
//!
//! A host sees everything. A seat sees the events that its character learned, with its own numbers,
//! and nothing that another reader's number could tell. `reader.rs` has the story and its events;
//! `people.rs` what became of the world; `calls.rs` what minds were asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use playhouse_engine::cast::{Gone, Kind, StableId, turn_number};
use playhouse_engine::event::guard::GuardAct;
use playhouse_engine::event::{AudienceRule, EventRecord, EventStyle, Recipient, Recipients};
use playhouse_engine::exchange::Spent;
use playhouse_engine::locale::{Language, UiText, text};
use playhouse_engine::message::{Cost, cut};
use playhouse_engine::mind::human::{ALIAS, UNASKED};
use playhouse_story::{
    About, Being, Call, Contents, EventEntry, Form, RunState, StoryView, WhyNot,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::library::Story;
use super::people::hue;
use super::seat::Seat;
use super::span::Span;

/// The most of a list that one answer holds.
pub(super) const MOST: u32 = 500;
/// How many characters of what is taken back a button shows.
const UNDONE: usize = 60;

/// One who looks at a story.
#[derive(Clone, Copy)]
pub(super) struct Reader<'b> {
    pub(super) view: &'b StoryView,
    /// The entity that it plays; `None` for the host.
    pub(super) seat: Option<u32>,
    pub(super) language: Language,
    /// The seats that people have, by name.
    pub(super) seats: Option<&'b BTreeMap<String, Arc<Seat>>>,
    /// Whether the files of the world are there, for whoever writes them.
    pub(super) has_desk: bool,
}

/// What part of a list is wanted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListQuery {
    pub(super) from: Option<u32>,
    pub(super) to: Option<u32>,
    pub(super) who: Option<u32>,
    pub(super) by: Option<u32>,
    pub(super) place: Option<u32>,
    pub(super) fact: Option<String>,
    pub(super) text: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) turn: Option<Span>,
    pub(super) day: Option<Span>,
    pub(super) told: Option<u8>,
    pub(super) open: Option<u8>,
    pub(super) with: Option<String>,
    pub(super) call: Option<u32>,
    pub(super) about: Option<u32>,
}

/// A part of a list.
#[derive(Debug)]
pub(super) struct Range<T> {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) total: u32,
    /// From where to continue.
    pub(super) next: Option<u32>,
    pub(super) rows: Vec<T>,
}

impl<T> Range<T> {
    /// The rows of a part of a list of `total`; [`MOST`] at the most.
    pub(super) fn collect(
        (from, to, total): (u32, u32, u32),
        row: impl Fn(u32) -> Option<T>,
    ) -> Self {
        let mut rows = Vec::new();
        let mut next = from;
        while next < to && rows.len() < MOST as usize {
            rows.extend(row(next));
            next += 1;
        }
        Self {
            from,
            to: next,
            total,
            next: (next < to).then_some(next),
            rows,
        }
    }
}

impl<T: Serialize> Range<T> {
    /// As JSON, with its rows under this name.
    pub(super) fn named(self, rows: &str) -> Value {
        let mut range = json!({"from": self.from, "to": self.to, "total": self.total});
        if let Some(next) = self.next {
            range["next"] = next.into();
        }
        range[rows] = json!(self.rows);
        range
    }
}

/// An event as it is sent.
#[derive(Debug, Default, Serialize)]
pub(super) struct EventJson {
    pub(super) number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    pub(super) turn: u64,
    day: u32,
    kind: String,
    pub(super) form: Form,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) speaker: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    addressee: Option<u32>,
    /// Who told what others learned by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    teller: Option<u32>,
    /// The heading over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) said: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeat: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    except: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    who: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(Arc<str>, Vec<u32>)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<(u32, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Where the program answered instead of a mind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    defaults: Vec<String>,
    /// Whether a guard kept it back from some.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    withheld: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Value>,
    /// Whether it is a summary of a chapter.
    #[serde(skip)]
    is_memory: bool,
}

impl EventJson {
    /// Whether it happens at no place, and is more than a note: it is for all places then.
    pub(super) fn is_of_all(&self) -> bool {
        self.place.is_none() && self.form != Form::Note
    }
}

/// How many events a reader has, and how many changes of calls, of which a seat isn't told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) events: u32,
    pub(super) changes: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.events, self.changes)
    }
}

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (events, changes) = text.split_once('.').ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        Ok(Self {
            events: number(events)?,
            changes: number(changes)?,
        })
    }
}

impl EventJson {
    /// Shortens the summary of a chapter to its first line, if all who got it are among these
    /// people, whose chapters are told elsewhere. A seat gets its own alone.
    pub(super) fn without_chapter(mut self, people: &BTreeSet<u32>) -> Self {
        if self.is_memory
            && self.who.iter().all(|who| people.contains(who))
            && let Some((first, _)) = self.text.split_once('\n')
        {
            self.text = format!("{first} …");
        }
        self
    }
}

/// What was spent, as it is sent.
#[derive(Debug, Serialize)]
pub(super) struct SpentJson {
    calls: u64,
    prompt: u64,
    cached: u64,
    completion: u64,
    /// As far as prices are known.
    cost: Option<f64>,
}

impl From<Spent> for SpentJson {
    fn from(spent: Spent) -> Self {
        Self {
            calls: spent.calls,
            prompt: spent.usage.input,
            cached: spent.usage.cached,
            completion: spent.usage.output,
            cost: spent.known_cost().map(Cost::units),
        }
    }
}

#[derive(Debug, Serialize)]
struct EntityJson {
    id: u32,
    name: Arc<str>,
    kind: Kind,
    hue: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    faction: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<u32>,
    dead: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<Gone>,
}

impl<'b> Reader<'b> {
    /// The host, in the language of the story.
    pub(super) fn of(story: &'b Story) -> Self {
        Self {
            view: &story.view,
            seat: None,
            language: story.language(),
            seats: Some(&story.seats),
            has_desk: story.desk.is_some(),
        }
    }
}

impl Reader<'_> {
    /// Whether it sees everything.
    pub(super) fn is_host(&self) -> bool {
        self.seat.is_none()
    }

    /// The number of events that it may see.
    pub(super) fn count(&self, contents: &Contents) -> u32 {
        match self.seat {
            None => contents.events.len() as u32,
            Some(seat) => contents.seen(seat).len() as u32,
        }
    }

    /// How far it is in the stream of what is new.
    pub(super) fn position(&self, contents: &Contents) -> Position {
        let changes = contents.changes.len() as u32;
        Position {
            events: self.count(contents),
            changes: if self.is_host() { changes } else { 0 },
        }
    }

    fn count_calls(&self, contents: &Contents) -> usize {
        if self.is_host() {
            contents.calls.len()
        } else {
            0
        }
    }

    fn entry<'c>(&self, contents: &'c Contents, n: u32) -> Option<&'c Arc<EventEntry>> {
        let number = match self.seat {
            None => n,
            Some(seat) => *contents.seen(seat).get(n as usize)?,
        };
        contents.events.get(number as usize)
    }

    /// The number by which it knows an event; `None` if it may not see it.
    pub(super) fn number(&self, contents: &Contents, number: u32) -> Option<u32> {
        match self.seat {
            None => Some(number),
            Some(seat) => {
                let found = contents.seen(seat).binary_search(&number);
                Some(found.ok()? as u32)
            }
        }
    }

    /// The story: what it is, how it is going, and everybody who has a name.
    pub(super) fn story(&self) -> Value {
        let contents = self.view.read();
        let about = &self.view.about;
        let mut story = json!(about);
        story["view"] = match self.seat {
            None => json!({"host": true}),
            Some(seat) => json!({"seat": seat}),
        };
        if self.seat.is_some() {
            // With the seed, a reader could play the story elsewhere and see everything.
            story["seed"].take();
        }
        story["events"] = self.count(&contents).into();
        story["calls"] = self.count_calls(&contents).into();
        story["position"] = self.position(&contents).to_string().into();
        let is_live = contents.calls.last().is_some_and(|call| call.is_timed());
        story["clock"] = if is_live { "live" } else { "recorded" }.into();
        if self.is_host() {
            story["models"] = json!(self.view.about.models);
        }
        story["entities"] = json!(self.entities(&contents));
        if let (Value::Object(story), Value::Object(run)) = (&mut story, self.run_of(&contents)) {
            story.extend(run);
        }
        story
    }

    /// How the run is going: what of the story changes all the time.
    pub(super) fn run(&self) -> Value {
        self.run_of(&self.view.read())
    }

    fn run_of(&self, contents: &Contents) -> Value {
        let (state, error) = (&contents.run_state(), &contents.run.error);
        let thinking = contents.open_calls().map(|call| {
            json!({
                "call": call.call, "who": call.who, "purpose": call.purpose, "since": call.start,
                "held": self.held_json(call),
            })
        });
        // A seat sees no thoughts of others, not even that there are any.
        let thinking: Vec<_> = thinking.filter(|_| self.is_host()).collect();
        // Nor for whom a server is waited for.
        let error = error
            .as_ref()
            .filter(|_| self.is_host() || *state != RunState::Playing)
            .map(|error| error.in_language(self.language));
        let mut run = json!({
            "turn": contents.turn, "day": contents.day, "now": self.view.time(contents),
            "run": {"state": state, "thinking": thinking, "error": error},
            "can": self.can(contents),
        });
        // While a story is read its events are not streamed: pages take those that they show.
        if *state == RunState::Reading {
            run["events"] = self.count(contents).into();
            run["calls"] = self.count_calls(contents).into();
        }
        if let Some(moved) = &contents.run.moved {
            run["run"]["moved"] = json!(moved);
        }
        let table = self.table();
        if !table.is_empty() {
            run["run"]["table"] = table.into();
        }
        if let Some(undo) = self.undo(contents) {
            run["run"]["undo"] = undo;
        }
        if self.is_host() {
            run["run"]["between_calls"] = contents.run.at_gate.into();
            run["run"]["review"] = contents.run.reviews.into();
            let problems = contents.run.problems.iter().map(|problem| {
                let text = problem.in_language(self.language);
                json!({"file": problem.file, "line": problem.line, "text": text})
            });
            run["run"]["problems"] = problems.collect();
            let mut spent = Spent::default();
            for being in &contents.state.beings {
                spent += being.spent;
            }
            run["spent"] = json!(SpentJson::from(spent));
        }
        run
    }

    /// The people who play, and whose turn it is. All who play sit at one table.
    fn table(&self) -> Vec<Value> {
        let seats = self.seats.into_iter().flatten();
        let played = seats.filter(|(_, seat)| seat.played_by() != "mind");
        played.map(|(name, seat)| seat.at_table(name)).collect()
    }

    /// The last answer of the person at this seat, with what followed from it, unless others have
    /// answered since.
    fn undo(&self, contents: &Contents) -> Option<Value> {
        let who = self.seat.filter(|_| contents.run.state.is_played())?;
        let seat = self.seats?.get(&*contents.name_of(who)?)?;
        if !seat.may_undo() {
            return None;
        }
        let of_people = |call: &Call| {
            let outcome = call.outcome();
            outcome.is_some_and(|outcome| &*outcome.provider == ALIAS && &*outcome.model != UNASKED)
        };
        let last = contents.calls.iter().rfind(|call| of_people(call))?;
        if last.who != who {
            return None;
        }
        let learned = contents.learned.get(&who).into_iter().flatten().rev();
        let events = learned.filter_map(|number| contents.events.get(*number as usize));
        let of_turn = events.take_while(|event| turn_number(event.turn) >= last.turn);
        let event = of_turn.filter(|event| event.call == Some(last.call)).last();
        let what = event.map(|event| cut(&self.text_of(contents, event), UNDONE));
        Some(json!({"number": last.number, "what": what}))
    }

    fn can(&self, contents: &Contents) -> Vec<&'static str> {
        use RunState::{Failed, Finished, Paused, Pausing, Playing, Reading, Saved, Stopped};
        let is_played = matches!(contents.run.state, Playing | Pausing | Paused);
        if !self.is_host() {
            return if is_played {
                vec!["answer"]
            } else {
                Vec::new()
            };
        }
        let now: &[_] = match contents.run_state() {
            Playing => &["pause", "review", "stop"],
            Pausing => &["play", "review", "stop"],
            Paused => &["play", "step", "review", "stop"],
            Finished | Saved | Stopped | Failed => &[],
            // Nobody knows yet what there is to go back to.
            Reading => return Vec::new(),
        };
        let is_going_on = !now.is_empty();
        let of_games = contents.state.games.all();
        let deeds = ["tell"]
            .into_iter()
            .chain(of_games.flat_map(|game| game.deeds(contents)))
            .filter(|_| is_going_on);
        let deeds: Vec<_> = deeds.collect();
        let has_seat = |is_taken: bool| {
            let mut seats = self.seats.into_iter().flat_map(BTreeMap::values);
            is_played && seats.any(|seat| seat.is_taken() == is_taken)
        };
        let seats = [("invite", has_seat(false)), ("dismiss", has_seat(true))];
        let seats: Vec<_> = seats
            .into_iter()
            .filter(|(_, is_possible)| *is_possible)
            .map(|(deed, _)| deed)
            .collect();
        if self.view.about.is_elsewhere {
            return seats;
        }
        let branches: &[_] = if self.view.about.is_conversation {
            &["branch", "undo"]
        } else {
            &["branch", "undo", "retry"]
        };
        let writing: &[_] = match self.has_desk {
            true => &["rehearse", "play_scene"],
            false => &[],
        };
        [now, &deeds, &seats, branches, writing].concat()
    }

    /// Everybody and everything that has a name, by number.
    pub(super) fn named(&self) -> BTreeMap<u32, Value> {
        let contents = self.view.read();
        let entities = self.entities(&contents).into_iter();
        entities.map(|entity| (entity.id, json!(entity))).collect()
    }

    fn entities(&self, contents: &Contents) -> Vec<EntityJson> {
        let state = &contents.state;
        let met = self.seat.map(|seat| self.met(contents, seat));
        let own_place = self.seat.and_then(|seat| state.being(seat)?.place);
        let may_see = |being: &&Being| met.as_ref().is_none_or(|met| met.contains(&being.id));
        let entities = state.beings.iter().filter(may_see).map(|being| {
            let sees_place = self.is_host() || being.place == own_place;
            EntityJson {
                id: being.id,
                name: being.name.clone(),
                kind: being.kind,
                hue: hue(&being.name),
                faction: being.faction.clone(),
                place: being.place.filter(|_| sees_place),
                dead: being.is_dead && sees_place,
                gone: being.gone,
            }
        });
        entities.collect()
    }

    /// All entities that a character has encountered.
    fn met(&self, contents: &Contents, seat: u32) -> BTreeSet<u32> {
        let own = contents.state.being(seat).and_then(|being| being.place);
        let mut met: BTreeSet<_> = own.into_iter().chain([seat]).collect();
        let seen = contents.seen(seat).iter();
        for entry in seen.filter_map(|number| contents.events.get(*number as usize)) {
            met.extend(entry.by.into_iter().chain(entry.to).chain(entry.place));
        }
        met
    }

    /// Events in a range that fit.
    pub(super) fn events(&self, query: &ListQuery) -> Range<EventJson> {
        let contents = self.view.read();
        self.range(&contents, query, |n, entry| {
            self.event_json(&contents, n, entry)
        })
    }

    /// An event that a printed book tells.
    pub(super) fn told(&self, contents: &Contents, n: u32) -> Option<EventJson> {
        let entry = self.entry(contents, n)?;
        if !self.is_told(entry) || entry.style == EventStyle::Working {
            return None;
        }
        Some(self.event_json(contents, n, entry))
    }

    /// The form and text of an event that is a heading.
    pub(super) fn heading(&self, contents: &Contents, n: u32) -> Option<(Form, String)> {
        let entry = self.entry(contents, n)?;
        if !entry.form.is_heading() || !self.is_told(entry) {
            return None;
        }
        let title = self.title_of(&entry.record());
        Some((
            entry.form,
            title.unwrap_or_else(|| self.text_of(contents, entry)),
        ))
    }

    /// The text of the last heading.
    pub(super) fn last_heading(&self, contents: &Contents) -> Option<String> {
        let mut headings = (0..self.count(contents)).rev();
        headings.find_map(|n| Some(self.heading(contents, n)?.1))
    }

    /// The last events that a book prints.
    pub(super) fn last_told(&self, most: u32) -> Range<EventJson> {
        let contents = self.view.read();
        let total = self.count(&contents);
        let entries = (0..total)
            .rev()
            .filter_map(|n| Some((n, self.entry(&contents, n)?)));
        let told = entries
            .filter(|(_, entry)| self.is_told(entry))
            .take(most as usize);
        let mut rows: Vec<_> = told
            .map(|(n, entry)| self.event_json(&contents, n, entry))
            .collect();
        rows.reverse();
        Range {
            from: rows
                .first()
                .filter(|_| rows.len() == most as usize)
                .map_or(0, |first| first.number),
            to: total,
            total,
            next: None,
            rows,
        }
    }

    /// The events from a number on, up to a maximum number.
    pub(super) fn events_from(&self, from: u32, most: u32) -> Vec<EventJson> {
        let contents = self.view.read();
        let to = self.count(&contents).min(from.saturating_add(most));
        let events = (from..to).filter_map(|n| Some((n, self.entry(&contents, n)?)));
        events
            .map(|(n, entry)| self.event_json(&contents, n, entry))
            .collect()
    }

    /// The items in a range that match a filter.
    pub(super) fn range<T>(
        &self,
        contents: &Contents,
        query: &ListQuery,
        row: impl Fn(u32, &EventEntry) -> T,
    ) -> Range<T> {
        let total = self.count(contents);
        let last = total.saturating_sub(MOST);
        let from = query
            .from
            .or(query.to.map(|to| to.saturating_sub(MOST)))
            .unwrap_or(if query.is_filter() { 0 } else { last })
            .min(total);
        let to = query.to.unwrap_or(total).clamp(from, total);
        let words = query.text.as_ref().map(|words| words.to_lowercase());
        Range::collect((from, to, total), |n| {
            let entry = self.entry(contents, n)?;
            let fits = self.fits(contents, entry, query, words.as_deref());
            fits.then(|| row(n, entry))
        })
    }

    fn fits(
        &self,
        contents: &Contents,
        entry: &EventEntry,
        query: &ListQuery,
        words: Option<&str>,
    ) -> bool {
        let is = |wanted: Option<u32>, id: Option<u32>| wanted.is_none() || wanted == id;
        let reached =
            |id: u32| self.is_host() && (entry.audience.contains(&id) || entry.by == Some(id));
        let taught = |fact: &String| {
            let id: &str = &entry.id.to_string();
            let taught = contents.state.taught.get(id);
            taught.is_some_and(|taught| {
                let learned = taught.get(fact.as_str());
                learned.is_some_and(|who| self.seat.is_none_or(|seat| who.contains(&seat)))
            })
        };
        is(query.by, entry.by)
            && is(query.place, entry.place)
            && query.who.is_none_or(reached)
            && query
                .turn
                .is_none_or(|turns| turns.has(turn_number(entry.turn)))
            && query.day.is_none_or(|days| days.has(entry.day.into()))
            && query
                .kind
                .as_ref()
                .is_none_or(|kind| *kind == entry.record().kind)
            && (query.told != Some(1) || self.is_told(entry))
            && query.fact.as_ref().is_none_or(taught)
            && words
                .is_none_or(|words| self.text_of(contents, entry).to_lowercase().contains(words))
    }

    /// Whether a book prints an event.
    pub(super) fn is_told(&self, entry: &EventEntry) -> bool {
        entry.form != Form::Own && !self.repeats(entry)
    }

    /// Whether it was told the same before. A seat gets everything once.
    fn repeats(&self, entry: &EventEntry) -> bool {
        self.is_host() && entry.repeats
    }

    fn seen(&self, record: &EventRecord) -> Option<EventRecord> {
        let seat = self.seat?;
        let masked = record.masked.iter().any(|(who, _)| who.id.0 == seat);
        masked.then(|| record.as_seen_by(StableId(seat)))
    }

    /// The words of an event for this reader: a host is told in the third person what others read
    /// as "you".
    pub(super) fn text_of(&self, contents: &Contents, entry: &EventEntry) -> String {
        self.text_in(contents, entry, &entry.record())
    }

    fn text_in(&self, contents: &Contents, entry: &EventEntry, record: &EventRecord) -> String {
        // What somebody does itself is told to others in the second person.
        if self.is_host() || entry.by == self.seat {
            let about = &self.view.about;
            let text = in_third_person(contents, record, about)
                .map(|text| text.in_language(about.language));
            return text.unwrap_or_else(|| record.text.clone());
        }
        let seen = self.seen(record);
        seen.map_or_else(|| record.text.clone(), |seen| seen.text)
    }

    /// The words alone, without who says them; `None` if it has a form without words.
    fn words_of(&self, form: Form, record: &EventRecord) -> Option<String> {
        let telling = self.view.about.events.telling(record)?;
        form.words_of(&*telling).map(str::to_owned)
    }

    fn title_of(&self, record: &EventRecord) -> Option<String> {
        let about = &self.view.about;
        let heading = about.events.telling(record)?.heading()?;
        Some(heading.in_language(about.language))
    }

    fn event_json(&self, contents: &Contents, n: u32, entry: &EventEntry) -> EventJson {
        let record = &entry.record();
        let seen = self.seen(record);
        let shown = seen.as_ref().unwrap_or(record);
        let text = self.text_in(contents, entry, record);
        let board = self
            .view
            .about
            .events
            .telling(record)
            .and_then(|telling| telling.board());
        let mut event = EventJson {
            number: n,
            turn: turn_number(record.turn),
            day: entry.day,
            kind: record.kind.clone(),
            form: entry.form,
            place: entry.place,
            speaker: entry.by,
            addressee: entry.to,
            title: self.title_of(record),
            // In a report, the same words twice would count.
            said: self
                .words_of(entry.form, shown)
                .filter(|words| *words != text),
            text,
            repeat: self.repeats(entry),
            facts: self.taught(contents, record),
            defaults: self.defaults_told(entry),
            board: board.filter(|_| seen.is_none()),
            is_memory: entry.style == EventStyle::Memory,
            ..EventJson::default()
        };
        if self.is_host() {
            let (rule, stage, except) = rule_of(contents, record);
            event.id = Some(record.id.to_string());
            event.rule = Some(rule);
            event.stage = stage.filter(|stage| Some(*stage) != entry.place);
            event.except = except;
            event.who = record.audience.iter().map(|who| who.id.0).collect();
            let masked = record.masked.iter();
            event.masked = masked.map(|(who, text)| (who.id.0, text.clone())).collect();
            let notes = record.guarded.iter().map(guard_note);
            event.notes = notes.map(|note| note.in_language(self.language)).collect();
            event.withheld = record.is_withheld();
            event.teller = contents.teller(record);
            event.call = entry.call;
        }
        event
    }

    /// For whom the program answered; why, only the host is told.
    fn defaults_told(&self, entry: &EventEntry) -> Vec<String> {
        let notes = entry.defaults.iter().map(|(who, reason)| {
            let who = &**who;
            if self.is_host() {
                text!(story_default_because, who, reason)
            } else {
                text!(story_default_of, who)
            }
        });
        notes.map(|note| note.in_language(self.language)).collect()
    }

    fn taught(&self, contents: &Contents, record: &EventRecord) -> Vec<(Arc<str>, Vec<u32>)> {
        let id: &str = &record.id.to_string();
        let Some(taught) = contents.state.taught.get(id) else {
            return Vec::new();
        };
        let taught = taught.iter().filter_map(|(fact, who)| match self.seat {
            None => Some((fact.clone(), who.clone())),
            Some(seat) => who.contains(&seat).then(|| (fact.clone(), vec![seat])),
        });
        taught.collect()
    }

    /// An event with the game's own data and why others did not learn it.
    pub(super) fn event(&self, n: u32) -> Option<Value> {
        let contents = self.view.read();
        let entry = self.entry(&contents, n)?;
        let mut event = json!(self.event_json(&contents, n, entry));
        if self.is_host() {
            let record = entry.record();
            event["data"] = record.data.clone();
            if self.text_in(&contents, entry, &record) != record.text {
                event["as_read"] = record.text.as_str().into();
            }
            let others = contents.not_told(entry).map(|(being, why)| {
                let stay = contents.stay(being.id, entry.number);
                let place = stay.and_then(|stay| stay.place).map(|place| place.0);
                json!({"who": being.id, "why": why.name(), "at": place})
            });
            event["not_told"] = others.collect();
            let mut games = contents.state.games.all();
            let other_options = games.find_map(|game| game.alternatives(entry, &contents));
            if let Some((call, options)) = other_options {
                event["call"] = call.into();
                event["options"] = options.into();
            }
        }
        Some(event)
    }

    /// The events and calls of each turn.
    pub(super) fn turns(&self) -> Value {
        let contents = self.view.read();
        let Some(seat) = self.seat else {
            let turns = contents.turns.iter().map(|turn| {
                let mut told = (turn.from..turn.to).filter_map(|n| self.told(&contents, n));
                let mut json = json!(turn);
                json["goes_on"] = told.next().is_none_or(|event| !event.is_of_all()).into();
                json
            });
            return turns.collect();
        };
        let seen = contents.seen(seat);
        let place = |number: u32| seen.partition_point(|n| *n < number);
        let turns = contents.turns.iter().map(|turn| {
            let (from, to) = (place(turn.from), place(turn.to));
            json!({"turn": turn.turn, "day": turn.day, "from": from, "to": to})
        });
        turns.collect()
    }

    pub(super) fn headings(&self) -> Value {
        let contents = self.view.read();
        let headings = (0..self.count(&contents)).filter_map(|n| {
            let (form, text) = self.heading(&contents, n)?;
            let day = self.entry(&contents, n)?.day;
            Some(json!({"number": n, "form": form, "day": day, "text": text}))
        });
        headings.collect()
    }

    /// Where everybody was: by entity, from which event on, its place, and whether it was dead.
    pub(super) fn stays(&self) -> Value {
        let contents = self.view.read();
        let stays = contents.stays().iter().map(|(id, stays)| {
            let stays = stays.iter().map(|(from, stay)| {
                let place = stay.place.map(|place| place.0);
                json!([from, place, u8::from(stay.dead)])
            });
            (id.to_string(), stays.collect())
        });
        Value::Object(stays.collect())
    }

    /// How many events each entity learned.
    pub(super) fn counts(&self) -> BTreeMap<u32, usize> {
        let contents = self.view.read();
        let learned = contents.learned.iter();
        learned.map(|(who, events)| (*who, events.len())).collect()
    }

    /// Who learned which events, and by which rule or why not.
    pub(super) fn audience(&self, query: &ListQuery) -> Value {
        let contents = self.view.read();
        let beings = &contents.state.beings;
        let columns: Vec<u32> = beings.iter().map(|being| being.id).collect();
        let count = |id: &u32| contents.learned.get(id).map_or(0, Vec::len);
        let counts: Vec<_> = columns.iter().map(count).collect();
        let range = self.range(&contents, query, |n, entry| {
            let record = entry.record();
            let cell = |being: &Being| {
                let id = being.id;
                if !entry.audience.contains(&id) {
                    cell(contents.why_not(entry, &record, being))
                } else if record.masked.iter().any(|(who, _)| who.id.0 == id) {
                    'm'
                } else {
                    'y'
                }
            };
            let cells: Vec<_> = beings.iter().map(cell).collect();
            let text: String = self
                .words_of(entry.form, &record)
                .unwrap_or_else(|| self.text_in(&contents, entry, &record))
                .chars()
                .take(80)
                .collect();
            let (rule, stage, _) = rule_of(&contents, &record);
            json!({
                "number": n, "form": entry.form, "speaker": entry.by, "text": text, "cells": cells,
                "rule": rule, "stage": stage,
            })
        });
        let mut audience = range.named("rows");
        audience["columns"] = json!(columns);
        audience["counts"] = json!(counts);
        audience
    }
}

impl ListQuery {
    fn is_filter(&self) -> bool {
        self.who.is_some()
            || self.by.is_some()
            || self.place.is_some()
            || self.fact.is_some()
            || self.text.is_some()
            || self.kind.is_some()
            || self.turn.is_some()
            || self.day.is_some()
    }
}

/// How a table shows why somebody did not learn an event.
fn cell(why: WhyNot) -> char {
    match why {
        WhyNot::Elsewhere(_) => 'e',
        WhyNot::LeftOut => 'x',
        WhyNot::NotNamed => 'n',
        WhyNot::Dead => 'd',
        WhyNot::Later => 'l',
        WhyNot::Private => 'p',
        WhyNot::Withheld => 'g',
        WhyNot::Own => 'o',
    }
}

/// An event in the third person; `None` if its own words are right for everybody.
fn in_third_person(contents: &Contents, record: &EventRecord, about: &About) -> Option<UiText> {
    let telling = about.events.telling(record)?;
    let is_stage = |who: &&Recipient| {
        let being = contents.state.being(who.id.0);
        being.is_some_and(|being| being.kind == Kind::Stage)
    };
    let (stages, others): (Vec<_>, Vec<_>) = record.audience.iter().partition(is_stage);
    let names = if others.is_empty() { stages } else { others };
    let names: Vec<_> = names.iter().map(|who| who.name.to_string()).collect();
    telling.third_person(&Recipients {
        names: &names,
        language: about.language,
    })
}

/// The rule's name, its stage, and who was left out.
fn rule_of(contents: &Contents, record: &EventRecord) -> (&'static str, Option<u32>, Vec<u32>) {
    let (rule, stage) = match &record.rule {
        AudienceRule::BroadcastToStage { stage, .. } => ("stage", contents.id_of(stage)),
        AudienceRule::Notified => ("named", None),
        AudienceRule::Announced { .. } => ("everywhere", None),
        AudienceRule::Private => ("private", None),
    };
    let excluded = record.rule.excluded().iter();
    let excluded = excluded.filter_map(|name| contents.id_of(name));
    (rule, stage, excluded.collect())
}

/// What a guard did, and why.
fn guard_note(act: &GuardAct) -> UiText {
    let key = format!("story_guard_{}", act.guard.replace('.', "_"));
    let guard = UiText::find(&key).unwrap_or_else(|| UiText::verbatim(&*act.guard));
    text!(story_guard, guard, reason = &act.reason)
}
