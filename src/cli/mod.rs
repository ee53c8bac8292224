//! The program: commands, their output, and how they fail.
//!
//! [`main`] reads the command line (`args.rs`), settles it with environment and settings file
//! (`settings.rs`) and hands over to one file of `commands/`. What people read goes through `paper/`;
//! `story/` shows a run as it happens, `progress.rs` who is thinking. This room is on top of all
//! others; nothing imports from it.

mod args;
mod commands;
mod desk;
mod environment;
mod error;
mod paper;
mod progress;
mod rehearsal;
mod saved;
mod seat;
mod settings;
mod story;
mod tables;
#[cfg(test)]
mod testing;
mod theatre;
mod words;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use self::args::{Command, CommandLine, CommonArgs};
use self::desk::Desk;
use self::environment::Surroundings;
use self::error::Fault;
use self::settings::{Settings, SettingsFile};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let around = Surroundings::look();
    let meaning = CommandLine::try_parse().and_then(CommandLine::meaning);
    match meaning {
        Ok((command, common)) => perform(command, &common, &around),
        Err(error) => explain(&error),
    }
}

/// What clap has to say: help and versions are no failure.
fn explain(error: &clap::Error) -> ExitCode {
    // Nobody is left to tell if this can't be printed.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::from(Fault::Usage as u8),
    }
}

fn perform(command: Command, common: &CommonArgs, around: &Surroundings) -> ExitCode {
    let (file, unreadable) = match SettingsFile::find() {
        Ok(file) => (file, None),
        Err(failure) => (SettingsFile::default(), Some(failure)),
    };
    let (run, play) = match &command {
        Command::Run(run) => (Some(run), Some(&run.play)),
        Command::Resume { play, .. } => (None, Some(play)),
        _ => (None, None),
    };
    let variable = &environment::variable;
    let settings = Settings::settle(common, run, play, around, variable, file);
    let desk = Desk::new(settings, around);
    desk.start_logs();
    let done = match unreadable {
        Some(failure) => Err(failure),
        None => commands::perform(command, &desk),
    };
    desk.finish(done)
}
