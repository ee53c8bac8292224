# Texts of `src/rpg/`. Keys begin with `rpg_`.

rpg_seat_and_then = Do you do anything else?
rpg_seat_announce = announce to everyone
rpg_seat_attack = attack
rpg_seat_guard = guard
rpg_seat_heal = heal
rpg_seat_look_of_card = What it looks like
rpg_seat_move = go to another place
rpg_seat_name_of_card = Name of the card
rpg_seat_nothing = nothing else
rpg_seat_order_of_cards = In which order? (numbers; Enter: as listed)
rpg_seat_query = search your memory
rpg_seat_skill = { $skill } ({ $kind }, power { $power }, cost { $cost }) { $about }
rpg_seat_speak = speak to somebody
rpg_seat_strengthen = strengthen
rpg_seat_targets = { $skill }: targets, best first? (numbers; Enter: as listed)
rpg_seat_wait = wait
rpg_seat_weaken = weaken
rpg_seat_what_to_find = What do you look for?
rpg_seat_whisper = whisper to somebody
