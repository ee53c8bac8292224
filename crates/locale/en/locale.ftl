# Texts of `crates/locale/`: errors of the system and of other crates. Keys begin with `locale_`.

locale_already_exists = File exists (os error { $code })
locale_connection_refused = Connection refused (os error { $code })
locale_connection_reset = Connection reset by peer (os error { $code })
locale_is_a_directory = Is a directory (os error { $code })
locale_json = { $problem } at line { $line } column { $column }
locale_json_at = { $path }: { $problem }
locale_json_incomplete = the JSON ends too early
locale_json_syntax = invalid JSON
locale_json_value = a wrong or missing value
locale_json_value_of = a wrong or missing value ({ $names })
locale_lines = { $first }
    { $rest }
locale_network_unreachable = Network is unreachable (os error { $code })
locale_not_a_directory = Not a directory (os error { $code })
locale_not_found = No such file or directory (os error { $code })
locale_permission_denied = Permission denied (os error { $code })
locale_read_only = Read-only file system (os error { $code })
locale_storage_full = No space left on device (os error { $code })
