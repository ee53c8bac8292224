# Texts of `src/rpg/`. Keys begin with `rpg_`.
