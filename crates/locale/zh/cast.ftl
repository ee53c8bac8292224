# `crates/engine/src/cast/` 的文字。键以 `cast_` 开头。

cast_bad_name = “{ $name }”不能作名字：{ $reason }
cast_name_control = 名字不能含控制字符或看不见的字符
cast_name_empty = 名字不能为空
cast_name_spaces = 名字的首尾不能是空格
cast_name_taken = 名字“{ $name }”已被占用；角色、舞台和世界代理的名字不能重复
cast_name_too_long = 名字最多 { $max } 个字符，而这个有 { $length } 个
cast_no_cast_list = 这个世界没有角色表；请先加入引擎的插件，再创建角色
cast_no_such_stage = “{ $name }”不能在“{ $stage }”：没有这个名字的舞台
