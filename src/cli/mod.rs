//! The program: commands, their output, and how they fail.
//!
//! [`main`] reads the command line (`args.rs`), settles it with environment and settings file
//! (`settings.rs`) and hands over to one file of `commands/`. What people read goes through `paper/`;
//! `story/` shows a run as it happens (`round_table.rs` a social game), `standings.rs` what many games
//! tell, `progress.rs` who is thinking. The program's own words stand in `words.rs`, the Chinese of the
//! library's in `catalogue/`. This room is on top of all others; nothing imports from it.

mod app;
mod args;
mod catalogue;
mod commands;
mod dialogue;
mod dry_run;
mod env;
mod error;
mod features;
mod help;
mod loader;
mod output;
mod progress;
mod round_table;
mod saved;
mod screen;
mod seat;
mod settings;
mod standings;
mod story;
mod tables;
#[cfg(test)]
mod testing;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{FromArgMatches, ValueEnum};
use playhouse::mind::Language;

use self::app::App;
use self::args::{Command, CommandLine, CommonArgs, Tongue};
use self::env::Env;
use self::error::{Failure, Fault};
use self::settings::{Settings, SettingsFile};
use self::words::Words;

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let around = Env::look();
    let (file, unreadable) = match SettingsFile::find() {
        Ok(file) => (file, None),
        Err(failure) => (SettingsFile::default(), Some(failure)),
    };
    // A command line must be understood before it can say in which language it is explained.
    let guessed = CommonArgs {
        lang: lang_option(std::env::args_os()),
        ..CommonArgs::default()
    };
    let variable = &env::variable;
    let guess = Settings::settle(&guessed, None, None, &around, variable, file.clone());
    let matches = help::command_line(guess.language.value).try_get_matches();
    let line = matches.and_then(|matches| CommandLine::from_arg_matches(&matches));
    match line.and_then(CommandLine::meaning) {
        Ok((command, common)) => perform(command, &common, &around, file, unreadable),
        Err(error) => explain(&error, App::new(guess, &around)),
    }
}

/// The value of `--lang`, wherever it stands.
fn lang_option(arguments: impl Iterator<Item = OsString>) -> Option<Tongue> {
    let arguments: Vec<_> = arguments
        .filter_map(|text| text.into_string().ok())
        .collect();
    let named = |tongue: &str| Tongue::from_str(tongue, true).ok();
    arguments.iter().enumerate().find_map(|(at, argument)| {
        let value = match argument.strip_prefix("--lang")? {
            "" => arguments.get(at + 1)?,
            rest => rest.strip_prefix('=')?,
        };
        named(value)
    })
}

/// Help and versions are no failure.
fn explain(error: &clap::Error, app: App) -> ExitCode {
    let shows = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if !shows && app.words == Words(Language::Zh) {
        return app.finish(Err(help::usage_failure(error, app.words)));
    }
    // Nobody is left to tell if this can't be printed.
    let _ = error.print();
    match shows {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(Fault::Usage as u8),
    }
}

fn perform(
    command: Command,
    common: &CommonArgs,
    around: &Env,
    file: SettingsFile,
    unreadable: Option<Failure>,
) -> ExitCode {
    let (run, play) = match &command {
        Command::Run(run) => (Some(run), Some(&run.play)),
        Command::Resume { play, .. } => (None, Some(play)),
        Command::Chat(chat) => (None, Some(&chat.play)),
        Command::Undercover(game) => (None, Some(&game.play)),
        _ => (None, None),
    };
    let variable = &env::variable;
    let settings = Settings::settle(common, run, play, around, variable, file);
    let app = App::new(settings, around);
    app.start_logs();
    let done = match unreadable {
        Some(failure) => Err(failure),
        None => commands::perform(command, &app),
    };
    app.finish(done)
}
