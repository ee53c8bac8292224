//! Functions of Python as minds.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

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

/// A function that answers, as the package describes it.
#[derive(FromPyObject)]
struct Asked {
    function: Py<PyAny>,
    /// Turns what is no text into texts, calls, thoughts and usage.
    read: Py<PyAny>,
    /// Calls the function beside the run; without it, nothing goes on while it is called.
    submit: Option<Py<PyAny>>,
    takes_schema: bool,
    wants: Vec<String>,
    name: String,
    width: usize,
}

/// Takes what a function returned or raised that was called beside the run.
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
struct PythonMind(Arc<Mind>);

struct Mind {
    asked: Asked,
    /// What describes it, and is told how long its calls took.
    object: Py<PyAny>,
    info: MindInfo,
    watch: Arc<Watch>,
}

/// What a function is called with.
type Arguments<'py> = (Bound<'py, PyTuple>, Bound<'py, PyDict>);

impl Mind {
    fn arguments<'py>(&self, py: Python<'py>, prompt: &Prompt<'_>) -> PyResult<Arguments<'py>> {
        let messages = messages::of_prompt(py, prompt)?;
        let positional = if self.asked.takes_schema {
            PyTuple::new(py, [messages.into_any(), schema(py, prompt)?])?
        } else {
            PyTuple::new(py, [messages])?
        };
        let named = PyDict::new(py);
        for name in &self.asked.wants {
            match name.as_str() {
                "who" => named.set_item(name, &**prompt.entity)?,
                "purpose" => named.set_item(name, prompt.purpose)?,
                "number" => named.set_item(name, prompt.number)?,
                "seed" => named.set_item(name, prompt.seed)?,
                "language" => named.set_item(name, prompt.language.code())?,
                "max_tokens" => named.set_item(name, prompt.max_tokens)?,
                "notes" => named.set_item(name, messages::of_value(py, prompt.notes())?)?,
                "tools" => named.set_item(name, messages::of_tools(py, &prompt.tools)?)?,
                _ => {}
            }
        }
        Ok((positional, named))
    }

    fn completion(&self, answer: &Bound<'_, PyAny>) -> PyResult<Completion> {
        if let Ok(text) = answer.cast::<PyString>() {
            return Ok(Completion::instant(&self.info.model, text.to_cow()?));
        }
        let read = self.asked.read.call1(answer.py(), (answer,))?;
        let (text, calls, thinking, usage) = read.extract::<Read>(answer.py())?;
        let calls: Vec<_> = (0..)
            .zip(calls)
            .map(|(index, (name, arguments))| {
                ToolCall::new(format!("python-{index}"), name, arguments)
            })
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
            ..Completion::instant(&self.info.model, text)
        })
    }

    /// The answer of a function; without one, the run stops with its exception.
    fn taken(
        &self,
        py: Python<'_>,
        returned: PyResult<Py<PyAny>>,
        begun: Instant,
    ) -> Option<Completion> {
        let completion = returned.and_then(|answer| {
            let completion = self.completion(answer.bind(py))?;
            let latency = begun.elapsed();
            let spent = self.object.getattr(py, "seconds")?.extract::<f64>(py)?;
            self.object
                .setattr(py, "seconds", spent + latency.as_secs_f64())?;
            Ok(Completion {
                latency,
                ..completion
            })
        });
        completion.map_err(|error| self.watch.raise(error)).ok()
    }
}

/// What `read` returns: text, calls, thoughts, and tokens.
type Read = (
    String,
    Vec<(String, String)>,
    Option<String>,
    Option<(u64, u64)>,
);

/// The schema of the answer with what is legal now; `None` for free text.
fn schema<'py>(py: Python<'py>, prompt: &Prompt<'_>) -> PyResult<Bound<'py, PyAny>> {
    match prompt.form {
        AnswerForm::Prose { .. } => Ok(py.None().into_bound(py)),
        AnswerForm::Json { constrained, .. } => messages::of_value(py, constrained),
    }
}

impl AnyMind for PythonMind {
    fn info(&self) -> &MindInfo {
        &self.0.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (begun, mind) = (Instant::now(), self.0.clone());
        let function = &mind.asked.function;
        let Some(submit) = &mind.asked.submit else {
            let answer = Python::attach(|py| {
                let arguments = mind.arguments(py, prompt);
                let returned = arguments
                    .and_then(|(positional, named)| function.call(py, positional, Some(&named)));
                mind.taken(py, returned, begun)
            });
            return Box::pin(answer_or_nothing(std::future::ready(answer)));
        };
        let (sender, receiver) = oneshot::channel();
        let started = Python::attach(|py| {
            let (positional, named) = mind.arguments(py, prompt)?;
            let done = Done(Mutex::new(Some(sender)));
            submit.call1(py, (function, positional, named, done))
        });
        if let Err(error) = started {
            mind.watch.raise(error);
        }
        let mind = mind.clone();
        Box::pin(answer_or_nothing(async move {
            let returned = receiver.await.ok()?;
            Python::attach(|py| mind.taken(py, returned, begun))
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

/// The name of a model, `improviser`, or a function.
#[derive(FromPyObject)]
pub(crate) enum MindOf<'py> {
    Named(String),
    Function(Bound<'py, PyAny>),
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
        MindOf::Function(object) => {
            let asked: Asked = object.extract()?;
            let info = MindInfo {
                width: asked.width.max(1),
                model: asked.name.as_str().into(),
                max_defaults: MaxDefaults::default(),
                max_output: 4096,
                ..MindInfo::embedded("python")
            };
            Ok(Arc::new(PythonMind(Arc::new(Mind {
                asked,
                object: object.clone().unbind(),
                info,
                watch: watch.clone(),
            }))))
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
