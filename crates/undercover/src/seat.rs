//! How a person plays who is the undercover: voting, and what the parts of beliefs are called.

use std::io;

use playhouse_engine::locale::{Argument, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{Dialogue, SeatLessons, position_of_name};
use serde_json::{Value, json};

use super::ballot::Candidates;
use super::ids::PlayerId;

/// What one may take oneself for, as answers call it.
const GUESSES: [&str; 4] = ["civilian", "undercover", "blank", "unsure"];

/// Teaches a seat the game.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("undercover.vote", vote)
        .member("i_am", text!(undercover_seat_i_am))
        .member("players", text!(undercover_seat_players))
        .member("player", text!(undercover_seat_player))
        .member("is", text!(undercover_seat_is))
        .option("civilian", text!(undercover_seat_civilian))
        .option("undercover", text!(undercover_seat_undercover))
        .option("blank", text!(undercover_seat_blank))
        .option("unsure", text!(undercover_seat_unsure));
}

/// Asks for a vote: why, what one takes oneself for, and whom, by number or name as minds write it.
fn vote(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let legal = notes.list("legal").filter_map(|choice| {
        let id = u32::try_from(choice.number("id")).ok()?;
        Some((PlayerId(id), choice.name().to_owned()))
    });
    let candidates = Candidates(legal.collect());
    if candidates.0.is_empty() {
        return Ok(None);
    }
    let reason = dialogue.text(text!(mind_seat_reason))?;
    let guesses = [
        text!(undercover_seat_civilian),
        text!(undercover_seat_undercover),
        text!(undercover_seat_blank),
        text!(undercover_seat_unsure),
    ];
    let guess = dialogue.choice(text!(undercover_seat_i_am), &guesses)?;
    loop {
        let line = dialogue.text(text!(undercover_seat_vote))?;
        let by_beginning = || {
            let names = candidates.0.iter().map(|(_, name)| name.clone());
            let index = position_of_name(&line, &names.collect::<Vec<_>>())?;
            candidates.0.get(index).map(|(id, _)| *id)
        };
        let voted = candidates.find(&line);
        if let Some(player) = voted.or_else(by_beginning) {
            return Ok(Some(json!({
                "reason": reason,
                "i_am": GUESSES.get(guess),
                "vote_number": player,
            })));
        }
        let players = candidates.0.iter().map(|(id, name)| format!("{id} {name}"));
        let players = Argument::list(players);
        dialogue.show(text!(undercover_seat_no_candidate, players))?;
    }
}
