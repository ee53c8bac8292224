# Texts of the story view. Keys begin with `story_`.

## Campaigns

story_advances = The party moves on to { $stage }.
story_and_falls = , falls
story_announces = {" "}announces
story_appears = { $actor } arrives.
story_arrives = { $actor } arrives from { $from }.
story_aside = ({ $what })
story_combat_round = Round { $round }
story_damage = { $name }: { $amount } damage
story_day = Day { $day } at home
story_day_ends = Day { $day } ends.
story_default_answer = ° a default answer, because the model gave none that could be used
story_down = down
story_effect_gained = { $actor } is affected by { $effect }.
story_effect_lost = The effect of { $effect } on { $actor } wears off.
story_enters = { $party } set out for { $dungeon }.
story_falls = { $actor } falls.
story_falls_by = { $by } strikes { $actor } down.
story_fight = Fight
story_fight_drawn = The fight at { $stage } ends in a draw.
story_fight_lost = The fight at { $stage } is lost.
story_fight_won = The fight at { $stage } is won.
story_foes_down = Defeated: { $foes }
story_gains = Gained: { $gains }
story_guard = [{ $guard }: { $reason }]
story_guarded = { $name }: defense +{ $amount } ({ $effect })
story_healed = { $name }: { $amount } healed
story_heroes_down = Fallen: { $heroes }
story_homecoming = Homecoming
story_journey = Journey to { $dungeon }
story_leaves = { $actor } leaves for { $to }.
story_missed = { $name }: missed
story_nothing_found = nothing comes to mind
story_plays = {" "}plays { $card }
story_refused = { $actor } can't do this ({ $action }): { $reason }
story_remembers = ❧ { $actor } will remember
story_returns = The party returns from { $dungeon }.
story_revived = { $actor } comes round.
story_says_to = {" "}to { $target }
story_searches = {" "}searches memory
story_sides = { $heroes } against { $foes }
story_skill = {" "}({ $skill })
story_strengthened = { $name }: attack +{ $amount } ({ $effect })
story_thinks = {" "}thinks
story_tool_failed = [{ $who } uses { $tool } ({ $arguments }), which fails: { $result }]
story_tool_used = [{ $who } uses { $tool } ({ $arguments }): { $result }]
story_turn = turn { $turn }
story_weakened = { $name }: attack −{ $amount } ({ $effect })
story_whispers_to = {" "}whispers to { $target }

## Undercover

story_abstains = abstains
story_blank = blank
story_civilian = civilian
story_civilians_win = The civilians win in round { $round }.
story_gets_blank = { $player } gets a blank card
story_gets_word = { $player } gets the word “{ $word }”
story_player = player
story_role = role
story_round = Round { $round }
story_run_off_voter = voter (run-off)
story_table = { $table }: { $players }
story_undercover = undercover
story_undercover_stay_hidden = The undercover win: after round { $round }, the last one, they are still hidden.
story_undercover_win = The undercover win in round { $round }.
story_voter = voter
story_votes = votes received
story_votes_for = votes for
story_word = word

## What calls are for

story_purpose_archive = memory
story_purpose_chat_analyse = analysis
story_purpose_chat_approve = approval
story_purpose_chat_bell = control
story_purpose_chat_conclude = conclusion
story_purpose_chat_pick = choice of answer
story_purpose_chat_progress = progress check
story_purpose_chat_replan = new plan
story_purpose_chat_say = reply
story_purpose_chat_select = choice of speaker
story_purpose_chat_speak = turn to speak
story_purpose_chat_task = task
story_purpose_combat_draw = cards
story_purpose_combat_initiation = start of a fight
story_purpose_combat_narrate = narration
story_purpose_home_plan = plan
story_purpose_home_scene = scene
story_purpose_kickoff = opening
story_purpose_undercover_belief = suspicions
story_purpose_undercover_describe = description
story_purpose_undercover_summary = summary
story_purpose_undercover_vote = vote
story_purpose_world_announce = announcement

## Types of events

story_event_announce = announcement
story_event_appearance = appearance
story_event_archive = memory
story_event_arrive = arrival
story_event_card_played = card
story_event_chat_handed = handoff
story_event_chat_inside = message in a team
story_event_chat_noted = note
story_event_chat_said = message
story_event_chat_whispered = private message
story_event_combat_outcome = end of a fight
story_event_combat_round = round of a fight
story_event_combat_start = start of a fight
story_event_day = day
story_event_death = fall
story_event_dungeon = journey
story_event_finale = homecoming
story_event_kickoff = opening
story_event_leave = departure
story_event_mind = thought
story_event_narration = narration
story_event_query = search in memory
story_event_refusal = refused action
story_event_scene = scene
story_event_speak = speech
story_event_status_change = effect
story_event_tidings = battle report
story_event_undercover_deal = card
story_event_undercover_description = description
story_event_undercover_end = end of the game
story_event_undercover_round = round
story_event_undercover_verdict = verdict
story_event_undercover_votes = votes
story_event_whisper = whisper
