# Texts of lorebooks in `crates/interop/src/lore/`. Keys begin with `lore_`.

lore_automation = starts a script of another program, which is left out
lore_bad_pattern = the pattern '{ $pattern }' can't be used: { $reason }
lore_no_book = this is no lorebook: a lorebook is an object with 'entries'
lore_other_sources = is also looked for in what a persona is or its creator notes; only what was witnessed is scanned
lore_outlet = is inserted at a place that only another program has; it is left out
lore_too_many_entries = the lorebook has more than { $max } entries
lore_too_many_patterns = the lorebook has more than { $max } patterns; this one is left out
lore_triggers = comes only when another program is told to swipe, continue or impersonate; it is left out
lore_unknown_decorator = the decorator '@@{ $name }' has no meaning here
lore_vectorized = has no keys and is found by vectors alone, which is not supported; give it keys
