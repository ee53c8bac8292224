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
mod comparison;
mod dry_run;
mod env;
mod error;
mod features;
mod help;
mod keys;
mod labels;
mod loader;
mod lock;
mod output;
mod prelude;
mod printed;
mod process;
mod progress;
mod provenance;
mod record_printer;
#[cfg(all(test, feature = "cluster"))]
mod records;
mod rehearsal;
mod saved;
mod say;
mod seat;
mod seat_sheet;
#[cfg(not(feature = "mcp"))]
mod servers;
mod settings;
mod shell;
mod slot_settings;
mod statistics;
mod status_line;
mod story;
mod tables;
#[cfg(feature = "otel")]
mod telemetry;
#[cfg(test)]
mod testing;
mod transcript;
mod trust;
mod undercover_printer;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind as ClapErrorKind;
use clap::{CommandFactory, FromArgMatches};

use self::app::App;
use self::args::{
    BranchArgs, Command, CommandLine, CommonArgs, DiffArgs, ExportArgs, LANGUAGES, NewArgs,
    PlayArgs, ReplayArgs, ResumeArgs, ShowArgs, SuggestArgs,
};
use self::env::Env;
use self::error::CommandError;
use self::settings::{Origin, SETTINGS_FILE, Settings, SettingsFile, SettingsFiles};
use crate::event::{EventRecord, EventTypes, Watching};
use crate::locale::{Language, text};
use crate::save::Slot;
#[cfg(feature = "mcp")]
use crate::tool::servers;
use crate::trust::{NeedsTrust, Untrusted};
use crate::{groupchat, rpg, undercover};

pub fn main() -> ExitCode {
    #[cfg(feature = "scripts")]
    if let Some(code) = crate::tool::code::run_script_process() {
        return code;
    }
    process::protect();
    let _clean_up = process::CleanUp;
    start()
}

fn start() -> ExitCode {
    let env = Env::read();
    let mut found = Found::default();
    if let Err(error) = found.read(&env) {
        found.error = Some(error);
    }
    // The language is needed before the command line is parsed: its help and errors are in it.
    let guess = CommonArgs {
        lang: lang_option(std::env::args_os()),
        // Its errors are records, too.
        json: std::env::args_os().any(|argument| argument == "--json"),
        ..CommonArgs::default()
    };
    let variable = &env::variable;
    let play = PlayArgs::default();
    let guess = Settings::resolve(&guess, None, &play, &env, variable, &found.files);
    let parse = |mut command: clap::Command| {
        let matches = command.try_get_matches_from_mut(arguments(std::env::args_os()));
        matches.and_then(|matches| CommandLine::from_arg_matches(&matches))
    };
    // Its texts are needed for help and errors alone, and take a while.
    let parsed = parse(CommandLine::command())
        .or_else(|_| parse(help::command_line(guess.language.value, guess.width.value)));
    match parsed.and_then(CommandLine::into_command) {
        Ok((command, common)) => run(command, &common, &env, found),
        Err(error) => explain(&error, &App::new(guess, &env)),
    }
}

fn event_types() -> EventTypes {
    EventTypes::default()
        .with(rpg::events::EVENTS)
        .with(undercover::events::EVENTS)
        .with(groupchat::EVENTS)
}

/// Who watches what from an event of any game on, beside what it learns: a player who is voted out,
/// the rest of the game; a hero who falls, the rest of the fight.
fn watchers(event: &EventRecord) -> Vec<(String, Watching)> {
    let out = undercover::events::voted_out(event).map(|name| (name, Watching::Everything));
    let fallen = rpg::events::fallen_watchers(event).into_iter();
    fallen.chain(out).collect()
}

/// The settings files.
#[derive(Default)]
struct Found {
    files: SettingsFiles,
    /// That of the working directory if it needs trust: it does not count yet.
    untrusted: Option<Untrusted<SettingsFile>>,
    error: Option<CommandError>,
}

impl Found {
    fn read(&mut self, env: &Env) -> Result<(), CommandError> {
        if let Some(folder) = &env.config_folder {
            let own = SettingsFile::find(&folder.join(SETTINGS_FILE))?;
            self.files.own = own.map(Untrusted::admit_own).unwrap_or_default();
        }
        if let Some(file) = SettingsFile::find(Path::new(SETTINGS_FILE))? {
            match file.admit(None, &self.files.own) {
                Ok(file) => self.files.folder = file,
                Err(NeedsTrust { file, .. }) => self.untrusted = Some(file),
            }
        }
        Ok(())
    }
}

/// The common options that take a value as the next argument.
const WITH_VALUES: [&str; 7] = [
    "--color", "--data", "--lang", "--log-format", "--models", "--saves", "--width",
];

/// The command line. What follows `help` are commands alone: its options, such as `--lang`, were
/// taken into account already.
fn arguments(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let arguments: Vec<_> = arguments.collect();
    if arguments.get(1).is_none_or(|command| command != "help") {
        return arguments;
    }
    let mut is_value = false;
    let is_command = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        let is_option = argument.starts_with('-');
        let is_kept = !is_option && !is_value;
        is_value = WITH_VALUES.contains(&&*argument);
        is_kept
    };
    arguments.into_iter().filter(is_command).collect()
}

/// The value of `--lang`, wherever it is.
fn lang_option(arguments: impl Iterator<Item = OsString>) -> Option<Language> {
    let arguments: Vec<_> = arguments
        .filter_map(|text| text.into_string().ok())
        .collect();
    arguments.iter().enumerate().find_map(|(index, argument)| {
        let value = match argument.strip_prefix("--lang")? {
            "" => arguments.get(index + 1)?,
            rest => rest.strip_prefix('=')?,
        };
        LANGUAGES
            .into_iter()
            .find(|language| value.eq_ignore_ascii_case(language.code()))
    })
}

/// Prints help, the version, or what is wrong with the command line.
fn explain(error: &clap::Error, app: &App) -> ExitCode {
    if let ClapErrorKind::DisplayHelp | ClapErrorKind::DisplayVersion = error.kind() {
        // If this can't be printed, nothing can.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let told = help::usage_error(error);
    // More than one word without a command is most likely a misspelt one.
    let first = std::env::args().nth(1).filter(|word| {
        error.kind() == ClapErrorKind::UnknownArgument
            && !word.starts_with('-')
            && !help::command_names().contains(word)
    });
    let unknown = first.and_then(|word| loader::check_bare_world(app, &word).err());
    app.finish(Err(unknown.unwrap_or(told)))
}

/// The language of the world or the story that a command is about, which is that of the interface
/// if nobody says another.
fn language_of(app: &App, command: &Command) -> Option<Language> {
    let of_save = |slot: &str| Slot::find(&app.settings.saves.value, slot).ok()?.language();
    match command {
        Command::Run(_) => loader::language(app, &app.settings.world.value),
        Command::Watch(_) => {
            let name = &app.settings.world.value;
            of_save(name).or_else(|| loader::language(app, name))
        }
        Command::Check { name, .. } => loader::language(app, name.as_ref()?),
        Command::Rehearse(args) => loader::language(app, &args.world),
        Command::Resume(ResumeArgs { slot, .. })
        | Command::Branch(BranchArgs { slot, .. })
        | Command::Show(ShowArgs { slot, .. })
        | Command::Ask { slot, .. }
        | Command::Diff(DiffArgs { slot, .. })
        | Command::Replay(ReplayArgs { slot, .. })
        | Command::Export(ExportArgs { slot, .. }) => of_save(slot),
        _ => None,
    }
}

fn run(mut command: Command, common: &CommonArgs, env: &Env, mut found: Found) -> ExitCode {
    command.seat_on_pages();
    let mut world = None;
    let mut play = PlayArgs::default();
    match &command {
        Command::Run(run) => (world, play) = (run.story.world.as_ref(), run.story.play.clone()),
        Command::Watch(watch) => {
            (world, play) = (watch.story.world.as_ref(), watch.story.play.clone());
        }
        Command::Resume(resume) => play = resume.play.clone(),
        Command::Play(cards) => play = cards.play.clone(),
        Command::Chat(chat) => play = chat.play.clone(),
        Command::Undercover(game) => play = game.play.clone(),
        #[cfg(feature = "cluster")]
        Command::Cluster(args::ClusterCommand::Submit(args)) => {
            play.spend.model.clone_from(&args.model)
        }
        Command::Experiment { action } => {
            let args = action.args();
            (play.spend, play.failures) = (args.spend.clone(), args.failures.clone());
        }
        Command::New(NewArgs { spend, .. }) | Command::Suggest(SuggestArgs { spend, .. }) => {
            play.spend = spend.clone();
        }
        Command::Replay(replay) => (play.ids, play.pace) = (replay.ids, replay.pace),
        _ => {}
    }
    let is_crowded = play.seat.len() > 1;
    let app = |files: &SettingsFiles| {
        let settings = Settings::resolve(common, world, &play, env, &env::variable, files);
        App::new(settings, env)
    };
    let mut with_settings = app(&found.files);
    if let Some(file) = found.untrusted
        && !matches!(command, Command::Trust(_))
    {
        let mut gate = with_settings.gate();
        match gate.admit(file, Path::new(SETTINGS_FILE), &found.files.own) {
            Ok(file) => {
                found.files.folder = file;
                with_settings = app(&found.files);
            }
            Err(error) => found.error = found.error.or(Some(error)),
        }
    }
    let mut app = with_settings;
    if app.settings.language.origin == Origin::Default
        && let Some(language) = language_of(&app, &command)
    {
        app.settings.language.value = language;
        app = App::new(app.settings, env);
    }
    let _sending = app.start_logs();
    let recalled = match (found.error, &command) {
        (Some(error), _) => Err(error),
        (None, _) if is_crowded => Err(CommandError::usage(text!(cli_one_seat))),
        (None, Command::Resume(resume)) => {
            slot_settings::recall(&mut app, &resume.slot, resume.no_seat)
        }
        (None, Command::Experiment { action }) => commands::recall_experiment(&mut app, action),
        (None, _) => Ok(()),
    };
    let result = recalled.and_then(|()| commands::run(command, &app));
    app.finish(result)
}
