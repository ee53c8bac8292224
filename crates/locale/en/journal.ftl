# Texts of `crates/engine/src/journal/`. Keys begin with `journal_`.

journal_base_changed = this save branched from '{ $slot }' after turn { $turn } and shares its journal up to that point, but that part has changed
journal_base_deep = '{ $slot }' shares its journal with another save, that one with a third, and so on for more than { $max } saves
journal_base_long = the journal that this save shares with '{ $slot }' exceeds the maximum length of a journal
journal_base_missing = this save branched from '{ $slot }' after turn { $turn } and shares its journal up to that point, but that save is not in the same folder
journal_damaged = this line is damaged: it doesn't match its checksum
journal_full = { $path }: the journal has reached its maximum length; start a new story, or branch from an early turn
journal_misplaced_head = the header must be the first line, and only the first
journal_newer = { $path }: the journal has format { $found }, but this program reads formats up to { $newest }; use a newer version of Playhouse
journal_unreadable = { $path }:{ $line }: { $problem }; the journal was left unchanged
