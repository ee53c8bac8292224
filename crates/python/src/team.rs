//! A team that talks about tasks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use playhouse::files;
use playhouse::groupchat::team::TeamFile;
use playhouse::groupchat::{ChatGame, Team as Talking};
use playhouse::session::messages_of;
use playhouse::world_data::DataFolder;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::drive::{Watch, held};
use crate::error::{Error, OrRaise, WorldError, given};
use crate::messages;
use crate::mind::{GivenMinds, minds};
use crate::tools::{self, Tool};

/// A team in memory.
#[pyclass(frozen)]
pub(crate) struct Team {
    team: Mutex<Talking>,
    watch: Arc<Watch>,
}

/// A shipped team or the path of a file, or its members.
#[derive(FromPyObject)]
pub(crate) enum Members<'py> {
    Named(String),
    Given(Bound<'py, PyAny>),
}

const BUSY: &str = "the team is talking";
/// The largest file of a team.
const MAX_BYTES: u64 = 1024 * 1024;

impl Members<'_> {
    fn game(self, data: &DataFolder) -> PyResult<ChatGame> {
        match self {
            Self::Given(members) => {
                ChatGame::new(data, given::<TeamFile>(&members)?).or_raise::<WorldError>()
            }
            Self::Named(name) if Path::new(&name).is_file() => {
                let text =
                    files::read_text(Path::new(&name), MAX_BYTES).or_raise::<WorldError>()?;
                ChatGame::parse(data, &name, &text).or_raise::<WorldError>()
            }
            Self::Named(name) => ChatGame::load(data, &name).or_raise::<WorldError>(),
        }
    }
}

#[pymethods]
impl Team {
    #[new]
    fn new(
        members: Members<'_>,
        seed: u64,
        given: GivenMinds<'_>,
        tools: Vec<Tool>,
        data: Option<PathBuf>,
    ) -> PyResult<Self> {
        let data = DataFolder::find(data.as_deref()).or_raise::<WorldError>()?;
        let mut game = members.game(&data)?;
        if !tools.is_empty() {
            game = game.with_tools(move |toolbox| tools::add(&tools, toolbox));
        }
        let watch = Arc::default();
        let models: BTreeSet<_> = game.team().models().into_iter().collect();
        let minds = minds(given, models, &watch)?;
        let team = Talking::new(game, minds, seed).or_raise::<WorldError>()?;
        Ok(Self {
            team: Mutex::new(team),
            watch,
        })
    }

    /// Runs a task; returns its messages and why it ended.
    fn run<'py>(
        &self,
        py: Python<'py>,
        task: String,
    ) -> PyResult<(Bound<'py, PyAny>, Option<String>)> {
        let mut team = held(&self.team, BUSY)?;
        let (token, team) = (team.cancellation_token(), &mut *team);
        let result = self.watch.drive(py, &token, None, move || team.run(task))?;
        let result = result.or_raise::<Error>()?;
        let messages = pythonize::pythonize(py, &result.messages)?;
        Ok((messages, result.stop_reason))
    }

    /// What a participant remembers, as messages; `None` for nobody of this name.
    fn context<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyList>>> {
        let team = held(&self.team, BUSY)?;
        let context = team.context(name).map(messages_of);
        context
            .map(|known| messages::of_request(py, &known))
            .transpose()
    }

    /// The state of the conversation, in AutoGen's form.
    fn save_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = held(&self.team, BUSY)?.save_state().or_raise::<Error>()?;
        Ok(pythonize::pythonize(py, &state)?)
    }

    fn load_state(&self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let state = pythonize::depythonize(state)?;
        held(&self.team, BUSY)?
            .load_state(&state)
            .or_raise::<Error>()
    }

    /// Makes everybody forget the conversation.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let mut team = held(&self.team, BUSY)?;
        let (token, team) = (team.cancellation_token(), &mut *team);
        let reset = self.watch.drive(py, &token, None, move || team.reset())?;
        reset.or_raise::<Error>()
    }
}
