//! How a person plays undercover: voting, and what it takes itself for.

use std::io;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{Dialogue, Question, SeatAnswer, SeatLessons};
use serde_json::{Value, json};

/// What one may take oneself for, as answers call it.
const GUESSES: [&str; 3] = ["civilian", "undercover", "blank"];
/// What a person who says nothing takes itself for.
const UNSURE: &str = "unsure";

/// Teaches a seat the game.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("undercover.vote", vote)
        .skill("undercover.belief", believe);
}

/// Asks for a vote: whom, by number or name, and what one takes oneself for. Its reason stays with
/// the person.
fn vote(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let players = notes.list("legal").filter_map(|player| {
        let number = u32::try_from(player.number("id")).ok()?;
        Some((number, UiText::verbatim(player.name())))
    });
    let question = Question::keyed(text!(undercover_seat_vote), players);
    if question.options.is_empty() {
        return Ok(None);
    }
    loop {
        let SeatAnswer::Option(chosen) = dialogue.ask(&question)? else {
            continue;
        };
        let voted = question.options.get(chosen).map(|player| player.number);
        if let Some(guess) = guess(dialogue)? {
            return Ok(Some(
                json!({"reason": "", "i_am": guess, "vote_number": voted}),
            ));
        }
    }
}

/// Asks what one takes oneself for.
fn believe(_: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let guess = guess(dialogue)?.unwrap_or(UNSURE);
    Ok(Some(json!({"players": [], "i_am": guess})))
}

/// What the person takes itself for; `None` if it wants to go back.
fn guess(dialogue: &mut Dialogue<'_>) -> io::Result<Option<&'static str>> {
    let guesses = vec![
        text!(undercover_seat_civilian),
        text!(undercover_seat_undercover),
        text!(undercover_seat_blank),
    ];
    let question = Question::options(text!(undercover_seat_i_am), guesses);
    let question = question.or(text!(undercover_seat_unsure)).with_back();
    Ok(match dialogue.ask(&question)? {
        SeatAnswer::Option(index) => GUESSES.get(index).copied(),
        SeatAnswer::Back => None,
        SeatAnswer::Skipped | SeatAnswer::Words(_) => Some(UNSURE),
    })
}
