# Texts of `src/tool/`. Keys begin with `tool_`.
tool_not_built = this program was built without `{ $feature }`; build with --features { $feature }
tool_leave_out = or leave the tool out
