# Texts of `src/exchange/`. Keys begin with `exchange_`.

exchange_check_failed = 回答没有通过检查：{ $rules }
exchange_guarded_answer = 防护处理之后，回答没有通过检查
