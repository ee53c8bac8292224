//! `convert`: a conversation from one form to another.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use playhouse::dialect::{Imported, Profile, read, write_value};
use serde_json::Value;

use crate::cli::app::App;
use crate::cli::error::{Failure, Fault};
use crate::cli::output::{Ink, Paragraph};

/// The most bytes that are read; a thousand characters' conversations are a tenth of it.
const LONGEST: u64 = 256 * 1024 * 1024;

/// What is converted, and into what.
pub(super) struct Conversion<'a> {
    /// The file; standard input where there is none.
    pub(super) file: Option<&'a Path>,
    /// The form that it has, where it is named.
    pub(super) from: Option<Profile>,
    /// The form to write.
    pub(super) to: Profile,
    /// Whose conversation it is.
    pub(super) name: Option<&'a str>,
}

/// Reads a conversation of any form and writes another.
pub(super) fn convert(app: &App, conversion: &Conversion<'_>) -> Result<(), Failure> {
    let place = match conversion.file {
        Some(file) => file.display().to_string(),
        None => app.words.standard_input(),
    };
    let text = text_of(app, conversion.file).map_err(|failure| failure.at(&place))?;
    let mut reading = read(&text, conversion.from)
        .map_err(|error| Failure::of(Fault::Other, &error).at(&place))?;
    if let Some(name) = conversion.name {
        for conversation in &mut reading.conversations {
            conversation.name = Some(name.into());
        }
    }
    tell(app, &reading);
    let mut out = app.out();
    match write_value(&reading.conversations, conversion.to) {
        Value::Array(lines) if conversion.to == Profile::OpenAiLines => {
            lines.iter().for_each(|line| out.json(line));
        }
        value if app.settings.json => out.json(&value),
        value => out.pretty_json(&value),
    }
    Ok(())
}

fn text_of(app: &App, file: Option<&Path>) -> Result<String, Failure> {
    let unreadable = |error: io::Error| {
        let what = app.words.cant_read(&error.to_string());
        Failure::new(Fault::Other, what)
    };
    let input: Box<dyn Read> = match file {
        Some(file) => Box::new(File::open(file).map_err(unreadable)?),
        None => Box::new(io::stdin()),
    };
    let mut text = String::new();
    let read = input.take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(unreadable)?;
    match text.len() as u64 > LONGEST {
        true => Err(Failure::new(Fault::Other, app.words.too_long(LONGEST))),
        false => Ok(text),
    }
}

/// Says which form it was and what was not taken as it came.
fn tell(app: &App, reading: &Imported) {
    if app.settings.quiet {
        return;
    }
    let words = app.words;
    let mut err = app.err();
    let messages = reading.conversations.iter().map(|one| one.messages.len());
    err.line(words.was_read(messages.sum(), reading.profile.name()));
    for warning in &reading.warnings {
        let row = Paragraph::indented(2, 4)
            .add(Ink::Dim, &warning.path)
            .plain(words.colon())
            .plain(warning.problem.in_language(words.0));
        err.paragraph(&row);
    }
}
