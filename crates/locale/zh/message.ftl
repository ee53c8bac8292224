# `crates/engine/src/message/` 的文字。键以 `message_` 开头。

message_bad_digest = “{ $text }”不是摘要；应为 32 位十六进制数字
message_bad_id = “{ $text }”不是编号；应为“地点-序号”，例如 3-17
message_bad_role = “{ $role }”不是消息的角色；请用 system、human、ai 或 tool
message_content = 应为字符串或内容块列表
# same
message_in_member = { $path }：{ $problem }
message_no_role = 缺少；请用 system、human、ai 或 tool
message_not_an_object = 消息是带有 'type' 和 'content' 的对象
message_tag_repeated = 消息已有标签“{ $key }”；同一个标签只能出现一次
message_tag_reserved = “{ $key }”是消息本身的成员，不能作标签；请换一个键
message_vector_not_finite = 向量中有无穷大或不是数字的值
message_vector_other_width = 一个向量有 { $found } 个数；之前的向量都有 { $expected } 个
message_vector_width = 一个向量有 { $found } 个数；应为 1 到 { $max } 个
message_vector_zero = 向量的所有数都是零
