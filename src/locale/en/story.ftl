# Texts of the story view. Keys begin with `story_`.
