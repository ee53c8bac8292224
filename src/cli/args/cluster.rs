//! The command line of the feature `cluster`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ServerArgs, money};

/// The commands for worlds of a store, as help lists them.
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    Worker(WorkerArgs),
    Submit(SubmitArgs),
    Status(StatusArgs),
    Cancel(CancelArgs),
    Follow(OfStoreArgs),
    Serve(ServeArgs),
    Limit(LimitArgs),
    Pack(PackArgs),
    Unpack(UnpackArgs),
}

/// Which store is meant.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct StoreArgs {
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) worlds: u32,
    #[arg(long)]
    pub(crate) name: Option<String>,
    #[arg(long)]
    pub(crate) until_empty: bool,
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<std::net::SocketAddr>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SubmitArgs {
    pub(crate) world: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[arg(long)]
    pub(crate) id: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=99_999))]
    pub(crate) count: u32,
    #[arg(long, value_name = "TURN")]
    pub(crate) until: Option<u64>,
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Who is played by people on the pages of `serve`.
    #[arg(long, value_name = "ACTOR")]
    pub(crate) seat: Vec<String>,
    #[arg(long, value_name = "ID", conflicts_with_all = ["world", "seed", "id", "count", "model", "seat"])]
    pub(crate) resume: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct StatusArgs {
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// The arguments of commands for one world of a store.
#[derive(Clone, Debug, Args)]
pub(crate) struct OfStoreArgs {
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    pub(crate) of: OfStoreArgs,
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<std::net::SocketAddr>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    #[arg(long, value_name = "AMOUNT", value_parser = money)]
    pub(crate) max_cost: Option<f64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at_once: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) tokens_a_minute: Option<u64>,
    /// The model whose limits these are, as its provider calls it.
    #[arg(long, value_name = "NAME")]
    pub(crate) of: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct PackArgs {
    pub(crate) slot: String,
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct UnpackArgs {
    pub(crate) file: PathBuf,
    #[arg(long, value_name = "SLOT")]
    pub(crate) save: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
