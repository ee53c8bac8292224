"""What a mind in Python costs beside its own time."""

import time

import playhouse
from test_story import WORLD, constant


def test_a_call_of_a_function_is_cheap():
    """Optimised, at most 50 µs; a build for tests takes some times as long."""
    own = []

    def mind(messages, schema):
        begun = time.perf_counter()
        answer = constant()(messages, schema)
        own.append(time.perf_counter() - begun)
        return answer

    story = playhouse.Story(WORLD, mind=mind, seed=1)
    story.run(until=3)
    (given, *_), _ = story._given
    overhead = (given.seconds - sum(own)) / len(own)
    print(f"{overhead * 1e6:.1f} µs for each of {len(own)} calls")
    assert overhead < 1e-3
