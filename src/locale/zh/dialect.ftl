# Texts of `src/dialect/`. Keys begin with `dialect_`.
