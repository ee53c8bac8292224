# Texts of `src/message/`. Keys begin with `message_`.

message_format_error = { $path }：{ $problem }
