//! How a person plays undercover: voting, and what it takes itself for.

use std::io;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{
    Dialogue, Filled, Question, SeatField, SeatForm, SeatLessons, SeatOption,
};
use serde_json::{Value, json};

/// The fields of forms.
const VOTE: &str = "vote";
const I_AM: &str = "i_am";
/// What a person who says nothing takes itself for.
const UNSURE: &str = "unsure";

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
        Some(SeatOption {
            number,
            ..SeatOption::new(UiText::verbatim(player.name()), number)
        })
    });
    let question = Question {
        label: text!(undercover_seat_vote),
        hint: Some(text!(undercover_seat_number_or_name)),
        options: players.collect(),
        ..Question::default()
    };
    if question.options.is_empty() {
        return Ok(None);
    }
    let fields = vec![
        SeatField::new(VOTE, question),
        SeatField::new(I_AM, guess(notes)),
    ];
    let filled = dialogue.fill_by_field(&SeatForm {
        fields,
        ..SeatForm::default()
    })?;
    let voted = filled.value(VOTE);
    Ok(Some(
        json!({"reason": "", "i_am": guessed(&filled), "vote_number": voted}),
    ))
}

/// Asks what one takes oneself for.
fn believe(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let filled = dialogue.fill_by_field(&SeatForm {
        fields: vec![SeatField::new(I_AM, guess(notes))],
        ..SeatForm::default()
    })?;
    Ok(Some(json!({"players": [], "i_am": guessed(&filled)})))
}

/// The question what one takes oneself for, among what there is in the game.
fn guess(notes: Notes<'_>) -> Question {
    let guesses = [
        SeatOption::new(text!(undercover_seat_civilian), "civilian"),
        SeatOption::new(text!(undercover_seat_undercover), "undercover"),
        SeatOption::new(text!(undercover_seat_blank), "blank"),
    ];
    let has_blank = notes.number("blank") > 0;
    let guesses = guesses
        .into_iter()
        .filter(|guess| has_blank || guess.value != "blank");
    Question::of(text!(undercover_seat_i_am), guesses).or(text!(undercover_seat_unsure))
}

fn guessed(filled: &Filled) -> Value {
    match filled.value(I_AM) {
        Value::Null => UNSURE.into(),
        guess => guess,
    }
}

#[cfg(test)]
mod tests {
    use playhouse_engine::locale::Language;
    use playhouse_engine::testing::{PersonAsk, json_of};

    use super::*;

    #[tokio::test]
    async fn one_may_take_oneself_for_what_there_is_in_the_game() {
        let players = json!([{"id": 2, "name": "Bob"}, {"id": 3, "name": "Cay"}]);
        for (blank, guess) in [(0, "unsure"), (1, "blank")] {
            let notes = json!({"legal": players, "blank": blank});
            let ask = PersonAsk::new("undercover.vote")
                .json(json!({}))
                .notes(notes);
            let typed = if blank == 0 { "3\n\n" } else { "Cay\nblank\n" };
            let (vote, shown) = ask.taught(teach).answer(Language::En, typed).await;
            let vote = json_of(&vote.unwrap());
            assert_eq!(vote, json!({"reason": "", "i_am": guess, "vote_number": 3}));
            assert_eq!(shown.contains("3) blank"), blank > 0, "{shown}");
        }
    }
}
