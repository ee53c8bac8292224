//! What most files of the program use.

pub(crate) use serde_json::{Value, json};

pub(crate) use super::app::App;
pub(crate) use super::error::{CommandError, ErrorKind, OrFail, Result};
pub(crate) use super::lock::lock;
pub(crate) use super::output::{Output, Paragraph, Style};
pub(crate) use super::printed::Printed;
pub(crate) use super::say::say;
pub(crate) use super::tables::{Alignment, TextTable, columns};
pub(crate) use crate::locale::{Argument, Language, Localize, UiText, text};
