//! Votes: all at once, none seeing another's.

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::at_table::{AtTable, Next, Sitting};
use super::ballot::{Ballot, Candidates};
use super::events::{Counted, VoteCast, VotesCast};
use super::rules::{Rules, Ties};
use super::secret::Confidences;
use super::table::{Table, Vote};
use crate::event::{EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Ask};

/// Everybody still in the game is asked for its vote.
pub fn ask_votes(mut here: AtTable, mut tell: EventWriter, mut commands: Commands) {
    let Some(stage) = here.is_about_to(Next::Vote) else {
        return;
    };
    here.then(stage, Next::Rest);
    let Some(table) = here.table(stage) else {
        return;
    };
    let living = here.living();
    for voter in &living {
        match ask(tell.phrases(), here.rules(), table, voter, &living) {
            Ok(ask) => {
                commands.entity(voter.entity).insert(ask);
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

/// The votes are written down by rising voter and shown to all at once; the reasons stay private.
pub fn take_votes(
    mut here: AtTable,
    mut answers: Answers<Ballot>,
    mut confidences: Query<&mut Confidences>,
    mut tell: EventWriter,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = here.stage() else { return };
    let Some(table) = here.table(stage) else {
        return;
    };
    let (round, living) = (table.round, here.living());
    let mut votes = Vec::new();
    for (player, ballot, _by) in answers.take() {
        let Some(voter) = living.iter().find(|voter| voter.entity == player) else {
            continue;
        };
        votes.push(Vote {
            voter_id: voter.id,
            target_id: ballot.target(&candidates(table, voter, &living)),
        });
        if let Ok(mut confidences) = confidences.get_mut(player) {
            confidences.keep_ballot(round, ballot);
        }
    }
    votes.sort_by_key(|vote| vote.voter_id);
    let was_run_off = !table.tied_votes.is_empty();
    here.change(stage, |table| table.current_votes = votes);
    let Some(table) = here.table(stage) else {
        return;
    };
    tell.broadcast_to_stage(stage, shown(table, was_run_off), &[]);
    let is_tied = table.leading().len() > 1;
    if is_tied && !was_run_off && here.rules().ties == Ties::RunOff {
        here.change(stage, |table| {
            table.tied_votes = std::mem::take(&mut table.current_votes);
        });
        here.then(stage, Next::Vote);
    }
}

/// Whom a voter may vote for: everybody else, in a run-off those who were tied.
fn candidates(table: &Table, voter: &Sitting, living: &[Sitting]) -> Candidates {
    let tied = Table {
        current_votes: table.tied_votes.clone(),
        ..Table::default()
    };
    let tied = tied.leading();
    let others = living.iter().filter(|other| other.id != voter.id);
    let legal = others.filter(|other| tied.is_empty() || tied.contains(&other.id));
    Candidates(legal.map(|other| (other.id, other.name.clone())).collect())
}

fn ask(
    phrases: &Phrasebook,
    rules: &Rules,
    table: &Table,
    voter: &Sitting,
    living: &[Sitting],
) -> Result<Ask<Ballot>, String> {
    let candidates = candidates(table, voter, living);
    let facts = facts(rules, table, voter, living, &candidates);
    let prompt = phrases.say("undercover/asks/vote", &facts)?;
    let short = phrases.say("undercover/asks/vote_short", &facts)?;
    let ask = Ask::new("undercover.vote", prompt, candidates, Ballot::abstention());
    let ask = ask.condensed(short).notes(facts);
    Ok(ask.max_tokens(rules.reply_tokens))
}

/// The facts of the question; they are its notes too. All of them are public.
fn facts(
    rules: &Rules,
    table: &Table,
    voter: &Sitting,
    living: &[Sitting],
    candidates: &Candidates,
) -> Value {
    let others = living.iter().filter(|other| other.id != voter.id);
    let legal = candidates.0.iter();
    json!({
        "me": voter.name,
        "kind": "actor",
        "place": rules.table,
        "number": voter.id,
        "round": table.round,
        "run_off": !table.tied_votes.is_empty(),
        "companions": others.map(|other| &other.name).collect::<Vec<_>>(),
        "legal": legal.map(|(id, name)| json!({"id": id, "name": name})).collect::<Vec<_>>(),
    })
}

/// The votes with names, as everybody learns of them.
fn shown(table: &Table, run_off: bool) -> VotesCast {
    let votes = table.current_votes.iter().map(|vote| VoteCast {
        voter_id: vote.voter_id,
        voter: table.name(vote.voter_id),
        target_id: vote.target_id,
        target: vote.target_id.map(|id| table.name(id)).unwrap_or_default(),
    });
    let tally = table.tally().into_iter().map(|(id, votes)| Counted {
        player_id: id,
        player: table.name(id),
        votes,
    });
    VotesCast {
        round: table.round,
        run_off,
        votes: votes.collect(),
        tally: tally.collect(),
    }
}
