# Texts of `src/event/`. Keys begin with `event_`.
