//! The names that views, questions and options had as commands of their own, for scripts.

#[cfg(feature = "page")]
use clap::Args;
use clap::{Subcommand, ValueEnum};

use super::args::{Command, Question, ShowArgs, View};
#[cfg(feature = "page")]
use super::args::{ServerArgs, WatchArgs};

/// A command by its old name. Help does not list it.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum OldCommand {
    #[command(hide = true)]
    Timeline {
        slot: String,
        entity: Option<String>,
    },
    #[command(hide = true)]
    Trace {
        slot: String,
        entity: Option<String>,
        #[arg(long = "format", default_value = "full")]
        form: TraceFormat,
    },
    #[command(hide = true)]
    Cost { slot: String },
    #[command(hide = true)]
    Chapters {
        slot: String,
        name: String,
        id: Option<String>,
        #[arg(long, requires = "id")]
        original: bool,
    },
    #[command(hide = true)]
    Drift { slot: String },
    #[command(hide = true)]
    Why { slot: String, event: Option<String> },
    #[command(hide = true)]
    Who { slot: String, fact: String },
    #[command(hide = true)]
    Knows {
        slot: String,
        name: String,
        #[arg(long, value_name = "NAME")]
        about: Option<String>,
    },
    #[command(hide = true)]
    Retry { slot: String, new: Option<String> },
    #[command(hide = true)]
    Repair { slot: String },
    #[cfg(feature = "page")]
    #[command(hide = true)]
    Serve(ServeArgs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    Full,
    Ag2,
}

#[cfg(feature = "page")]
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    #[arg(long, value_name = "SECONDS")]
    away: Option<u64>,
    #[command(flatten)]
    server: ServerArgs,
}

impl From<OldCommand> for Command {
    fn from(old: OldCommand) -> Self {
        let show = |slot, entity, view| {
            Self::Show(ShowArgs {
                slot,
                entity,
                view,
                ..ShowArgs::default()
            })
        };
        let ask = |slot, question| Self::Ask { slot, question };
        match old {
            OldCommand::Timeline { slot, entity } => show(slot, entity, View::Calls),
            OldCommand::Trace { slot, entity, form } => match form {
                TraceFormat::Full => show(slot, entity, View::Trace),
                TraceFormat::Ag2 => show(slot, entity, View::Ag2),
            },
            OldCommand::Cost { slot } => show(slot, None, View::Costs),
            OldCommand::Chapters {
                slot,
                name,
                id,
                original,
            } => Self::Show(ShowArgs {
                slot,
                entity: Some(name),
                view: View::Chapters,
                chapter: id,
                original,
                ..ShowArgs::default()
            }),
            OldCommand::Drift { slot } => show(slot, None, View::Voice),
            OldCommand::Why { slot, event: None } => show(slot, None, View::Events),
            OldCommand::Why {
                slot,
                event: Some(event),
            } => ask(slot, Question::Why { event }),
            OldCommand::Who { slot, fact } => ask(slot, Question::Who { fact }),
            OldCommand::Knows { slot, name, about } => ask(slot, Question::What { name, about }),
            OldCommand::Retry { slot, new } => Self::Branch {
                slot,
                new,
                turn: None,
                choose: None,
                retry: true,
                seed: None,
                model_of: Vec::new(),
            },
            OldCommand::Repair { slot } => Self::Saves {
                verify: false,
                repair: Some(slot),
            },
            #[cfg(feature = "page")]
            OldCommand::Serve(ServeArgs { away, server }) => Self::Watch(Box::new(WatchArgs {
                all: true,
                away,
                server,
                ..WatchArgs::default()
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::CommandLine;

    #[test]
    fn old_names_mean_what_they_did() {
        for (old, new) in [
            ("timeline s Ann", "show s Ann --view calls"),
            ("trace s", "show s --view trace"),
            ("trace s Ava --format ag2", "show s Ava --view ag2"),
            ("cost s", "show s --view costs"),
            ("chapters s Ann", "show s Ann --view chapters"),
            ("drift s", "show s --view voice"),
            ("why s", "show s --view events"),
            ("why s 3-17", "ask s why 3-17"),
            ("who s the-order", "ask s who the-order"),
            ("knows s Ann --about Bea", "ask s what Ann --about Bea"),
            ("retry s", "branch s --retry"),
            ("repair s", "saves --repair s"),
            #[cfg(feature = "page")]
            ("serve --away 5", "watch --all --away 5"),
        ] {
            let parsed = |line: &str| {
                let words = std::iter::once("playhouse").chain(line.split(' '));
                let command = CommandLine::try_parse_from(words).unwrap().command;
                match command.unwrap() {
                    Command::Old(old) => format!("{:?}", Command::from(old)),
                    command => format!("{command:?}"),
                }
            };
            assert_eq!(parsed(old), parsed(new), "{old}");
        }
    }
}
