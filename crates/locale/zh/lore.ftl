# `crates/interop/src/lore/` 中世界书的文字。键以 `lore_` 开头。

lore_automation = 会启动其他程序的脚本，已省略
lore_bad_pattern = 无法使用正则表达式“{ $pattern }”：{ $reason }
lore_no_book = 这不是世界书：世界书是带有“entries”的对象
lore_other_sources = 还要在人设或作者备注中查找关键词；这里只扫描角色见到的内容
lore_outlet = 要插入到只有其他程序才有的位置，已省略
lore_too_many_entries = 世界书的条目超过 { $max } 个
lore_too_many_patterns = 世界书中的正则表达式超过 { $max } 个，此条已省略
lore_triggers = 只在其他程序重新生成、继续或扮演用户时触发，已省略
lore_unknown_decorator = 装饰器“@@{ $name }”在这里没有意义
lore_vectorized = 没有关键词，只能靠向量找到，这里不支持；请为它添加关键词
