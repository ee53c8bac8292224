# `crates/engine/src/exchange/` 的文字。键以 `exchange_` 开头。

exchange_check_failed = 回答没有通过检查：{ $rules }
exchange_guarded_answer = 经过防护处理，剩下的回答没有通过检查
exchange_refused = 模型拒绝回答
exchange_refused_saying = 模型拒绝回答：“{ $words }”
