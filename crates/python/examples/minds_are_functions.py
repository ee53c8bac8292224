"""A world of one's own, whose minds are Python functions: does Ben learn of the letter?

Run it with ``python minds_are_functions.py``; pytest runs it, too.
"""

from pathlib import Path

import playhouse

WORLD = Path(__file__).parent / "letter"


def mind(messages, schema, who):
    """Ada tells as soon as she is asked for anything to say; Ben asks."""
    if schema is None:
        return "It is raining, and the stove is going out. Nobody says anything yet."
    if "speak" not in schema.get("properties", {}):
        return {"mind": "I wait."}
    if who == "Ada":
        return {
            "mind": "I tell him.",
            "speak": {"to": "Ben", "message": "Ben, the ship has taken you."},
        }
    return {
        "mind": "Has it come?",
        "speak": {"to": "Ada", "message": "Was there really no letter?"},
    }


def main():
    story = playhouse.Story(WORLD, mind=mind, seed=1)
    story.run()
    for known in story.who("letter"):
        print(f"{known.who} has known since turn {known.turn}: {known.text} ({known.sources})")
    return story


def test_ben_learns_it_from_ada():
    story = main()
    ben = next(known for known in story.who("letter") if known.who == "Ben")
    assert ben.learned_from == "Ada"
    assert ben.sources == ["Ada"]


if __name__ == "__main__":
    main()
