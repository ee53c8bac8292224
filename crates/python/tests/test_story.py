"""What the package promises of stories."""

import asyncio
import signal
import threading
import time

import playhouse
import pytest

WORLD = "take-the-biscuit"


@pytest.fixture(scope="module")
def story():
    story = playhouse.Story(WORLD, seed=7)
    assert story.run(until=4).reason == "turn"
    return story


def constant(answer="The evening is quiet, and nobody has said anything yet. We wait."):
    """A mind that says the same, and fills whatever is asked for by its schema."""

    def mind(messages, schema):
        return answer if schema is None else filled(schema, schema)

    return mind


def filled(schema, root):
    """The first value that a schema allows."""
    if "$ref" in schema:
        return filled(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return filled(schema[several][0], root)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        wanted = schema.get("required", [])
        return {name: filled(schema["properties"][name], root) for name in wanted}
    if kind == "array":
        return [filled(schema["items"], root)] * schema.get("minItems", 0)
    return {
        "string": "I see what you mean, and I wonder.",
        "integer": schema.get("minimum", 0),
        "boolean": False,
    }.get(kind)


def test_equal_seeds_give_equal_stories(story):
    again = playhouse.Story(WORLD, seed=7)
    again.run(until=4)
    assert again.events() == story.events()
    other = playhouse.Story(WORLD, seed=8)
    other.run(until=4)
    assert other.events() != story.events()


def test_what_happened_is_read_as_rows(story):
    events = story.events()
    assert events and events[0].turn == events[0]["turn"]
    assert isinstance(events[0].data, dict)
    assert story.turn == 4 and not story.is_over
    assert {person.kind for person in story.people()} >= {"actor", "stage"}
    assert len(story.calls()) > 4


def test_who_knows_what_and_from_whom(story):
    fact = next(row for row in story.table("knowledge"))
    assert fact.who in [known.who for known in story.who(fact.fact)]
    assert fact.fact in [known.fact for known in story.knows(fact.who)]
    assert story.who(fact.title) == story.who(fact.fact)
    with pytest.raises(KeyError, match="no fact"):
        story.who("nothing of the kind")
    with pytest.raises(KeyError, match="nobody named"):
        story.knows("Nobody")


def test_contexts_and_requests_are_messages(story):
    call = story.calls()[3]
    (*_, request) = story.request(call)
    assert request.who == call.who
    assert request.messages[0]["role"] == "system"
    assert request.messages == story.request(3)[-1].messages
    context = story.context(call.who)
    assert context[0] == request.messages[0]
    assert {message["role"] for message in context} >= {"system", "user", "assistant"}


def test_a_function_is_a_mind():
    asked = []

    def mind(messages, schema, who, purpose, tools):
        asked.append((who, purpose, messages[-1]["role"]))
        return "Good evening." if schema is None else filled(schema, schema)

    story = playhouse.Story(WORLD, mind=mind, seed=1)
    story.run(until=2)
    assert {who for who, *_ in asked} == {call.who for call in story.calls()}
    assert all(call.provider == "python" and call.model == "mind" for call in story.calls())
    assert "Good evening." in [call.answer for call in story.calls()]


@pytest.mark.parametrize("width", [1, 4])
def test_functions_and_coroutines_give_the_same_story(width):
    async def coroutine(messages, schema):
        await asyncio.sleep(0)
        return constant()(messages, schema)

    stories = [
        playhouse.Story(WORLD, mind=mind, seed=3, width=width) for mind in (constant(), coroutine)
    ]
    for story in stories:
        story.run(until=2)
    assert stories[0].events() == stories[1].events()


def test_minds_of_single_characters():
    names = [person.name for person in playhouse.Story(WORLD).people() if person.kind == "actor"]
    story = playhouse.Story(WORLD, seed=2, minds={names[0]: constant()})
    story.run(until=2)
    by = {call.who: call.provider for call in story.calls()}
    assert by.pop(names[0]) == "python"
    assert set(by.values()) == {"improviser"}


def test_minds_and_tools_of_nobody_are_refused(tmp_path):
    for wrong in ({"minds": {"Nobody": "improviser"}}, {"tools": {"Nobody": [len_of]}}):
        with pytest.raises(playhouse.WorldError, match="Nobody"):
            playhouse.Story(WORLD, save=tmp_path / "s", **wrong)
    assert not (tmp_path / "s").exists()


def len_of(text: str) -> int:
    """How long a text is."""
    return len(text)


def test_what_a_mind_raises_stops_the_run_and_the_next_goes_on():
    calls = []

    def mind(messages, schema):
        calls.append(messages)
        if len(calls) == 5:
            raise LookupError("no more credit")
        return constant()(messages, schema)

    story = playhouse.Story(WORLD, mind=mind, seed=3)
    with pytest.raises(LookupError, match="no more credit"):
        story.run(until=3)
    answered = len(story.calls())
    assert story.run(until=3).reason == "turn"
    plain = playhouse.Story(WORLD, mind=constant(), seed=3)
    plain.run(until=3)
    assert story.events() == plain.events()
    assert answered < len(story.calls()) == len(plain.calls())


def test_coroutines_may_raise_too():
    async def mind(messages):
        raise LookupError("no more credit")

    with pytest.raises(LookupError, match="no more credit"):
        playhouse.Story(WORLD, mind=mind).run(until=2)


def test_a_mind_that_returns_nonsense_is_named():
    with pytest.raises(TypeError, match="returned object"):
        playhouse.Story(WORLD, mind=lambda messages: object()).run(until=1)
    with pytest.raises(playhouse.MindError):
        playhouse.Story(WORLD, mind=lambda messages: "no JSON at all").run(until=9)
    with pytest.raises(TypeError, match="a mind is a function"):
        playhouse.Story(WORLD, mind=7)


def test_ctrl_c_stops_a_run():
    async def slow(messages):
        await asyncio.sleep(60)

    story = playhouse.Story(WORLD, mind=slow)
    # Python does not set it where the signal is ignored, as in the background of a shell.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        story.run()
    assert time.monotonic() - begun < 10
    assert story.calls() == []


def test_progress_and_conditions():
    told = []
    story = playhouse.Story(WORLD, seed=1)
    stop = story.run(until=lambda story: len(story.calls()) > 10, progress=told.append)
    assert stop.reason == "turn" and len(story.calls()) > 10
    assert told[-1].turn == story.turn
    assert story.run(max_calls=1).reason == "limit"


def test_branches_have_one_past(story):
    same = story.branch(2)
    same.run(until=4)
    assert same.events() == story.events()
    other = story.branch(2, seed=99)
    assert other.turn == 2
    other.run(until=4)
    shared = [event for event in story.events() if event.turn <= 2]
    assert other.events()[: len(shared)] == shared
    assert other.events() != story.events()
    mine = story.branch(2, constant())
    mine.run(until=3)
    assert mine.calls()[-1].provider == "python"
    with pytest.raises(playhouse.SaveError, match="99"):
        story.branch(99)


def test_saves_are_opened_and_continued(story, tmp_path):
    story.save(tmp_path / "mine")
    opened = playhouse.Story.open(tmp_path / "mine")
    assert opened.events() == story.events()
    assert opened.seed == 7 and opened.title == story.title
    opened.run(until=6)
    played = playhouse.Story(WORLD, seed=7, save=tmp_path / "other")
    played.run(until=6)
    assert opened.events() == played.events()
    with pytest.raises(playhouse.SaveError):
        story.save(tmp_path / "mine")
    del opened
    story.save(tmp_path / "mine", replace=True)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "journal.jsonl").write_text("{")
    with pytest.raises(playhouse.SaveError):
        playhouse.Story.open(tmp_path / "broken")
    with pytest.raises(playhouse.SaveError):
        playhouse.Story.open(tmp_path / "missing")


def test_worlds_that_are_none(tmp_path):
    assert WORLD in playhouse.worlds()
    with pytest.raises(playhouse.WorldError, match=WORLD):
        playhouse.Story("no-such-world")
    (tmp_path / "world.ron").write_text("(title: 7)")
    with pytest.raises(playhouse.WorldError, match="world.ron"):
        playhouse.Story(tmp_path)
    with pytest.raises(playhouse.MindError, match="gpt-99"):
        playhouse.Story(WORLD, mind="gpt-99")


def test_stories_run_in_threads():
    def play(seed):
        stories[seed].run(until=3)

    stories = [playhouse.Story(WORLD, mind=constant(), seed=seed) for seed in range(6)]
    threads = [threading.Thread(target=play, args=[seed]) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(story.turn == 3 for story in stories)


def test_one_story_is_played_by_one_thread():
    story = None

    def mind(messages):
        with pytest.raises(playhouse.Error, match="being played"):
            story.run()
        raise LookupError(len(story.events()))

    story = playhouse.Story(WORLD, mind=mind)
    with pytest.raises(LookupError):
        story.run(until=1)


def test_in_a_loop():
    story = playhouse.Story(WORLD, seed=1)
    assert asyncio.run(story.run_async(until=1)).turn == 1


def test_tools_are_functions_with_annotations():
    rolled = []

    def tide(harbour: str, hour: int = 12) -> dict:
        """Says how high the water stands."""
        rolled.append((harbour, hour))
        return {"metres": 3.5}

    def mind(messages, schema, who, tools):
        if tools and messages[-1]["role"] != "tool" and not rolled:
            (tool,) = [tool for tool in tools if tool["name"] == "tide"]
            assert tool["parameters"]["required"] == ["harbour"]
            return playhouse.Call("tide", {"harbour": "Whitby"})
        if messages[-1]["role"] == "tool":
            assert '"metres": 3.5' in messages[-1]["content"]
        return constant()(messages, schema)

    story = playhouse.Story(WORLD, mind=mind, seed=1, tools=[tide])
    story.run(until=2)
    assert set(rolled) == {("Whitby", 12)}
    assert any(call.tool_rounds for call in story.calls())


def test_usage_is_counted():
    def mind(messages, schema):
        return playhouse.Answer(constant()(messages, schema), usage=(1000, 7), thinking="Hm.")

    story = playhouse.Story(WORLD, mind=mind, seed=1)
    story.run(until=1)
    assert {call.prompt_tokens for call in story.calls()} == {1000}


def test_rehearsals():
    figures = playhouse.rehearse(WORLD, runs=4)
    assert figures.runs + len(figures.failed) == 4
    assert len(figures.runs_table) == 4


def test_undercover():
    game = playhouse.Undercover(["Ann", "Bo", "Cy", "Di"], seed=5, words=("cat", "tiger"))
    assert game.run().reason == "finished"
    assert game.is_over and game.winner in ("civilian", "undercover")
    assert game.table("votes")
    with pytest.raises(playhouse.WorldError):
        playhouse.Undercover(["Ann"])


def test_data_frames(story):
    pandas = pytest.importorskip("pandas")
    frame = story.events().to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(story.events())
