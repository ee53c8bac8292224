//! A story: played, saved, read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use playhouse::cast::{CastList, WorldTurn};
use playhouse::engine::{SpendLimits, Stop};
use playhouse::journal::{HOST, Input, Line, branch_input};
use playhouse::locale::text;
use playhouse::mind::{Cost, Minds};
use playhouse::save::Slot;
use playhouse::session::{
    CallRequest, EventLog, Game, Session, Wanted, branch, messages_of, requests,
};
use playhouse::story::data::{InOrder, Rows, StoryRow, rows_of};
use playhouse::story::{StoryView, read, watch};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use tempfile::TempDir;

use crate::drive::{Watch, held, runtime};
use crate::error::{Error, MindError, OrRaise, SaveError, WorldError};
use crate::game::{Played, Source};
use crate::messages;
use crate::mind::{GivenMinds, minds};
use crate::tools::Tool;

/// A story in a slot; what is not saved by its user is in a folder that goes with it.
#[pyclass(frozen)]
pub(crate) struct Story {
    played: Played,
    minds: Minds,
    slot: Slot,
    view: RwLock<Arc<StoryView>>,
    watch: Arc<Watch>,
    /// What plays it; `None` after a run that broke off, until the next one.
    session: Mutex<Option<Session>>,
    _folder: Option<TempDir>,
}

const BUSY: &str = "the story is being played";

/// Why a run ended: a word for programs, the engine's words, and the turn.
type Ended = (&'static str, String, u64);

/// Who was asked what for, which attempt it was, the messages, the tools, and the request's bytes.
type Sent<'py> = (
    String,
    String,
    u32,
    Bound<'py, PyList>,
    Vec<String>,
    Option<Vec<u8>>,
);

/// The folder and the name of a save.
fn place(path: Option<PathBuf>) -> PyResult<(PathBuf, String, Option<TempDir>)> {
    let Some(path) = path else {
        let folder = tempfile::tempdir()?;
        return Ok((folder.path().to_owned(), "story".into(), Some(folder)));
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| SaveError::new_err("a save needs a name"))?;
    let root = Path::new(".").join(path.parent().unwrap_or(Path::new("")));
    Ok((root, name.to_owned(), None))
}

#[pymethods]
impl Story {
    /// Begins a story, in this save or in a folder that is removed with it.
    #[staticmethod]
    fn begin(
        source: Source<'_>,
        seed: u64,
        given: GivenMinds<'_>,
        tools: Vec<Tool>,
        save: Option<PathBuf>,
        data: Option<PathBuf>,
    ) -> PyResult<Self> {
        let named = given.1.iter().map(|(name, _)| name);
        let callers = tools.iter().flat_map(|tool| tool.who.iter().flatten());
        let named: Vec<_> = named.chain(callers).cloned().collect();
        let played = Played::of(source, data.as_deref(), tools)?;
        let watch = Arc::default();
        let models = played.models.iter().map(String::as_str).collect();
        let minds = minds(given, models, &watch)?;
        let (root, name, folder) = place(save)?;
        let session = Session::start(&root, &name, &played, seed, minds.clone());
        let mut session = session.or_raise::<SaveError>()?;
        let cast = session.engine.world.resource::<CastList>();
        if let Some(name) = named.iter().find(|name| cast.by_name(name).is_none()) {
            session.give_up().or_raise::<SaveError>()?;
            let told = text!(cli_no_such_actor, name);
            return Err(WorldError::new_err(told.to_string()));
        }
        let about = played.about(&name, seed);
        let view = Arc::new(StoryView::of(&session.engine.world, about));
        follow(&mut session, &view, &watch);
        Ok(Self {
            slot: session.slot().clone(),
            played,
            minds,
            view: RwLock::new(view),
            watch,
            session: Mutex::new(Some(session)),
            _folder: folder,
        })
    }

    /// Opens a save, to read it and to play on.
    #[staticmethod]
    fn open(path: PathBuf, given: GivenMinds<'_>, tools: Vec<Tool>) -> PyResult<Self> {
        let (root, name, _) = place(Some(path))?;
        let slot = Slot::find(&root, &name).or_raise::<SaveError>()?;
        Self::of_slot(slot, given, tools, None)
    }

    /// Plays on until a turn, the end, or a limit of calls, tokens and cost.
    fn run(
        &self,
        py: Python<'_>,
        until: Option<u64>,
        limits: (Option<u64>, Option<u64>, Option<f64>),
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Ended> {
        let (calls, tokens, cost) = limits;
        let mut held = held(&self.session, BUSY)?;
        let mut session = match held.take() {
            Some(session) => session,
            None => py.detach(|| self.resumed())?,
        };
        session.engine.settings.limits = SpendLimits {
            calls,
            tokens,
            cost: cost.map(Cost::from_units),
        };
        let token = session.engine.cancellation_token();
        let engine = &mut session.engine;
        let stop = self.watch.drive(py, &token, progress, || engine.run(until));
        let view = self.view();
        view.update_state(&session.engine.world, true);
        let turn = session.engine.world.resource::<WorldTurn>().0;
        let stop = stop?.or_raise::<Error>()?;
        // In the middle of a turn; the next run begins with what is recorded of it.
        if matches!(stop, Stop::Finished(_) | Stop::TurnReached(_) | Stop::Idle) {
            *held = Some(session);
        }
        Ok(match stop {
            Stop::Finished(words) => ("finished", words, turn),
            Stop::TurnReached(_) => ("turn", String::new(), turn),
            Stop::LimitReached(reason) => ("limit", reason.to_string(), turn),
            Stop::Cancelled => ("cancelled", String::new(), turn),
            Stop::EndOfRecording | Stop::SeatsAwaited(_) | Stop::Idle => {
                ("idle", String::new(), turn)
            }
            Stop::ServerDown(reason) | Stop::NoUsableAnswers(reason) => {
                return Err(MindError::new_err(reason.to_string()));
            }
        })
    }

    /// The columns and the rows of a table of the story's data.
    fn table<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Vec<&'static str>, Bound<'py, PyAny>)> {
        let view = self.view();
        let contents = view.read();
        let story = StoryRow {
            world: view.about.world.clone(),
            fingerprint: self.played.meta().data,
            ..StoryRow::default()
        };
        let found = rows_of(name, &story, &contents, &view.about.events);
        let Rows { table, rows } = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let columns = table.columns.iter().map(|column| column.name).collect();
        Ok((columns, pythonize::pythonize(py, &rows)?))
    }

    /// Id, title and text of each fact.
    fn facts(&self) -> Vec<(String, String, String)> {
        let view = self.view();
        let state = view.read().state.clone();
        let facts = state.facts.value.all();
        facts
            .map(|fact| (fact.id.clone(), fact.title.clone(), fact.text.clone()))
            .collect()
    }

    /// From whom somebody has a fact, back to the source.
    fn sources(&self, name: &str, fact: &str) -> Vec<String> {
        let view = self.view();
        let state = view.read().state.clone();
        let being = state.named(name);
        let known = being.and_then(|being| being.knowledge.value.get(fact));
        let sources = known.map(|known| state.sources(fact, known));
        sources.iter().flatten().map(ToString::to_string).collect()
    }

    /// What somebody remembers, as messages; `None` for nobody of this name.
    fn context<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyList>>> {
        let view = self.view();
        let state = view.read().state.clone();
        let known = state
            .named(name)
            .map(|being| messages_of(&being.context.value));
        known
            .map(|known| messages::of_request(py, &known))
            .transpose()
    }

    /// The requests that led to the answer of a call, in order.
    fn request<'py>(&self, py: Python<'py>, call: u32) -> PyResult<Vec<Sent<'py>>> {
        let wanted = {
            let view = self.view();
            let contents = view.read();
            let calls = InOrder::of(&contents).calls;
            let asked = calls.get(call as usize);
            let (asked, outcome) =
                asked.ok_or_else(|| PyIndexError::new_err(format!("there is no call {call}")))?;
            Wanted {
                entity: Some(outcome.entity.to_string()),
                numbers: vec![outcome.number],
                turns: Some(asked.turn + 1),
                last: false,
            }
        };
        let minds = self.minds.clone();
        let found = py.detach(|| {
            let mind_of = move |outcome: &playhouse::journal::Outcome| {
                Some(minds.of(&outcome.entity, None).clone())
            };
            let story = self.slot.read(false).or_raise::<SaveError>()?;
            let found = requests(story, &self.played, wanted, mind_of);
            runtime()?.block_on(found).or_raise::<SaveError>()
        })?;
        let sent = |request: &CallRequest| {
            let tools = request.tools.iter().map(|tool| tool.name().to_string());
            Ok((
                request.outcome.entity.to_string(),
                request.outcome.purpose.to_string(),
                request.attempt,
                messages::of_request(py, &request.messages)?,
                tools.collect(),
                request.body.as_ref().map(|body| body.to_vec()),
            ))
        };
        found.iter().map(sent).collect()
    }

    /// A story that has this one's past up to a turn; with a seed, what is random comes out
    /// otherwise.
    fn branch(
        &self,
        py: Python<'_>,
        turn: u64,
        seed: Option<u64>,
        given: GivenMinds<'_>,
        tools: Vec<Tool>,
        save: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (root, name, folder) = place(save)?;
        let told = branch_input(HOST, seed, &Default::default());
        let told = told.map(|value| Line::Input(Input { turn, value }));
        let slot = py.detach(|| {
            let made = branch(&root, &self.slot, &name, &self.played, turn, told);
            runtime()?.block_on(made).or_raise::<SaveError>()
        })?;
        Self::of_slot(slot, given, tools, folder)
    }

    /// Copies the story to another save.
    fn save(&self, path: PathBuf, replace: bool) -> PyResult<()> {
        let (root, name, _) = place(Some(path))?;
        let files = self.slot.pack().or_raise::<SaveError>()?;
        if replace && let Ok(old) = Slot::find(&root, &name) {
            old.remove().or_raise::<SaveError>()?;
        }
        Slot::unpack(&root, &name, &files)
            .map(drop)
            .or_raise::<SaveError>()
    }

    /// How far it is.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let view = self.view();
        let now = view.read();
        let status = json!({"turn": now.turn, "day": now.day, "calls": now.calls.len(),
            "is_over": now.state.is_over, "title": view.about.title, "seed": view.about.seed});
        messages::of_value(py, &status)
    }
}

impl Story {
    fn of_slot(
        slot: Slot,
        given: GivenMinds<'_>,
        tools: Vec<Tool>,
        folder: Option<TempDir>,
    ) -> PyResult<Self> {
        let stored = slot.read(false).or_raise::<SaveError>()?;
        let header = &stored.header;
        let head = stored.world.as_ref().map(|world| world.head()).transpose();
        let head = head.or_raise::<SaveError>()?;
        let (world, data) = match head {
            Some(head) => (head.world, head.data),
            None => (header.world.clone(), header.data.clone()),
        };
        let played = Played::saved(&stored.lines, &world, &data, tools)?;
        let watch = Arc::default();
        let models = played.models.iter().map(String::as_str).collect();
        let minds = minds(given, models, &watch)?;
        let about = played.about(slot.name().as_str(), header.seed);
        let story = Self {
            played,
            minds,
            slot,
            view: RwLock::new(Arc::new(StoryView::new(about))),
            watch,
            session: Mutex::default(),
            _folder: folder,
        };
        let session = story.resumed()?;
        *held(&story.session, BUSY)? = Some(session);
        Ok(story)
    }

    /// Continues what is in the slot, which is read anew.
    fn resumed(&self) -> PyResult<Session> {
        let (slot, name) = (&self.slot, self.slot.name().as_str());
        let root = slot.folder().parent().unwrap_or(Path::new("."));
        let session = Session::resume(root, name, &self.played, self.minds.clone(), false);
        let mut session = session.or_raise::<SaveError>()?;
        let about = self.view().about.clone();
        let view = Arc::new(StoryView::of(&session.engine.world, about));
        let stored = slot.read(false).or_raise::<SaveError>()?;
        let log = EventLog::of(slot, &stored).or_raise::<SaveError>()?;
        let until = session.engine.world.resource::<WorldTurn>().0;
        let filled = read(
            slot,
            (stored, log),
            &self.played,
            Some(until),
            &view,
            |_| {},
        );
        runtime()?.block_on(filled).or_raise::<SaveError>()?;
        follow(&mut session, &view, &self.watch);
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = view;
        Ok(session)
    }

    fn view(&self) -> Arc<StoryView> {
        self.view
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Lets a view see what is played, and signals stop it also while nothing is waited for.
fn follow(session: &mut Session, view: &Arc<StoryView>, looks: &Arc<Watch>) {
    drop(watch(&mut session.engine, view));
    let (looks, token) = (looks.clone(), session.engine.cancellation_token());
    session.engine.on_commit(move |_, _| {
        if looks.look() {
            token.cancel();
        }
    });
}
