# Texts of `src/tool/`. Keys begin with `tool_`.
