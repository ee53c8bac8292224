"""What a mind in Python costs beside its own time."""

import statistics
import time

import playhouse
from test_story import WORLD, constant


def test_a_call_of_a_function_is_cheap():
    """Optimised, at most 50 µs; a build for tests takes some times as long."""
    own, whole = [], []

    def mind(messages, schema):
        begun = time.perf_counter()
        whole.append(given.seconds)
        answer = constant()(messages, schema)
        own.append(time.perf_counter() - begun)
        return answer

    story = playhouse.Story(WORLD, mind=mind, seed=1)
    (given, *_), _ = story._given
    story.run(until=3)
    whole.append(given.seconds)
    overhead = [after - before - mine for before, after, mine in zip(whole, whole[1:], own)]
    # Not the mean: what is between two of them may be another process.
    typical = statistics.median(overhead)
    print(f"{typical * 1e6:.1f} µs for each of {len(own)} calls")
    assert typical < 1e-3
