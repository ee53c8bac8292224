"""What goes to minds and comes back, and what is read of stories."""

from __future__ import annotations

import dataclasses
import json
from typing import Any


class Record(dict[str, Any]):
    """A row of results: a dictionary whose members are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Records(list[Record]):
    """Rows of results, in order."""

    def to_pandas(self) -> Any:
        """The same as a data frame. It needs pandas."""
        import pandas  # type: ignore[import-untyped]

        return pandas.DataFrame.from_records(self)


@dataclasses.dataclass
class Call:
    """A tool that a mind wants to call before it answers."""

    name: str
    arguments: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Answer:
    """An answer with what a mind knows beside it.

    ``text`` may be an object, which is sent as JSON. Without ``usage`` (tokens of the prompt and of
    the answer), tokens are estimated.
    """

    text: Any = ""
    calls: list[Call] = dataclasses.field(default_factory=list)
    thinking: str | None = None
    usage: tuple[int, int] | None = None


def read_answer(
    answer: Any,
) -> tuple[str, list[tuple[str, str]], str | None, tuple[int, int] | None]:
    """What a mind returned, if it is no text."""
    if isinstance(answer, dict):
        return _encode(answer), [], None, None
    if isinstance(answer, Call):
        answer = Answer(calls=[answer])
    elif isinstance(answer, list) and answer and all(isinstance(call, Call) for call in answer):
        answer = Answer(calls=answer)
    elif not isinstance(answer, Answer):
        answer = Answer(answer)
    calls = [(call.name, json.dumps(call.arguments)) for call in answer.calls]
    return as_text(answer.text), calls, answer.thinking, answer.usage


def as_text(value: Any) -> str:
    """A text as it is, any other object as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _encode(value)


def plain(value: Any) -> Any:
    """An object as JSON has it: of a data class or of pydantic."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise TypeError(f"a mind or a tool returned {type(value).__name__}, which is no text or object")


_encode = json.JSONEncoder(ensure_ascii=False, default=plain).encode
