drama_above_max = the highest value is { $max }
drama_add_one_first = add one first
drama_can_not_hold = this can never hold: { $why }
drama_change_it = change or remove it
drama_common_fact_has_phrases = everyone knows this fact, so its phrases are never masked
drama_count_from_0 = goals are counted from 0
drama_did_you_mean = did you mean "{ $near }"?
drama_empty_phrase = the phrase is empty
drama_hides_endings = the ending "{ $id }" always holds, so the endings after it are never reached
drama_is_never = it says Never
drama_let_somebody_know = add names to known_by, or teach it by an item or an effect
drama_lore_is_facts = `lore` has been replaced by `facts`
drama_no_chance = the chance is 0
drama_no_fight_there = no fight takes place at "{ $stage }"
drama_no_afternoon = a day at home has one round of talk
drama_no_options = the choice has no options
drama_no_range = the highest value must be more than 0
drama_no_such_goal = there is no goal with this number; the actor has { $count ->
    [one] { $count } goal
   *[other] { $count } goals
}
drama_no_title = the fact has no title
drama_no_vote_for = no vote in the schedule offers "{ $winner }"
drama_nobody_can_know = nobody can ever know the fact "{ $id }"
drama_one_of = use one of: { $names }
drama_out_of_range = the value must be from { $low } to { $high }
drama_put_it_last = give it a condition, or put it last
drama_remove_it = remove it
drama_resolve_alone = resolve and moved_by only work together
drama_same_condition = the ending "{ $id }" has the same condition and comes first
drama_secrets_are_facts = `secrets` has been replaced by `facts`
drama_stay_is_offered = every vote already offers staying
drama_too_late = the schedule has { $days ->
    [one] { $days } day
   *[other] { $days } days
} at home
drama_unknown = unknown name: "{ $name }"
drama_waits_for_itself = the scene waits for itself
drama_write_facts = write facts: [(id: "…", title: "…", text: "…", known_by: Only(["…"]), phrases: ["…"], keys: ["…"])]
drama_write_max = write max: 3, for example
drama_write_options = add options: [(id: "…", label: "…", seen: "…", effects: […])]
drama_write_title = say in a few words what it is about, without giving it away
drama_never_chosen = nobody decided anything in the scene '{ $scene }'; choices were made in: { $chosen }
drama_not_offered = the option '{ $option }' was not offered; offered were: { $offered }
drama_nothing_chosen = nobody decided anything in the scene '{ $scene }', or in any other
drama_empty_claim = the claim is empty
drama_judge_in_scene = judge it in a scene, and write Happened or Chose here
drama_judged_in_schedule = nobody is asked about a claim when a step of the schedule begins
drama_nobody_judges = nobody is asked about this claim; it has to be in the condition of a scene, an option or an ending as well
drama_write_claim = write a sentence that is true or not, such as: Brant has told Odile what the tinderbox is for
