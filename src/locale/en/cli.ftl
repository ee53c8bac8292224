# Texts of the program: failures, tables, progress. Keys begin with `cli_`.
