# Texts of `crates/engine/src/journal/`. Keys begin with `journal_`.

journal_damaged = this line is damaged: it doesn't match its checksum
journal_full = { $path }: the journal has reached its maximum length; start a new story, or branch from an early turn
journal_misplaced_head = the header must be the first line, and only the first
journal_newer = { $path }: the journal has format { $found }, but this program reads formats up to { $newest }; use a newer version of Playhouse
journal_too_many_values = the journal has more than { $max } values up to this line; restore it from a backup, or repair the save
journal_too_many_worlds = the worlds that the journal keeps take more than { $max } bytes up to this line
journal_unreadable = { $path }:{ $line }: { $problem }; the journal was left unchanged
