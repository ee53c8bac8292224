# Texts of `src/undercover/`. Keys begin with `undercover_`.
