# `crates/engine/src/journal/` 的文字。键以 `journal_` 开头。

journal_base_changed = 本存档从“{ $slot }”的第 { $turn } 轮分支而来，共用它到那一轮为止的日志，而那部分日志已经变了
journal_base_deep = “{ $slot }”的日志又与别的存档共用，这样层层相连的存档超过了 { $max } 个
journal_base_long = 本存档与“{ $slot }”共用的部分超过了日志的最大长度
journal_base_missing = 本存档从“{ $slot }”的第 { $turn } 轮分支而来，共用它到那一轮为止的日志，但同一个文件夹里没有那个存档
journal_damaged = 这一行已损坏：与校验和不符
journal_full = { $path }：日志已达到最大长度；请开始新的故事，或从较早的一轮分支
journal_misplaced_head = 文件头必须是第一行，而且只能出现一次
journal_newer = { $path }：日志的格式是 { $found }，本程序最高支持格式 { $newest }；请使用更新版本的 Playhouse
journal_unreadable = { $path }:{ $line }：{ $problem }；日志没有改动
