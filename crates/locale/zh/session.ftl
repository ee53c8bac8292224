# `crates/engine/src/session/` 的文字。键以 `session_` 开头。

session_bad_answer = 这个回答不能用：{ $reason }
session_batch_format = 格式是 { $found }，不是 { $known }
session_batch_games = 一批可以有 1 到 { $max } 局，不能是 { $games } 局
session_batch_other_data = { $path }：世界或提示词在这一批开始之后改动过；请恢复原样，或另开一批
session_batch_unreadable = { $path }：无法读取这一批：{ $reason }
session_changed_prompts = 提示词
session_kept_too_long = 存档所存的世界文件有 { $bytes } 字节，最多读取 { $max } 字节
session_kept_too_many = 存档存有世界的 { $count } 个文件，最多读取 { $max } 个
session_no_such_ask = 已结束的轮次中没有向“{ $entity }”提出的第 { $number } 个问题
session_no_such_turn = 这份日志没有第 { $turn } 轮；最后一轮是第 { $last } 轮
session_not_replayed = 日志记到第 { $turn } 轮，却只能重放到第 { $last } 轮
session_other_place_state = 第 { $turn } 轮时，“{ $place }”在快照中的状态与日志不一致：文件来自不同的运行，或者游戏后来有过改动；请恢复同一次运行的文件，或用 `playhouse resume --force` 接受差异
session_other_seed = 快照的随机种子是 { $snapshot }，日志的却是 { $journal }：文件来自不同的运行；请恢复同一次运行的文件
session_other_world_state = 第 { $turn } 轮时，世界在快照中的状态与日志不一致：文件来自不同的运行，或者游戏后来有过改动；请恢复同一次运行的文件，或用 `playhouse resume --force` 接受差异
session_world = 无法搭建世界：{ $reason }
