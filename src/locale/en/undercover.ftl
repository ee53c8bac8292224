# Texts of `src/undercover/`. Keys begin with `undercover_`.

undercover_seat_blank = blank
undercover_seat_civilian = civilian
undercover_seat_i_am = What are you yourself?
undercover_seat_is = What are they?
undercover_seat_player = Who? (number)
undercover_seat_players = what you think the others are
undercover_seat_undercover = undercover
undercover_seat_unsure = unsure
undercover_seat_vote_number = Who do you vote out? (number)
