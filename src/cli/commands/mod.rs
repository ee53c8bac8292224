//! The commands, one file each; those that play share `play.rs`.

mod branch;
mod chat;
mod check;
mod config;
mod convert;
mod cost;
mod doctor;
mod new;
mod play;
mod rehearse;
mod replay;
mod resume;
mod run;
mod saves;
mod show;
mod tournament;
mod trace;
mod undercover;
mod why;
mod worlds;

pub(crate) use chat::nearest_team;
use std::path::Path;

use super::args::{ChatArgs, Command};
use super::desk::Desk;
use super::error::Failure;

/// Does what the command says.
pub(crate) fn perform(command: Command, desk: &Desk) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(desk, &args),
        Command::Resume {
            slot,
            force,
            task,
            form,
            allow_code,
            play,
        } => {
            let talk = ChatArgs {
                task,
                form,
                allow_code,
                play,
                ..ChatArgs::default()
            };
            resume::resume(desk, &slot, &talk, force)
        }
        Command::Chat(args) => chat::chat(desk, &args),
        Command::Undercover(args) => undercover::undercover(desk, &args),
        Command::Trace { slot, entity } => trace::trace(desk, &slot, entity.as_deref()),
        Command::Replay {
            slot,
            until,
            seat,
            form,
        } => replay::replay(desk, &slot, until, seat.as_deref(), form),
        Command::Saves => saves::saves(desk),
        Command::Cost { slot } => cost::cost(desk, &slot),
        Command::Branch { slot, new, turn } => branch::branch(desk, &slot, &new, turn),
        Command::Why { slot, event } => why::why(desk, &slot, &event),
        Command::Show {
            slot,
            entity,
            form,
            turn,
        } => show::show(desk, &slot, entity.as_deref(), form, turn),
        Command::Check { world } => check::check(desk, &world),
        Command::New { dir, world_lang } => new::new(desk, &dir, world_lang),
        Command::Worlds => worlds::worlds(desk),
        Command::Convert {
            file,
            to,
            from,
            name,
        } => {
            let conversion = convert::Conversion {
                file: file.as_deref().filter(|file| *file != Path::new("-")),
                from,
                to,
                name: name.as_deref(),
            };
            convert::convert(desk, &conversion)
        }
        Command::Config => config::config(desk),
        Command::Doctor { name } => doctor::doctor(desk, name.as_deref()),
    }
}
