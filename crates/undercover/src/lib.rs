//! Who is the undercover: a social game on shared state.
//!
//! ```
//! use playhouse_engine::locale::Language;
//! use playhouse_engine::mind::improviser::Improviser;
//! use playhouse_engine::prelude::*;
//! use playhouse_engine::session::Game;
//! use playhouse_engine::world_data::DataFolder;
//! use playhouse_undercover::{Match, Rules, WordSource, improviser};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let players = ["Ann", "Bo", "Cy", "Di"].map(String::from).to_vec();
//! let rules = Rules::new(Language::En, "Table", players);
//! let game = Match::new(&DataFolder::embedded(), rules, WordSource::Shipped)?;
//! let mut setup = game.set_up(1).map_err(|error| error.to_string())?;
//! game.populate(&mut setup).map_err(|error| error.to_string())?;
//! let mut engine = Engine::in_memory(setup, Improviser::taught(improviser::teach)?)?;
//! let Stop::Finished(who_won) = engine.run(None).await? else {
//!     unreachable!("a game has an end");
//! };
//! println!("{who_won}");
//! # Ok(())
//! # }
//! ```
//!
//! Most players have one word, one or two have a similar one, and nobody is told which side it is
//! on. They describe their words, then vote, until a side has won. Players do not speak to each
//! other: everything that passes between them goes through the [`Table`], a component of the stage.
//! What is not public has types of its own, in `secret.rs`. The phases follow each other in
//! `flow.rs`; each system `ask_x` is followed by its `take_x`. Start reading at `table.rs`.

mod ballot;
mod belief;
mod check;
mod current_table;
mod describe;
mod description;
pub mod events;
mod figures;
mod flow;
mod game;
mod ids;
pub mod improviser;
mod memory;
mod phrases;
mod picture;
mod prompt_data;
mod reflect;
mod rules;
pub mod seat;
mod secret;
mod setup;
mod statistics;
mod table;
mod taboo;
mod vote;

pub use figures::{FiguresError, GameFigures, PlayerFigures, RoundVotes, figures_like, figures_of};
pub use game::{
    GAME, Match, MatchError, WordSource, check_words, default_rules, plugin, reflection,
    shipped_words,
};
pub use ids::{PlayerId, PlayerRole, Side};
pub use picture::TABLE;
pub use rules::{MIN_PLAYERS, Reflect, RuleLimit, Rules, RulesError, SpeakingOrder, Ties};
pub use secret::{Card, Moderator, with_moderator};
pub use setup::{TableError, set_up_table};
pub use statistics::{ModelStatistics, RoundStatistics, Statistics};
pub use table::{Description, Elimination, Phase, Player, Round, Seat, Table, Vote};
