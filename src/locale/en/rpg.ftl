# Texts of `src/rpg/`. Keys begin with `rpg_`.

rpg_seat_act = What do you do in the fight?
rpg_seat_announce = announce to everyone
rpg_seat_attack = attack
rpg_seat_flee = flee
rpg_seat_guard = guard
rpg_seat_heal = heal
rpg_seat_hold = hold back
rpg_seat_item = Which thing?
rpg_seat_look_of_card = What it looks like
rpg_seat_move = go to another place
rpg_seat_name_of_card = Name of the card
rpg_seat_order_of_cards = Which cards, in which order? You have { $energy } energy. (numbers; Enter: all, as listed)
rpg_seat_play = play cards
rpg_seat_query = search your memory
rpg_seat_say = What do you say first? (Enter: nothing)
rpg_seat_seen = What do the others see?
rpg_seat_show = show something
rpg_seat_skill = { $skill } ({ $kind }, power { $power }, cost { $cost }) { $about }
rpg_seat_speak = speak to somebody
rpg_seat_strengthen = strengthen
rpg_seat_targets = { $skill }: on whom? Nobody else will be its target. (numbers, best first; Enter: all, as listed)
rpg_seat_wait = wait
rpg_seat_weaken = weaken
rpg_seat_whisper = whisper to somebody
rpg_seat_yield = yield
