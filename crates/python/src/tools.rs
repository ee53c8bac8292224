//! Functions of Python as tools.

use std::sync::Arc;

use playhouse::tool::{ToolError, Toolbox};
use pyo3::prelude::*;
use serde_json::Value;

/// A function that minds may call. Its result is recorded, and never fetched again for an answer
/// that was recorded.
#[pyclass(frozen, from_py_object)]
#[derive(Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    about: String,
    schema: Value,
    /// Takes arguments as JSON, and returns a text.
    function: Arc<Py<PyAny>>,
    /// Who may call it; everybody if it is `None`.
    pub(crate) who: Option<Vec<String>>,
}

#[pymethods]
impl Tool {
    #[new]
    fn new(
        name: String,
        about: String,
        schema: Bound<'_, PyAny>,
        function: Py<PyAny>,
        who: Option<Vec<String>>,
    ) -> PyResult<Self> {
        Ok(Self {
            name,
            about,
            schema: pythonize::depythonize(&schema)?,
            function: Arc::new(function),
            who,
        })
    }
}

/// Adds tools to those that there are.
pub(crate) fn add(tools: &[Tool], toolbox: &mut Toolbox) {
    for tool in tools {
        let (name, schema, function) = (&tool.name, tool.schema.clone(), tool.function.clone());
        toolbox.add_foreign(name, name, &tool.about, schema, move |arguments| {
            let (function, arguments) = (function.clone(), arguments.to_owned());
            let call = move || {
                Python::attach(|py| {
                    let returned = function.call1(py, (arguments,));
                    let text = returned.and_then(|text| text.extract::<String>(py));
                    text.map_err(|error| ToolError::new(error.to_string()))
                })
            };
            Box::pin(async {
                let called = tokio::task::spawn_blocking(call).await;
                called.unwrap_or_else(|error| Err(ToolError::new(error.to_string())))
            })
        });
    }
}
