//! `watch`: stories on pages.
//!
//! The command's own thread opens stories, one after the other, when a page asks for them; each
//! story that is played has a thread of its own; a page is answered by the runtime.

use crate::cli::prelude::*;
mod course;
mod desk;
mod host;
mod saves;
#[cfg(feature = "cluster")]
mod serve;

use std::sync::Arc;

use course::Course;
use host::Host;
pub(super) use host::about;
#[cfg(feature = "cluster")]
pub(super) use serve::serve;

use super::play::RunView;
use crate::cli::args::{PlayArgs, RunArgs, ServerArgs, UndercoverArgs, WatchArgs};
use crate::cli::loader;
use crate::save::Slot;

/// Plays a world, or opens a save or all of them, and serves pages until it is interrupted.
pub(super) fn watch(app: &App, args: &WatchArgs) -> Result<()> {
    check_options(&args.story.play)?;
    let mut host = Host::new(app, args.story.play.until, &args.table)?;
    if args.all {
        host.listen(&args.server, false)?;
        return host.serve();
    }
    let shown = match slot_of(app, args) {
        Some(slot) => host.read(slot)?,
        None => host.start(&args.story.new, args.paused)?,
    };
    host.show(shown, &args.server)
}

/// Refuses what concerns a terminal alone.
fn check_options(play: &PlayArgs) -> Result<()> {
    let unfit = [
        (play.dry_run, "--dry-run", text!(cli_watch_estimate)),
        (play.ids, "--ids", text!(cli_watch_shows)),
        (play.pace.is_some(), "--pace", text!(cli_watch_shows)),
    ];
    let unfit = unfit.into_iter().find(|(is_given, ..)| *is_given);
    unfit.map_or(Ok(()), |(_, option, help)| {
        let message = text!(cli_watch_option, option);
        Err(CommandError::usage(message).help(help))
    })
}

/// Goes on with a save in which people have seats, and serves its page until it is interrupted.
pub(super) fn invite(app: &App, slot: &str, args: &UndercoverArgs) -> Result<()> {
    let host = Host::new(app, args.play.until, &args.table)?;
    let mut shown = host.read(slot)?;
    shown.story.control = Some(Arc::default());
    host.show(shown, &args.server)
}

/// Plays a world, prints it as `run` does unless people play, who must not see everything, and
/// serves its page until it is interrupted.
pub(super) fn run(app: &App, args: &RunArgs) -> Result<()> {
    if args.story.is_bare {
        loader::check_bare_world(app, &app.settings.world.value)?;
    }
    let mut host = Host::new(app, args.story.play.until, &args.table)?;
    let mut shown = host.start(&args.story.new, false)?;
    if let Course::Begun(session, _) = &mut shown.course
        && args.table.invite.is_empty()
    {
        let language = shown.story.language();
        host.view = Some(RunView::new(app, &mut session.engine, language, None));
    }
    host.show(shown, &args.server)
}

/// Refuses an address for the page of a story that has none.
pub(super) fn check_server(has_page: bool, server: &ServerArgs) -> Result<()> {
    if has_page || *server == ServerArgs::default() {
        return Ok(());
    }
    let error = CommandError::usage(text!(cli_no_page));
    Err(error.help(text!(cli_no_page_help)))
}

/// The save that is meant; `None` if a new story is.
pub(crate) fn slot_of<'a>(app: &App, args: &'a WatchArgs) -> Option<&'a str> {
    let is_new = args.story.new.seed.is_some() || args.story.new.save.is_some();
    let named = args.story.world.as_deref().filter(|_| !is_new);
    let root = &app.settings.saves.value;
    named.filter(|name| Slot::find(root, name).is_ok())
}
