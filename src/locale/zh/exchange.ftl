# Texts of `src/exchange/`. Keys begin with `exchange_`.

exchange_check_failed = 回答没有通过检查：{ $rules }
exchange_guarded_answer = 经过防护处理，剩下的回答没有通过检查
