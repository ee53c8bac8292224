"""A study: does it matter to what a group learns whether its best informed member talks?

Two conditions, several seeds each, played at once in threads. With pandas the figures are a data
frame, with matplotlib there is a plot: ``python two_conditions.py [plot.png]``.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import playhouse

WORLD = "the-word-for-it"
SEEDS = range(4)
TURNS = 8


def silent(messages, schema):
    """Somebody who never speaks. What a schema does not require is left out."""
    if schema is None:
        return "It is as quiet as before, and nothing in the room has changed at all."
    return playhouse.Answer({name: "I say nothing." for name in schema.get("required", [])})


def informed():
    """Who knows most at the start."""
    story = playhouse.Story(WORLD, seed=0)
    actors = [person for person in story.people() if person.kind == "actor"]
    return max(actors, key=lambda person: person.facts).name


def play(condition, minds, seed):
    """How many facts all know together, after each turn."""
    story = playhouse.Story(WORLD, seed=seed, minds=minds)
    story.run(until=TURNS)
    learned = [known.turn for known in story.table("knowledge")]
    return playhouse.Records(
        playhouse.Record(
            condition=condition, seed=seed, turn=turn, known=sum(at <= turn for at in learned)
        )
        for turn in range(TURNS + 1)
    )


def study(seeds=SEEDS):
    conditions = {"as it is": {}, "silent": {informed(): silent}}
    with ThreadPoolExecutor() as threads:
        jobs = [
            threads.submit(play, condition, minds, seed)
            for condition, minds in conditions.items()
            for seed in seeds
        ]
        return playhouse.Records(row for job in jobs for row in job.result())


def plot(rows, path):
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("without matplotlib there is no plot")
        return
    figure, axes = pyplot.subplots()
    means = rows.to_pandas().groupby(["condition", "turn"]).known.mean().unstack(0)
    means.plot(ax=axes, ylabel="facts known, all together", title=WORLD)
    figure.savefig(path)


def test_two_conditions_begin_alike(tmp_path):
    rows = study(seeds=range(2))
    at_first = {row.known for row in rows if row.turn == 0}
    assert len(at_first) == 1
    assert len(rows) == 2 * 2 * (TURNS + 1)
    plot(rows, tmp_path / "plot.png")


if __name__ == "__main__":
    found = study()
    plot(found, sys.argv[1] if len(sys.argv) > 1 else "two_conditions.png")
    for row in found:
        if row.turn == TURNS:
            print(row.condition, row.seed, row.known)
