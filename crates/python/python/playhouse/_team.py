"""Teams that talk about tasks."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from . import _minds, _playhouse
from ._messages import Record, Records
from ._minds import Mind, Tools


@dataclasses.dataclass(frozen=True)
class TaskResult:
    """What a team said about a task."""

    messages: Records
    """Messages and events in order, as AutoGen writes them: ``source``, ``type``, ``content``."""
    stop_reason: str | None


class Team:
    """A team: the name of one that comes with Playhouse (``"en/coordinator"``), the path of a team
    file, or its members as an object, such as::

        {"name": "school", "participants": [{"name": "planner"}, {"name": "reviewer"}],
         "selection": "RoundRobin", "max_turns": 4}

    ``mind`` answers for everybody, ``minds`` for single participants. A participant may call the
    ``tools`` that its file names.
    """

    def __init__(
        self,
        members: str | os.PathLike[str] | Mapping[str, Any],
        mind: Mind = "improviser",
        *,
        seed: int = 1,
        minds: Mapping[str, Mind] | None = None,
        tools: Tools | None = None,
        width: int | None = None,
        models: str | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> None:
        source = members if isinstance(members, Mapping) else os.fspath(members)
        given = _minds.given(mind, minds, width, models)
        self._team = _playhouse.Team(source, seed, given, _minds.tools(tools), data)

    def run(self, task: str) -> TaskResult:
        """Runs a task to its end. A later task continues the conversation."""
        messages, reason = self._team.run(task)
        return TaskResult(Records(Record(message) for message in messages), reason)

    def context(self, name: str) -> list[dict[str, Any]]:
        """What a participant remembers, as messages."""
        messages = self._team.context(name)
        if messages is None:
            raise KeyError(f"there is nobody named {name}")
        return messages

    def save_state(self) -> dict[str, Any]:
        """The state of the conversation, in AutoGen's form."""
        return self._team.save_state()

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Continues from a state of the same participants."""
        self._team.load_state(state)

    def reset(self) -> None:
        """Makes everybody forget the conversation."""
        self._team.reset()
