# Texts of `src/tool/`. Keys begin with `tool_`.
tool_not_built = 本程序构建时未包含 `{ $feature }`；请用 --features { $feature } 重新构建
tool_leave_out = 或去掉这个工具
