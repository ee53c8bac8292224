# Texts of `crates/engine/src/session/`. Keys begin with `session_`.

session_bad_answer = this can't be used as the answer: { $reason }
session_batch_format = its format is { $found } instead of { $known }
session_batch_games = a batch has 1 to { $max } games, not { $games }
session_batch_other_data = { $path }: the world or the prompts have changed since the batch began; restore them, or start a new one
session_batch_unreadable = { $path }: can't read the batch: { $reason }
session_changed_prompts = prompts
session_kept_too_long = the files that the save keeps of its world have { $bytes } bytes; at most { $max } are read
session_kept_too_many = the save keeps { $count } files of its world; at most { $max } are read
session_no_such_ask = question { $number } to '{ $entity }' is in no completed turn
session_no_such_turn = the journal has no turn { $turn }; its last turn is { $last }
session_not_replayed = the journal records turn { $turn }, but can be replayed only to turn { $last }
session_other_place_state = at turn { $turn }, the state of '{ $place }' in the snapshot differs from the journal: the files come from different runs, or the game has changed since; restore files from the same run, or accept the difference with `playhouse resume --force`
session_other_seed = the snapshot has seed { $snapshot }, but its journal has seed { $journal }: the files come from different runs; restore files from the same run
session_other_world_state = at turn { $turn }, the state of the world in the snapshot differs from the journal: the files come from different runs, or the game has changed since; restore files from the same run, or accept the difference with `playhouse resume --force`
session_world = the world can't be set up: { $reason }
