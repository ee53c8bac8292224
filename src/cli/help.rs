//! `--help`, and what is wrong with a command line, in the language of the interface.
//!
//! The texts are in the Fluent files `help.ftl`: `help_about_COMMAND` says what a command does,
//! `help_COMMAND_OPTION` what one of its options or arguments means, or `help_any_OPTION` if it
//! means the same to all commands; `help_value_NAME` names the value that an option takes, and
//! `help_value_COMMAND_OPTION` that of one command alone.

use crate::cli::prelude::*;
use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind as ClapErrorKind};
use clap::{Arg, Command, CommandFactory};

use super::args::{BadValue, COMMON, CommandLine};
use super::features;
use super::output::{cells, rows};

const NAME: &str = "playhouse";

/// An option that takes one of at most this many values names them all instead of its value.
const FEW_VALUES: usize = 4;
/// Options of playing that `watch` refuses, and says why.
const NOT_WATCHED: [&str; 3] = ["ids", "pace", "dry_run"];
/// The widest column of options, in cells.
const WIDEST_LABEL: usize = 30;

/// The command line in the language of the interface, with help pages of this width.
pub(crate) fn command_line(language: Language, width: usize) -> Command {
    let mut command = CommandLine::command().version(features::version(language));
    // Adds clap's own commands and options, so that they are translated too.
    command.build();
    Help { language, width }.translate(command, "")
}

pub(crate) fn command_names() -> Vec<String> {
    let command = CommandLine::command();
    let commands = command.get_subcommands();
    commands
        .filter(|command| !command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect()
}

struct Help {
    language: Language,
    width: usize,
}

impl Help {
    /// The command with its texts, and with those of its options and subcommands. The keys of what
    /// is below another command begin with its name.
    fn translate(&self, command: Command, above: &str) -> Command {
        let name = format!("{above}{}", command.get_name());
        let below = match name.as_str() {
            "playhouse" | "help" => String::new(),
            name => format!("{name}_"),
        };
        let command = command
            .about(self.text(&format!("help_about_{name}")))
            .mut_args(|arg| self.translate_arg(&name, arg))
            .mut_subcommands(|subcommand| self.translate(subcommand, &below))
            // What is missing is told, not everything that there is.
            .arg_required_else_help(false);
        let page = self.page(&command);
        command.override_help(page)
    }

    fn translate_arg(&self, command: &str, arg: Arg) -> Arg {
        let id = arg.get_id().to_string();
        let own = UiText::find(&format!("help_{command}_{id}"));
        let help = own.or_else(|| UiText::find(&format!("help_any_{id}")));
        let help = help.unwrap_or_default().in_language(self.language);
        let arg = if command == "watch" && NOT_WATCHED.contains(&id.as_str()) {
            arg.hide(true)
        } else {
            arg
        };
        if !arg.get_action().takes_values() {
            return arg.help(help);
        }
        let values: Vec<_> = arg.get_possible_values();
        let values: Vec<_> = values.iter().map(|value| value.get_name()).collect();
        let name = if (1..=FEW_VALUES).contains(&values.len()) {
            values.join("|")
        } else {
            let name = arg.get_value_names().and_then(|names| names.first());
            let name = name.map_or_else(|| id.to_uppercase(), ToString::to_string);
            let own = UiText::find(&format!("help_value_{command}_{id}"));
            let text = own.or_else(|| UiText::find(&format!("help_value_{}", name.to_lowercase())));
            text.map_or(name, |text| text.in_language(self.language))
        };
        let hidden = arg.is_hide_default_value_set();
        let defaults = arg.get_default_values().iter().filter(|_| !hidden);
        let defaults = defaults.map(|value| value.to_string_lossy());
        let help = match defaults.collect::<Vec<_>>().join(" ") {
            none if none.is_empty() => help,
            value => format!("{help}{}", say!(self.language, help_default, value)),
        };
        arg.help(help).value_name(name)
    }

    fn text(&self, key: &str) -> String {
        UiText::find(key)
            .unwrap_or_default()
            .in_language(self.language)
    }

    /// What `--help` prints.
    fn page(&self, command: &Command) -> String {
        let language = self.language;
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage:").trim();
        let is_program = command.get_name() == NAME;
        // What a world is played with, and a command, exclude each other.
        let usage = match usage.strip_suffix(" [COMMAND]") {
            Some(world) if is_program => world,
            _ => usage,
        };
        let command_name = say!(language, help_value_command);
        let usage = usage
            .replace("[OPTIONS]", &say!(language, help_usage_options))
            .replace("COMMAND", &command_name)
            // Of the command above, it was put together before that was translated.
            .replace("SLOT", &say!(language, help_value_slot));
        let about = command.get_about().map(ToString::to_string);
        let mut page = vec![
            Paragraph::default().plain(about.unwrap_or_default()),
            Paragraph::blank(),
            Paragraph::of(Style::Bold, say!(language, help_usage)).plain(usage),
        ];
        if is_program {
            let indent = cells(&say!(language, help_usage));
            let usage = format!("playhouse {command_name} …");
            page.push(Paragraph::indented(indent, indent).plain(usage));
        }
        let commands = command.get_subcommands();
        let commands = commands.filter(|command| !command.is_hide_set());
        let commands = commands.map(|command| {
            let about = command.get_about().map(ToString::to_string);
            (command.get_name().to_owned(), about.unwrap_or_default())
        });
        let is_common = |arg: &Arg| {
            arg.get_help_heading() == Some(COMMON)
                || ["help", "version"].contains(&arg.get_id().as_str())
        };
        let args = |is_wanted: &dyn Fn(&Arg) -> bool| {
            let args = command
                .get_arguments()
                .filter(|arg| !arg.is_hide_set() && is_wanted(arg));
            args.map(row).collect::<Vec<_>>()
        };
        for (heading, rows) in [
            (say!(language, help_commands), commands.collect()),
            (say!(language, help_arguments), args(&Arg::is_positional)),
            (
                say!(language, help_options),
                args(&|arg| !arg.is_positional() && !is_common(arg)),
            ),
            (say!(language, help_common_options), args(&is_common)),
        ] {
            add_section(&mut page, &heading, &rows);
        }
        if is_program {
            page.push(Paragraph::blank());
            page.push(Paragraph::default().plain(say!(language, help_end)));
        }
        let rows = page
            .iter()
            .flat_map(|paragraph| rows(paragraph, self.width, true));
        rows.collect::<Vec<_>>().join("\n") + "\n"
    }
}

/// An option as it is written, and what it means.
fn row(arg: &Arg) -> (String, String) {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let spelling = match arg.get_short() {
        _ if arg.is_positional() => arg.to_string(),
        Some(short) => format!("-{short}, {arg}"),
        None => format!("    {arg}"),
    };
    (spelling, help)
}

fn add_section(page: &mut Vec<Paragraph>, heading: &str, rows: &[(String, String)]) {
    let widths = rows.iter().map(|(label, _)| cells(label));
    let Some(width) = widths.filter(|width| *width <= WIDEST_LABEL).max() else {
        return;
    };
    page.push(Paragraph::blank());
    page.push(Paragraph::of(Style::Bold, heading));
    page.extend(
        rows.iter()
            .map(|(label, help)| Paragraph::labelled(label, 2, width + 4).plain(help)),
    );
}

/// What is wrong with a command line.
pub(crate) fn usage_error(error: &clap::Error) -> CommandError {
    let values = |kind| error.get(kind).map(values).unwrap_or_default();
    let first = |kind| values(kind).into_iter().next().unwrap_or_default();
    let option = first(ContextKind::InvalidArg);
    let value = first(ContextKind::InvalidValue);
    let message = match error.kind() {
        ClapErrorKind::InvalidValue if value.is_empty() => text!(cli_usage_no_value, option),
        ClapErrorKind::InvalidValue | ClapErrorKind::ValueValidation => {
            text!(cli_usage_bad_value, option, value)
        }
        ClapErrorKind::UnknownArgument if option.starts_with('-') => {
            text!(cli_usage_unknown_option, option)
        }
        ClapErrorKind::UnknownArgument => text!(cli_usage_unexpected, argument = option),
        ClapErrorKind::InvalidSubcommand => {
            let command = first(ContextKind::InvalidSubcommand);
            text!(cli_usage_unknown_command, command)
        }
        ClapErrorKind::ArgumentConflict if option.is_empty() => {
            let error = CommandError::usage(text!(cli_usage_order));
            return error.help(text!(cli_usage_order_help));
        }
        ClapErrorKind::ArgumentConflict => {
            let other = first(ContextKind::PriorArg);
            text!(cli_usage_conflict, option, other)
        }
        ClapErrorKind::MissingSubcommand => {
            let names = Argument::list(values(ContextKind::ValidSubcommand));
            text!(cli_usage_missing_question, names)
        }
        ClapErrorKind::MissingRequiredArgument => {
            let options = Argument::list(values(ContextKind::InvalidArg));
            text!(cli_usage_missing, options)
        }
        _ => text!(cli_usage_wrong),
    };
    let rejected = error.source().and_then(|source| source.downcast_ref());
    let suggestions = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    let suggestion = suggestions
        .map(first)
        .into_iter()
        .find(|name| !name.is_empty());
    let possible = values(ContextKind::ValidValue);
    let help = match (rejected, suggestion) {
        (Some(BadValue(why)), _) => why.clone(),
        (None, Some(name)) => text!(cli_did_you_mean, name),
        (None, None) if possible.is_empty() => {
            text!(cli_usage_help, command = command_of(error))
        }
        (None, None) => text!(cli_expected_one_of, names = Argument::list(possible)),
    };
    CommandError::usage(message).help(help)
}

/// The command that was meant, such as `playhouse check`.
fn command_of(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let usage = usage.unwrap_or_default();
    let is_name = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    let words = usage.split_whitespace().skip_while(|word| *word != NAME);
    let names: Vec<_> = words.take_while(is_name).collect();
    if names.is_empty() {
        NAME.to_owned()
    } else {
        names.join(" ")
    }
}

fn values(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::String(text) => vec![text.clone()],
        ContextValue::Strings(texts) => texts.clone(),
        value => vec![value.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

    fn check(command: &Command, path: &str) {
        let about = command.get_about().map(ToString::to_string);
        assert!(!about.unwrap_or_default().is_empty(), "{path}");
        for arg in command.get_arguments() {
            let id = arg.get_id();
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty(), "{path} {id}");
            for value in arg.get_possible_values() {
                let name = value.get_name();
                let is_named = help.contains(name) || id == "from";
                assert!(is_named, "{path} {id}: what is {name}? {help}");
            }
        }
        for command in command.get_subcommands() {
            // It repeats all commands; those that are hidden have no page.
            if path != "help" && !command.is_hide_set() {
                check(command, command.get_name());
            }
        }
    }

    #[test]
    fn every_command_option_and_value_is_explained_in_every_language() {
        for language in LANGUAGES {
            check(&command_line(language, 80), "playhouse");
        }
    }

    #[test]
    fn pages_name_what_is_written_in_the_language_of_the_reader() {
        let page = |words: &str| {
            let command = command_line(Language::Zh, 80);
            let error = command.try_get_matches_from(words.split(' ')).unwrap_err();
            error.to_string()
        };
        let program = page("playhouse --help");
        let usage = "用法：playhouse [选项] [世界]\n      playhouse 命令 …\n";
        assert!(program.contains(usage), "{program}");
        for (command, usage) in [
            ("data", "playhouse data [选项] <命令>"),
            ("show", "playhouse show [选项] <存档> [名字]"),
            ("ask", "playhouse ask [选项] <存档> <命令>"),
            ("diff", "<另一个存档>"),
            ("watch", "playhouse watch [选项] [世界|存档]"),
        ] {
            let page = page(&format!("playhouse {command} --help"));
            assert!(page.contains(usage), "{page}");
            assert!(command != "watch" || !page.contains("--pace"), "{page}");
        }
    }

    #[test]
    fn a_wrong_command_line_is_explained_in_every_language() {
        for language in LANGUAGES {
            for (line, named) in [
                ("playhouse run --sed 3", "--sed"),
                ("playhouse run --seed x", "x"),
                ("playhouse run --seed", "--seed"),
                ("playhouse run one two", "two"),
                ("playhouse show s --view film", "memory"),
                ("playhouse resume", "slot"),
                ("playhouse resume", "playhouse resume --help"),
                ("playhouse data export", "playhouse data export --help"),
                ("playhouse run --force", "--save"),
                ("playhouse run --max-cost much", "0.50"),
                ("playhouse undercover --model-of Greta", "=deepseek"),
            ] {
                let command = command_line(language, 80);
                let error = command.try_get_matches_from(line.split(' ')).unwrap_err();
                let error = usage_error(&error);
                let [message, help] = [error.message, error.help]
                    .map(|text| text.unwrap_or_default().in_language(language));
                let text = format!("{message}|{help}");
                let slot = say!(language, help_value_slot);
                let named = named.replace("slot", &slot);
                assert!(text.contains(&named), "{line}: {text}");
            }
        }
    }
}
