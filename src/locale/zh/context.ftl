# Texts of `src/context/`. Keys begin with `context_`.
