//! `branch`: a new slot from a turn of an old one.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::journal::{HOST, Input, Line, branch_input};
use crate::rpg::{ChooseAgainError, choose_again};
use crate::save::Slot;
use crate::session::{self, Retried};

use super::play;
use crate::cli::args::BranchArgs;
use crate::cli::loader;
use crate::cli::saved::{Played, Saved, entity, free_name};
use crate::cli::slot_settings;

/// Starts a new slot from an old one, and says so.
pub(super) fn branch(app: &App, args: &BranchArgs) -> Result<()> {
    if let Some((slot, turn)) = begin(app, args)? {
        let slot = slot.name().as_str();
        app.tell(
            &Printed::Branch { slot, turn },
            say!(app.language, cli_branched, slot, turn),
        );
        if app.prints_text() {
            let slot = app.in_command(slot);
            app.out().line(say!(app.language, cli_continue_with, slot));
        }
    }
    Ok(())
}

/// Starts a new slot from a turn of an old one; `None` if there is nothing to do otherwise in it.
pub(super) fn begin(app: &App, args: &BranchArgs) -> Result<Option<(Slot, u64)>> {
    let free = || free_name(&app.settings.saves.value, &args.slot);
    let new = args.new.clone().unwrap_or_else(free);
    let saved = Saved::find(app, &args.slot)?;
    let models: BTreeMap<_, _> = args.model_of.iter().cloned().collect();
    let begun = match &args.choose {
        _ if args.retry => retry(app, &saved, &new)?,
        Some((scene, option)) => Some(choose(app, &saved, &new, scene, option)?),
        None => Some(from_turn(app, &saved, &new, args, &models)?),
    };
    if let Some((slot, _)) = &begun {
        slot_settings::copy_trust(app, &saved.slot, slot)?;
        if !models.is_empty() {
            slot_settings::give_models(app, slot, models.into_values())?;
        }
    }
    Ok(begun)
}

/// Starts the slot `new` from a turn. With a seed, all that is random after it comes out otherwise;
/// with models, others answer for those whom they are given.
fn from_turn(
    app: &App,
    saved: &Saved,
    new: &str,
    args: &BranchArgs,
    models: &BTreeMap<String, String>,
) -> Result<(Slot, u64)> {
    let turn = args.turn.unwrap_or_default();
    check_models(app, saved, models)?;
    let told =
        branch_input(HOST, args.seed, models).map(|value| Line::Input(Input { turn, value }));
    let (root, game) = (&app.settings.saves.value, saved.played.game());
    let branched = session::branch(root, &saved.slot, new, game, turn, told);
    Ok((play::runtime()?.block_on(branched)?, turn))
}

/// Starts the slot `new` from the turn of a scene's decision, with another option.
fn choose(app: &App, saved: &Saved, new: &str, scene: &str, option: &str) -> Result<(Slot, u64)> {
    let root = &app.settings.saves.value;
    let game = saved.played.game();
    let branched = async {
        let (turn, outcome) = choose_again(&saved.slot, game, scene, option).await?;
        let next = Some(Line::Outcome(Arc::new(outcome)));
        let slot = session::branch(root, &saved.slot, new, game, turn, next).await?;
        Ok::<_, ChooseAgainError>((slot, turn))
    };
    play::runtime()?
        .block_on(branched)
        .map_err(|error| match error {
            ChooseAgainError::Session(error) => CommandError::from(error),
            error => CommandError::of(ErrorKind::Usage, &error),
        })
}

/// Starts a slot from before the first default answer of another, in which all of them are asked
/// again.
fn retry(app: &App, saved: &Saved, new: &str) -> Result<Option<(Slot, u64)>> {
    let root = &app.settings.saves.value;
    let game = saved.played.game();
    let retried = session::retry_defaults(root, &saved.slot, new, game, HOST);
    let retried = play::runtime()?.block_on(retried)?;
    let (line, begun) = match retried {
        None => {
            let slot = saved.slot.name().as_str();
            (say!(app.language, cli_no_default_answers, slot), None)
        }
        Some(Retried { slot, turn, count }) => {
            (say!(app.language, cli_retried, count), Some((slot, turn)))
        }
    };
    if app.prints_text() {
        app.out().line(line);
    }
    Ok(begun)
}

/// Refuses models that don't exist, and models for nobody.
fn check_models(app: &App, saved: &Saved, models: &BTreeMap<String, String>) -> Result<()> {
    if models.is_empty() {
        return Ok(());
    }
    if matches!(saved.played, Played::Team(_)) {
        return Err(CommandError::usage(text!(cli_models_of_team)));
    }
    let world = saved.world(true)?.world;
    for (name, model) in models {
        entity(&world, name)?;
        loader::mind_info(app, model)?;
    }
    Ok(())
}
