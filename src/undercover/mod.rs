//! Who is the undercover: a social game on shared state.
//!
//! Most players hold one word, one or two hold a neighbour of it, and nobody is told which side it is
//! on. They describe, then vote, until a side has won. No player speaks to another: all that passes
//! between them goes through the [`Table`], a component of the stage. What not everybody may know is of
//! other types, in `secret.rs`. [`direct`] leads from phase to phase; every `ask_x` stands beside
//! its `take_x`. Start reading at `table.rs`, then `course.rs`.

pub mod at_table;
pub mod ballot;
pub mod belief;
pub mod check;
pub mod course;
pub mod describe;
pub mod events;
pub mod figures;
pub mod game;
pub mod improviser;
pub mod memory;
pub mod phrases;
pub mod reflect;
pub mod rules;
pub mod saying;
pub mod seat;
pub mod seats;
pub mod secret;
pub mod statistics;
pub mod table;
pub mod taboo;
pub mod tournament;
pub mod vote;

pub use at_table::Next;
pub use ballot::{Ballot, Candidates, Guess, Target};
pub use belief::{Belief, BeliefOf};
pub use check::winner;
pub use course::direct;
pub use figures::{FiguresError, GameFigures, figures_of};
pub use game::{GAME, Match, MatchError, Words, check_words, shipped_words, usual_rules};
pub use memory::SummingUp;
pub use rules::{FEWEST, Reflect, Rules, RulesError, SpeakingOrder, Ties};
pub use saying::{Said, Saying, SayingRules};
pub use seats::take_seats;
pub use secret::{Card, Confidences, Moderator, Role, Sides, moderated};
pub use statistics::{Mean, Share, Statistics};
pub use table::{
    Description, Elimination, Phase, Player, PlayerId, Round, Seat, Side, Table, Vote,
};
pub use taboo::{Slip, Taboo};
pub use tournament::{Opened, Tournament, TournamentError};

use bevy_ecs::prelude::*;

use crate::engine::{MeetSet, Setup, StepSet};

/// Adds the game's systems, events and saved state, but for what only some rules need.
pub fn plugin(setup: &mut Setup) {
    events::register(&mut setup.world);
    setup
        .saves()
        .component::<Table>("undercover_table")
        .component::<Next>("undercover_next")
        .component::<Seat>("undercover_seat")
        .component::<Card>("undercover_card")
        .component::<Confidences>("undercover_confidences")
        .component::<SummingUp>("undercover_summing_up");
    // Answers, the check, then questions.
    let step = (
        describe::take_descriptions,
        vote::take_votes,
        memory::take_summaries,
        check::check_round,
        memory::ask_summaries,
        describe::ask_description,
        vote::ask_votes,
    );
    setup.step.add_systems(step.chain().in_set(StepSet::Rules));
    setup.meet.add_systems(direct.in_set(MeetSet::Rules));
}

/// Adds what players put down of their beliefs, where the rules want it.
pub fn reflection(setup: &mut Setup) {
    let take = reflect::take_beliefs
        .after(describe::take_descriptions)
        .before(vote::take_votes);
    let ask = reflect::ask_beliefs
        .after(check::check_round)
        .before(memory::ask_summaries);
    setup.step.add_systems((take, ask).in_set(StepSet::Rules));
}
