# `crates/cluster/` 的文字。键以 `cluster_` 开头。

cluster_address = “{ $address }”不是存储库；请写 nats://主机:端口（多个之间用逗号分隔），或 folder:路径
cluster_damaged = 存储库中有无法读取的内容：{ $reason }
cluster_exists = 存储库中已有世界“{ $world }”
cluster_full = 存储库已满：{ $reason }
cluster_missing = 存储库中没有世界“{ $world }”
cluster_minute = { $model } 的一次调用最多需要 { $tokens } 个 token，超过所有工作进程每分钟合计的上限（{ $limit }）
cluster_not_packed = 这个文件不是打包的故事：{ $reason }
cluster_other_build = 版本 { $own } 无法继续这个世界，它是由 { $build } 运行的：{ $reason }
cluster_spent = 所有工作进程合计的限额已用完，或已分给其他世界
cluster_stale = 这个世界现在由另一个工作进程运行
cluster_unavailable = 存储库没有响应：{ $reason }
cluster_queued = 等待中
cluster_playing = 运行中
cluster_ended = 已结束
cluster_waiting = 等待玩家
cluster_awaits = 正在等{ $names }回答
cluster_paused = 已暂停
cluster_failed = 失败
cluster_cancelled = 已取消
