//! The addresses under `/api`, which answer with JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use playhouse_engine::engine::Decision;
use playhouse_engine::journal::{HOST, branch_input, undo_input};
use playhouse_engine::locale::{Language, Localize, UiText, text};
use playhouse_engine::mind::human::{ALIAS, FormAnswer};
use playhouse_engine::session::{Retaken, tell_input};
use playhouse_story::RunState;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::access::Visitor;
use super::answer::{Asked, Failure, InLanguage, Json, done, done_in};
use super::branches::{branches, compare, parting};
use super::control::{Control, Wanted};
use super::desk::Desk;
use super::error::ServerError;
use super::library::{BranchAt, Invitation, LibraryError, NewStory, Story};
use super::reader::{ListQuery, Reader};
use super::request;
use super::seat::{Answer, Seat};
use super::server::Figures;
use super::shared::{Shared, page_labels};

/// How long it takes before somebody looks again whether a run has stopped.
const AT_STOP: Duration = Duration::from_millis(10);

/// A reader at the story that an address names.
#[derive(Clone)]
pub(super) struct Visit {
    pub(super) shared: Arc<Shared>,
    pub(super) slot: String,
    pub(super) story: Story,
    seat: Option<u32>,
    /// The token of a reader with a seat.
    token: Option<String>,
    pub(super) language: Language,
}

impl FromRequestParts<Arc<Shared>> for Visit {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        shared: &Arc<Shared>,
    ) -> Result<Self, Self::Rejection> {
        let Asked(InLanguage { lang }) = Asked::from_request_parts(parts, shared).await?;
        let Path(mut names) = Path::<BTreeMap<String, String>>::from_request_parts(parts, shared)
            .await
            .map_err(IntoResponse::into_response)?;
        let slot = names.remove("slot").unwrap_or_default();
        let language = lang.unwrap_or(shared.language);
        let visit = Self::new(shared, &parts.headers, slot, language).await;
        visit.map_err(|failure| failure.at(&parts.uri))
    }
}

impl Visit {
    /// Lets a reader in to a story.
    async fn new(
        shared: &Arc<Shared>,
        headers: &HeaderMap,
        slot: String,
        language: Language,
    ) -> Result<Self, Failure> {
        let name = match shared.access.visitor(headers) {
            Some(Visitor::Host) => None,
            Some(Visitor::Seat { slots, who }) if slots.contains(&slot) => Some(who),
            _ => return Err(Failure::forbidden(language)),
        };
        let (library, wanted) = (shared.library.clone(), slot.clone());
        let story = blocking(language, move || library.open(&wanted))
            .await?
            .ok_or_else(|| Failure::missing(language))?;
        let seat = match &name {
            None => None,
            Some(name) => {
                let id = story.view.read().id_of(name);
                Some(id.ok_or_else(|| Failure::forbidden(language))?)
            }
        };
        Ok(Self {
            shared: shared.clone(),
            slot,
            story,
            seat,
            token: shared.access.token_in(headers).map(str::to_owned),
            language,
        })
    }

    /// Whether the reader may still be here: its seat was not taken back, and if it has no token,
    /// nobody needs one yet.
    pub(super) fn is_welcome(&self) -> bool {
        self.shared.access.welcomes(self.token.as_deref())
    }

    /// Lets only the host go on.
    pub(super) fn is_for_host(&self) -> Result<(), Failure> {
        let is_host = self.reader().is_host();
        is_host
            .then_some(())
            .ok_or_else(|| Failure::forbidden(self.language))
    }

    /// The seat of a reader that has one, with the number of its character.
    pub(super) fn seat(&self) -> Option<(u32, &Arc<Seat>)> {
        let id = self.seat?;
        let contents = self.story.view.read();
        let name = &contents.state.being(id)?.name;
        Some((id, self.story.seats.get(&**name)?))
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            seat: self.seat,
            language: self.language,
            ..Reader::of(&self.story)
        }
    }
}

/// Does what may take its time on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    language: Language,
    work: impl FnOnce() -> Result<T, LibraryError> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(UiText::verbatim(error).into()));
    done.map_err(|problem| Failure::impossible(problem, language))
}

/// As [`blocking`], for what plays a story again: few do so at a time. It counts until it is done,
/// though whoever asked may be gone.
async fn replaying<T: Send + 'static>(
    replays: &Arc<Semaphore>,
    language: Language,
    work: impl FnOnce() -> Result<T, LibraryError> + Send + 'static,
) -> Result<T, Failure> {
    let permit = replays.clone().acquire_owned().await.ok();
    let work = move || {
        let done = work();
        drop(permit);
        done
    };
    blocking(language, work).await
}

pub(super) async fn labels(
    State(shared): State<Arc<Shared>>,
    Asked(query): Asked<InLanguage>,
) -> Json {
    let language = query.lang.unwrap_or(shared.language);
    Json(json!(page_labels(language)))
}

/// All stories, for the host.
pub(super) async fn stories(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Json, Failure> {
    if shared.access.visitor(&headers) != Some(Visitor::Host) {
        return Err(Failure::forbidden(shared.language));
    }
    let library = shared.library.clone();
    let stories = blocking(shared.language, move || Ok(library.list())).await?;
    Ok(Json(json!(stories)))
}

/// Whether stories can be shown: for whoever restarts or reaches servers. It tells nothing else.
pub(super) async fn health(State(shared): State<Arc<Shared>>) -> StatusCode {
    let library = shared.library.clone();
    match blocking(shared.language, move || library.figures()).await {
        Ok(_) => StatusCode::OK,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// How all of it goes, as Prometheus reads it.
pub(super) async fn metrics(State(figures): State<Arc<Figures>>) -> Result<String, StatusCode> {
    let figures = blocking(Language::default(), move || figures()).await;
    let figures = figures.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(figures.iter().map(|figure| format!("{figure}\n")).collect())
}

/// Begins a story, for the host.
pub(super) async fn begin(
    State(shared): State<Arc<Shared>>,
    Asked(query): Asked<InLanguage>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json, Failure> {
    let language = query.lang.unwrap_or(shared.language);
    if shared.access.visitor(&headers) != Some(Visitor::Host) {
        return Err(Failure::forbidden(language));
    }
    let wanted = read_body::<NewStory>(&body, language)?;
    let library = shared.library.clone();
    let slot = blocking(language, move || library.begin(wanted)).await?;
    Ok(done_in(slot))
}

/// What there is one of in a story, or a list.
pub(super) async fn get(
    Path((_, what)): Path<(String, String)>,
    Asked(part): Asked<ListQuery>,
    visit: Visit,
) -> Result<Json, Failure> {
    let language = visit.language;
    let found = blocking(language, move || {
        let reader = visit.reader();
        Ok(match what.as_str() {
            "branches" if reader.is_host() => {
                let slots = visit.shared.library.slots();
                let found = branches(&slots, &visit.story.slot, None);
                Some(found.map_err(|error| error.text())?)
            }
            "compare" if reader.is_host() => compared(&visit, &part)?,
            "desk" if reader.is_host() => {
                let desk = visit.story.desk.as_ref();
                desk.map(|desk| desk.draft().json(language))
            }
            "story" => Some(reader.story()),
            "events" => Some(reader.events(&part).named("events")),
            "calls" if reader.is_host() => Some(reader.calls(&part).named("calls")),
            "audience" if reader.is_host() => Some(reader.audience(&part)),
            "turns" => Some(reader.turns()),
            "headings" => Some(reader.headings()),
            "people" => Some(reader.people()),
            "places" => Some(reader.places()),
            "facts" => Some(reader.facts()),
            "believes" => {
                let pair = part.who.zip(part.about);
                pair.and_then(|(who, about)| reader.beliefs(who, about))
            }
            name => reader
                .lists()
                .into_iter()
                .find(|(known, _)| *known == name)
                .map(|(_, list)| list),
        })
    })
    .await?
    .map(Json);
    found.ok_or_else(|| Failure::missing(language))
}

fn compared(visit: &Visit, part: &ListQuery) -> Result<Option<Value>, LibraryError> {
    let other = match &part.with {
        Some(slot) => visit.shared.library.open(slot)?,
        None => None,
    };
    let own = &visit.story.view;
    let Some(other) = other.filter(|other| !Arc::ptr_eq(&other.view, own)) else {
        return Ok(None);
    };
    let here = visit.reader();
    let there = Reader {
        view: &other.view,
        seats: Some(&other.seats),
        ..here
    };
    let turn = parting(&visit.story.slot, &other.slot)?;
    Ok(turn.map(|turn| compare(&here, &there, turn, part)))
}

pub(super) async fn get_one(
    Path((_, what, which)): Path<(String, String, String)>,
    Asked(part): Asked<ListQuery>,
    visit: Visit,
) -> Result<Json, Failure> {
    let (shared, language) = (visit.shared.clone(), visit.language);
    let replays = what == "call" || part.call.is_some();
    let find = move || {
        let reader = visit.reader();
        let sent = |call| request::sent(&visit.story, call);
        let number = which.parse().ok();
        Ok(match (what.as_str(), number) {
            ("event", Some(number)) => reader.event(number),
            ("person", Some(number)) => reader.person(number),
            ("context", Some(id)) => match part.call {
                None => reader.context(id),
                Some(call) if reader.was_asked(id, call) => {
                    let sent = sent(call).map_err(|error| error.text())?;
                    sent.and_then(|sent| reader.context_at(id, call, &sent))
                }
                Some(_) => None,
            },
            ("call", Some(number)) => {
                let mut call = reader.call(number);
                if let Some(json) = &mut call {
                    match sent(number) {
                        Ok(Some(sent)) => request::add(json, reader.view, &sent),
                        Ok(None) => {}
                        Err(error) => {
                            json["request_missing"] = error.text().in_language(language).into();
                        }
                    }
                }
                call
            }
            ("fact", _) => reader.fact(&which),
            _ => None,
        })
    };
    let found = if replays {
        replaying(&shared.replays, language, find).await?
    } else {
        blocking(language, find).await?
    };
    found.map(Json).ok_or_else(|| Failure::missing(language))
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Deed {
    Pause,
    Play,
    Step {
        #[serde(default)]
        by: StepBy,
    },
    Review {
        on: bool,
    },
    /// A held answer is used.
    Use {
        call: u32,
    },
    /// Other words are used in the place of a held answer.
    Replace {
        call: u32,
        text: String,
    },
    /// A mind is asked once more in the place of its held answer.
    AskAgain {
        call: u32,
    },
    Stop,
    Branch {
        turn: u64,
        name: Option<String>,
        seed: Option<u64>,
        /// Other models, by the numbers of those whose they are.
        #[serde(default)]
        models: BTreeMap<String, String>,
    },
    /// Back to the end of a turn, or to before a call.
    Undo {
        turn: Option<u64>,
        call: Option<u32>,
    },
    Retry {
        call: u32,
        name: Option<String>,
    },
    Edit {
        call: u32,
        text: String,
        name: Option<String>,
    },
    Tell {
        who: Vec<u32>,
        text: String,
    },
    /// Somebody gets the seat of a character.
    Invite {
        who: u32,
    },
    /// The person at the seat of a character loses it.
    Dismiss {
        who: u32,
    },
    /// The world is played many times by the improviser.
    Rehearse,
    /// A new story in which a scene of the world opens.
    PlayScene {
        scene: String,
    },
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepBy {
    #[default]
    Turn,
    Scene,
    Call,
}

/// Does what the host wants.
pub(super) async fn steer(visit: Visit, body: Bytes) -> Result<Response, Failure> {
    visit.is_for_host()?;
    let (story, language) = (&visit.story, visit.language);
    let failed = |text| Failure::impossible(text, language);
    if let Some(input) = input_of_game(story, &body) {
        let control = input.and_then(|input| Ok((control_of(story)?, input)));
        let (control, input) = control.map_err(failed)?;
        control.tell(input);
        return Ok(done().into_response());
    }
    let deed = read_body::<Deed>(&body, language)?;
    let is_undone = matches!(deed, Deed::Undo { .. });
    let (point, name) = match deed {
        Deed::Invite { who } => return invite(&visit, who).map_err(failed),
        Deed::Dismiss { who } => {
            let (name, seat) = seat_of(story, who).map_err(failed)?;
            visit.shared.access.dismiss(&visit.slot, &name);
            seat.take(false);
            story.view.note_seats();
            return Ok(done().into_response());
        }
        Deed::Rehearse => return Ok(rehearse(visit).await?.into_response()),
        Deed::PlayScene { scene } => {
            let begun = blocking(language, move || {
                let opening = desk_of(&visit.story)?.opening(&scene)?;
                visit.shared.library.play_from(&visit.slot, opening)
            });
            return Ok(done_in(begun.await?).into_response());
        }
        Deed::Branch {
            turn,
            name,
            seed,
            models,
        } => {
            let told = branch_input(HOST, seed, &by_name(story, models).map_err(failed)?);
            (after(story, turn, told).map_err(failed)?, name)
        }
        Deed::Undo {
            call: Some(call), ..
        } => {
            let retaken = retaken(story, call).map_err(failed)?;
            let retaken = Retaken {
                forgets_later: true,
                ..retaken
            };
            (BranchAt::Ask(retaken), None)
        }
        Deed::Undo { turn, .. } => {
            let missing = || unreadable(&serde_json::Error::missing_field("turn"), language);
            let turn = turn.ok_or_else(missing)?;
            (
                after(story, turn, Some(undo_input(HOST))).map_err(failed)?,
                None,
            )
        }
        Deed::Retry { call, name } => (BranchAt::Ask(retaken(story, call).map_err(failed)?), name),
        Deed::Edit { call, text, name } => {
            let retaken = retaken(story, call).map_err(failed)?;
            let answer = Some(text);
            (BranchAt::Ask(Retaken { answer, ..retaken }), name)
        }
        deed => {
            do_now(story, &deed).map_err(failed)?;
            return Ok(done().into_response());
        }
    };
    let branched = blocking(language, move || {
        // A host who wants another answer wants to see it, and what follows from it.
        let goes_on = matches!(point, BranchAt::Ask(_)).then_some(Wanted::Step);
        let point = (point, name.as_deref());
        let branch = branch(&visit.shared, &visit.slot, point, goes_on)?;
        if is_undone {
            lead(&visit.shared, &visit.story, &branch);
        }
        Ok(branch)
    });
    Ok(done_in(branched.await?).into_response())
}

fn desk_of(story: &Story) -> Result<&Arc<dyn Desk>, UiText> {
    story.desk.as_ref().ok_or_else(|| text!(page_no_files))
}

/// Lets the improviser play the world of a story many times.
async fn rehearse(visit: Visit) -> Result<Json, Failure> {
    let (replays, language) = (visit.shared.replays.clone(), visit.language);
    let rehearse = move || desk_of(&visit.story)?.rehearse(language);
    let mut answer = json!(replaying(&replays, language, rehearse).await?);
    answer["ok"] = true.into();
    Ok(Json(answer))
}

/// The seat of a character, by its number, with its name.
fn seat_of(story: &Story, who: u32) -> Result<(Arc<str>, &Arc<Seat>), UiText> {
    let name = story.view.read().name_of(who);
    let seat = name.and_then(|name| Some((name.clone(), story.seats.get(&*name)?)));
    seat.ok_or_else(|| text!(page_unknown_name))
}

/// Gives a character to the person who opens the address that this answers. If the host had no
/// token, its own browser gets one: from now on not everybody on this computer is the host.
fn invite(visit: &Visit, who: u32) -> Result<Response, UiText> {
    let (name, seat) = seat_of(&visit.story, who)?;
    let access = &visit.shared.access;
    let random = |error: ServerError| error.text();
    let cookie = access.guard_host().map_err(random)?;
    let address = access.seat(&visit.slot, &name).map_err(random)?;
    seat.take(true);
    visit.story.view.note_seats();
    visit.shared.library.note(Invitation {
        name: name.to_string(),
        address: address.clone(),
        host: cookie.is_some().then(|| access.host_address()),
    });
    let cookie = cookie.map(|cookie| [(header::SET_COOKIE, cookie)]);
    let answer = Json(json!({"ok": true, "address": address}));
    Ok((cookie, answer).into_response())
}

/// Models by the names of those whose they are.
fn by_name(
    story: &Story,
    models: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, UiText> {
    let contents = story.view.read();
    let named = models.into_iter().map(|(id, model)| {
        let name = id
            .parse()
            .ok()
            .and_then(|id| contents.name_of(id))
            .ok_or_else(|| text!(page_missing))?;
        if !story.view.about.models.contains(&model) {
            return Err(text!(page_no_model, model));
        }
        Ok((name.to_string(), model))
    });
    named.collect()
}

/// The end of a turn that was played.
fn after(story: &Story, turn: u64, told: Option<Value>) -> Result<BranchAt, UiText> {
    if turn > story.view.read().turn {
        return Err(text!(page_bad_turn, turn));
    }
    Ok(BranchAt::Turn(turn, told))
}

/// A call of a turn that was played, to be answered once more.
pub(super) fn retaken(story: &Story, call: u32) -> Result<Retaken, UiText> {
    let contents = story.view.read();
    let call = contents.calls.get(call as usize);
    let done = call
        .filter(|call| call.turn <= contents.turn)
        .and_then(|call| Some((call.outcome()?, call.turn.checked_sub(1)?)));
    let (outcome, turn) = done.ok_or_else(|| text!(page_not_done))?;
    Ok(Retaken {
        outcome,
        turn,
        answer: None,
        forgets_later: false,
        by: HOST.to_owned(),
    })
}

pub(super) fn read_body<'b, T: Deserialize<'b>>(
    body: &'b [u8],
    language: Language,
) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| unreadable(&error, language))
}

fn unreadable(error: &serde_json::Error, language: Language) -> Failure {
    let text = text!(page_bad_request, reason = error.text());
    Failure::new(StatusCode::BAD_REQUEST, text, language)
}

/// The input that tells the world of a deed that only its game knows.
fn input_of_game(story: &Story, body: &[u8]) -> Option<Result<Value, UiText>> {
    let deed = serde_json::from_slice(body).ok()?;
    let contents = story.view.read();
    let mut games = contents.state.games.all();
    games.find_map(|game| game.input(&deed, &contents))
}

fn control_of(story: &Story) -> Result<&Control, UiText> {
    let control = story.control.as_deref().filter(|_| story.view.is_played());
    control.ok_or_else(|| text!(page_not_played))
}

fn do_now(story: &Story, deed: &Deed) -> Result<(), UiText> {
    let control = control_of(story)?;
    match deed {
        Deed::Pause => {
            control.want(Wanted::Pause);
            story.view.change_run(RunState::Playing, RunState::Pausing);
        }
        Deed::Play => {
            control.want(Wanted::Play);
            control.gate().open();
            story.view.change_run(RunState::Pausing, RunState::Playing);
        }
        Deed::Step { by } => step(story, control, *by),
        Deed::Review { on } => {
            control.gate().set_review(*on);
            story.view.set_reviews(*on);
        }
        Deed::Use { call } => decide(story, control, *call, Decision::Use)?,
        Deed::Replace { call, text } => {
            let (text, by) = (text.clone(), HOST.into());
            decide(story, control, *call, Decision::Replace { text, by })?;
        }
        Deed::AskAgain { call } => decide(story, control, *call, Decision::AskAgain)?,
        Deed::Stop => {
            control.stop();
            story.seats.values().for_each(|seat| seat.end());
        }
        Deed::Tell { who, text } => {
            let state = story.view.read().state.clone();
            let who = who
                .iter()
                .map(|id| Some(state.being(*id)?.name.to_string()))
                .collect::<Option<_>>()
                .filter(|_| !text.trim().is_empty())
                .ok_or_else(|| text!(page_unknown_name))?;
            control.tell(tell_input(HOST, who, text.clone()));
        }
        // Done before.
        _ => {}
    }
    Ok(())
}

/// Lets a paused run continue for a turn, a scene or a call.
fn step(story: &Story, control: &Control, by: StepBy) {
    let is_mid_turn = story.view.read().run.at_gate;
    let gate = control.gate();
    match by {
        StepBy::Call => gate.allow(1),
        StepBy::Turn | StepBy::Scene => gate.open(),
    }
    match by {
        StepBy::Scene => control.want(Wanted::StepScene),
        // The turn that has begun continues.
        StepBy::Turn | StepBy::Call if is_mid_turn => control.want(Wanted::Pause),
        StepBy::Turn | StepBy::Call => control.want(Wanted::Step),
    }
}

fn decide(story: &Story, control: &Control, call: u32, decision: Decision) -> Result<(), UiText> {
    let contents = story.view.read();
    let call = contents.calls.get(call as usize);
    let name = call.and_then(|call| Some((contents.name_of(call.who)?, call.number)));
    drop(contents);
    let is_held = name.is_some_and(|key| control.gate().decide(&key, decision));
    is_held.then_some(()).ok_or_else(|| text!(page_not_held))
}

/// What a seat sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FromSeat {
    pub(super) number: Option<u32>,
    option: Option<String>,
    text: Option<String>,
    form: Option<FormAnswer>,
    pub(super) leave: bool,
    take: bool,
    /// What the person is called.
    person: Option<String>,
    /// The number of the answer that is taken back: the last one.
    undo: Option<u32>,
}

impl FromSeat {
    /// Answers the question that is open at a seat.
    pub(super) fn answer(self, seat: &Seat) -> Result<(), UiText> {
        let line = || self.option.or(self.text).unwrap_or_default();
        let answer = self.form.map_or_else(|| Answer::Line(line()), Answer::Form);
        seat.answer(self.number, &answer)
    }
}

/// What a seat is asked now.
pub(super) async fn seat(visit: Visit) -> Result<Json, Failure> {
    let language = visit.language;
    let (id, seat) = visit.seat().ok_or_else(|| Failure::missing(language))?;
    let (question, person) = (seat.question(language), seat.played_by());
    Ok(Json(
        json!({"who": id, "open": question, "played_by": person}),
    ))
}

/// A seat answers, leaves, or is taken again.
pub(super) async fn answer(visit: Visit, body: Bytes) -> Result<Json, Failure> {
    let language = visit.language;
    let (id, seat) = visit.seat().ok_or_else(|| Failure::missing(language))?;
    let sent = read_body::<FromSeat>(&body, language)?;
    if let Some(number) = sent.undo {
        if !seat.may_undo() {
            return Err(Failure::impossible(text!(page_not_last), language));
        }
        let visit = visit.clone();
        let branch = blocking(language, move || take_back(&visit, id, number)).await?;
        return Ok(done_in(branch));
    }
    if let Some(name) = &sent.person {
        seat.call_person(name);
    } else if sent.leave || sent.take {
        seat.take(sent.take);
    } else {
        let answered = sent.answer(seat);
        answered.map_err(|error| Failure::impossible(error, language))?;
    }
    Ok(done())
}

/// Takes back the last answer of a person, as `/undo` does at a terminal: the story goes on in
/// another slot, and all who have seats with it.
fn take_back(visit: &Visit, who: u32, number: u32) -> Result<String, LibraryError> {
    let (shared, story) = (&visit.shared, &visit.story);
    let name = story.view.read().name_of(who);
    let name = name.ok_or_else(|| text!(page_missing))?;
    let stored = story.slot.read(false).map_err(|error| error.text())?;
    let last = Retaken::last_of(&stored.lines, &name, ALIAS);
    let last = last.filter(|last| last.outcome.number == number);
    let last = last.ok_or_else(|| text!(page_not_last))?;
    if let Some(other) = last.later_of_others(&stored.lines) {
        return Err(text!(page_answered_since, other).into());
    }
    // Nobody is to answer, or to be paid, for what did not happen.
    story.control.iter().for_each(|control| control.stop());
    story.seats.values().for_each(|seat| seat.end());
    while story.view.is_played() {
        std::thread::sleep(AT_STOP);
    }
    let point = (BranchAt::Ask(last), None);
    let taken_back = branch(shared, &visit.slot, point, Some(Wanted::Play))?;
    lead(shared, story, &taken_back);
    Ok(taken_back)
}

/// A new slot in which a story goes on from an earlier point. It is read while the reader waits
/// anyway.
fn branch(
    shared: &Shared,
    slot: &str,
    (point, name): (BranchAt, Option<&str>),
    goes_on: Option<Wanted>,
) -> Result<String, LibraryError> {
    let branch = shared.library.branch(slot, point, name)?;
    let opened = shared.library.open(&branch)?;
    if let Some((control, wanted)) = opened.and_then(|story| story.control).zip(goes_on) {
        control.want(wanted);
    }
    Ok(branch)
}

/// Leads whoever has a seat in a story to the slot in which it goes on.
fn lead(shared: &Shared, story: &Story, slot: &str) {
    story.view.set_moved(slot);
    shared.access.lead_seats(slot);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn replays_count_until_they_are_done_though_nobody_waits() {
        let replays = Arc::new(Semaphore::new(1));
        let (begins, begun) = channel();
        let (end, ends) = channel::<()>();
        let own = replays.clone();
        let asked = tokio::spawn(async move {
            let work = move || {
                let _ = (begins.send(()), ends.recv());
                Ok(())
            };
            let _ = replaying(&own, Language::En, work).await;
        });
        while begun.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        asked.abort();
        let _ = asked.await;
        assert_eq!(replays.available_permits(), 0);
        drop(end);
        let done = replaying(&replays, Language::En, || Ok(())).await;
        assert!(done.is_ok());
    }
}
