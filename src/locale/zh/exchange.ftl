# Texts of `src/exchange/`. Keys begin with `exchange_`.
