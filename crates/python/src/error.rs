//! Errors of the engine as exceptions, in its words.

use playhouse::locale::Localize;
use pyo3::exceptions::PyException;
use pyo3::{Bound, PyAny, PyResult, PyTypeInfo, create_exception};
use serde::de::DeserializeOwned;

create_exception!(playhouse, Error, PyException, "What the engine refuses.");
create_exception!(
    playhouse,
    WorldError,
    Error,
    "A world, a team or rules that can't be used: every mistake in them."
);
create_exception!(
    playhouse,
    SaveError,
    Error,
    "A save that can't be read, written or continued."
);
create_exception!(
    playhouse,
    MindError,
    Error,
    "A model that can't be asked, or that gave no usable answer too often."
);

/// What Python gives as an object.
pub(crate) fn given<T: DeserializeOwned>(object: &Bound<'_, PyAny>) -> PyResult<T> {
    pythonize::depythonize(object).map_err(|error| WorldError::new_err(error.to_string()))
}

/// Turns an error of the engine into an exception.
pub(crate) trait OrRaise<T> {
    fn or_raise<X: PyTypeInfo>(self) -> PyResult<T>;
}

impl<T, E: Localize> OrRaise<T> for Result<T, E> {
    fn or_raise<X: PyTypeInfo>(self) -> PyResult<T> {
        self.map_err(|error| pyo3::PyErr::new::<X, _>(error.text().to_string()))
    }
}
