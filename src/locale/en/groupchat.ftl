# Texts of `src/groupchat/`. Keys begin with `groupchat_`.
