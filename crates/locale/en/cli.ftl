# Texts of the program: failures, tables, progress. Keys begin with `cli_`.

## General

cli_all = all
cli_branch_unplayed = branch of '{ $slot }', not continued yet
cli_colon = :{" "}
cli_draft_unanswered = No usable answer: { $part }.
cli_list = { $items }
cli_no = no
cli_none = none
cli_one_seat = One person can sit at a terminal. Several play in the browser, with 'run', 'watch' or 'undercover'.
cli_place = { $place }
cli_rehearsal_nowhere = nowhere any more
cli_rehearsal_why_late = In { $runs } all that it needs was there in the end, but no hour was left for it: a place has one scene a round.
cli_rehearsal_why_offered = In { $runs } it was offered, and something else was chosen.
cli_unknown = unknown
cli_value = value
cli_yes = yes

## Errors

cli_at = at
cli_bad_words = '{ $words }' is neither a word file nor two words separated by a comma
cli_bad_words_help = write --words FILE or --words apple,pear
cli_cant_begin = can't begin: { $error }. Let the program have more open files and threads (ulimit -n, ulimit -u)
cli_cant_read = can't read the input: { $error }
cli_cant_write = can't write the output: { $error }
cli_clear_question = { $slot } contains { $count } stories, and all of them would be lost. Delete them? [yes/no]{" "}
cli_clear_refused = { $slot } contains { $count } stories, so it was kept
cli_clear_refused_help = choose another name with --save; --force deletes more than one story only if you confirm it on a terminal
cli_did_you_mean = did you mean '{ $name }'?
cli_end_limit = stopped at a limit: { $reason }
cli_end_server = stopped because a model can't answer: { $reason }
cli_end_useless = stopped because answers can't be used: { $reason }
cli_error = error
cli_event_id_help = an event ID looks like 3-17; list all events with: playhouse show { $slot } --view events
cli_expected_one_of = expected one of: { $names }
cli_fix_world = fix them, then run: playhouse check { $world }
cli_game_errors = the game can't be set up: { $count ->
    [one] { $count } error
   *[other] { $count } errors
    }
cli_help = help
cli_input_too_long = the input is longer than { $limit } bytes
cli_input_too_many = has more than { $max } values; convert it in parts
cli_is_batch = { $slot } is a batch of many games
cli_is_batch_help = name one of its games, for example: playhouse show 00001 --saves { $games }
cli_list_teams = list the teams with: playhouse chat
cli_list_worlds = list the worlds with: playhouse worlds
cli_new_model = the model '{ $model }' is new; stop and resume the story to use it
cli_no_games = '{ $name }' has no games of undercover
cli_no_games_help = name a save, a batch, or a folder of saves
cli_no_price = --max-cost needs a price, but the model '{ $model }' has none
cli_no_price_help = add a dated price to the model file, or use --max-tokens or --max-calls
cli_no_command_help = there is neither a command nor a world of this name; see: playhouse --help, playhouse worlds
cli_kept_unusable = what the save keeps of its world '{ $world }' can't be used: { $error }
cli_no_page = '--port' and '--listen' are for a page, and this story has none
cli_no_page_help = Add --watch to serve one.
cli_no_such_actor = there is no playable character called '{ $name }'
cli_no_such_chapter = { $name } has no chapter '{ $id }'
cli_no_such_entity = there is nobody called '{ $name }' in this save
cli_no_such_file = there is no such file
cli_no_such_event = no event has the ID '{ $id }'
cli_no_such_member = a world file has no member "{ $member }"
cli_no_such_scene = there is no scene “{ $scene }”
cli_no_task = the team has no task
cli_no_team = there is no team '{ $team }'
cli_no_world = there is no world '{ $world }'
cli_not_with_batch = { $option } can't be used with a batch
cli_other_seed = the batch began with seed { $seed } and keeps it
cli_other_seed_help = start another one with `--games N --seed N`
cli_replay_differs = the replay ends in a different state from the snapshot
cli_no_snapshot = the save '{ $slot }' has no snapshot
cli_only_journal = no snapshot; resumes from its journal
cli_repair_help = go back to the last good point with: playhouse saves --repair { $slot }
cli_save_repairable = { $problem }; the story can be recovered up to turn { $turn }
cli_resume_task_help = add --task TEXT; to continue this save: playhouse resume { $slot } --task TEXT
cli_standard_input = standard input
cli_task_help = add --task TEXT
cli_team_errors = the team '{ $team }' can't be used: { $count ->
    [one] { $count } error
   *[other] { $count } errors
    }
cli_turn_passed = the save is already at turn { $now }, past turn { $turn }
cli_world_errors = the world '{ $world }' can't be played: { $count ->
    [one] { $count } error
   *[other] { $count } errors
    }

## Trust

cli_trust_added = You now trust { $file } with this content.
cli_trust_already = You trust { $file } already.
cli_trust_changed = changed since
cli_trust_file = file
cli_trust_hash = content (BLAKE3): { $hash }
cli_trust_hash_head = BLAKE3
cli_trust_help = if that is what you want, run: playhouse trust { $file }; or choose models of your own with --models FILE
cli_trust_missing = missing
cli_trust_model = the file chooses the model '{ $model }' for every run, which may cost money
cli_trust_no_files = No file in this folder needs your trust.
cli_trust_no_folder = no settings folder was found, so your trust can't be saved
cli_trust_no_folder_help = set HOME, or choose models with --models FILE
cli_trust_none = You trust no files.
cli_trust_nothing = { $file } does nothing that needs your trust.
cli_trust_odd_path = a path that is not UTF-8 can't be trusted
cli_trust_other_hash = the content has a different hash: { $hash }
cli_trust_path = the file sets `{ $setting }` to a folder elsewhere: { $path }
cli_trust_question = Do you trust this content? [yes/no]{" "}
cli_trust_refused = { $file } needs your trust: { $demands }
cli_trust_revoked = You no longer trust { $file }.
cli_trust_same = unchanged
cli_no_settings = the save '{ $slot }' does not say with what it is played, and would go on with { $model }, without seat or limits
cli_no_settings_help = name its model, seat and limits: --model { $model }, --seat, --max-cost
cli_no_settings_question = The save '{ $slot }' does not say with what it is played. Go on with { $model }, without seat or limits unless you gave some? [yes/no]{" "}
cli_settings_changed = the file is damaged, or was changed by hand: it doesn't match its checksum
cli_settings_damaged = settings.json: { $problem }
cli_slot_settings_help = The file holds only with what the story is played. Delete it, and name that once more: --model, --seat and limits, if there were any.
cli_trust_slot_help = if that is what you want, run: playhouse trust { $file }; or choose a model with --model
cli_trust_slot_model = the save is played with the model '{ $model }', which may cost money
cli_trust_slot_unnamed = if that is what you want, write "player_models": ["{ $model }"] into { $path }, and run: playhouse trust { $file }
cli_trust_wants = { $file } came with this folder and needs your trust:
cli_trust_was_not = { $file } was not trusted.

## The command line

cli_usage_amount = expected an amount such as 0.50
cli_usage_bad_value = '{ $value }' is not a valid value for { $option }
cli_usage_conflict = { $option } can't be used with { $other }
cli_usage_percent = expected a percentage from 0 to 100
cli_usage_help = for usage, run: { $command } --help
cli_usage_missing = missing: { $options }
cli_usage_missing_question = a word is missing at the end, one of: { $names }
cli_usage_model_of = expected a player's name and a model, such as Greta=deepseek
cli_usage_no_value = { $option } needs a value
cli_usage_order = write the command first, then its world and options
cli_usage_order_help = for example: playhouse run --seed 7
cli_usage_unexpected = unexpected argument '{ $argument }'
cli_usage_unknown_command = unknown command '{ $command }'
cli_usage_unknown_option = unknown option { $option }
cli_usage_wrong = invalid command line

## Progress, and how runs end

cli_built_without = built without: { $features } (build with --features full for everything)
cli_no_default_answers = { $slot } has no default answers: a model gave each of its answers.
cli_retried = { $count ->
    [one] One default answer is asked for again
   *[other] { $count } default answers are asked for again
}; what was answered after the first is used again as long as the same is asked.
cli_branched = The save { $slot } continues from turn { $turn }.
cli_continue_limited = Continue with: playhouse resume { $slot } (the same limits apply again unless you set others)
cli_continue_with = Continue with: playhouse resume { $slot }
cli_pace_keys = (Space: go on · + and -, or arrows: faster, slower · p: pause · q: stop)
cli_pace_paused = Paused. Space goes on.
cli_pace_speed = { $words } words a minute
cli_pace_stopped = You stopped reading in turn { $turn }; what was played is saved.
cli_read_all_with = Read it with what you did not see: playhouse replay { $slot }
cli_read_again_with = Read it from the beginning: playhouse replay { $slot }
cli_read_on_with = Read on with: playhouse replay { $slot }
cli_end_finished = Finished.
cli_end_idle = Nothing more can happen.
cli_end_seats = The story goes on once these have answered: { $names }.
cli_end_recording = The recording ends here, at turn { $turn }.
cli_end_stopped = Stopped and saved.
cli_end_turn = Reached turn { $turn }.
cli_awaiting = waiting for { $mind }, { $seconds } s to the next attempt
cli_others = {" "}· { $count } more
cli_recalled = As before: { $options }
cli_not_played_again = What happened after turn { $turn } can't be replayed ({ $reason }); this is the story as of that turn.
cli_replay_matches = The replay matches the recording up to turn { $turn }.
cli_repair_aside = The damaged files are kept in { $path }.
cli_repair_gap = A replay may end after turn { $turn }, where lines of the journal are missing.
cli_repair_lost = Lost from the journal: { $lines ->
    [one] { $lines } line
   *[other] { $lines } lines
}.
cli_repair_nothing = { $slot } is not damaged.
cli_repair_played_again = The snapshot was discarded; the next resume rebuilds it from the journal, without asking a model.
cli_repair_settings = the settings can't be read and are in { $path } now; name what they said with: resume --model, --seat and limits
cli_repaired = { $folder } was restored to turn { $turn }.
cli_next_task_with = Saved. For another task: playhouse resume { $slot } --task TEXT
cli_team_needs = {""} (needs a build with --features { $features })
cli_saved_as = Saved as { $slot }.
cli_seed = Seed: { $seed }
cli_stopping = Finishing this step; press Ctrl-C again to quit now.
cli_thinking = { $who } is thinking ({ $purpose }) { $seconds } s
cli_try_next = Try next:
cli_try_show = what each character remembers
cli_try_watch = the story in the browser
cli_try_who = who knows a secret, and from whom

## What was spent

cli_answer_tokens = answer tokens
cli_cached = cached
cli_calls = calls
cli_cost = cost
cli_refusals = refusals
cli_defaults = { $count ->
    [one] The program gave one answer instead of a model:
   *[other] The program gave { $count } answers instead of a model:
}
cli_defaults_of = { $who }: { $count } ({ $reason })
cli_retry_with = To ask for them again, in a branch: playhouse branch { $slot } --retry
cli_default = default
cli_default_answers = default answers
cli_dry_prompt = { $who } ({ $purpose }): { $tokens } tokens, at most { $cost }
cli_dry_prompt_without_price = { $who } ({ $purpose }): { $tokens } tokens, price unknown
cli_dry_nothing = No prompt would be sent next.
cli_dry_run = { $count ->
    [one] { $count } prompt would be sent next
   *[other] { $count } prompts would be sent next
    }: { $tokens } tokens, at most { $costs }. Nothing was sent.
cli_dry_unpriced = { $count ->
    [one] the unknown price of { $count } prompt
   *[other] the unknown prices of { $count } prompts
    }
cli_latency = Latency: p50 { $p50 } s, p95 { $p95 } s
cli_prompt_reuse = Repeated from earlier prompts, so cacheable: { $share }%
cli_prompt_tokens = prompt tokens
cli_purpose = purpose
cli_retries = retries
cli_this_run = This run: { $calls } calls, { $tokens } tokens, cost { $cost }
cli_tokens = tokens
cli_total = total

## Saves and worlds

cli_actor = actor
cli_bytes = bytes
cli_chapters = chapters
cli_chapter_days = days
cli_chapter_id = ID
cli_chapter_level = level
cli_chapter_title = title
cli_data_differs = a different file already exists
cli_data_differs_help = choose another folder, or use --force to overwrite files that differ
cli_data_exported = { $count } files written. Use them with: playhouse --data { $folder }
cli_level_chapter = chapter
cli_level_volume = volume
cli_level_life = life
cli_finished = finished
cli_in_progress = in progress
cli_kind = kind
cli_kind_journey = journey: a party sets out, and fights
cli_kind_mystery = mystery: one of several has done it, and somebody has to say who
cli_kind_talk = talk: people, secrets and a decision; nobody fights
cli_language = language
cli_manual_written = { $count } manual pages written into { $folder }.
cli_messages = messages
cli_name = name
cli_prompts = What was sent: kB of prompts, and how much was repeated from the prompt before, or new and why
cli_prompts_archived = after chapters
cli_prompts_asked = questions
cli_prompts_first = first prompts
cli_prompts_folded = after folding
cli_prompts_new = new messages
cli_prompts_recalled = memories
cli_prompts_repeated = repeated
cli_prompts_sent = prompt kB
cli_no_saves = There are no saves in { $path }.
cli_no_worlds = There are no worlds.
cli_play_it = Play it with: playhouse run { $folder }
cli_stage = stage
cli_state = state
cli_title = title
cli_batch = batch, { $games ->
    [one] { $games } game
   *[other] { $games } games
    }
cli_turn = turn
cli_world = world
cli_world_agent = world agent
cli_world_created = Created { $path }.
cli_cost_at_least = at least { $cost }
cli_price_unknown = unknown
cli_team_ok = The team '{ $team }' has no errors{ $warnings ->
    [0] .
    [one] , but { $warnings } warning.
   *[other] , but { $warnings } warnings.
    }
cli_world_ok = The world '{ $world }' has no errors{ $warnings ->
    [0] .
    [one] , but { $warnings } warning.
   *[other] , but { $warnings } warnings.
    }

## Who received an event

cli_event_at = turn { $turn }, { $place }
cli_event_by = by { $who }
cli_others_not_told = everyone else
cli_recipients = recipients
cli_rule = rule
cli_rule_everywhere = all stages, and everyone alive on them
cli_rule_except = { $rule }, except { $names }
cli_rule_named = only the named recipients
cli_rule_private = only the character whose thought it is
cli_rule_stage = the stage '{ $stage }', and everyone alive on it

## Conversations

cli_chat_log_summary =
    ==================================================
    📋 Task finished
    Stop reason: { $reason }
    Messages: { $count }
    ==================================================
cli_chat_log_usage = {"    "}📊 Model usage: { $prompt } + { $answer } = { $total } tokens
cli_chat_retracted = [retracted by { $who }]
cli_chat_summary =
    ---------- Summary ----------
    Number of messages: { $count }
    Finish reason: { $reason }
    Total prompt tokens: { $prompt }
    Total completion tokens: { $answer }
    Duration: { $seconds } seconds
cli_chat_usage = [Prompt tokens: { $prompt }, Completion tokens: { $answer }]
cli_convert_read = Read { $count ->
    [one] { $count } message as { $form }.
   *[other] { $count } messages as { $form }.
    }
cli_trace_asked = Asked ({ $purpose }, { $model })
cli_trace_call = >>> AGENT: { $agent }  (call #{ $number })
cli_trace_context = Internal context ({ $sender }): { $count ->
    [one] { $count } message
   *[other] { $count } messages
    }
cli_trace_failed = No usable answer: { $reason }
cli_trace_inside = Inside: { $team }
cli_trace_recalled = Recalled: { $memory }
cli_trace_recalled_used = Recalled, and used: { $memory }
cli_trace_refused = Refused: { $answer }
cli_trace_reply = Reply: { $reply }
cli_trace_sender = Sender: { $sender }
cli_trace_system = System message: { $text }

## Settings and servers

cli_answers = answers
cli_cache_fields = cache fields
cli_free = free
cli_from = from
cli_from_build = build
cli_from_default = default
cli_from_environment = environment ({ $variable })
cli_from_file = file ({ $file })
cli_from_flag = option
cli_from_own_file = your own file ({ $file })
cli_from_save = save
cli_key = key
cli_key_missing = missing
cli_key_refused = refused
cli_key_set = set
cli_milliseconds = ms
cli_model = model
cli_price = price
cli_reachable = reachable
cli_schema = schema
cli_server = server
cli_setting = setting
cli_streaming = streaming
cli_tool_server = tool server
cli_tools = tools
cli_which_kind = Which kind of story? (number; Enter: journey){" "}
cli_window = window

## Batches and tournaments

cli_games = { $games ->
    [one] { $games } game
   *[other] { $games } games
    }
cli_games_and_unfinished = { $games ->
    [one] { $games } game ({ $unfinished } more unfinished)
   *[other] { $games } games ({ $unfinished } more unfinished)
    }
cli_games_played = { $done } of { $all } games played; wins: civilians { $civilians }, undercover { $undercover }
cli_stat_abstentions = abstentions per game
cli_stat_answer_tokens = answer tokens per game
cli_stat_blank_stays = blank players stay to the end
cli_stat_calls = calls per game
cli_stat_civilians_left = civilians left
cli_stat_civilians_win = civilians win
cli_stat_cost = cost per game
cli_stat_default_lines = default descriptions per game
cli_stat_figure = figure
cli_stat_games = games
cli_stat_guesses_role = undercover guesses own role
cli_stat_interval = 95% interval
cli_stat_note = 95% intervals: Wilson's score for shares, Student's t for means.
cli_stat_prompt_tokens = prompt tokens per game
cli_stat_repeats = repeats
cli_stat_repeats_per_game = repeats caught per game
cli_stat_round = round
cli_stat_rounds = rounds per game
cli_stat_seats = seats
cli_stat_undercover_left = undercover left
cli_stat_undercover_win = undercover wins
cli_stat_votes_on_undercover = votes on undercover
cli_stat_won_as_civilian = wins as civilian
cli_stat_won_as_undercover = wins as undercover
cli_stat_word_slips = word slips
cli_stat_word_slips_per_game = word slips caught per game
cli_batch_saved = Saved in { $folder }. To see the figures again: playhouse resume { $slot }
cli_tournament_saved = Saved in { $folder }. To see the statistics again: playhouse undercover --from { $slot }
cli_knows_about = { $title } ({ $since }; { $from }; event { $event })
cli_knows_about_found = { $title } ({ $since }; event { $event })
cli_knows_about_start = { $title } ({ $since })
cli_knows_all = everyone
cli_knows_day = day { $day }
cli_knows_denies = {" "}(can't be true if { $title } is)
cli_knows_event = event
cli_knows_everyone = Everyone knows this from the start.
cli_knows_fact = ID
cli_knows_facts = facts
cli_knows_known_by = known by
cli_knows_feels = How it feels about { $about }: { $word } ({ $value })
cli_knows_from = from
cli_knows_from_start = from the start
cli_knows_heard = What it last saw or heard of them:
cli_knows_no_fact = no fact has the ID or title '{ $id }'
cli_knows_promise = { $by } promised { $to }: “{ $words }”
cli_knows_since = since
cli_knows_title = fact
cli_knows_who = who
cli_recall_bad_id = `id` must be a string or a number
cli_recall_bad_line = this is not a valid record: { $error }
cli_recall_bad_text = `{ $name }` must be a string
cli_recall_day = day { $day }
cli_recall_line_too_long = the line is longer than { $max } bytes
cli_recall_no_text = `{ $name }` is missing or not a string
cli_recall_nothing = No memories match this question.
cli_recall_too_many_lines = the file has more than { $max } records
cli_usage_choose = expected a scene and one of its options, such as the-log=burn

## Rehearsals

cli_expectation_errors = { $count ->
    [one] { $count } mistake in the expectations
   *[other] { $count } mistakes in the expectations
    }
cli_no_price_as = --cost-as needs a price, but the model '{ $model }' has none
cli_rehearsal_afternoon = afternoon
cli_rehearsal_alone = alone was missing
cli_rehearsal_always = { $name } came about in every run.
cli_rehearsal_at_first = at first
cli_rehearsal_begin = scenes that begin
cli_rehearsal_camp = camp
cli_rehearsal_instead = nothing was missing, but { $other } came first
cli_rehearsal_knower = { $who } from day { $day } ({ $runs })
cli_rehearsal_known = Who can know what, from which day on, and in how many runs
cli_rehearsal_map = Scenes and people by day, time and place, each with the number of runs
cli_rehearsal_missing = Why not { $name }? Missed in { $runs } of { $of } runs, in { $asked } of which its condition was looked at
cli_rehearsal_before = before the story
cli_rehearsal_morning = morning
cli_rehearsal_near = near
cli_rehearsal_never_held = never held
cli_rehearsal_never_title = What never came about
cli_rehearsal_no_such_id = no scene, option, ending or fact is called "{ $id }"; an option is written as scene=option
cli_rehearsal_on_day = day
cli_rehearsal_part = part of its condition
cli_rehearsal_people = people
cli_rehearsal_retreat = retreat
cli_rehearsal_return = return
cli_rehearsal_seed = { $seed } (turn { $turn })
cli_rehearsal_time = time
cli_rehearsal_travel = journey
cli_rehearsal_why = why
cli_rehearsal_answer_tokens = answer tokens per run
cli_rehearsal_at_end = at the end
cli_rehearsal_at_start = at the start
cli_rehearsal_bar = { $hits } of { $of }; 95% interval: { $interval }
cli_rehearsal_bond = bond
cli_rehearsal_bonds = Bonds
cli_rehearsal_by = learned by
cli_rehearsal_cached = of these from the cache
cli_rehearsal_calls = calls per run
cli_rehearsal_cards = cards
cli_rehearsal_chosen = share of choices
cli_rehearsal_cost = cost of a run as { $model }
cli_rehearsal_course = Course
cli_rehearsal_course_note = Which scenes, choices, votes, fights and endings followed each other; thicker lines are more frequent. Percentages are shares of runs.
cli_rehearsal_day = first on day
cli_rehearsal_days = days at home per run
cli_rehearsal_default_answers = default answers per run
cli_rehearsal_end = The run with seed { $seed } ended: { $text }
cli_rehearsal_ending = ending
cli_rehearsal_endings = Endings
cli_rehearsal_fact = fact
cli_rehearsal_facts = Facts, least told first
cli_rehearsal_false_text = { $message }: told in { $runs } of { $of } runs, first in turn { $turn } with --seed { $seed }
cli_rehearsal_true = In { $runs } runs no text was told that was not true.
cli_rehearsal_false = { $count ->
    [one] { $count } text was told although it was not true
   *[other] { $count } texts were told although they were not true
    }
cli_rehearsal_failed = { $count ->
    [one] { $count } run failed, with seed { $seed }: { $reason }
   *[other] { $count } runs failed; the first one, with seed { $seed }: { $reason }
    }
cli_rehearsal_failed_runs = failed runs
cli_rehearsal_fallen = heroes who fell per fight
cli_rehearsal_falls = Who fell
cli_rehearsal_fights = Fights
cli_rehearsal_fights_won = fights won
cli_rehearsal_fought = fought (% of runs)
cli_rehearsal_found = Found in { $count } of { $of } runs, with these seeds: { $seeds }
cli_rehearsal_found_many = Found in { $count } of { $of } runs; the first { $first } have these seeds: { $seeds }
cli_rehearsal_found_none = Found in none of { $of } runs
cli_rehearsal_from = learned from
cli_rehearsal_goal = goal
cli_rehearsal_goals = Goals
cli_rehearsal_gone = gone
cli_rehearsal_holder = last holder
cli_rehearsal_in_runs = in runs
cli_rehearsal_item = item
cli_rehearsal_items = Items
cli_rehearsal_learned = learned (% of runs)
cli_rehearsal_lost = lost
cli_rehearsal_memories = memories
cli_rehearsal_met = met
cli_rehearsal_narration = narration
cli_rehearsal_never = never
cli_rehearsal_not_met = lost
cli_rehearsal_option = option
cli_rehearsal_options = Choices
cli_rehearsal_overview = Overview
cli_rehearsal_page = Page written: { $path }
cli_rehearsal_prompt_tokens = prompt tokens per run
cli_rehearsal_purposes = Calls per run, by purpose
cli_rehearsal_qualities = Qualities
cli_rehearsal_quality = quality
cli_rehearsal_repeated = Clauses of four or more words, repeated within a run
cli_rehearsal_rounds = rounds
cli_rehearsal_runs = runs
cli_rehearsal_scene = scene
cli_rehearsal_scenes = Scenes, rarest first
cli_rehearsal_share_of_clauses = share of clauses
cli_rehearsal_share_of_runs = share of runs
cli_rehearsal_share_of_tokens = share of tokens
cli_rehearsal_speech = speech
cli_rehearsal_stage = stage
cli_rehearsal_start = Start
cli_rehearsal_subtitle = { $runs ->
    [one] { $runs } run by the improviser, with seed { $seed }
   *[other] { $runs } runs by the improviser, the first with seed { $seed }
    }
cli_rehearsal_texts = texts
cli_rehearsal_thoughts = thoughts
cli_rehearsal_tokens_fights = tokens spent on fights
cli_rehearsal_tokens_memory = tokens spent on memories
cli_rehearsal_tokens_other = tokens spent on everything else
cli_rehearsal_tokens_talk = tokens spent on talk
cli_rehearsal_taken_up = taken up (% of these)
cli_rehearsal_told = told (% of runs)
cli_rehearsal_turns = turns per run
cli_rehearsal_unmet = { $count ->
    [one] { $count } expectation is not met
   *[other] { $count } expectations are not met
    }
cli_rehearsal_unmet_title = Expectations that are not met
cli_rehearsal_carried = share of this vote
cli_rehearsal_effect = Effect
cli_rehearsal_result = result
cli_rehearsal_skipped = Effects that could not apply
cli_rehearsal_vote = vote
cli_rehearsal_votes = Votes
cli_rehearsal_why_alone = In { $runs } only { $part } was missing.
cli_rehearsal_why_elsewhere = { $who } was elsewhere: { $places }.
cli_rehearsal_why_instead = In { $runs } nothing was missing, but { $other } came first.
cli_rehearsal_why_told = { $name } was told in { $told } of { $of } runs. In { $near } of the other { $untold } it was near: somebody who knew it was together with somebody who did not.
cli_rehearsal_why_words = { $name } did not come about in { $runs } of { $of } runs. In { $asked } of these there was an occasion for it, and in { $near } it was near: one thing at most was missing.
cli_rehearsal_won = won
cli_runs_played = { $done } of { $all } runs played
cli_no_such_attempt = call { $number } of { $who } has { $count } requests; there is no request { $attempt }
cli_no_such_call = { $who } has no recorded call { $number }
cli_calls_help = list the calls with: playhouse show { $slot } "{ $who }" --view calls
cli_cost_unknown = { $requests ->
    [one] One request was on the way when the program ended; what it cost is unknown
   *[other] { $requests } requests were on the way when the program ended; what they cost is unknown
}: at most { $tokens } tokens; cost: { $cost }.
cli_nothing_sent = { $who } was never asked
cli_request_sent = { $who } · call { $number }, request { $attempt } · turn { $turn } · { $purpose } · sent to { $model }
cli_request_unsent = { $who } · call { $number }, request { $attempt } · turn { $turn } · { $purpose } · no request was sent to { $model }; this is what it saw
cli_no_event_says = no event says "{ $words }"
cli_many_events_say = { $count } events say "{ $words }"
cli_many_events_help = give more of the text, or an ID: { $ids }
cli_not_told = { $who } ({ $why })
cli_why_not_elsewhere = elsewhere
cli_why_chosen = what the character thought
cli_why_not_at = at { $place }
cli_why_not_left_out = excluded by name
cli_why_not_named = not named
cli_why_not_private = someone else's thought
cli_why_not_dead = no longer in it
cli_why_not_withheld = withheld by a guard
cli_timeline_call = call
cli_timeline_prompt = prompt
cli_timeline_answer = answer
cli_timeline_time = time
cli_timeline_result = result
cli_timeline_default = default answer: { $reason }
cli_timeline_refused = { $count } refused
cli_diff_same = { $first } and { $second } are the same story.
cli_diff_goes_on = They are the same up to turn { $turn }; only { $later } continues from there.
cli_diff_parts = They are the same up to turn { $turn }.
cli_diff_worlds = { $first } and { $second } are stories of different worlds: { $world } and { $other }
cli_diff_seeds = Seeds: { $one } and { $two }
cli_diff_same_question = the same question
cli_diff_other_question = another question
cli_diff_not_asked = was not asked
cli_diff_knows = Only in { $save }, { $name } knows: { $titles }
cli_diff_kept = { $count } unchanged
cli_diff_added = { $count } added
cli_diff_asked = { $count } from the previous question
cli_diff_archived = { $count } archived
cli_diff_cut = { $count } left out
cli_watch_address = The page is at { $address } (press Ctrl-C to stop)
cli_watch_estimate = 'playhouse run WORLD --dry-run' shows what a run would cost
cli_view_option = only the views memory, json and request have the option { $option }
cli_watch_option = 'watch' has no option { $option }
cli_watch_phones = Phones in your network can open these links with --listen 0.0.0.0.
cli_watch_seat = To play { $name }, open { $address }
cli_watch_shows = the page has its own settings for IDs and pace

## At a seat

cli_seat_alone = Nobody else is here.
cli_seat_bond = { $to }: { $word } ({ $value })
cli_seat_bonds = Who they are to you:
cli_seat_look = What others see: { $look }
cli_seat_first_help = (/me shows this again, /who who is here, /undo takes an answer back, /help lists everything that you can type.)
cli_seat_first_help_short = (/me shows this again, /help lists everything that you can type.)
cli_seat_fallen = You have fallen. You watch the fight to its end.
cli_seat_goal_lost = { $goal } (lost)
cli_seat_goal_met = { $goal } (reached)
cli_seat_health = Health: { $hp } of { $max }
cli_seat_help = this list
cli_seat_help_me = who you are: what you can do and have, whom you know, your goals and promises
cli_seat_help_me_in_team = who you are, as the team describes you
cli_seat_help_me_in_undercover = who you are, and your word
cli_seat_help_more = everything that can be chosen, where a list is cut short
cli_seat_help_quit = leave; the story is saved and can be resumed
cli_seat_help_save = where the story is saved, and how to resume it
cli_seat_help_secrets = your secrets: what you know that others may not, and who told you
cli_seat_help_undo = take back your last answer; the story continues in a new save
cli_seat_help_who = who is here with you
cli_seat_help_word = your word
cli_seat_item = { $name }: { $look }
cli_seat_more = {"  "}… and { $count } more: /more lists them all, and some words of one choose it.
cli_seat_no_secrets = You have no secrets: everyone knows what you know.
cli_seat_no_word = You have no word: you are the blank.
cli_seat_out = You are out. You watch the rest of the game, to its end.
cli_seat_nothing_to_undo = There is no answer of yours to take back.
cli_seat_place = You are here: { $place }
cli_seat_present = {"  "}{ $name }: { $look }
cli_seat_promise = to { $to }: { $words }
cli_seat_promises = What you promised:
cli_seat_row = - { $row }
cli_seat_saved = Everything up to your last answer is saved as { $slot }; there is nothing else to do. Continue later with: playhouse resume { $save }
cli_seat_secret = { $title }: { $words }
cli_seat_secret_found = { $title } (day { $day }): { $words }
cli_seat_secret_from = { $title } (day { $day }, from { $from }): { $words }
cli_seat_skills = Skills: { $skills }
cli_seat_hand = In your hand: { $cards }
cli_hand = hand
cli_seat_undone = Your last answer ({ $what }) is taken back. The story continues as { $slot }; { $old } keeps what happened.
cli_seat_unknown = There is no command /{ $command }. /help lists them.
cli_seat_word = Your word: { $word }
cli_data_changed = The files of this story have changed since it was saved. These changes now apply:
cli_doctor_by_hand = the entry can't be added to this file; add it by hand
cli_doctor_cost = This took { $requests } requests: { $read } tokens read, { $written } written.
cli_doctor_entry = An entry for your model file (--write adds it); then use it with: playhouse run --model { $alias }
cli_doctor_known = nothing was written: the file has this model of this server already, as { $alias }
cli_doctor_needs_url = --model, --key-env, --api, --ca and --write belong to the URL of a server, such as http://localhost:8080
cli_doctor_no_folder = there is no settings folder to write to; name a file with --models
cli_doctor_no_key = the environment variable { $variable } is not set
cli_doctor_trying = Finding out: { $what }
cli_doctor_unread = the server reads too little of what it is sent; no story can be played with it as it is
cli_doctor_written = Added to { $file }. Use it with: playhouse run --model { $alias }
cli_finding = what
cli_found = found
cli_models_of_team = the team file sets its members' models; change it there, then resume

## Experiments

cli_experiment = experiment, { $conditions ->
    [one] { $conditions } condition
   *[other] { $conditions } conditions
    }
cli_experiment_changed = the condition '{ $condition }' has changed since its stories began
cli_experiment_changed_help = undo that, or run the experiment under another name with --save
cli_experiment_condition = condition
cli_experiment_difference = difference
cli_experiment_differences = Differences from the first condition
cli_experiment_effect = effect size
cli_experiment_errors = { $count ->
    [one] { $count } error
   *[other] { $count } errors
    } in the experiment
cli_experiment_note = Intervals are of 95 %: Wilson's for shares, Student's for means, Newcombe's for differences of paired shares. Stories with the same seed are pairs. Effect size: Cohen's h of shares, d of paired differences. p: McNemar's exact test, or the paired t test; corrected for all tests above by Holm's method. *: less than 0.05
cli_experiment_outcome = outcome
cli_experiment_outcomes = Outcomes by condition
cli_experiment_p = p
cli_experiment_p_holm = p, corrected
cli_experiment_pairs = pairs
cli_experiment_saved = Saved in { $folder }. To see the report again: playhouse experiment report { $path }
cli_exported = { $tables } tables written to { $folder }.
cli_import_changed = changed
cli_import_chapter = { $count ->
    [one] remembers “{ $title }” ({ $count } line)
   *[other] remembers “{ $title }” ({ $count } lines)
}
cli_import_count = { $count } not taken
cli_import_cut = { $count ->
    [one] { $count } line was cut
   *[other] { $count } lines were cut
    } to { $max } characters
cli_import_fate = Became
cli_import_note = Note
cli_import_is_there = is in the world already
cli_import_known = remembers “{ $title }” already
cli_import_dropped = dropped
cli_import_named = { $what }
cli_import_nameless = { $count ->
    [one] { $count } line without a speaker
   *[other] { $count } lines without a speaker
}
cli_import_no_persona = no persona is called { $name }
cli_import_no_persona_help = The file has: { $names }
cli_import_no_personas = this file holds no personas
cli_import_no_place = there is no { $path } to add to
cli_import_nobody = nobody in this world was in the chat
cli_import_nobody_help = The world has: { $names }. Import personas or write the speakers into it, under the names that they have in the chat
cli_import_not_wanted = not the usual persona; take it with --name "{ $name }"
cli_import_old = { $count ->
    [one] the oldest line; { $max } are taken
   *[other] the { $count } oldest lines; { $max } are taken
}
cli_import_past = You talked with { $others }. It began with “{ $first }” and ended with “{ $last }”
cli_import_seat = Play it with: playhouse { $command }
cli_import_setting = a setting of the chat
cli_import_stranger = { $count ->
    [one] { $count } line; nobody of this name is in the world
   *[other] { $count } lines; nobody of this name is in the world
}
cli_import_taken = taken
cli_import_team = the team file
cli_import_part = Part
cli_export_examples = { $examples } examples. Left out: { $defaults } default answers, { $repaired } repaired and { $short } short ones
cli_export_file = file
cli_export_lines = lines
cli_export_log = { $file }: { $entries } entries
cli_no_experiment = there is no experiment '{ $name }' in the saves
cli_no_experiment_help = begin it with: playhouse experiment run { $file }
cli_continue_by = Continue with: playhouse { $command }
cli_continue_limited_by = Continue with: playhouse { $command } (the same limits apply again unless you set others)

## Drafts

cli_draft_answered = Written: { $part }.
cli_draft_answered_names = Written: { $part }: { $names }.
cli_draft_changed = Left out or to be looked at:
cli_draft_changes = what rehearsals showed to be wrong
cli_draft_endings = endings and goals (then it is rehearsed)
cli_draft_go_on = nothing that was answered is asked again: go on with the same command, or look into { $folder }/draft
cli_draft_needs_model = a draft needs a model, which the improviser is not
cli_draft_needs_model_help = name one with --model (see `playhouse doctor`), or start from a template: playhouse new NAME --kind talk
cli_draft_next = Read { $folder }/world.ron, in which comments say what to look at; then: playhouse rehearse { $folder }, playhouse run { $folder }
cli_draft_not_used = Not used, as the model says:
cli_draft_other_text = { $folder } holds a draft of another text; name another folder
cli_draft_outline = places and people
cli_draft_plot = the plot
cli_draft_rehearsed = Rehearsed: { $done } of { $all } runs.
cli_draft_scenes = the words of scenes
cli_draft_somebody = somebody
cli_draft_spent = Read { $input } tokens, written { $output }.
cli_draft_stakes = facts, things and bonds
cli_draft_too_long = Of the text’s { $length } characters the first { $read } were read.
cli_draft_unmet = What rehearsals still don’t come to:
cli_draft_unusable = the model gave no places and people of which a world could be made; nothing was written
cli_draft_voices = voices
cli_draft_warned = What `check` still warns of:
cli_draft_written = { $path } is a world in which `check` finds no error. People: { $people }, facts: { $facts }, scenes: { $scenes }, endings: { $endings }.
cli_suggest_new = { $name }: new, in { $after }
cli_suggest_nothing = the model suggested nothing that fits: { $reasons }
cli_suggest_rehearsed = Of 100 rehearsals without it and with it:
cli_suggest_shift = { $name }: in { $before } without it, in { $after } with it
cli_suggest_take = Change the file so? [y/N]

## One scene
cli_scene_never = the scene “{ $scene }” opened in none of { $played } rehearsals
cli_scene_opens = The scene “{ $scene }” opens in turn { $turn } of the story with seed { $seed }; the improviser has played what was before.
cli_scene_why = find out why: playhouse rehearse { $world } --why { $scene }
cli_import_warned = look at this
cli_no_cards = there is no character card among these files
cli_note = note
cli_worker = worker
cli_no_store = no store was named
cli_no_store_help = name it with --store, or set PLAYHOUSE_STORE
cli_no_submitted = The store has no worlds.
cli_submitted = Submitted: { $world }
cli_removed_world = Removed: { $world }
cli_list_submitted = list the worlds of the store with: playhouse status
cli_worker_ready = Worker { $name } plays up to { $worlds } worlds at a time. Ctrl-C hands them over to others.
cli_worker_began = { $world }: begins after turn { $turn }
cli_worker_left = { $world }: { $phase } after turn { $turn }
cli_worker_left_why = { $world }: { $phase } after turn { $turn }: { $note }
cli_worker_gave_back = { $world }: handed over after turn { $turn }
cli_worker_lost = { $world }: another worker has it
cli_worker_waits = { $world }: waiting: { $reason }
cli_packed = { $slot } is packed in { $path }.
cli_unpacked = Unpacked as { $slot }.
cli_team_rests = the team waits for a task or for people; workers only finish what it has begun
cli_other_build = the figures of another build may differ
cli_budget_calls = Calls: { $spent } spent, { $granted } granted to worlds, limit { $limit }
cli_budget_tokens = Tokens: { $spent } spent, { $granted } granted to worlds, limit { $limit }
cli_budget_cost = Cost: { $spent } spent, { $granted } granted to worlds, limit { $limit }
cli_serve_workers = workers that play: { $count }
cli_serve_worlds = { $phase }: { $count }
cli_serve_calls = calls: { $count }
cli_serve_tokens = tokens: { $count }
cli_serve_cost = cost: { $cost }
cli_serve_at_once = calls at a time: { $count }
cli_budget_of = { $model }:
cli_budget_a_minute = Tokens a minute: limit { $limit }
cli_budget_at_once = Calls at a time: { $granted } granted to worlds, limit { $limit }

## Reference
cli_about = meaning
cli_member = member
cli_member_example = Example: { $example }
cli_range = range
