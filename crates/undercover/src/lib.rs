//! Who is the undercover: a social game on shared state.
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
pub use rules::{MIN_PLAYERS, Reflect, RuleLimit, Rules, RulesError, SpeakingOrder, Ties};
pub use secret::{Card, Moderator, with_moderator};
pub use setup::{TableError, set_up_table};
pub use statistics::{ModelStatistics, RoundStatistics, Statistics};
pub use table::{Description, Elimination, Phase, Player, Round, Seat, Table, Vote};
