# Texts of `crates/undercover/src/`. Keys begin with `undercover_`.

undercover_bad_word = '{ $word }' can't be a word: { $reason }
undercover_equal_words = the words '{ $first }' and '{ $second }' are the same; the two words of a pair must differ
undercover_journal_setup = can't read the setup of the game in the journal: { $problem }
undercover_name_twice = the name '{ $name }' is used twice; players and table need different names
undercover_no_card = { $player } has no card
undercover_no_description_chars = descriptions must be allowed at least 1 character
undercover_no_reply_tokens = answers must be allowed at least 1 token
undercover_no_rounds = a game needs at least 1 round
undercover_no_such_player = no player is called '{ $name }'; the players are { $players }
undercover_no_table = the game of '{ $slot }' has no table
undercover_no_words = there are no words; write a pair as A,B, or name a word file
undercover_nobody_undercover = nobody is undercover; at least one player must be
undercover_other_game = the journal of '{ $slot }' is not of a game of undercover
undercover_seat_blank = blank
undercover_seat_civilian = civilian
undercover_seat_i_am = What do you think you are?
undercover_seat_number_or_name = number or name
undercover_seat_undercover = undercover
undercover_seat_unsure = unsure
undercover_seat_vote = Who do you vote out?
undercover_texts_limit = a word has at most { $texts } other forms and descriptions of each kind, of at most { $max } characters each
undercover_too_few_names = there are only { $names } names for { $players } players; add names to { $file }
undercover_too_few_players = a game needs at least { $least } players, not { $players }
undercover_too_many = with { $undercover } undercover and { $blank } blank of { $players } players, { $civilians ->
        [one] only { $civilians } civilian is left
       *[other] only { $civilians } civilians are left
    }; there must be more civilians than undercover players: add players, or let fewer be undercover or blank
undercover_word_empty = it has no letters
undercover_word_limit = a word is one line of at most { $max } characters
undercover_word_told = the description '{ $text }' contains the word
