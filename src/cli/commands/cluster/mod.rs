//! Worlds in a store, which workers on any machine play.

mod follow;
mod games;
mod limit;
mod monitor;
mod pack;
mod rehearsals;
mod worker;
mod worlds;

use std::env::current_exe;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use super::watch;
use crate::cli::args::ClusterCommand;
use crate::cli::env;
use crate::cli::prelude::*;
use crate::cluster::{Store, StoreError, open_store};

pub(super) use games::play_games;
pub(super) use monitor::{figures, monitor};
pub(super) use rehearsals::play_runs;
pub(super) use worlds::branch;

/// The variable that names the store.
const STORE: &str = "PLAYHOUSE_STORE";

pub(super) fn run(app: &App, command: &ClusterCommand) -> Result<()> {
    match command {
        ClusterCommand::Worker(args) => worker::worker(app, args),
        ClusterCommand::Submit(args) => worlds::submit(app, args),
        ClusterCommand::Status(args) => worlds::status(app, args),
        ClusterCommand::Cancel(args) => worlds::cancel(app, args),
        ClusterCommand::Follow(args) => follow::follow(app, args),
        ClusterCommand::Serve(args) => watch::serve(app, args),
        ClusterCommand::Limit(args) => limit::limit(app, args),
        ClusterCommand::Pack(args) => pack::pack(app, args),
        ClusterCommand::Unpack(args) => pack::unpack(app, args),
    }
}

/// The store that was named, or that of the environment.
pub(super) fn store(given: Option<&String>) -> Result<Arc<dyn Store>> {
    let Some(address) = given.cloned().or_else(|| env::variable(STORE)) else {
        let error = CommandError::usage(text!(cli_no_store));
        return Err(error.help(text!(cli_no_store_help)));
    };
    open_store(&address).map_err(|error| match error {
        StoreError::Address { .. } => error.into(),
        _ => CommandError::from(error).at(shown(&address)),
    })
}

/// An address without its passwords.
fn shown(address: &str) -> String {
    let hosts = address.split(',').map(|host| match host.rsplit_once('@') {
        Some((_, host)) => host,
        None => host,
    });
    hosts.collect::<Vec<_>>().join(",")
}

/// A folder of this process among the saves. Its name begins with a dot, so that no save is taken
/// for it.
pub(super) fn scratch(app: &App, what: &str) -> PathBuf {
    let name = format!(".{what}-{}", std::process::id());
    app.settings.saves.value.join(name)
}

/// The build of this program: two of the same version may differ.
fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut hasher = blake3::Hasher::new();
    // One that can't be read differs from those that can.
    let _ = current_exe()
        .and_then(File::open)
        .and_then(|program| hasher.update_reader(program).map(drop));
    let hash = hasher.finalize().to_hex();
    format!("{version}-{}", hash.get(..8).unwrap_or_default())
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::Address { .. } | StoreError::Missing { .. } | StoreError::Exists { .. } => {
                ErrorKind::Usage
            }
            _ => ErrorKind::Save,
        };
        let is_missing = matches!(error, StoreError::Missing { .. });
        let error = Self::of(kind, &error);
        if is_missing {
            error.help(text!(cli_list_submitted))
        } else {
            error
        }
    }
}
