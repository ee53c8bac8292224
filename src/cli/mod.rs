//! The program: commands, their output, and how they fail.
//!
//! [`main`] reads the command line (`args.rs`), adds the environment and the settings file
//! (`settings.rs`) and runs one file of `commands/`. What people read goes through `output/`.
//! `story/` prints a campaign as it happens, `undercover_printer.rs` a game of undercover,
//! `chat_printer.rs` a team's conversation; `rehearsal/` reports on rehearsals; `progress.rs` shows
//! who is thinking. The texts are in
//! the Fluent files `cli.ftl`, `story.ftl` and `help.ftl` (see `say.rs`). No other room imports
//! this one.

mod app;
mod args;
mod chat_printer;
mod commands;
mod dry_run;
mod env;
mod error;
mod features;
mod help;
mod labels;
mod loader;
mod output;
mod progress;
mod record_printer;
mod rehearsal;
mod saved;
mod say;
mod seat;
mod settings;
mod statistics;
mod status_line;
mod story;
mod tables;
#[cfg(test)]
mod testing;
mod transcript;
mod undercover_printer;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind as ClapErrorKind;
use clap::{FromArgMatches, ValueEnum};

use self::app::App;
use self::args::{Command, CommandLine, CommonArgs, LanguageArg};
use self::env::Env;
use self::error::CommandError;
use self::settings::{Settings, SettingsFile};

/// Runs the program.
pub fn main() -> ExitCode {
    #[cfg(feature = "scripts")]
    if let Some(code) = crate::tool::code::run_script_process() {
        return code;
    }
    let env = Env::read();
    let (file, file_error) = match SettingsFile::find() {
        Ok(file) => (file, None),
        Err(error) => (SettingsFile::default(), Some(error)),
    };
    // The language is needed before the command line is parsed: its help and errors are in it.
    let guess = CommonArgs {
        lang: lang_option(std::env::args_os()),
        ..CommonArgs::default()
    };
    let variable = &env::variable;
    let guess = Settings::resolve(&guess, None, None, &env, variable, file.clone());
    let command_line = help::command_line(guess.language.value, guess.width.value);
    let matches = command_line.try_get_matches();
    let parsed = matches.and_then(|matches| CommandLine::from_arg_matches(&matches));
    match parsed.and_then(CommandLine::into_command) {
        Ok((command, common)) => run(command, &common, &env, file, file_error),
        Err(error) => explain(&error, &App::new(guess, &env)),
    }
}

/// The value of `--lang`, wherever it is.
fn lang_option(arguments: impl Iterator<Item = OsString>) -> Option<LanguageArg> {
    let arguments: Vec<_> = arguments
        .filter_map(|text| text.into_string().ok())
        .collect();
    let mut numbered = arguments.iter().enumerate();
    numbered.find_map(|(index, argument)| {
        let value = match argument.strip_prefix("--lang")? {
            "" => arguments.get(index + 1)?,
            rest => rest.strip_prefix('=')?,
        };
        LanguageArg::from_str(value, true).ok()
    })
}

/// Prints help, the version, or what is wrong with the command line.
fn explain(error: &clap::Error, app: &App) -> ExitCode {
    if let ClapErrorKind::DisplayHelp | ClapErrorKind::DisplayVersion = error.kind() {
        // If this can't be printed, nothing can.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    app.finish(Err(help::usage_error(error)))
}

fn run(
    command: Command,
    common: &CommonArgs,
    env: &Env,
    file: SettingsFile,
    file_error: Option<CommandError>,
) -> ExitCode {
    let (run, play) = match &command {
        Command::Run(run) => (Some(run), Some(&run.play)),
        Command::Resume { play, .. } => (None, Some(play)),
        Command::Chat(chat) => (None, Some(&chat.play)),
        Command::Undercover(game) => (None, Some(&game.play)),
        _ => (None, None),
    };
    let settings = Settings::resolve(common, run, play, env, &env::variable, file);
    let app = App::new(settings, env);
    app.start_logs();
    let result = match file_error {
        Some(error) => Err(error),
        None => commands::run(command, &app),
    };
    app.finish(result)
}
