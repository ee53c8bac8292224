//! The command line as it is written; `settings.rs` decides what it means.
//!
//! What commands and options are for is in the Fluent files `help.ftl`: see `help.rs`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::interop::Profile;
use crate::interop::format::Api;
use crate::locale::{Language, UiText, text};
use crate::page::{AfterLimit, TableRules, TurnLimit};
use crate::rpg::draft::SuggestedPart;
use crate::rpg::world_file::WorldKind;
use crate::undercover::{Reflect, SpeakingOrder, Ties};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::Serialize;
use serde_json::json;

#[cfg(feature = "cluster")]
pub(crate) use self::cluster::*;

#[cfg(feature = "cluster")]
mod cluster;

/// The whole command line. Without a command it is one of `run`.
#[derive(Debug, Parser)]
#[command(name = "playhouse", version)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Marks the options of every command.
pub(crate) const COMMON: &str = "common";
/// The languages of the interface and of worlds.
pub(crate) const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

/// The options of every command.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct CommonArgs {
    #[arg(long, global = true, help_heading = COMMON, value_parser = one_of(LANGUAGES))]
    pub(crate) lang: Option<Language>,
    #[arg(long, global = true, value_name = "DIR", help_heading = COMMON)]
    pub(crate) data: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", help_heading = COMMON)]
    pub(crate) models: Option<PathBuf>,
    #[arg(long, global = true, value_name = "DIR", help_heading = COMMON)]
    pub(crate) saves: Option<PathBuf>,
    #[arg(long, global = true, help_heading = COMMON)]
    pub(crate) color: Option<ColourArg>,
    #[arg(long, global = true, value_name = "COLUMNS", help_heading = COMMON,
          value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub(crate) width: Option<u16>,
    #[arg(long, global = true, help_heading = COMMON)]
    pub(crate) json: bool,
    #[arg(long, short, global = true, help_heading = COMMON)]
    pub(crate) quiet: bool,
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = COMMON)]
    pub(crate) verbose: u8,
    #[arg(long, global = true, help_heading = COMMON)]
    pub(crate) log_format: Option<LogFormat>,
}

impl Command {
    /// Seats that can't all be at this terminal are on pages: several, and any beside a page.
    pub(crate) fn seat_on_pages(&mut self) {
        let (seats, has_page, table) = match self {
            Self::Run(args) => (&mut args.story.play.seat, &mut args.watch, &mut args.table),
            Self::Undercover(args) => (&mut args.play.seat, &mut args.watch, &mut args.table),
            Self::Watch(args) => {
                return args.table.invite.append(&mut args.story.play.seat);
            }
            _ => return,
        };
        if seats.len() > 1 || *has_page || !table.invite.is_empty() {
            table.invite.append(seats);
        }
        *has_page |= !table.invite.is_empty();
    }
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    pub(crate) name: Option<String>,
    #[arg(long, value_name = "MODEL", requires = "name")]
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "VARIABLE", requires = "name")]
    pub(crate) key_env: Option<String>,
    #[arg(long, value_name = "API", requires = "name", value_parser = one_of(Api::ALL))]
    pub(crate) api: Option<Api>,
    #[arg(long, value_name = "FILE", requires = "name")]
    pub(crate) ca: Option<PathBuf>,
    #[arg(long, requires = "name")]
    pub(crate) write: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourArg {
    Auto,
    Always,
    Never,
}

/// The form of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// What to do when a server keeps failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnServerError {
    Stop,
    FallBack,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) story: StoryArgs,
    #[arg(long, value_name = "SCENE", conflicts_with_all = ["games", "dry_run"])]
    pub(crate) scene: Option<String>,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[arg(long, conflicts_with_all = ["games", "dry_run", "scene"])]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// How many games are played, and where.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct BatchArgs {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=99_999),
          conflicts_with_all = ["seat", "until", "dry_run"])]
    pub(crate) games: Option<u32>,
    #[arg(long, value_name = "N", requires = "games",
          value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) jobs: Option<u32>,
    #[cfg(feature = "cluster")]
    #[arg(
        long,
        value_name = "STORE",
        requires = "games",
        conflicts_with = "jobs"
    )]
    pub(crate) on: Option<String>,
}

/// The arguments of all commands that begin a story.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct StoryArgs {
    pub(crate) world: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewSaveArgs,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Whether no command was written, so that the world may be a mistyped one.
    #[arg(skip)]
    pub(crate) is_bare: bool,
}

/// By which seed something begins, and in which save.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct NewSaveArgs {
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[arg(long, value_name = "SLOT")]
    pub(crate) save: Option<String>,
    #[arg(long, requires = "save")]
    pub(crate) force: bool,
}

/// The words of a minute of `--pace`. Adults read 240 to 260 of English prose (Brysbaert 2019, "How
/// many words do we read per minute?").
const READING_SPEED: &str = "240";

/// Which model is asked, and what it may spend.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct SpendArgs {
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    #[arg(long, value_name = "AMOUNT", value_parser = money)]
    pub(crate) max_cost: Option<f64>,
}

/// What happens if servers keep failing.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct FailureArgs {
    #[arg(long)]
    pub(crate) on_server_error: Option<OnServerError>,
    #[arg(long, value_name = "N")]
    pub(crate) max_defaults: Option<u64>,
}

/// The options of all commands that play.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) spend: SpendArgs,
    #[arg(long, value_name = "MODEL")]
    pub(crate) embeddings: Option<String>,
    #[arg(long, value_name = "TURN")]
    pub(crate) until: Option<u64>,
    #[arg(long, value_name = "ACTOR")]
    pub(crate) seat: Vec<String>,
    #[arg(long)]
    pub(crate) ids: bool,
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
          default_missing_value = READING_SPEED, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) pace: Option<u32>,
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) story: StoryArgs,
    #[arg(long, conflicts_with_all = ["world", "seed", "save", "paused", "invite", "seat"])]
    pub(crate) all: bool,
    #[arg(long)]
    pub(crate) paused: bool,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Who plays on pages, and what the host allows.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct TableArgs {
    /// Those who have their seats on pages; `--seat` beside a page means the same.
    #[arg(long, value_name = "ACTOR", hide = true)]
    pub(crate) invite: Vec<String>,
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) turn_limit: Option<Duration>,
    #[arg(
        long,
        requires = "turn_limit",
        default_value = "improviser",
        hide_default_value = true
    )]
    pub(crate) after_limit: AfterLimitArg,
    #[arg(long)]
    pub(crate) no_undo: bool,
}

impl TableArgs {
    /// What the host allows.
    pub(crate) fn rules(&self) -> TableRules {
        let then = match self.after_limit {
            AfterLimitArg::Improviser => AfterLimit::Improviser,
            AfterLimitArg::Wait => AfterLimit::Wait,
        };
        TableRules {
            limit: self.turn_limit.map(|time| TurnLimit { time, then }),
            may_undo: !self.no_undo,
        }
    }
}

/// What follows if a person takes too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AfterLimitArg {
    #[default]
    Improviser,
    Wait,
}

/// A time such as `90s` or `2m`; a bare number is in seconds.
fn time(text: &str) -> Result<Duration, humantime::DurationError> {
    humantime::parse_duration(text)
        .or_else(|error| humantime::parse_duration(&format!("{text}s")).map_err(|_| error))
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct ServerArgs {
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) listen: std::net::IpAddr,
}

impl Default for ServerArgs {
    fn default() -> Self {
        Self {
            port: 0,
            listen: std::net::Ipv4Addr::LOCALHOST.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatFormat {
    #[default]
    Rule,
    Log,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ChatArgs {
    pub(crate) team: Option<String>,
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    #[arg(long = "format", default_value = "rule")]
    pub(crate) form: ChatFormat,
    #[command(flatten)]
    pub(crate) new: NewSaveArgs,
    #[arg(long)]
    pub(crate) allow_code: bool,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct UndercoverArgs {
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) players: usize,
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) undercover: usize,
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) blank: usize,
    #[arg(long, value_name = "WORDS")]
    pub(crate) words: Option<String>,
    #[arg(long, default_value = "run-off", value_parser = one_of([Ties::NobodyOut, Ties::RunOff, Ties::Draw]))]
    pub(crate) ties: Ties,
    #[arg(long, default_value = "shuffled", value_parser = one_of([SpeakingOrder::Shuffled, SpeakingOrder::ByNumber]))]
    pub(crate) order: SpeakingOrder,
    #[arg(long)]
    pub(crate) hide_roles: bool,
    #[arg(long, value_name = "N")]
    pub(crate) max_rounds: Option<u32>,
    #[arg(long, default_value = "off", value_parser = one_of([Reflect::Off, Reflect::Round, Reflect::Line]))]
    pub(crate) reflect: Reflect,
    #[arg(long, value_name = "PLAYER_MODEL", value_parser = model_of)]
    pub(crate) model_of: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) new: NewSaveArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[arg(long, value_name = "WHICH", num_args = 1.., conflicts_with_all = ["games", "save", "seat", "words"])]
    pub(crate) from: Vec<String>,
    #[arg(long, conflicts_with_all = ["games", "from", "dry_run"])]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct RehearseArgs {
    pub(crate) world: String,
    #[arg(long, conflicts_with_all = ["against", "cost_as", "find", "why", "map", "html"])]
    pub(crate) consistency: bool,
    #[arg(long, value_name = "N", default_value_t = 100,
          default_value_if("consistency", "true", "200"),
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) jobs: Option<u32>,
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "STORE", conflicts_with = "jobs")]
    pub(crate) on: Option<String>,
    #[arg(long, value_name = "WORLD", conflicts_with_all = ["cost_as", "find", "why", "map", "html"])]
    pub(crate) against: Option<String>,
    #[arg(long, value_name = "MODEL")]
    pub(crate) cost_as: Option<String>,
    #[arg(long, value_name = "CONDITION")]
    pub(crate) find: Option<String>,
    #[arg(long, requires = "find")]
    pub(crate) ever: bool,
    #[arg(long, value_name = "SCENE", requires = "find", conflicts_with = "ever")]
    pub(crate) at: Option<String>,
    #[arg(long, value_name = "ID")]
    pub(crate) why: Option<String>,
    #[arg(long, conflicts_with = "why")]
    pub(crate) map: bool,
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// What is done with an experiment.
#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    Run(ExperimentArgs),
    Resume(ExperimentArgs),
    Report(ExperimentArgs),
}

impl ExperimentCommand {
    pub(crate) fn args(&self) -> &ExperimentArgs {
        let (Self::Run(args) | Self::Resume(args) | Self::Report(args)) = self;
        args
    }
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ExperimentArgs {
    pub(crate) file: PathBuf,
    #[arg(long, value_name = "SLOT")]
    pub(crate) save: Option<String>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) spend: SpendArgs,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct RecallArgs {
    #[arg(long, value_name = "FILE")]
    pub(crate) corpus: PathBuf,
    #[arg(long, value_name = "FILE")]
    pub(crate) questions: PathBuf,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

/// How memories are searched for.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct SearchArgs {
    #[arg(long = "limit", value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) k: u32,
    #[arg(long, value_name = "MODEL")]
    pub(crate) embeddings: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct TrustArgs {
    #[arg(conflicts_with = "list")]
    pub(crate) file: Option<PathBuf>,
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    #[arg(long)]
    pub(crate) revoke: bool,
    #[arg(long, value_name = "HASH", requires = "file", conflicts_with_all = ["list", "revoke"])]
    pub(crate) hash: Option<String>,
}

/// Why a value was rejected.
#[derive(Clone, Debug)]
pub(crate) struct BadValue(pub(crate) UiText);

impl fmt::Display for BadValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for BadValue {}

/// A scene and one of its options, as `SCENE=OPTION`.
fn scene_and_option(text: &str) -> Result<(String, String), BadValue> {
    pair(text).ok_or_else(|| BadValue(text!(cli_usage_choose)))
}

/// A player and its model, as `NAME=MODEL`.
fn model_of(text: &str) -> Result<(String, String), BadValue> {
    pair(text).ok_or_else(|| BadValue(text!(cli_usage_model_of)))
}

/// What stands on both sides of a `=`, if both are there.
fn pair(text: &str) -> Option<(String, String)> {
    let (left, right) = text.split_once('=')?;
    let [left, right] = [left, right].map(|side| side.trim().to_owned());
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

/// What `show` prints of a save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// The conversation of an entity as text; without one, all entities.
    #[default]
    Memory,
    Json,
    Request,
    Chapters,
    Calls,
    Trace,
    Ag2,
    Costs,
    Events,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ShowArgs {
    pub(crate) slot: String,
    #[arg(required_if_eq("view", "chapters"))]
    pub(crate) entity: Option<String>,
    #[arg(long, default_value = "memory")]
    pub(crate) view: View,
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u64>,
    #[arg(long, value_name = "N", requires = "entity", conflicts_with = "turn")]
    pub(crate) call: Option<u32>,
    #[arg(long, value_name = "N", requires = "call")]
    pub(crate) attempt: Option<u32>,
    #[arg(long, value_name = "ID", requires = "entity", conflicts_with_all = ["view", "turn", "call"])]
    pub(crate) chapter: Option<String>,
    #[arg(long, requires = "chapter")]
    pub(crate) original: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ResumeArgs {
    pub(crate) slot: String,
    #[arg(long)]
    pub(crate) force: bool,
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[arg(long, conflicts_with = "seat")]
    pub(crate) no_seat: bool,
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    #[arg(long = "format", default_value = "rule")]
    pub(crate) form: ChatFormat,
    #[arg(long)]
    pub(crate) allow_code: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) jobs: Option<u32>,
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "STORE", conflicts_with = "jobs")]
    pub(crate) on: Option<String>,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Whether it goes on after an answer was taken back: everything was introduced.
    #[arg(skip)]
    pub(crate) is_undo: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct BranchArgs {
    pub(crate) slot: String,
    pub(crate) new: Option<String>,
    #[arg(long, value_name = "N", required_unless_present_any = ["choose", "retry"])]
    pub(crate) turn: Option<u64>,
    #[arg(long, value_name = "SCENE_OPTION", value_parser = scene_and_option, conflicts_with = "turn")]
    pub(crate) choose: Option<(String, String)>,
    #[arg(long, conflicts_with_all = ["turn", "choose"])]
    pub(crate) retry: bool,
    #[arg(long, value_name = "N", conflicts_with_all = ["choose", "retry"])]
    pub(crate) seed: Option<u64>,
    #[arg(long, value_name = "PLAYER_MODEL", value_parser = model_of, conflicts_with_all = ["choose", "retry"])]
    pub(crate) model_of: Vec<(String, String)>,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct DiffArgs {
    pub(crate) slot: String,
    #[arg(value_name = "OTHER")]
    pub(crate) other: String,
    pub(crate) entity: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ReplayArgs {
    pub(crate) slot: String,
    #[arg(long, value_name = "TURN", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) from: Option<u64>,
    #[arg(long, value_name = "TURN")]
    pub(crate) until: Option<u64>,
    #[arg(long, value_name = "ACTOR")]
    pub(crate) seat: Option<String>,
    #[arg(long = "format", default_value = "rule")]
    pub(crate) form: ChatFormat,
    #[arg(long)]
    pub(crate) ids: bool,
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
          default_missing_value = READING_SPEED, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) pace: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ExportArgs {
    pub(crate) slot: String,
    #[arg(long, value_name = "FILE", required_unless_present_any = ["csv", "parquet", "to"])]
    pub(crate) html: Option<PathBuf>,
    #[arg(long, value_name = "DIR")]
    pub(crate) csv: Option<PathBuf>,
    #[arg(long, value_name = "DIR")]
    pub(crate) parquet: Option<PathBuf>,
    #[arg(long, value_name = "ACTOR", requires = "html")]
    pub(crate) seat: Option<String>,
    #[arg(long, requires = "html", conflicts_with = "seat")]
    pub(crate) calls: bool,
    #[arg(long, value_name = "FORM", requires = "dir", value_parser = one_of(ExportForm::ALL))]
    pub(crate) to: Option<ExportForm>,
    #[arg(long, value_name = "DIR", requires = "to")]
    pub(crate) dir: Option<PathBuf>,
    #[arg(long = "actor", value_name = "NAME", requires = "to")]
    pub(crate) actors: Vec<String>,
    #[arg(long, requires = "to")]
    pub(crate) repaired: bool,
    #[arg(long, value_name = "N", requires = "to", default_value_t = 0)]
    pub(crate) min_length: u32,
    #[arg(long, value_name = "PERCENT", requires = "to", default_value_t = 0.0, value_parser = percent)]
    pub(crate) held_out: f64,
    #[arg(long, value_name = "N", requires = "to", default_value_t = 0)]
    pub(crate) split_seed: u64,
}

/// The forms of other programs in which stories are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExportForm {
    /// The chat of each character, as it saw it.
    #[default]
    Sillytavern,
    /// What each character was asked and answered, to train a model on.
    Sharegpt,
    Openai,
    /// A card of each character.
    Card,
    /// The story as Concordia's log.
    Concordia,
}

impl ExportForm {
    const ALL: [Self; 5] = [
        Self::Sillytavern,
        Self::Sharegpt,
        Self::Openai,
        Self::Card,
        Self::Concordia,
    ];
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ConvertArgs {
    pub(crate) file: Option<PathBuf>,
    #[arg(long, value_name = "FORM", value_parser = profile(Profile::written()))]
    pub(crate) to: Profile,
    #[arg(long, value_name = "FORM", value_parser = profile(Profile::ALL.iter().copied()))]
    pub(crate) from: Option<Profile>,
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct NewArgs {
    #[arg(default_value = "story")]
    pub(crate) dir: PathBuf,
    #[arg(long, value_parser = one_of(WorldKind::ALL))]
    pub(crate) kind: Option<WorldKind>,
    #[arg(long, value_parser = one_of(LANGUAGES))]
    pub(crate) world_lang: Option<Language>,
    #[arg(long, value_name = "TEXT_OR_FILE", conflicts_with = "kind")]
    pub(crate) from: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 300, requires = "from",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) runs: u32,
    #[command(flatten)]
    pub(crate) spend: SpendArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SuggestArgs {
    pub(crate) world: String,
    #[arg(value_parser = one_of(SuggestedPart::ALL))]
    pub(crate) part: SuggestedPart,
    #[arg(value_name = "TEXT")]
    pub(crate) wish: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) runs: u32,
    #[command(flatten)]
    pub(crate) spend: SpendArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct PlayCardsArgs {
    #[arg(value_name = "CARD", required = true)]
    pub(crate) cards: Vec<PathBuf>,
    #[arg(long, value_name = "TEXT")]
    pub(crate) scene: Option<String>,
    #[arg(long, value_parser = one_of(LANGUAGES))]
    pub(crate) world_lang: Option<Language>,
    #[command(flatten)]
    pub(crate) new: NewSaveArgs,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
}

/// What is taken into a world.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    Card(ImportCardArgs),
    Chat {
        file: PathBuf,
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
    },
    Personas {
        file: PathBuf,
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
        #[arg(long = "name", value_name = "NAME")]
        names: Vec<String>,
    },
    Team {
        file: PathBuf,
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ImportCardArgs {
    #[arg(value_name = "CARD", required = true)]
    pub(crate) cards: Vec<PathBuf>,
    #[arg(long, value_name = "DIR")]
    pub(crate) into: PathBuf,
    #[arg(long, value_parser = one_of(LANGUAGES))]
    pub(crate) world_lang: Option<Language>,
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// What is asked about a save.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    Who {
        fact: Option<String>,
    },
    What {
        name: Option<String>,
        #[arg(long, value_name = "NAME", requires = "name")]
        about: Option<String>,
    },
    Why {
        event: String,
    },
    Recall {
        name: String,
        #[arg(value_name = "TEXT")]
        question: String,
        #[command(flatten)]
        search: SearchArgs,
    },
}

/// The commands, as help lists them: to play, to look into saves, other games, to write worlds, to
/// set up.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Play(PlayCardsArgs),
    Resume(ResumeArgs),
    Watch(Box<WatchArgs>),
    Branch(BranchArgs),
    Saves {
        #[arg(long)]
        verify: bool,
        #[arg(long, value_name = "SLOT", conflicts_with = "verify")]
        repair: Option<String>,
    },
    Show(ShowArgs),
    #[command(disable_help_subcommand = true)]
    Ask {
        slot: String,
        #[command(subcommand)]
        question: Question,
    },
    Diff(DiffArgs),
    Replay(ReplayArgs),
    Export(ExportArgs),
    Chat(ChatArgs),
    Undercover(Box<UndercoverArgs>),
    New(NewArgs),
    Suggest(SuggestArgs),
    Worlds,
    Check {
        #[arg(required_unless_present = "explain")]
        name: Option<String>,
        #[arg(long, value_name = "MEMBER", num_args = 0..=1, default_missing_value = "", conflicts_with = "name")]
        explain: Option<String>,
    },
    Rehearse(RehearseArgs),
    #[command(disable_help_subcommand = true)]
    Experiment {
        #[command(subcommand)]
        action: ExperimentCommand,
    },
    /// The commands of a feature that this build lacks, which say so.
    #[cfg(not(feature = "cluster"))]
    #[command(name = "worker", aliases = ["submit", "status", "cancel", "follow", "serve", "limit", "pack", "unpack"],
              hide = true, disable_help_flag = true)]
    WithoutCluster {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        arguments: Vec<String>,
    },
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    Cluster(ClusterCommand),
    Doctor(DoctorArgs),
    Config,
    Trust(TrustArgs),
    #[command(disable_help_subcommand = true)]
    Data {
        #[command(subcommand)]
        action: DataCommand,
    },
    Convert(ConvertArgs),
    #[command(disable_help_subcommand = true)]
    Import {
        #[command(subcommand)]
        what: ImportCommand,
    },
    Completions {
        shell: Shell,
    },
    Manual {
        dir: PathBuf,
    },
    /// Measures how well memories are found.
    #[command(hide = true)]
    Recall(RecallArgs),
}

/// What is done with the data folder.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    Export {
        dir: PathBuf,
        #[arg(long)]
        force: bool,
    },
}

impl CommandLine {
    /// The command and the common options. Options of a run before another command are an error.
    pub(crate) fn into_command(self) -> Result<(Command, CommonArgs), clap::Error> {
        match self.command {
            None => {
                let mut run = self.run;
                run.story.is_bare = run.story.world.is_some();
                Ok((Command::Run(run), self.common))
            }
            Some(command) if self.run == RunArgs::default() => Ok((command, self.common)),
            // `help.rs` explains it.
            Some(_) => Err(clap::Error::new(ErrorKind::ArgumentConflict)),
        }
    }
}

/// The forms of conversations by name.
fn profile(profiles: impl Iterator<Item = Profile>) -> impl TypedValueParser<Value = Profile> {
    let names = profiles.map(Profile::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// One of these values by its name in JSON, with hyphens.
fn one_of<T, const N: usize>(all: [T; N]) -> impl TypedValueParser<Value = T>
where
    T: Serialize + Copy + Default + Send + Sync + 'static,
{
    let name = |value: &T| json!(value).as_str().unwrap_or_default().replace('_', "-");
    PossibleValuesParser::new(all.iter().map(name)).map(move |text| {
        let mut all = all.into_iter();
        all.find(|value| name(value) == text).unwrap_or_default()
    })
}

fn percent(text: &str) -> Result<f64, BadValue> {
    let share = text.trim_end_matches('%').parse().ok();
    let share = share.filter(|share: &f64| (0.0..=100.0).contains(share));
    share.ok_or_else(|| BadValue(text!(cli_usage_percent)))
}

fn money(text: &str) -> Result<f64, BadValue> {
    let amount = text.parse().ok();
    let amount = amount.filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| BadValue(text!(cli_usage_amount)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<(Command, CommonArgs), clap::Error> {
        CommandLine::try_parse_from(line.split(' '))?.into_command()
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        CommandLine::command().debug_assert();
    }

    #[test]
    fn without_a_command_it_plays() {
        let world = |line| match parsed(line) {
            Ok((Command::Run(run), common)) => (run.story.world, run.story.new.seed, common.lang),
            other => panic!("{other:?}"),
        };
        assert_eq!(world("playhouse"), (None, None, None));
        let mill = Some("mill".to_owned());
        assert_eq!(
            world("playhouse mill --seed 3"),
            (mill.clone(), Some(3), None)
        );
        assert_eq!(
            world("playhouse --lang zh run mill"),
            (mill.clone(), None, Some(Language::Zh))
        );
        assert_eq!(world("playhouse run mill --lang zh").2, Some(Language::Zh));
    }

    #[test]
    fn several_seats_or_one_beside_a_page_are_on_pages() {
        for (line, on_pages) in [
            ("playhouse run --seat Mira", 0),
            ("playhouse run --watch --seat Mira", 1),
            ("playhouse run --seat Mira --seat Tom", 2),
            ("playhouse watch --seat Mira --invite Tom", 2),
            ("playhouse undercover --seat Mira", 0),
            ("playhouse undercover --seat Mira --seat Tom", 2),
            ("playhouse undercover --invite Tom --seat Mira", 2),
        ] {
            let mut command = parsed(line).unwrap().0;
            command.seat_on_pages();
            let (invited, own) = match command {
                Command::Run(args) => (args.table.invite, args.story.play.seat),
                Command::Watch(args) => (args.table.invite, args.story.play.seat),
                Command::Undercover(args) => (args.table.invite, args.play.seat),
                _ => panic!("{line}"),
            };
            assert_eq!(invited.len(), on_pages, "{line}");
            assert_eq!(own.is_empty(), on_pages > 0, "{line}");
        }
    }

    #[test]
    fn a_turn_limit_is_a_time_or_seconds() {
        for (line, seconds) in [
            ("--turn-limit 2m", 120),
            ("--turn-limit 90s", 90),
            ("--turn-limit 5", 5),
        ] {
            let (command, _) = parsed(&format!("playhouse watch {line}")).unwrap();
            let Command::Watch(args) = command else {
                panic!("{line}");
            };
            let limit = args.table.rules().limit.unwrap();
            assert_eq!(limit.time, Duration::from_secs(seconds), "{line}");
            assert_eq!(limit.then, AfterLimit::Improviser);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "playhouse --seed 3 saves",
            "playhouse doctor --write",
            "playhouse doctor localhost:8080 --api mine",
            "playhouse run --max-cost -1",
            "playhouse run --max-cost much",
            "playhouse run --seed x",
            "playhouse resume",
            "playhouse resume s --seat A --no-seat",
            "playhouse run --games 3 --seat Greta",
            "playhouse run --jobs 3",
            "playhouse branch s t",
            "playhouse branch s t --choose the-log=burn --seed 9",
            "playhouse completions tcsh",
            "playhouse data",
            "playhouse show s --view film",
            "playhouse show s --view chapters",
            "playhouse ask s",
            "playhouse ask s what --about Jory",
            "playhouse branch s --retry --turn 4",
            "playhouse ask s recall Ann",
            "playhouse ask s recall Ann dog --limit 0",
            "playhouse recall --corpus talk.jsonl",
            "playhouse show s Ann --original",
            "playhouse convert talk.json",
            "playhouse convert talk.json --to yaml",
            "playhouse --width 3",
            "playhouse run --force",
            "playhouse rehearse",
            "playhouse rehearse w --runs 0",
            "playhouse export s",
            "playhouse export s --csv d --calls",
            "playhouse rehearse w --against v --html r.html",
            "playhouse experiment e.ron",
            "playhouse undercover --games 0",
            "playhouse undercover --games 3 --seat Greta",
            "playhouse undercover --games 3 --until 2",
            "playhouse undercover --jobs 3",
            "playhouse undercover --from s --games 3",
            "playhouse undercover --model-of Greta",
            "playhouse undercover --ties maybe",
            "playhouse trust --list data/models.ron",
            "playhouse trust --hash 00ff",
            "playhouse watch --games 3",
            "playhouse watch --games 3 --jobs 2",
            "playhouse watch --watch",
            "playhouse run --watch --dry-run",
            "playhouse run --watch --turn-limit soon",
            "playhouse run --watch --after-limit wait",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
