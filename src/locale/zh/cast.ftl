# Texts of `src/cast/`. Keys begin with `cast_`.
