# `crates/locale/` 的文字：系统和其他 crate 的错误。键以 `locale_` 开头。

locale_already_exists = 文件已存在（系统错误 { $code }）
locale_connection_refused = 连接被拒绝（系统错误 { $code }）
locale_connection_reset = 连接被对方重置（系统错误 { $code }）
locale_is_a_directory = 这是一个文件夹（系统错误 { $code }）
locale_json = 第 { $line } 行第 { $column } 列：{ $problem }
# same
locale_json_at = { $path }：{ $problem }
locale_json_incomplete = JSON 不完整
locale_json_syntax = JSON 格式不对
locale_json_value = 值不对或缺失
locale_json_value_of = 值不对或缺失（{ $names }）
# same
locale_lines = { $first }
    { $rest }
locale_network_unreachable = 网络不可达（系统错误 { $code }）
locale_not_a_directory = 不是文件夹（系统错误 { $code }）
locale_not_found = 没有这个文件或文件夹（系统错误 { $code }）
locale_permission_denied = 没有权限（系统错误 { $code }）
locale_read_only = 文件系统只读（系统错误 { $code }）
locale_storage_full = 磁盘已满（系统错误 { $code }）
