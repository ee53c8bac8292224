//! The commands, one file each; those that play share `play.rs`.

use crate::cli::prelude::*;
mod batch;
mod branch;
mod campaign_batch;
mod chapters;
mod chat;
mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod completions;
mod config;
mod convert;
mod cost;
mod data;
mod diff;
mod doctor;
mod draft;
mod dry_run;
mod edited;
mod edited_world;
mod experiment;
mod export;
mod import;
mod knows;
mod new;
mod play;
mod play_cards;
mod players;
mod recall;
mod rehearse;
mod remembered;
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
pub(super) mod watch;
mod why;
mod worlds;

pub(super) use self::experiment::recall as recall_experiment;
use super::args::{Command, DataCommand, Question};

pub(crate) fn run(command: Command, app: &App) -> Result<()> {
    match command {
        Command::Run(args) if args.watch => watch::run(app, &args),
        Command::Run(args) => {
            let left = run::run(app, &args)?;
            resume::until_reported(app, left, &args.story.play)
        }
        Command::Watch(args) => watch::watch(app, &args),
        Command::Export(args) => export::export(app, &args),
        Command::Play(args) => {
            let left = play_cards::play(app, &args)?;
            resume::until_reported(app, left, &args.play)
        }
        Command::Resume(args) => {
            let left = resume::resume(app, &args)?;
            resume::until_reported(app, left, &args.play)
        }
        Command::Chat(args) => chat::chat(app, &args),
        Command::Undercover(args) => {
            let left = undercover::undercover(app, &args)?;
            resume::until_reported(app, left, &args.play)
        }
        Command::Replay(args) => replay::replay(app, &args),
        Command::Saves {
            repair: Some(slot), ..
        } => repair::run(app, &slot),
        Command::Saves { verify, .. } => saves::saves(app, verify),
        #[cfg(feature = "cluster")]
        Command::Branch(args) if args.store.store.is_some() => cluster::branch(app, &args),
        Command::Branch(args) => branch::branch(app, &args),
        Command::Show(args) => show::show(app, &args),
        Command::Ask { slot, question } => ask(app, slot, question),
        Command::Recall(args) => recall::measure(app, &args),
        Command::Diff(args) => diff::diff(app, &args),
        Command::Data {
            action: DataCommand::Export { dir, force },
        } => data::export(app, &dir, force),
        Command::Completions { shell } => completions::completions(app, shell),
        Command::Manual { dir } => completions::manual(app, &dir),
        Command::Check {
            explain: Some(member),
            ..
        } => check::explain_member(app, &member),
        Command::Check { name, .. } => check::check(app, &name.unwrap_or_default()),
        Command::Rehearse(args) => rehearse::rehearse(app, &args),
        Command::Experiment { action } => experiment::experiment(app, &action),
        Command::New(args) => new::new(app, &args),
        Command::Suggest(args) => draft::suggest(app, &args),
        Command::Worlds => worlds::worlds(app),
        Command::Convert(args) => convert::convert(app, &args),
        Command::Import { what } => import::import(app, &what),
        Command::Config => config::config(app),
        #[cfg(not(feature = "cluster"))]
        Command::WithoutCluster { .. } => Err(CommandError::of(
            ErrorKind::Usage,
            &crate::tool::NotBuilt::CLUSTER,
        )),
        #[cfg(feature = "cluster")]
        Command::Cluster(command) => cluster::run(app, &command),
        Command::Doctor(args) => doctor::doctor(app, &args),
        Command::Trust(args) => trust::trust(app, &args),
    }
}

fn ask(app: &App, slot: String, question: Question) -> Result<()> {
    match question {
        Question::Who { fact: None } => knows::facts(app, &slot),
        Question::Who { fact: Some(fact) } => knows::who(app, &slot, &fact),
        Question::What { name: None, .. } => knows::knowers(app, &slot),
        Question::What {
            name: Some(name),
            about,
        } => match about {
            Some(about) => knows::about(app, &slot, &name, &about),
            None => knows::knows(app, &slot, &name),
        },
        Question::Why { event } => why::why(app, &slot, &event),
        Question::Recall {
            name,
            question,
            search,
        } => recall::remember(app, &slot, [&name, &question], &search),
    }
}
