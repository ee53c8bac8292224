//! Functions of Python as minds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use playhouse::message::{FinishReason, TokenUsage};
use playhouse::mind::improviser::Improviser;
use playhouse::mind::models::{ModelFile, Models};
use playhouse::mind::{
    AnswerForm, Answering, Completion, MaxDefaults, Mind as AnyMind, MindInfo, Minds, Prompt,
};
use playhouse::tool::ToolCall;
use playhouse::{groupchat, rpg, undercover};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use tokio::sync::oneshot;

use crate::drive::{Watch, locked};
use crate::error::{MindError, OrRaise};
use crate::messages;

/// How a mind's function is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In the thread of the run: nothing goes on beside it.
    Here,
    /// In threads of its own.
    Threads,
    /// In the loop for coroutines.
    Loop,
}

/// A function that answers. The package makes these of whatever is given to it.
#[pyclass(frozen)]
pub(crate) struct Mind {
    function: Arc<Py<PyAny>>,
    /// Turns what is no text into texts, calls, thoughts and usage.
    read: Arc<Py<PyAny>>,
    /// Starts a coroutine; `None` if the function is none.
    submit: Option<Arc<Py<PyAny>>>,
    takes_schema: bool,
    wants: Arc<[String]>,
    info: MindInfo,
    spent: Arc<AtomicU64>,
}

#[pymethods]
impl Mind {
    /// The seconds that all its calls took, with what is around the function.
    #[getter]
    fn seconds(&self) -> f64 {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed)).as_secs_f64()
    }

    #[new]
    fn new(
        function: Py<PyAny>,
        read: Py<PyAny>,
        submit: Option<Py<PyAny>>,
        takes_schema: bool,
        wants: Vec<String>,
        name: String,
        width: usize,
    ) -> Self {
        let info = MindInfo {
            width: width.max(1),
            model: name.into(),
            max_defaults: MaxDefaults::default(),
            max_output: 4096,
            ..MindInfo::embedded("python")
        };
        Self {
            function: Arc::new(function),
            read: Arc::new(read),
            submit: submit.map(Arc::new),
            takes_schema,
            wants: wants.into(),
            info,
            spent: Arc::default(),
        }
    }
}

/// Takes what a coroutine returned or raised.
#[pyclass(frozen)]
pub(crate) struct Done(Mutex<Option<oneshot::Sender<PyResult<Py<PyAny>>>>>);

#[pymethods]
impl Done {
    fn __call__(&self, answer: Py<PyAny>, error: Option<Bound<'_, PyAny>>) {
        if let Some(sender) = locked(&self.0).take() {
            let _ = sender.send(error.map_or(Ok(answer), |error| Err(PyErr::from_value(error))));
        }
    }
}

/// A mind of a run.
struct PythonMind {
    function: Arc<Py<PyAny>>,
    read: Arc<Py<PyAny>>,
    submit: Option<Arc<Py<PyAny>>>,
    takes_schema: bool,
    wants: Arc<[String]>,
    info: MindInfo,
    watch: Arc<Watch>,
    spent: Arc<AtomicU64>,
}

/// What a function is called with.
type Asked = (Py<PyTuple>, Py<PyDict>);

impl PythonMind {
    fn way(&self) -> Way {
        match (&self.submit, self.info.width) {
            (Some(_), _) => Way::Loop,
            (None, 1) => Way::Here,
            (None, _) => Way::Threads,
        }
    }

    fn asked(&self, py: Python<'_>, prompt: &Prompt<'_>) -> PyResult<Asked> {
        let messages = messages::of_prompt(py, prompt)?;
        let positional = if self.takes_schema {
            PyTuple::new(py, [messages.into_any(), schema(py, prompt)?])?
        } else {
            PyTuple::new(py, [messages])?
        };
        let named = PyDict::new(py);
        for name in &*self.wants {
            match name.as_str() {
                "who" => named.set_item(name, &**prompt.entity)?,
                "purpose" => named.set_item(name, prompt.purpose)?,
                "number" => named.set_item(name, prompt.number)?,
                "seed" => named.set_item(name, prompt.seed)?,
                "language" => named.set_item(name, prompt.language.code())?,
                "max_tokens" => named.set_item(name, prompt.max_tokens)?,
                "notes" => named.set_item(name, pythonize::pythonize(py, prompt.notes())?)?,
                "tools" => named.set_item(name, messages::of_tools(py, &prompt.tools)?)?,
                _ => {}
            }
        }
        Ok((positional.unbind(), named.unbind()))
    }

    /// The answer of a function, or that the run stops with its exception.
    fn taken(
        py: Python<'_>,
        returned: PyResult<Py<PyAny>>,
        (read, info, watch, begun): (&Py<PyAny>, &MindInfo, &Watch, Instant),
    ) -> Option<Completion> {
        let completion = returned.and_then(|answer| completion(py, answer.bind(py), read, info));
        match completion {
            Ok(completion) => Some(Completion {
                latency: begun.elapsed(),
                ..completion
            }),
            Err(error) => {
                watch.raise(error);
                None
            }
        }
    }
}

/// The schema of the answer with what is legal now; `None` for free text.
fn schema<'py>(py: Python<'py>, prompt: &Prompt<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match prompt.form {
        AnswerForm::Prose { .. } => py.None().into_bound(py),
        AnswerForm::Json { constrained, .. } => pythonize::pythonize(py, constrained)?,
    })
}

type Read = (
    String,
    Vec<(String, String)>,
    Option<String>,
    Option<(u64, u64)>,
);

fn completion(
    py: Python<'_>,
    answer: &Bound<'_, PyAny>,
    read: &Py<PyAny>,
    info: &MindInfo,
) -> PyResult<Completion> {
    if let Ok(text) = answer.cast::<PyString>() {
        return Ok(Completion::instant(&info.model, text.to_cow()?));
    }
    let (text, calls, thinking, usage) = read.call1(py, (answer,))?.extract::<Read>(py)?;
    let calls: Vec<_> = (0..)
        .zip(calls)
        .map(|(index, (name, arguments))| ToolCall::new(format!("python-{index}"), name, arguments))
        .collect();
    Ok(Completion {
        thinking,
        finish: if calls.is_empty() {
            FinishReason::Stop
        } else {
            FinishReason::ToolCalls
        },
        calls,
        usage: usage.map(|(input, output)| TokenUsage {
            input,
            output,
            ..TokenUsage::default()
        }),
        ..Completion::instant(&info.model, text)
    })
}

impl AnyMind for PythonMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let begun = Instant::now();
        let (read, info, watch) = (self.read.clone(), self.info.clone(), self.watch.clone());
        let spent = self.spent.clone();
        let take = move |py: Python<'_>, returned| {
            let taken = Self::taken(py, returned, (&read, &info, &watch, begun));
            spent.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
            taken
        };
        let function = self.function.clone();
        let call = move |py: Python<'_>, asked: PyResult<Asked>| {
            let (positional, named) = asked?;
            function.call(py, positional, Some(named.bind(py)))
        };
        let way = self.way();
        if way == Way::Here {
            let answer = Python::attach(|py| take(py, call(py, self.asked(py, prompt))));
            return Box::pin(answer_or_nothing(std::future::ready(answer)));
        }
        let asked = Python::attach(|py| self.asked(py, prompt));
        if way == Way::Threads {
            let work = move || Python::attach(|py| take(py, call(py, asked)));
            let answer = async { tokio::task::spawn_blocking(work).await.ok().flatten() };
            return Box::pin(answer_or_nothing(answer));
        }
        let (sender, receiver) = oneshot::channel();
        let started = Python::attach(|py| {
            let (positional, named) = asked?;
            let done = Done(Mutex::new(Some(sender)));
            let submit = self.submit.as_ref().map(|submit| submit.clone_ref(py));
            let submit = submit.unwrap_or_else(|| py.None());
            submit.call1(py, (&*self.function, positional, named, done))
        });
        if let Err(error) = started {
            self.watch.raise(error);
        }
        Box::pin(answer_or_nothing(async move {
            let returned = receiver.await.ok()?;
            Python::attach(|py| take(py, returned))
        }))
    }
}

/// An answer; without one, nothing until the run is stopped by the exception that is there instead.
async fn answer_or_nothing(
    answer: impl Future<Output = Option<Completion>>,
) -> Result<Completion, playhouse::mind::FailedCall> {
    match answer.await {
        Some(completion) => Ok(completion),
        None => std::future::pending().await,
    }
}

/// A function, the name of a model, or `improviser`.
#[derive(FromPyObject)]
pub(crate) enum MindOf<'py> {
    Named(String),
    Function(Bound<'py, Mind>),
}

/// Who answers, as the package gives it: for everybody, then for single entities, and the file of
/// further models.
pub(crate) type GivenMinds<'py> = (MindOf<'py>, Vec<(String, MindOf<'py>)>, Option<String>);

/// The minds of a run. `preferred` are models that the data name for single entities, which count
/// if everybody is played by a model.
pub(crate) fn minds(
    (main, single, file): GivenMinds<'_>,
    preferred: BTreeSet<&str>,
    watch: &Arc<Watch>,
) -> PyResult<Minds> {
    let models = models(file.as_deref())?;
    let of = |mind: &MindOf<'_>| mind_of(mind, &models, watch);
    let mut minds = Minds::all(of(&main)?);
    if matches!(&main, MindOf::Named(name) if name != IMPROVISER) {
        for alias in preferred {
            minds = minds.with_alias(alias, of(&MindOf::Named(alias.to_owned()))?);
        }
    }
    for (name, mind) in &single {
        minds = minds.with_seat(name.as_str(), of(mind)?);
    }
    Ok(minds)
}

const IMPROVISER: &str = "improviser";

fn mind_of(mind: &MindOf<'_>, models: &Models, watch: &Arc<Watch>) -> PyResult<Arc<dyn AnyMind>> {
    match mind {
        MindOf::Named(name) if name == IMPROVISER => {
            let improviser = Improviser::taught(|lessons| {
                rpg::improviser::teach(lessons);
                groupchat::improviser::teach(lessons);
                undercover::improviser::teach(lessons);
            });
            Ok(Arc::new(improviser.or_raise::<MindError>()?))
        }
        MindOf::Named(name) => models.mind(name).or_raise::<MindError>(),
        MindOf::Function(mind) => {
            let mind = mind.get();
            Ok(Arc::new(PythonMind {
                function: mind.function.clone(),
                read: mind.read.clone(),
                submit: mind.submit.clone(),
                takes_schema: mind.takes_schema,
                wants: mind.wants.clone(),
                info: mind.info.clone(),
                watch: watch.clone(),
                spent: mind.spent.clone(),
            }))
        }
    }
}

/// The models of the program, and those of a file for which the caller vouches.
fn models(file: Option<&str>) -> PyResult<Models> {
    let env = |name: &str| std::env::var(name).ok();
    let mut models = ModelFile::built_in().or_raise::<MindError>()?;
    if let Some(path) = file {
        let text = std::fs::read_to_string(path)?;
        let own = ModelFile::read_own(&text, path, &models).or_raise::<MindError>()?;
        models = models.with(own);
    }
    Ok(Models::new(models, file.unwrap_or("models.ron"), &env))
}
