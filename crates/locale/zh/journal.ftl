# `crates/engine/src/journal/` 的文字。键以 `journal_` 开头。

journal_damaged = 这一行已损坏：与校验和不符
journal_full = { $path }：日志已达到最大长度；请开始新的故事，或从较早的一轮分支
journal_misplaced_head = 文件头必须是第一行，而且只能出现一次
journal_newer = { $path }：日志的格式是 { $found }，本程序最高支持格式 { $newest }；请使用更新版本的 Playhouse
journal_too_many_values = 日志到这一行为止的值超过了 { $max } 个；请从备份恢复，或修复存档
journal_too_many_worlds = 日志保存的世界到这一行为止超过了 { $max } 字节
journal_unreadable = { $path }:{ $line }：{ $problem }；日志没有改动
