//! How a person plays who is the undercover: what the parts of votes and beliefs are called.

use crate::locale::text;
use crate::mind::human::SeatLessons;

/// Teaches a seat the game.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .member("i_am", text!(undercover_seat_i_am))
        .member("vote_number", text!(undercover_seat_vote_number))
        .member("players", text!(undercover_seat_players))
        .member("player", text!(undercover_seat_player))
        .member("is", text!(undercover_seat_is))
        .option("civilian", text!(undercover_seat_civilian))
        .option("undercover", text!(undercover_seat_undercover))
        .option("blank", text!(undercover_seat_blank))
        .option("unsure", text!(undercover_seat_unsure));
}
