"""Functions as minds and tools."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Union

from ._messages import as_text, read_answer
from ._schema import schema_of

Function = Callable[..., Any] | Callable[..., Awaitable[Any]]

Mind = Union[str, Function]
"""Who answers: the name of a model, ``"improviser"``, a function or a coroutine function.

A function gets the messages, as OpenAI's chat format has them, and the JSON schema of the answer
(``None`` if it is free text). It returns a text, an object that fits the schema, an
:class:`Answer`, or a :class:`Call` of a tool. Whoever names one of these as a further parameter
gets it, too: ``who`` (the name of the entity), ``purpose``, ``number``, ``seed``, ``language``,
``max_tokens``, ``tools``, and ``notes``, the data of the question. What it raises stops the run.
"""

EXTRAS = ("who", "purpose", "number", "seed", "language", "max_tokens", "tools", "notes")

Tools = Union[Sequence[Callable[..., Any]], Mapping[str, Sequence[Callable[..., Any]]]]
"""Functions that minds may call: those of everybody, or by the name of who may call them. Their
annotations are the schema of their arguments, their docstring says what they are for."""


@dataclasses.dataclass(eq=False)
class Asked:
    """A function that is asked, as the engine takes it."""

    function: Any
    submit: Any
    """Calls the function beside the run; without it, nothing goes on while it is called."""
    takes_schema: bool
    wants: list[str]
    name: str
    width: int
    read: Any = read_answer
    """Turns what is no text into texts, calls, thoughts and usage."""
    seconds: float = 0.0
    """What all its calls took, with what is around the function."""


@dataclasses.dataclass(eq=False)
class Tool:
    """A function that minds may call: from its arguments as JSON to a text."""

    function: Any
    name: str
    about: str
    schema: Any
    who: list[str] | None
    """Who may call it; everybody if it is ``None``."""


def given(
    mind: Mind, minds: Mapping[str, Mind] | None, width: int | None, models: str | None
) -> tuple[Any, list[tuple[str, Any]], str | None]:
    """The minds of a run, as the engine takes them."""
    single = [(name, _mind(one, width)) for name, one in (minds or {}).items()]
    return _mind(mind, width), single, models


def _mind(mind: Mind, width: int | None) -> Any:
    if isinstance(mind, str):
        return mind
    if not callable(mind):
        raise TypeError(f"a mind is a function or the name of a model, not {type(mind).__name__}")
    is_async = _is_async(mind)
    takes_schema, wants = _parameters(mind)
    name = getattr(mind, "__name__", type(mind).__name__)
    width = width or (16 if is_async else 1)
    submit = _submit if is_async else _in_thread if width > 1 else None
    return Asked(mind, submit, takes_schema, wants, name, width)


def _is_async(function: Any) -> bool:
    call = getattr(type(function), "__call__", None)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _parameters(function: Any) -> tuple[bool, list[str]]:
    """Whether a function takes the schema as its second argument, and what else it wants."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return True, []
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        wants = [name for name in EXTRAS if name != "notes"]
    else:
        wants = [one.name for one in parameters[1:] if one.name in EXTRAS]
    positional = [
        one
        for one in parameters
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.name not in EXTRAS
    ]
    takes_all = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    return takes_all or len(positional) > 1, wants


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop for all coroutines, in a thread of its own: a run may be within another loop."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="playhouse", daemon=True).start()
    return loop


def _submit(function: Any, positional: Any, named: Any, done: Any) -> None:
    def ended(task: asyncio.Task[Any]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        done(None if error else task.result(), error)

    def start() -> None:
        _loop().create_task(function(*positional, **named)).add_done_callback(ended)

    _loop().call_soon_threadsafe(start)


def _in_thread(function: Any, positional: Any, named: Any, done: Any) -> None:
    def call() -> None:
        try:
            done(function(*positional, **named), None)
        except BaseException as error:
            done(None, error)

    threading.Thread(target=call, name="playhouse", daemon=True).start()


def tools(given: Tools | None) -> list[Any]:
    """Functions as tools of the engine."""
    if isinstance(given, Mapping):
        who: dict[Callable[..., Any], list[str]] = {}
        for name, functions in given.items():
            for function in functions:
                who.setdefault(function, []).append(name)
        return [_tool(function, names) for function, names in who.items()]
    return [_tool(function, None) for function in given or ()]


def _tool(function: Callable[..., Any], who: list[str] | None) -> Any:
    schema, read = schema_of(function)

    def call(arguments: str) -> str:
        result = function(**read(arguments))
        if inspect.isawaitable(result):
            result = asyncio.run_coroutine_threadsafe(_awaited(result), _loop()).result()
        return as_text(result)

    about = inspect.getdoc(function) or function.__name__
    return Tool(call, function.__name__, about, schema, who)


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result
