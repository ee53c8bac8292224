# Texts of `crates/rpg/src/drama/`. Keys begin with `drama_`.

drama_add_last_ending = remove its condition, or add one that needs nothing after it
drama_add_one_first = add one first
drama_change_it = change or remove it
drama_common_fact_has_phrases = everyone knows this fact, so its phrases are never masked
drama_count_from_0 = goals are counted from 0
drama_day_never_comes = the schedule has { $days ->
    [one] one day
   *[other] { $days } days
    } in all
drama_ending_comes_first = the ending { $other } is looked at first and needs no more, so this one never comes
drama_choices_exclude = { $choices } exclude each other, since a scene is decided once; this ending never comes
drama_ending_never_holds = nothing makes it come; only the last ending needs no condition
drama_decider_elsewhere = whoever decides lives elsewhere, and nothing makes them be here
drama_decider_not_among = whoever decides here is not among those whom the scene is for
drama_did_you_mean = did you mean "{ $near }"?
drama_empty_phrase = the phrase is empty
drama_hides_endings = the ending "{ $id }" always holds, so the endings after it are never reached
drama_item_nowhere = nobody has it, it lies nowhere, and nothing gives it to anybody
drama_last_ending_needs_nothing = the last ending comes whenever no other does, whether its condition holds or not
drama_let_come = name "{ $who }" in the scene's `cast`, write `dawns` for that day, or let an effect (Move) bring them there before
drama_let_somebody_know = add names to known_by, or let an item or an effect teach it
drama_name_among = name one of them, or add it to `among`
drama_name_cast = add them to `cast`, or let somebody decide who is here
drama_no_options = the choice has no options
drama_no_range = the maximum value must be greater than 0
drama_no_such_hour = no round of a day is called "{ $name }"; rounds are named in the member rounds of the world
drama_no_such_goal = there is no goal with this number; the actor has { $count ->
    [one] { $count } goal
   *[other] { $count } goals
}
drama_no_title = the fact has no title
drama_nobody_can_know = nobody can ever know the fact "{ $id }"
drama_one_of = use one of: { $names }
drama_out_of_range = the value must be from { $low } to { $high }
drama_place_item = write who has it or where it lies, or let an effect (`Give`, `Put`, `Become`) bring it
drama_put_it_last = give it a condition, or put it last
drama_remove_it = remove it
drama_resolve_alone = resolve and moved_by work only together
drama_sleeps_elsewhere = this needs "{ $who }" at "{ $stage }" in the morning, but { $who } sleeps at "{ $sleeps }"
drama_stay_is_offered = every vote already offers staying
drama_nothing_is_offered = the way to do nothing has this id; it is offered where only one other option is left
drama_unknown = unknown name: "{ $name }"
drama_write_max = write max: 3, for example
drama_write_options = add options: [(id: "…", label: "…", seen: "…", effects: […])]
drama_write_title = say in a few words what it is about, without giving it away
drama_never_chosen = nobody decided anything in the scene '{ $scene }'; choices were made in: { $chosen }
drama_not_offered = the option '{ $option }' was not offered; offered were: { $offered }
drama_nothing_chosen = nobody decided anything in the scene '{ $scene }', or in any other
drama_empty_claim = the claim is empty
drama_empty_sign = the sign has no words, so any event has it
drama_judge_in_scene = judge it in a scene, and write Happened or Chose here
drama_judged_in_schedule = nobody is asked about a claim when a step of the schedule begins
drama_write_sign = write words of an event that shows it, such as: Brant Hollis says to Odile Marsh…tinderbox
drama_write_claim = write a statement that is either true or false, such as: Brant has told Odile what the tinderbox is for
drama_not_the_party = this is about one person, not about the whole party
drama_phrase_taken = the fact "{ $fact }" has this phrase too, so it can't be told which of them is meant
drama_other_phrase = choose words that only one of them has
drama_contradicts_itself = the fact contradicts itself
drama_agents_hold_nothing = "{ $agent }" is neither a character nor a stage, so it can't hold anything
drama_give_to_somebody = name an actor, a foe or a stage
drama_same_bond = there is already a bond from "{ $from }" to "{ $to }"
drama_to_itself = both names are "{ $name }"
drama_name_another = name somebody else
drama_together_alone = a single person is always together
drama_name_two = name at least two
drama_always_reached = { $number } or more is always reached
drama_write_more = write { $least } or more, or leave the condition out
drama_foe_joins = "{ $foe }" is a foe, who can't join the party
drama_name_an_actor = name an actor
drama_changes_nothing = it changes nothing
drama_opens_silently = the scene has no opening, so nobody is told that it begins
drama_label_is_seen = nothing says what others see of it, so they read the label
