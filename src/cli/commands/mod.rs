//! The commands, one file each; those that play share `play.rs`.

mod check;
mod config;
mod doctor;
mod new;
mod play;
mod run;
mod worlds;

use super::args::Command;
use super::desk::Desk;
use super::error::Failure;

/// Does what the command says.
pub(crate) fn perform(command: Command, desk: &Desk) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(desk, &args),
        Command::Check { world } => check::check(desk, &world),
        Command::New { dir, world_lang } => new::new(desk, &dir, world_lang),
        Command::Worlds => worlds::worlds(desk),
        Command::Config => config::config(desk),
        Command::Resume { .. }
        | Command::Replay { .. }
        | Command::Saves
        | Command::Cost { .. }
        | Command::Branch { .. }
        | Command::Why { .. }
        | Command::Show { .. } => Ok(()),
        Command::Doctor { model } => doctor::doctor(desk, model.as_deref()),
    }
}
