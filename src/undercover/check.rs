//! The check: votes are counted, somebody goes, and a side may have won.

use bevy_ecs::prelude::*;
use rand::seq::IndexedRandom;

use super::at_table::{AtTable, Next};
use super::events::{Counted, GameOver, Verdict};
use super::rules::{Reflect, Ties};
use super::secret::{Moderator, Sides};
use super::table::{Elimination, Phase, PlayerId, Side};
use crate::cast::Dead;
use crate::event::EventWriter;

/// Counts the votes of a round, lets somebody go, and says whether a side has won.
pub fn check_round(
    mut here: AtTable,
    moderator: Moderator,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = here.is_about_to(Next::Check) else {
        return;
    };
    let out = voted_out(&here, stage);
    tell.broadcast_to_stage(stage, verdict(&here, stage, out, &moderator), &[]);
    let mut gone = Vec::new();
    if let Some(out) = out {
        let votes = votes_for(&here, stage, out);
        let player = here.sitting(out).map(|sitting| sitting.entity);
        let role = player.and_then(|player| moderator.role_of(player));
        let role = role.filter(|_| here.rules().reveal);
        here.change(stage, |table| {
            let leaving = table.players.iter_mut().find(|player| player.id == out);
            if let Some(leaving) = leaving {
                leaving.alive = false;
            }
            table.eliminations.push(Elimination {
                round: table.round,
                player_id: out,
                role,
                votes,
            });
        });
        if let Some(player) = player {
            commands.entity(player).insert(Dead);
            gone.push(player);
        }
    }
    let sides = moderator.sides(stage, out.as_slice());
    let round = here.table(stage).map_or(0, |table| table.round);
    let ran_out = round >= here.rules().max_rounds;
    match winner(sides, ran_out) {
        Some(winner) => {
            here.change(stage, |table| {
                table.winner = Some(winner);
                table.phase = Phase::End;
            });
            let over = GameOver {
                round,
                winner,
                rounds_ran_out: by_rule(sides).is_none(),
                cards: moderator.unmask(stage),
            };
            tell.broadcast_to_stage(stage, over, &gone);
            here.then(stage, Next::Rest);
        }
        None => {
            here.change(stage, |table| {
                table.close_round();
                table.round += 1;
                table.phase = Phase::Description;
            });
            let next = match here.rules().reflect {
                Reflect::Round => Next::ReflectOnRound,
                Reflect::Off | Reflect::Line => Next::SumUp,
            };
            here.then(stage, next);
        }
    }
}

/// Who has won by the players who are left.
fn by_rule(sides: Sides) -> Option<Side> {
    match sides {
        Sides { undercover: 0, .. } => Some(Side::Civilian),
        Sides {
            civilians,
            undercover,
        } if undercover >= civilians => Some(Side::Undercover),
        _ => None,
    }
}

/// Who has won; whoever stays hidden to the last round has.
pub fn winner(sides: Sides, rounds_ran_out: bool) -> Option<Side> {
    by_rule(sides).or(rounds_ran_out.then_some(Side::Undercover))
}

/// Who goes by this vote; nobody where all abstained, or where a tie lets nobody go.
fn voted_out(here: &AtTable, stage: Entity) -> Option<PlayerId> {
    let leading = here.table(stage)?.leading();
    match (leading.as_slice(), here.rules().ties) {
        ([one], _) => Some(*one),
        ([], _) => None,
        (tied, Ties::Draw) => tied.choose(&mut here.stream(stage, "draw")).copied(),
        (_, Ties::NobodyOut | Ties::RunOff) => None,
    }
}

fn votes_for(here: &AtTable, stage: Entity, id: PlayerId) -> u32 {
    let tally = here.table(stage).map(|table| table.tally());
    let mut tally = tally.unwrap_or_default().into_iter();
    tally
        .find(|(other, _)| *other == id)
        .map_or(0, |(_, votes)| votes)
}

fn verdict(here: &AtTable, stage: Entity, out: Option<PlayerId>, moderator: &Moderator) -> Verdict {
    let table = here.table(stage);
    let name = |id: PlayerId| table.map(|table| table.name(id)).unwrap_or_default();
    let leading = table.map(|table| table.leading()).unwrap_or_default();
    let tied = match leading.len() {
        0 | 1 => Vec::new(),
        _ => leading.iter().map(|id| name(*id)).collect(),
    };
    let player = out.and_then(|id| here.sitting(id));
    let role = player.and_then(|player| moderator.role_of(player.entity));
    Verdict {
        round: table.map_or(0, |table| table.round),
        out: out.map(|id| Counted {
            player_id: id,
            player: name(id),
            votes: votes_for(here, stage, id),
        }),
        role: role.filter(|_| here.rules().reveal),
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
                Sides {
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
        let hidden = Sides {
            civilians: 4,
            undercover: 1,
        };
        assert_eq!(winner(hidden, true), Some(Side::Undercover));
    }
}
