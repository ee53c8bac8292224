//! The check: votes are counted, a player may be voted out, and a side may have won.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Dead;
use playhouse_engine::event::EventWriter;
use rand::seq::IndexedRandom;

use super::current_table::{CurrentTable, NextStep};
use super::events::{GameOver, Verdict, VoteCount};
use super::ids::{PlayerId, PlayerRole, Side};
use super::rules::{Reflect, Ties};
use super::secret::{Moderator, SideCounts};
use super::table::{Elimination, Phase, Table};

/// Counts the votes of a round, removes who is voted out, and checks whether a side has won.
pub(super) fn check_round(
    mut current: CurrentTable,
    moderator: Moderator,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(NextStep::Check) else {
        return;
    };
    let Some(table) = current.table(stage) else {
        return;
    };
    let round = table.round;
    let out = voted_out(&current, stage, table);
    let player = out.and_then(|id| current.entity_of(id));
    let role = player
        .and_then(|player| moderator.role_of(player))
        .filter(|_| current.rules().reveal);
    events.broadcast_to_stage(stage, verdict(table, out, role), &[]);
    if let Some(id) = out {
        current.update(stage, |table| eliminate(table, id, role));
    }
    if let Some(player) = player {
        commands.entity(player).insert(Dead);
    }
    let counts = moderator.side_counts(stage, out.as_slice());
    let rounds_ran_out = round >= current.rules().max_rounds;
    if let Some(winner) = winner(counts, rounds_ran_out) {
        current.update(stage, |table| {
            table.winner = Some(winner);
            table.phase = Phase::End;
        });
        let event = GameOver {
            round,
            winner,
            rounds_ran_out: winner_by_counts(counts).is_none(),
            cards: moderator.reveal(stage),
        };
        events.broadcast_to_stage(stage, event, player.as_slice());
    } else {
        current.update(stage, |table| {
            table.close_round();
            table.round += 1;
            table.phase = Phase::Description;
        });
        let next = match current.rules().reflect {
            Reflect::Round => NextStep::ReflectOnRound,
            Reflect::Off | Reflect::Line => NextStep::Summarize,
        };
        current.set_next(stage, next);
    }
}

fn winner_by_counts(counts: SideCounts) -> Option<Side> {
    if counts.undercover == 0 {
        Some(Side::Civilian)
    } else if counts.undercover >= counts.civilians {
        Some(Side::Undercover)
    } else {
        None
    }
}

/// Who has won; `None` while the game is undecided. The undercover players win if they stay hidden
/// until the rounds run out.
fn winner(counts: SideCounts, rounds_ran_out: bool) -> Option<Side> {
    let hidden = rounds_ran_out.then_some(Side::Undercover);
    winner_by_counts(counts).or(hidden)
}

/// Who is voted out; `None` if all abstained, or if nobody leaves after a tie.
fn voted_out(current: &CurrentTable, stage: Entity, table: &Table) -> Option<PlayerId> {
    match (table.leading().as_slice(), current.rules().ties) {
        ([id], _) => Some(*id),
        ([], _) => None,
        (tied, Ties::Draw) => tied.choose(&mut current.rng(stage, "draw")).copied(),
        (_, Ties::NobodyOut | Ties::RunOff) => None,
    }
}

fn votes_against(table: &Table, id: PlayerId) -> u32 {
    let count = table.tally().into_iter().find(|(player, _)| *player == id);
    count.map_or(0, |(_, votes)| votes)
}

fn eliminate(table: &mut Table, id: PlayerId, role: Option<PlayerRole>) {
    let votes = votes_against(table, id);
    let player = table.players.iter_mut().find(|player| player.id == id);
    if let Some(player) = player {
        player.alive = false;
    }
    table.eliminations.push(Elimination {
        round: table.round,
        player_id: id,
        role,
        votes,
    });
}

fn verdict(table: &Table, out: Option<PlayerId>, role: Option<PlayerRole>) -> Verdict {
    let leading = table.leading();
    let tied = if leading.len() > 1 {
        leading.into_iter().map(|id| table.name(id)).collect()
    } else {
        Vec::new()
    };
    Verdict {
        round: table.round,
        out: out.map(|id| VoteCount {
            player_id: id,
            player: table.name(id),
            votes: votes_against(table, id),
        }),
        role,
        tied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_wins_as_the_rules_say() {
        let won = |civilians, undercover| {
            winner(
                SideCounts {
                    civilians,
                    undercover,
                },
                false,
            )
        };
        assert_eq!(won(3, 0), Some(Side::Civilian));
        assert_eq!(won(3, 1), None);
        assert_eq!(won(1, 1), Some(Side::Undercover));
        assert_eq!(won(2, 2), Some(Side::Undercover));
        // Only blank players and civilians are left.
        assert_eq!(won(0, 0), Some(Side::Civilian));
        let hidden = SideCounts {
            civilians: 4,
            undercover: 1,
        };
        assert_eq!(winner(hidden, true), Some(Side::Undercover));
    }
}
