//! Lets an engine run while Python stays free: signals, progress, and exceptions of minds.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use playhouse::engine::CancellationToken;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::sync::Notify;

use crate::error::Error;

/// How often signals are looked for, and progress is told.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// What a run and its minds share.
#[derive(Default)]
pub(crate) struct Watch {
    raised: Mutex<Option<PyErr>>,
    is_raised: Notify,
    progress: Mutex<Option<Py<PyAny>>>,
    looked: Mutex<Option<Instant>>,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What only one thread at a time uses; others hear that it is busy.
pub(crate) fn held<'m, T>(mutex: &'m Mutex<T>, busy: &'static str) -> PyResult<MutexGuard<'m, T>> {
    match mutex.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::new_err(busy)),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Ok(held) => Ok(held),
    }
}

impl Watch {
    /// Stops the run with an exception. The first one counts.
    pub(crate) fn raise(&self, error: PyErr) {
        locked(&self.raised).get_or_insert(error);
        self.is_raised.notify_one();
    }

    /// Runs the handlers of signals and tells progress, unless that was done a moment ago. Returns
    /// whether the run is to stop.
    pub(crate) fn look(&self) -> bool {
        let now = Instant::now();
        {
            let mut looked = locked(&self.looked);
            if looked.is_some_and(|last| now - last < BETWEEN_LOOKS) {
                return locked(&self.raised).is_some();
            }
            *looked = Some(now);
        }
        let handled = Python::attach(|py| {
            py.check_signals()?;
            let progress = locked(&self.progress)
                .as_ref()
                .map(|told| told.clone_ref(py));
            progress.map_or(Ok(()), |progress| progress.call0(py).map(drop))
        });
        handled.map_err(|error| self.raise(error)).is_err()
    }

    /// Waits for what `run` makes, without the lock of the interpreter. `token` stops it.
    pub(crate) fn drive<T: Send, F: Future<Output = T>>(
        self: &Arc<Self>,
        py: Python<'_>,
        token: &CancellationToken,
        progress: Option<Py<PyAny>>,
        run: impl FnOnce() -> F + Send,
    ) -> PyResult<T> {
        *locked(&self.progress) = progress;
        *locked(&self.raised) = None;
        let ended = py.detach(|| {
            let runtime = runtime()?;
            let ended = runtime.block_on(self.watched(token, run()));
            // A function that was called in a thread of its own may take long.
            runtime.shutdown_background();
            Ok::<_, PyErr>(ended)
        });
        *locked(&self.progress) = None;
        let raised = locked(&self.raised).take();
        raised.map_or(ended, Err)
    }

    async fn watched<T>(&self, token: &CancellationToken, run: impl Future<Output = T>) -> T {
        let mut run = std::pin::pin!(run);
        loop {
            tokio::select! {
                ended = &mut run => return ended,
                () = self.is_raised.notified() => token.cancel(),
                () = tokio::time::sleep(BETWEEN_LOOKS) => drop(self.look()),
            }
        }
    }
}

/// A runtime for one run.
pub(crate) fn runtime() -> PyResult<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
