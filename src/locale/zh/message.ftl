# Texts of `src/message/`. Keys begin with `message_`.
