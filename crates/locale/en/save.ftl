# Texts of `crates/engine/src/save/`. Keys begin with `save_`.

save_actor_on_stage = the actor is already on a stage; an actor can be on only one
save_bad_slot_name = '{ $name }' can't be the name of a save: { $reason }
save_cast_present = a save can only be loaded into a world without a cast, but this one has { $count ->
    [one] { $count } entity
   *[other] { $count } entities
}
save_chapter_twice = there is already a chapter '{ $id }' before this one
save_component_of = component '{ $component }' of '{ $entity }'
save_entity_twice = entity { $id } occurs twice
save_event_unknown = { $location }: unknown event type '{ $event }'; known types: { $known }; load the save with the game that registers this type
save_file = { $error }; the last save is still complete
save_id_above_last = { $id } is greater than last_id ({ $last })
save_id_order = { $id } follows { $before }; numbers must increase, starting from 1
save_in_file = { $path }: { $source }; the file was left unchanged
save_incomplete = entity { $id } has no { $missing }; create entities of the story with cast::spawn
save_journal_behind = the snapshot is from turn { $turn }, but the journal ends at turn { $last }; restore the journal that belongs to the snapshot, or repair the save
save_list_too_large = its messages take { $bytes } bytes, but a context or chapter in a save may have at most { $max }
save_more_values = it has more than { $max } values, more than a save may have; restore it from a backup
save_name_characters = it contains '{ $character }'; use letters, digits, spaces and - _ .
save_name_device = Windows reserves this name for a device
save_name_edges = it begins or ends with a dot or a space
save_name_empty = it is empty
save_name_too_long = it has { $characters } characters ({ $bytes } bytes); use at most { $max_characters } ({ $max_bytes } bytes)
save_name_twice = there is already '{ $name }' before this one; names are unique
save_newer = the save has format { $found }, but this program reads formats up to { $newest }; use a newer version of Playhouse
save_no_head = { $path }: there is no journal with a header, so this is not a save that can be played; start a new story under another name
save_no_such_actor = there is no actor { $id }
save_no_such_entity = there is no entity { $id }
save_no_such_slot = there is no save '{ $name }' in { $root }
save_no_such_stage = there is no stage { $id }
save_not_a_slot = { $path } contains neither a journal nor a snapshot, so it is not a save; move it away yourself, or choose another name
save_not_at_rest = the world is not at rest ({ $reason }); save only after a turn, when every place is at rest
save_not_at_rest_answers = { $count ->
    [one] { $count } answer was
   *[other] { $count } answers were
} not taken
save_not_at_rest_asks = { $count ->
    [one] { $count } ask is
   *[other] { $count } asks are
} open
save_not_at_rest_commands = commands wait for the meeting
save_not_at_rest_events = { $count ->
    [one] { $count } event was
   *[other] { $count } events were
} not delivered
save_not_utf8 = the save is not UTF-8 text; restore it from a backup
save_nothing_to_save = { $path }: the beginning of the journal is damaged and no good snapshot is left, so nothing can be recovered; restore the save from a backup
save_other_data = the save was made with other data, and keeps no copy of them; restore those data, or accept the differences with `playhouse resume --force`: then the story can't be replayed any more
save_other_snapshot = { $path }: the journal has no record of this snapshot: it is damaged, or from another run; restore it from a backup, or repair the save
save_out_of_range = { $index } is out of range; there are { $length } { $list }
save_slot_busy = the save '{ $name }' is in use by another process; stop that process first
save_slot_exists = there is already a save '{ $name }'; resume it, or choose another name
save_stage_order = stages must be in ascending order, each only once
save_too_deep = nested more than { $max } levels deep, so it could not be read back; flatten it
save_too_large = { $number } is too large to continue counting from
save_too_many_bytes = it takes { $bytes } bytes, but a save may have at most { $max }
save_too_many_values = it has more than { $max } values, and such a save is not read
save_too_much = the world can't be saved: { $problem }; let fewer entities hear each message, or archive more often
save_too_old = the save has format { $found }, which this version of Playhouse does not read; load it with the one that wrote it
save_truncated = the save is truncated: { $problem }; restore it from a backup, or replay its journal
save_unknown_component = unknown component; known components: { $known }; load the save with the game that registers it
save_unknown_resource = unknown resource; known resources: { $known }; load the save with the game that registers it
save_unwritable = { $location } can't be saved: { $problem }
save_wrong = { $location }: { $problem }
