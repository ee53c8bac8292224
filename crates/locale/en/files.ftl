# Texts of `crates/engine/src/files/`. Keys begin with `files_`.

files_foreign = is { $kind } that does not belong there; remove it, or put a regular file or folder in its place
files_hard_links = has other names on this disk (hard links), and writing would change those too; replace it with a copy of itself
files_in = { $path }: { $problem }
files_io = { $action }: { $source }
files_io_create = can't create
files_io_lock = can't lock
files_io_open = can't open
files_io_read = can't read
files_io_remove = can't remove
files_io_replace = can't replace
files_io_sync_folder = can't sync its folder
files_io_write = can't write
files_kind_file = a file
files_kind_folder = a folder
files_kind_link = a link
files_kind_special = a device, pipe or socket
files_not_regular = is { $kind }; only regular files are read
files_not_text = not UTF-8 text; save it as UTF-8
files_too_large = is larger than { $max } bytes
