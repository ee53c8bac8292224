# Texts of `src/journal/`. Keys begin with `journal_`.

# same
journal_io = { $path }：{ $source }
journal_misplaced_head = 文件头必须是第一行，而且只能出现一次
journal_newer = { $path }：日志的格式是 { $found }，本程序最高支持格式 { $newest }；请使用更新版本的 Playhouse
journal_unreadable = { $path }:{ $line }：{ $problem }；日志没有改动
