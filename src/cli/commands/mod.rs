//! The commands, one file each; those that play share `play.rs`.

use crate::cli::prelude::*;
mod branch;
mod budget;
mod chapters;
mod chat;
mod check;
mod completions;
mod config;
mod convert;
mod cost;
mod data;
mod diff;
mod doctor;
mod drift;
mod dry_run;
#[cfg(feature = "page")]
mod edited;
#[cfg(feature = "page")]
mod export;
mod games;
mod knows;
mod new;
mod play;
mod players;
mod recall;
mod rehearse;
mod repair;
mod replay;
mod resume;
mod run;
mod saves;
mod sent;
mod show;
mod timeline;
mod told;
mod tournament;
mod trace;
mod trust;
mod undercover;
mod undo;
#[cfg(feature = "page")]
pub(super) mod watch;
mod why;
mod worlds;

use std::path::Path;

use super::args::{ChatArgs, Command, DataCommand, Question, RecallArgs};
use super::saved::free_name;

pub(crate) fn run(command: Command, app: &App) -> Result<()> {
    match command {
        #[cfg(feature = "page")]
        Command::Run(args) if args.watch => watch::run(app, &args.story, &args.server),
        Command::Run(args) => {
            let left = run::run(app, &args)?;
            resume::until_reported(app, left, &args.story.play)
        }
        #[cfg(not(feature = "page"))]
        Command::WithoutPage { .. } => Err(CommandError::of(
            super::error::ErrorKind::Usage,
            &crate::tool::NotBuilt::PAGE,
        )),
        #[cfg(feature = "page")]
        Command::Watch(args) => watch::watch(app, &args),
        #[cfg(feature = "page")]
        Command::Export {
            slot,
            html,
            seat,
            calls,
        } => export::export(app, &slot, &html, seat.as_deref(), calls),
        Command::Resume {
            slot,
            force,
            seed,
            no_seat: _,
            task,
            form,
            allow_code,
            play,
        } => {
            let chat_args = ChatArgs {
                task,
                form,
                allow_code,
                seed,
                play,
                ..ChatArgs::default()
            };
            let left = resume::resume(app, &slot, &chat_args, force)?;
            resume::until_reported(app, left, &chat_args.play)
        }
        Command::Chat(args) => chat::chat(app, &args),
        Command::Undercover(args) => {
            let left = undercover::undercover(app, &args)?;
            resume::until_reported(app, left, &args.play)
        }
        Command::Replay {
            slot,
            until,
            seat,
            form,
            ids: _,
            pace: _,
        } => replay::replay(app, &slot, until, seat.as_deref(), form),
        Command::Saves {
            repair: Some(slot), ..
        } => repair::run(app, &slot),
        Command::Saves { verify, .. } => saves::saves(app, verify),
        Command::Branch {
            slot,
            new,
            turn,
            choose,
            retry,
            seed,
            model_of,
        } => {
            let new = new.unwrap_or_else(|| free_name(&app.settings.saves.value, &slot));
            match choose {
                _ if retry => branch::retry(app, &slot, &new),
                Some((scene, option)) => branch::choose(app, &slot, &new, &scene, &option),
                None => branch::branch(app, &slot, &new, turn.unwrap_or_default(), seed, &model_of),
            }
        }
        Command::Show(args) => show::show(app, &args),
        Command::Ask { slot, question } => match question {
            Question::Who { fact } => knows::who(app, &slot, &fact),
            Question::What {
                name,
                about: Some(about),
            } => knows::about(app, &slot, &name, &about),
            Question::What { name, .. } => knows::knows(app, &slot, &name),
            Question::Why { event } => why::why(app, &slot, &event),
            Question::Recall {
                name,
                question,
                k,
                embeddings,
            } => {
                let args = RecallArgs {
                    slot: Some(slot),
                    who: Some(name),
                    question: Some(question),
                    k,
                    embeddings,
                    ..RecallArgs::default()
                };
                recall::recall(app, &args)
            }
        },
        Command::Recall(args) => recall::recall(app, &args),
        Command::Diff {
            slot,
            other,
            entity,
            calls,
        } => match (entity, &calls[..]) {
            (Some(who), [first, second]) => {
                diff::calls(app, (&slot, *first), (&other, *second), &who)
            }
            (entity, _) => diff::stories(app, &slot, &other, entity.as_deref()),
        },
        Command::Data {
            action: DataCommand::Export { dir, force },
        } => data::export(app, &dir, force),
        Command::Completions { shell } => completions::completions(app, shell),
        Command::Manual { dir } => completions::manual(app, &dir),
        Command::Check { world } => check::check(app, &world),
        Command::Rehearse(args) => rehearse::rehearse(app, &args),
        Command::New { dir, world_lang } => new::new(app, &dir, world_lang),
        Command::Worlds => worlds::worlds(app),
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
            convert::convert(app, &conversion)
        }
        Command::Config => config::config(app),
        Command::Doctor(args) => doctor::doctor(app, &args),
        Command::Trust(args) => trust::trust(app, &args),
    }
}
