//! An output whose text tests can read.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::output::Output;

/// What was written to an output.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub(crate) fn get(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An output of this width without colour, and what is written to it.
pub(crate) fn output(width: usize) -> (Output, Written) {
    let written = Written::default();
    (Output::new(written.clone(), width, false), written)
}
