# `crates/engine/src/event/` 的文字。键以 `event_` 开头。

event_ask_elsewhere = 它不在这一步所在的地点
event_ask_gone = 它的提问已不存在
event_bad_ask = 向“{ $entity }”提出了“{ $purpose }”，但{ $reason }
event_forged_mark = 看起来像对话格式的标记
event_no_conversation = 它没有对话
event_no_text = 无法生成事件“{ $event }”的文字：{ $reason }
event_second_ask = “{ $entity }”的“{ $first }”还没有回答，就又被问了“{ $second }”；一次只能提一个问题
event_secret = 说出了世界文件中的秘密 { $numbers }
event_told_elsewhere = “{ $place }”的一步向身在别处的“{ $receiver }”写了事件“{ $event }”；跨舞台请用 EventWriter::defer
event_too_long = 超过 { $max } 个字符
event_unregistered = 事件类型“{ $event }”没有注册；请在搭建世界时为它调用 register_event
