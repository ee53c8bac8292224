# Texts of `src/engine/`. Keys begin with `engine_`.
