# Texts of `src/save/`. Keys begin with `save_`.
