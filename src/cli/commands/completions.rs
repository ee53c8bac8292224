//! `completions` and `manual`: the command line for shells and for `man`.

use crate::cli::prelude::*;
use std::fs;
use std::path::Path;

use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::rehearse::write_file;
use crate::cli::args::COMMON;
use crate::cli::help;

/// Prints what a shell reads to complete commands, options and values.
pub(super) fn completions(app: &App, shell: Shell) -> Result<()> {
    let mut command = shown(&help::command_line(app.language, app.settings.width.value));
    let mut script = Vec::new();
    generate(shell, &mut command, "playhouse", &mut script);
    app.out().bytes(script.trim_ascii_end());
    Ok(())
}

/// A command without those below it that are hidden, such as those of features that this build
/// lacks: clap completes them, too.
fn shown(command: &Command) -> Command {
    let below = command.get_subcommands();
    let below = below.filter(|command| !command.is_hide_set());
    // Its own commands have the names of all others.
    let below = below.map(|command| match command.get_name() {
        "help" => shown(command),
        _ => command.clone(),
    });
    Command::new(command.get_name().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .version(command.get_version().unwrap_or_default().to_owned())
        .args(command.get_arguments().cloned())
        .subcommands(below)
        // They are among the others already.
        .disable_help_flag(true)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
}

/// Writes a page for `man` of the program and of each command into a folder.
pub(super) fn manual(app: &App, folder: &Path) -> Result<()> {
    let failed = |error| CommandError::of(ErrorKind::Other, &error).at(folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let common = say!(app.language, help_common_options);
    let common = common.trim_end_matches([':', '：']);
    let command = help::command_line(app.language, app.settings.width.value);
    let commands = std::iter::once(&command)
        .chain(command.get_subcommands())
        .filter(|command| command.get_name() != "help" && !command.is_hide_set());
    let mut count = 0;
    for command in commands {
        let man = Man::new(with_heading(command.clone(), common));
        let mut page = Vec::new();
        man.render(&mut page).map_err(failed)?;
        write_file(&folder.join(man.get_filename()), &page)?;
        count += 1;
    }
    let folder = folder.display().to_string();
    app.tell(
        &Printed::Manual {
            folder: &folder,
            written: count,
        },
        say!(app.language, cli_manual_written, count, folder = &folder),
    );
    Ok(())
}

/// The command with the heading of common options in words of people.
fn with_heading(command: Command, heading: &str) -> Command {
    command.mut_args(|arg| {
        if arg.get_help_heading() == Some(COMMON) {
            arg.help_heading(heading.to_owned())
        } else {
            arg
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_not_completed() {
        let hidden = Command::new("watch").alias("serve").hide(true);
        let mut command = Command::new("playhouse").subcommands([Command::new("run"), hidden]);
        command.build();
        let mut script = Vec::new();
        generate(Shell::Bash, &mut shown(&command), "playhouse", &mut script);
        let script = String::from_utf8(script).unwrap();
        assert!(script.contains("run") && !script.contains("watch") && !script.contains("serve"));
        assert!(script.contains("help"), "{script}");
    }
}
