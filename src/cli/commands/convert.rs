//! `convert`: a conversation in the format of one framework, written in that of another.

use crate::cli::prelude::*;
use std::io::{self, Read};
use std::path::Path;

use playhouse_engine::files;

use crate::cli::args::ConvertArgs;
use crate::interop::{Imported, Profile, losses, read, write_value};

/// The most bytes that are read; the conversations of a thousand characters have fewer.
const LONGEST: u64 = 32 * 1024 * 1024;

/// The most values in it. Read, neutral and written, each takes up to 1.5 kB of memory.
const MAX_VALUES: usize = 300_000;

/// Reads a conversation in any format and writes it in another.
pub(super) fn convert(app: &App, args: &ConvertArgs) -> Result<()> {
    let file = args.file.as_deref().filter(|file| *file != Path::new("-"));
    let (_, mut reading) = conversations_in(app, file, args.from)?;
    if let Some(name) = &args.name {
        for conversation in &mut reading.conversations {
            conversation.name = Some(name.as_str().into());
        }
    }
    report(app, &reading, args.to);
    let mut out = app.out();
    match write_value(&reading.conversations, args.to) {
        Value::Array(lines) if args.to.has_lines() => {
            lines.iter().for_each(|line| out.json(line));
        }
        value if app.settings.json => out.json(&value),
        value => out.pretty_json(&value),
    }
    Ok(())
}

/// The text of a file, or of standard input, and the conversations in it.
pub(super) fn conversations_in(
    app: &App,
    file: Option<&Path>,
    from: Option<Profile>,
) -> Result<(String, Imported)> {
    let read = || {
        let text = text_of(file)?;
        if files::count_values(text.as_bytes()) > MAX_VALUES {
            let message = text!(cli_input_too_many, max = MAX_VALUES);
            return Err(CommandError::new(ErrorKind::Other, message));
        }
        let reading = read(&text, from).or_fail(ErrorKind::Other)?;
        Ok((text, reading))
    };
    read().map_err(|error| match file {
        Some(file) => error.at(file.display()),
        None => error.at(say!(app.language, cli_standard_input)),
    })
}

/// The text of a file, or of standard input.
fn text_of(file: Option<&Path>) -> Result<String> {
    if let Some(file) = file {
        let text = files::read_text(file, LONGEST);
        return text.map_err(|error| CommandError::of(ErrorKind::Other, &error.problem));
    }
    let mut text = String::new();
    let read = io::stdin().take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|error| {
        let error = text!(cli_cant_read, error = &error);
        CommandError::new(ErrorKind::Other, error)
    })?;
    if text.len() as u64 > LONGEST {
        let message = text!(cli_input_too_long, limit = LONGEST);
        return Err(CommandError::new(ErrorKind::Other, message));
    }
    Ok(text)
}

/// Prints the format that was read, what was changed, and what is lost.
fn report(app: &App, reading: &Imported, to: Profile) {
    if app.settings.quiet {
        return;
    }
    let mut err = app.err();
    let conversations = reading.conversations.iter();
    let count: usize = conversations
        .map(|conversation| conversation.messages.len())
        .sum();
    let form = reading.profile.name();
    err.line(say!(app.language, cli_convert_read, count, form));
    for warning in &reading.warnings {
        let row = Paragraph::indented(2, 4)
            .add(Style::Dim, &warning.path)
            .plain(say!(app.language, cli_colon))
            .plain(warning.problem.in_language(app.language));
        err.paragraph(&row);
    }
    for loss in losses(&reading.conversations, to) {
        let row = Paragraph::indented(2, 4).plain(loss.in_language(app.language));
        err.paragraph(&row);
    }
}
