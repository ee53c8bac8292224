# Texts of `src/world_data/`. Keys begin with `world_data_`.
