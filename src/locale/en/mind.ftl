# Texts of `src/mind/`. Keys begin with `mind_`.
