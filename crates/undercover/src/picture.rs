//! What readers of a story see of its game: each player's card, and what it takes the others for.

use bevy_ecs::prelude::*;
use playhouse_engine::event::EventRecord;
use playhouse_engine::exchange::Question;
use playhouse_engine::journal::AskEnding;
use playhouse_story::data::ToldVote;
use playhouse_story::{Being, Contents, Members, Picture, PictureReader, TableGame};
use serde_json::json;

use super::events::{CardDealt, GameOver, VoteCast, VotesCast};
use super::reflect::BeliefData;

/// What a page is told of it.
pub const TABLE: TableGame = TableGame {
    belief: BeliefData::PURPOSE,
};

/// A game of undercover adds nothing that its events and calls don't tell.
pub(super) struct MatchPicture;

impl Picture for MatchPicture {
    fn of(_: &World) -> Self {
        Self
    }

    fn told_votes(&self, event: &EventRecord) -> Vec<ToldVote> {
        let Some(cast) = event.read::<VotesCast>() else {
            return Vec::new();
        };
        let vote = |vote: VoteCast| ToldVote {
            who: vote.voter,
            vote: Some(vote.target).filter(|target| !target.is_empty()),
            round: Some(cast.round),
            is_run_off: cast.run_off,
        };
        cast.votes.into_iter().map(vote).collect()
    }

    fn told_ending(&self, event: &EventRecord) -> Option<String> {
        let over: GameOver = event.read()?;
        json!(over.winner).as_str().map(str::to_owned)
    }

    fn secrets(&self, being: &Being, story: &Contents) -> Vec<u32> {
        let learned = story.learned.get(&being.id).into_iter().flatten();
        let is_own_card = |event: &&u32| {
            let event = story.events.get(**event as usize);
            let dealt = event.and_then(|event| event.record().read::<CardDealt>());
            dealt.is_some_and(|dealt| *dealt.player == *being.name)
        };
        learned
            .copied()
            .find(|event| is_own_card(&event))
            .into_iter()
            .collect()
    }

    /// What a player wrote down last of everybody.
    fn beliefs(&self, pair: [&Being; 2], story: &Contents, reader: PictureReader) -> Members {
        let mut members = Members::new();
        if reader != PictureReader::Host {
            return members;
        }
        let mut calls = story.calls.iter().rev();
        let call =
            calls.find(|call| call.who == pair[0].id && *call.purpose == *BeliefData::PURPOSE);
        let Some(call) = call else {
            return members;
        };
        members.insert("call".into(), call.call.into());
        let outcome = call.outcome();
        if let Some(AskEnding::Answered { text, .. }) = outcome.as_ref().map(|it| &it.ending) {
            members.insert("guess".into(), json!(text));
        }
        members
    }
}
