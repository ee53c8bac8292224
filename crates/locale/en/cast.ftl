# Texts of `crates/engine/src/cast/`. Keys begin with `cast_`.

cast_bad_name = '{ $name }' can't be a name: { $reason }
cast_name_control = a name can't contain control characters or invisible ones
cast_name_empty = a name can't be empty
cast_name_spaces = a name can't begin or end with a space
cast_name_taken = the name '{ $name }' is taken; actors, stages and world agents need different names
cast_name_too_long = a name has at most { $max } characters, but this one has { $length }
cast_no_cast_list = the world has no cast list; add the engine's plugin before spawning
cast_no_such_stage = '{ $name }' can't be on '{ $stage }': there is no stage of that name
