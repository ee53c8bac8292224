//! The command line as it is written; what it means is decided in `settings.rs`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use playhouse::dialect::Profile;
use playhouse::mind::Language;
use playhouse::undercover::{Reflect, SpeakingOrder, Ties};

use super::error::EXIT_CODES;

/// A headless engine for stories whose characters think for themselves.
///
/// Without a command it plays: `playhouse` the default world, `playhouse WORLD` another.
#[derive(Debug, Parser)]
#[command(name = "playhouse", version, after_help = EXIT_CODES)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What every command understands.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct CommonArgs {
    /// Language of the interface (default: of the locale); a world has its own
    #[arg(
        long,
        global = true,
        value_name = "LANG",
        help_heading = "Common options"
    )]
    pub(crate) lang: Option<Tongue>,
    /// Folder with worlds/, prompts/ and models.ron (default: ./data, else what is built in)
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        help_heading = "Common options"
    )]
    pub(crate) data: Option<PathBuf>,
    /// Folder of the saves (default: ./saves)
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        help_heading = "Common options"
    )]
    pub(crate) saves: Option<PathBuf>,
    /// When to use colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        help_heading = "Common options"
    )]
    pub(crate) color: Option<ColourArg>,
    /// Cells of a row (default: of the terminal, at most 100)
    #[arg(long, global = true, value_name = "CELLS", help_heading = "Common options",
          value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub(crate) width: Option<u16>,
    /// One JSON record a line on standard output, in place of text
    #[arg(long, global = true, help_heading = "Common options")]
    pub(crate) json: bool,
    /// No story, no progress, no tables; errors alone
    #[arg(long, short, global = true, help_heading = "Common options")]
    pub(crate) quiet: bool,
    /// Logs on standard error: -v each call, -vv everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Common options")]
    pub(crate) verbose: u8,
    /// Form of the logs
    #[arg(
        long,
        global = true,
        value_name = "FORM",
        help_heading = "Common options"
    )]
    pub(crate) log_format: Option<LogFormat>,
}

/// A language of the interface or of a new world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tongue {
    /// English
    En,
    /// Chinese
    Zh,
}

impl From<Tongue> for Language {
    fn from(tongue: Tongue) -> Self {
        match tongue {
            Tongue::En => Self::En,
            Tongue::Zh => Self::Zh,
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourArg {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Even into files
    Always,
    /// Not at all
    Never,
}

/// The form of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

/// What happens when a server fails for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnServerError {
    /// The run stops with a save that resumes
    Stop,
    /// The rules answer in the mind's place, and the story goes on
    FallBack,
}

/// What `run` alone understands.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct RunArgs {
    /// A world's folder name (see `playhouse worlds`), or the path of a folder with a world.ron
    pub(crate) world: Option<String>,
    /// The seed of the world's dice
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The slot to save to (default: a new one, named after the world)
    #[arg(long, value_name = "SLOT")]
    pub(crate) save: Option<String>,
    /// Start over in a slot that is in use; what it held is lost
    #[arg(long, requires = "save")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
}

/// What `run` and `resume` understand.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct PlayArgs {
    /// The model that answers: an alias of the model file, PROVIDER/MODEL, or `improviser`
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Stop after this turn
    #[arg(long, value_name = "TURN")]
    pub(crate) until: Option<u64>,
    /// Play this actor yourself, and see what it sees
    #[arg(long, value_name = "ACTOR")]
    pub(crate) seat: Option<String>,
    /// The most requests
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// The most tokens, of prompts and answers together
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// The most money, in the unit of the model's price
    #[arg(long, value_name = "X", value_parser = money)]
    pub(crate) max_cost: Option<f64>,
    /// Print the next prompts with their tokens and price; send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// When a server fails for good
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_server_error: Option<OnServerError>,
}

/// How a conversation is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatForm {
    /// A rule with type and sender over each message
    #[default]
    Rule,
    /// A line with time and sender for each message
    Log,
}

/// What `chat` understands.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct ChatArgs {
    /// A team's name, such as en/writing-app, or the path of a team file; without it, all are listed
    pub(crate) team: Option<String>,
    /// What the team is asked
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    /// How the conversation is written
    #[arg(long, value_name = "FORM", default_value = "rule")]
    pub(crate) form: ChatForm,
    /// The seed of the team's lots
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The slot to save to (default: a new one, named after the team)
    #[arg(long, value_name = "SLOT")]
    pub(crate) save: Option<String>,
    /// Start over in a slot that is in use; what it held is lost
    #[arg(long, requires = "save")]
    pub(crate) force: bool,
    /// Let those of the team who run code start python and sh, each time after an approver's yes
    #[arg(long)]
    pub(crate) allow_code: bool,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
}

/// What happens when several players have the most votes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TiesArg {
    /// Nobody leaves
    NobodyOut,
    /// One more vote between the tied; if that is tied too, nobody leaves
    #[default]
    RunOff,
    /// Lots are drawn
    Draw,
}

impl From<TiesArg> for Ties {
    fn from(ties: TiesArg) -> Self {
        match ties {
            TiesArg::NobodyOut => Self::NobodyOut,
            TiesArg::RunOff => Self::RunOff,
            TiesArg::Draw => Self::Draw,
        }
    }
}

/// In which order players describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderArg {
    /// Shuffled anew for each round
    #[default]
    Shuffled,
    /// By number
    ByNumber,
}

impl From<OrderArg> for SpeakingOrder {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Shuffled => Self::Shuffled,
            OrderArg::ByNumber => Self::ByNumber,
        }
    }
}

/// When players put down what they believe of everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReflectArg {
    /// Never
    #[default]
    Off,
    /// After each round
    Round,
    /// After each line that they hear
    Line,
}

impl From<ReflectArg> for Reflect {
    fn from(reflect: ReflectArg) -> Self {
        match reflect {
            ReflectArg::Off => Self::Off,
            ReflectArg::Round => Self::Round,
            ReflectArg::Line => Self::Line,
        }
    }
}

/// What `undercover` understands.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(crate) struct UndercoverArgs {
    /// How many play; their names come from the data folder
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) players: usize,
    /// How many of them are undercover
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) undercover: usize,
    /// How many of them get no word
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) blank: usize,
    /// A word file, or two words with a comma between them (default: the lists of the data folder)
    #[arg(long, value_name = "FILE|A,B")]
    pub(crate) words: Option<String>,
    /// What happens in a tie
    #[arg(long, value_name = "WHAT", default_value = "run-off")]
    pub(crate) ties: TiesArg,
    /// In which order players describe
    #[arg(long, value_name = "WHICH", default_value = "shuffled")]
    pub(crate) order: OrderArg,
    /// The table does not learn the role of whoever is voted out
    #[arg(long)]
    pub(crate) hide_roles: bool,
    /// The most rounds; after them those undercover have won (default: players and two)
    #[arg(long, value_name = "N")]
    pub(crate) max_rounds: Option<u32>,
    /// When players put down what they believe of everybody
    #[arg(long, value_name = "WHEN", default_value = "off")]
    pub(crate) reflect: ReflectArg,
    /// The model of one player; for several, write it again
    #[arg(long, value_name = "NAME=M", value_parser = model_of)]
    pub(crate) model_of: Vec<(String, String)>,
    /// The seed of cards and orders; each game of a tournament has the next
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Play a tournament of so many games, and count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=99_999),
          conflicts_with_all = ["seat", "until", "dry_run"])]
    pub(crate) games: Option<u32>,
    /// How many games of a tournament are played at a time (default: one for each core)
    #[arg(long, value_name = "N", requires = "games", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) jobs: Option<u32>,
    /// Play nothing; compute the figures of slots, tournaments or folders of slots from their journals
    #[arg(long, value_name = "WHICH", num_args = 1.., conflicts_with_all = ["games", "save", "seat", "words"])]
    pub(crate) from: Vec<String>,
    /// The slot, or the folder of a tournament's slots, to save to (default: a new one)
    #[arg(long, value_name = "SLOT")]
    pub(crate) save: Option<String>,
    /// Start over in a slot that is in use; what it held is lost
    #[arg(long, requires = "save")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
}

/// A player and its model, as `NAME=M`.
fn model_of(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, model)) if !name.trim().is_empty() && !model.trim().is_empty() => {
            Ok((name.trim().into(), model.trim().into()))
        }
        _ => Err("write a player's name and a model, such as Greta=deepseek".into()),
    }
}

/// How `show` shows an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowAs {
    /// The conversation, for people
    #[default]
    Buffer,
    /// The conversation in the interchange form
    Json,
    /// The messages as the next request would send them
    Request,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a world
    Run(RunArgs),
    /// Go on with a save
    Resume {
        /// The save's slot
        slot: String,
        /// Load a save of other data, or one that does not fit its journal, at your own risk
        #[arg(long)]
        force: bool,
        /// What a team is asked next, where the save is a team's
        #[arg(long, value_name = "TEXT")]
        task: Option<String>,
        /// How a team's conversation is written
        #[arg(long, value_name = "FORM", default_value = "rule")]
        form: ChatForm,
        /// Let those of the team who run code start python and sh, each time after an approver's yes
        #[arg(long)]
        allow_code: bool,
        #[command(flatten)]
        play: PlayArgs,
    },
    /// Let a team talk about a task, or list the teams
    Chat(ChatArgs),
    /// Play who is the undercover, once or as a tournament
    Undercover(Box<UndercoverArgs>),
    /// What each call of a save's entities saw, and what came back
    Trace {
        /// The save's slot
        slot: String,
        /// Whose calls; without it, all
        entity: Option<String>,
    },
    /// Play a save again from its journal, and compare
    Replay {
        /// The save's slot
        slot: String,
        /// Stop after this turn
        #[arg(long, value_name = "TURN")]
        until: Option<u64>,
        /// See what this actor saw
        #[arg(long, value_name = "ACTOR")]
        seat: Option<String>,
        /// How a team's conversation is written
        #[arg(long, value_name = "FORM", default_value = "rule")]
        form: ChatForm,
    },
    /// List the saves
    Saves,
    /// What a save has cost, by entity and by purpose
    Cost {
        /// The save's slot
        slot: String,
    },
    /// Start a new slot from a turn of an old one
    Branch {
        /// The old slot
        slot: String,
        /// The new slot
        new: String,
        /// The turn from which the new one goes on
        #[arg(long, value_name = "N")]
        turn: u64,
    },
    /// Who got an event, and by which rule
    Why {
        /// The save's slot
        slot: String,
        /// The event's id, such as 3-17
        event: String,
    },
    /// What a save's entities remember
    Show {
        /// The save's slot
        slot: String,
        /// Whom; without it, all are listed
        entity: Option<String>,
        /// In which form
        #[arg(long = "as", value_name = "FORM", default_value = "buffer")]
        form: ShowAs,
        /// At the end of this turn (default: the last)
        #[arg(long, value_name = "N")]
        turn: Option<u64>,
    },
    /// Find every mistake in a world
    Check {
        /// A world's folder name, or the path of a folder with a world.ron
        world: String,
    },
    /// Write a small world to start from
    New {
        /// The folder to make
        dir: PathBuf,
        /// The world's language (default: the interface's)
        #[arg(long, value_name = "LANG")]
        world_lang: Option<Tongue>,
    },
    /// List the worlds
    Worlds,
    /// Read a conversation in the form of any framework and write it in another
    Convert {
        /// A file; standard input without it, or where it is -
        file: Option<PathBuf>,
        /// The form to write
        #[arg(long, value_name = "FORM", value_parser = profile())]
        to: Profile,
        /// The form it has (default: told by its members)
        #[arg(long, value_name = "FORM", value_parser = profile())]
        from: Option<Profile>,
        /// Whose conversation it is (default: as it says itself)
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Show every setting and where it comes from; keys are masked
    Config,
    /// Ask configured models one cheap question each, look at servers of tools, and report
    Doctor {
        /// One model or server of tools only
        name: Option<String>,
    },
}

impl CommandLine {
    /// The command that is meant; options of a run before another command are a mistake.
    pub(crate) fn meaning(self) -> Result<(Command, CommonArgs), clap::Error> {
        match self.command {
            None => Ok((Command::Run(self.run), self.common)),
            Some(command) if self.run == RunArgs::default() => Ok((command, self.common)),
            Some(_) => Err(clap::Error::raw(
                clap::error::ErrorKind::ArgumentConflict,
                "options of a command stand after its name, such as: playhouse run --seed 7\n",
            )),
        }
    }
}

/// The forms of conversations by name.
fn profile() -> impl TypedValueParser<Value = Profile> {
    let names = Profile::ALL.iter();
    let values = names
        .map(|profile| PossibleValue::new(profile.name()).help(profile.description().to_string()));
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

fn money(text: &str) -> Result<f64, String> {
    let amount: f64 = text.parse().map_err(|_| "write an amount such as 0.50")?;
    match amount.is_finite() && amount >= 0.0 {
        true => Ok(amount),
        false => Err("an amount is 0 or more".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(line: &str) -> Result<(Command, CommonArgs), clap::Error> {
        CommandLine::try_parse_from(line.split(' '))?.meaning()
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        CommandLine::command().debug_assert();
    }

    #[test]
    fn without_a_command_it_plays() {
        let world = |line| match meant(line) {
            Ok((Command::Run(run), common)) => (run.world, run.seed, common.lang),
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
            (mill.clone(), None, Some(Tongue::Zh))
        );
        assert_eq!(world("playhouse run mill --lang zh").2, Some(Tongue::Zh));
    }

    #[test]
    fn every_command_is_there() {
        for line in [
            "playhouse run --model m --seed 1 --save s --until 3 --seat A --max-calls 1 --max-tokens 2 --max-cost 0.5 --dry-run --json --quiet",
            "playhouse resume s --until 4 --on-server-error fall-back",
            "playhouse replay s",
            "playhouse saves -vv",
            "playhouse cost s --json",
            "playhouse branch s t --turn 4",
            "playhouse why s 3-17",
            "playhouse show s",
            "playhouse chat",
            "playhouse chat en/writing-desk --task hi --form log --save s --force --seed 3 --model m",
            "playhouse undercover",
            "playhouse undercover --players 7 --undercover 2 --blank 1 --words a,b --ties draw --order by-number --hide-roles --max-rounds 4 --reflect line --seed 3 --save s --force --seat Greta --model m --model-of Greta=x --model-of Hugo=y/z --json",
            "playhouse undercover --games 200 --jobs 2",
            "playhouse undercover --from saves/one two",
            "playhouse resume s --task more",
            "playhouse trace s",
            "playhouse trace s Ava",
            "playhouse show s Mira --as request --turn 2",
            "playhouse check w",
            "playhouse new d --world-lang zh",
            "playhouse worlds --data d",
            "playhouse config --log-format json",
            "playhouse doctor",
            "playhouse doctor local",
            "playhouse convert talk.json --from langchain-flat --to openai-jsonl --name Ann",
            "playhouse convert --to playhouse",
        ] {
            assert!(meant(line).is_ok(), "{line}: {:?}", meant(line).err());
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "playhouse --seed 3 saves",
            "playhouse run --max-cost -1",
            "playhouse run --max-cost much",
            "playhouse run --seed x",
            "playhouse resume",
            "playhouse branch s t",
            "playhouse show s --as film",
            "playhouse convert talk.json",
            "playhouse convert talk.json --to yaml",
            "playhouse --width 3",
            "playhouse run --force",
            "playhouse undercover --games 0",
            "playhouse undercover --games 3 --seat Greta",
            "playhouse undercover --games 3 --until 2",
            "playhouse undercover --jobs 3",
            "playhouse undercover --from s --games 3",
            "playhouse undercover --model-of Greta",
            "playhouse undercover --ties maybe",
        ] {
            assert!(meant(line).is_err(), "{line}");
        }
    }
}
