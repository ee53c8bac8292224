"""Stories: worlds and games of undercover."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from . import _minds, _playhouse
from ._messages import Record, Records
from ._minds import Mind, Tools


@dataclasses.dataclass(frozen=True)
class Stop:
    """Why a run ended."""

    reason: str
    """``finished``, ``turn`` (the one that was wanted), ``limit``, ``idle`` or ``cancelled``."""
    words: str
    """The ending, or the limit, in the engine's words."""
    turn: int
    """The last turn."""


Progress = bool | Callable[[Record], None]
"""``True`` writes a line to standard error; a function gets ``turn``, ``day`` and ``calls``."""


class Story:
    """A story in a world: the name of one that comes with Playhouse, or a folder with `world.ron`.

    ``mind`` answers for everybody, ``minds`` for single characters by name (see :data:`Mind`), and
    ``tools`` are functions that they may call. ``save`` is the folder that keeps it; without one it
    is gone with this object, unless :meth:`save` copies it. ``models`` is a file of further models,
    ``data`` a data folder. ``width`` is how many calls of a function run at a time: by default one,
    and 16 of a coroutine function.

    The same world, seed and answers give the same story.
    """

    _story: _playhouse.Story

    def __init__(
        self,
        world: str | os.PathLike[str] | dict[str, Any],
        mind: Mind = "improviser",
        *,
        seed: int | None = None,
        minds: Mapping[str, Mind] | None = None,
        tools: Tools | None = None,
        save: str | os.PathLike[str] | None = None,
        width: int | None = None,
        models: str | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> None:
        self._given = (_minds.given(mind, minds, width, models), _minds.tools(tools))
        seed = random.getrandbits(63) if seed is None else seed
        source = world if isinstance(world, dict) else os.fspath(world)
        self._story = _playhouse.Story.begin(source, seed, *self._given, save, data)

    @classmethod
    def open(
        cls,
        save: str | os.PathLike[str],
        mind: Mind = "improviser",
        *,
        minds: Mapping[str, Mind] | None = None,
        tools: Tools | None = None,
        width: int | None = None,
        models: str | None = None,
    ) -> Self:
        """A story that was saved by :meth:`save` or by the program, to read it and to go on."""
        given = (_minds.given(mind, minds, width, models), _minds.tools(tools))
        return cls._of(_playhouse.Story.open(save, *given), given)

    @classmethod
    def _of(cls, story: Any, given: Any) -> Self:
        opened = cls.__new__(cls)
        opened._story, opened._given = story, given
        return opened

    def run(
        self,
        until: int | Callable[[Self], bool] | None = None,
        *,
        progress: Progress = False,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
    ) -> Stop:
        """Plays on until a turn, until a function of the story returns true after a turn, or to the
        end.

        Ctrl-C stops it with ``KeyboardInterrupt``, and so does an exception of a mind; whatever was
        answered stays, and the next run goes on from there. Other threads may read the story
        meanwhile, or play others: the interpreter is free while the engine works.
        """
        limits = (max_calls, max_tokens, max_cost)
        told = self._told(progress)
        try:
            if not callable(until):
                return Stop(*self._story.run(until, limits, told))
            while True:
                stop = Stop(*self._story.run(self.turn + 1, limits, told))
                if stop.reason != "turn" or until(self):
                    return stop
        finally:
            if told:
                told()
            if progress is True:
                print(file=sys.stderr)

    def _told(self, progress: Progress) -> Callable[[], None] | None:
        if not progress:
            return None
        tell = _write_progress if progress is True else progress
        return lambda: tell(self._progress())

    def _progress(self) -> Record:
        status = self._story.status()
        return Record(turn=status["turn"], day=status["day"], calls=status["calls"])

    async def run_async(self, until: int | None = None, **limits: Any) -> Stop:
        """As :meth:`run`, in a thread, for those who are in a loop, such as notebooks."""
        return await asyncio.to_thread(functools.partial(self.run, until, **limits))

    @property
    def turn(self) -> int:
        """The last turn that was played."""
        turn: int = self._story.status()["turn"]
        return turn

    @property
    def day(self) -> int:
        """The day of the story."""
        day: int = self._story.status()["day"]
        return day

    @property
    def is_over(self) -> bool:
        """Whether it has come to an ending."""
        return bool(self._story.status()["is_over"])

    @property
    def title(self) -> str:
        """The title of its world."""
        return str(self._story.status()["title"])

    @property
    def seed(self) -> int:
        """The seed with which it began."""
        seed: int = self._story.status()["seed"]
        return seed

    @property
    def ending(self) -> str | None:
        """The id of the ending that was reached, or the side that won."""
        ending: str | None = self.table("stories")[0]["ending"]
        return ending

    def table(self, name: str) -> Records:
        """A table of the story: ``stories``, ``events``, ``audience``, ``calls``, ``choices``,
        ``votes``, ``knowledge`` or ``people``. ``docs/data.md`` explains their columns."""
        columns, rows = self._story.table(name)
        return Records(Record(zip(columns, row)) for row in rows)

    def events(self) -> Records:
        """What happened, in order; ``data`` has all that is known of each event."""
        events = self.table("events")
        for event in events:
            event["data"] = json.loads(event["data"])
        return events

    def calls(self) -> Records:
        """What minds were asked and what they answered, in order."""
        return self.table("calls")

    def people(self) -> Records:
        """Everybody and every place."""
        return self.table("people")

    def facts(self) -> Records:
        """All facts of the world: ``id``, ``title`` and ``text``."""
        return Records(
            Record(id=id, title=title, text=text) for id, title, text in self._story.facts()
        )

    def who(self, fact: str) -> Records:
        """Who knows a fact, named by its id or title; since when, and ``sources``: from whom, back
        to the first."""
        ids = {known.id for known in self.facts() if fact in (known.id, known.title)}
        if not ids:
            raise KeyError(f"there is no fact {fact}")
        return self._known(lambda row: row.fact in ids)

    def knows(self, name: str) -> Records:
        """The facts that somebody knows, as :meth:`who` has them."""
        self.context(name)
        return self._known(lambda row: row.who == name)

    def _known(self, is_wanted: Callable[[Record], bool]) -> Records:
        texts = {fact.id: fact.text for fact in self.facts()}
        rows = Records(filter(is_wanted, self.table("knowledge")))
        for row in rows:
            row["text"] = texts.get(row.fact)
            row["sources"] = self._story.sources(row.who, row.fact)
        return rows

    def context(self, name: str) -> list[dict[str, Any]]:
        """What somebody remembers: the messages with which the next prompt begins."""
        messages: list[dict[str, Any]] | None = self._story.context(name)
        if messages is None:
            names = ", ".join(person.name for person in self.people())
            raise KeyError(f"there is nobody named {name}; there are {names}")
        return messages

    def request(self, call: int | Mapping[str, Any]) -> Records:
        """The requests that led to the answer of a call, which is a row of :meth:`calls` or its
        number. Tools and refused answers make several. ``body`` has the bytes that a model's server
        was sent."""
        number = call if isinstance(call, int) else call["call"]
        members = ("who", "purpose", "attempt", "messages", "tools", "body")
        return Records(Record(zip(members, sent)) for sent in self._story.request(number))

    def branch(
        self,
        turn: int,
        mind: Mind | None = None,
        *,
        seed: int | None = None,
        minds: Mapping[str, Mind] | None = None,
        tools: Tools | None = None,
        save: str | os.PathLike[str] | None = None,
        width: int | None = None,
        models: str | None = None,
    ) -> Self:
        """Another story that has this one's past up to the end of a turn.

        Without a ``mind``, the same minds answer. With a ``seed``, whatever is random comes out
        otherwise.
        """
        given = self._given
        if mind is not None or minds:
            given = (_minds.given(mind or "improviser", minds, width, models), given[1])
        if tools is not None:
            given = (given[0], _minds.tools(tools))
        return self._of(self._story.branch(turn, seed, *given, save), given)

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Copies the story to a folder, for :meth:`open` and for the program ``playhouse``."""
        self._story.save(path, replace)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.title!r}, turn {self.turn}>"


class Undercover(Story):
    """A game of who is the undercover: most players have one word, some have a similar one, and
    nobody is told which side it is on.

    ``players`` are names, or how many. ``words`` are that of the civilians and that of the
    undercover; without them a pair of the lists that come with Playhouse is dealt.
    """

    def __init__(
        self,
        players: int | Sequence[str] = 6,
        mind: Mind = "improviser",
        *,
        seed: int | None = None,
        minds: Mapping[str, Mind] | None = None,
        tools: Tools | None = None,
        words: tuple[str, str] | None = None,
        undercover: int = 1,
        blank: int = 0,
        max_rounds: int | None = None,
        language: str = "en",
        save: str | os.PathLike[str] | None = None,
        width: int | None = None,
        models: str | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> None:
        rules: dict[str, Any] = {"undercover": undercover, "blank": blank}
        if not isinstance(players, int):
            rules["players"] = list(players)
        if max_rounds is not None:
            rules["max_rounds"] = max_rounds
        count = players if isinstance(players, int) else 3
        table = {"count": count, "language": language, "words": words, "rules": rules}
        super().__init__(
            table,
            mind,
            seed=seed,
            minds=minds,
            tools=tools,
            save=save,
            width=width,
            models=models,
            data=data,
        )

    @property
    def winner(self) -> str | None:
        """The side that won: ``civilian`` or ``undercover``."""
        return self.ending


class Rehearsal(Record):
    """How often what happened in many runs; ``playhouse rehearse --json`` explains the members."""

    @property
    def runs_table(self) -> Records:
        """The figures of each run."""
        return Records(Record(run) for run in self["each"])

    def to_pandas(self) -> Any:
        """The figures of each run as a data frame."""
        return self.runs_table.to_pandas()


def rehearse(
    world: str | os.PathLike[str],
    runs: int = 100,
    *,
    seed: int = 1,
    jobs: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Rehearsal:
    """Lets the improviser play a world many times, without a model, and counts what happens."""
    jobs = jobs or os.cpu_count() or 1
    return Rehearsal(_playhouse.rehearse(os.fspath(world), runs, seed, jobs, data))


def _write_progress(progress: Record) -> None:
    text = f"\rturn {progress.turn}, day {progress.day}, {progress.calls} calls"
    print(text, end="", file=sys.stderr, flush=True)
