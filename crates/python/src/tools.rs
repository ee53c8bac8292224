//! Functions of Python as tools.

use std::sync::Arc;

use playhouse::tool::{ToolError, Toolbox};
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::given;

/// A function that minds may call, as the package describes it. Its result is recorded, and never
/// fetched again for an answer that was recorded.
#[derive(FromPyObject)]
pub(crate) struct Tool {
    pub(crate) name: String,
    about: String,
    #[pyo3(from_py_with = given::<Value>)]
    schema: Value,
    /// Takes arguments as JSON, and returns a text.
    function: Py<PyAny>,
    pub(crate) who: Option<Vec<String>>,
}

/// Adds tools to those that there are.
pub(crate) fn add(tools: &[Tool], toolbox: &mut Toolbox) {
    for tool in tools {
        let (name, schema) = (&tool.name, tool.schema.clone());
        let function = Python::attach(|py| Arc::new(tool.function.clone_ref(py)));
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
