# `crates/engine/src/context/` 的文字。键以 `context_` 开头。

context_crossed_range = “{ $entity }”的范围 { $begin } 到 { $end } 前后颠倒；起点不能在终点之后
context_includes_system = “{ $entity }”的范围 { $begin } 到 { $end } 包含系统消息，系统消息不能移除
context_last_id = 最后的编号 { $last } 小于消息 { $message } 的编号
context_no_messages = 没有给“{ $entity }”任何 ai 消息；一次回答至少有一条消息
context_no_such_message = “{ $entity }”没有消息 { $id }；它已被移除，或属于另一段对话
context_not_empty = “{ $entity }”已有 { $count } 条消息；系统消息只能是第一条
context_not_human = “{ $entity }”的消息 { $id } 不是 human 消息；只有 human 消息可以逐条移除
context_out_of_order = 消息 { $id } 的顺序不对
context_without_messages = 缺少；应为消息列表
context_without_name = 缺少；上下文要有其实体的名字
