# Texts of `crates/engine/src/exchange/`. Keys begin with `exchange_`.

exchange_check_failed = the answer failed its check: { $rules }
exchange_guarded_answer = what the guards left of the answer failed its check
exchange_refused = the model refused
exchange_refused_saying = the model refused: “{ $words }”
