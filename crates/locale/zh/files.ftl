# `crates/engine/src/files/` 的文字。键以 `files_` 开头。

files_foreign = 是{ $kind }，不应出现在这里；请删除它，或换成普通文件或文件夹
files_hard_links = 在磁盘上还有别的名字（硬链接），写入会同时改动它们；请把它换成一份副本
# same
files_in = { $path }：{ $problem }
# same
files_io = { $action }：{ $source }
files_io_create = 无法创建
files_io_lock = 无法锁定
files_io_open = 无法打开
files_io_read = 无法读取
files_io_remove = 无法删除
files_io_replace = 无法替换
files_io_sync_folder = 无法同步所在的文件夹
files_io_write = 无法写入
files_kind_file = 文件
files_kind_folder = 文件夹
files_kind_link = 链接
files_kind_special = 设备、管道或套接字
files_not_regular = 是{ $kind }；只能读取普通文件
files_not_text = 不是 UTF-8 文本；请存为 UTF-8
files_too_large = 超过 { $max } 字节
