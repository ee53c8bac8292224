# Texts of `--help` and the manual. Keys begin with `help_`.
