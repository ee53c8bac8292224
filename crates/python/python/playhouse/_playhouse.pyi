from os import PathLike
from typing import Any, TypedDict

class Error(Exception): ...
class WorldError(Error): ...
class SaveError(Error): ...
class MindError(Error): ...

class Mind:
    def __init__(
        self,
        function: Any,
        read: Any,
        submit: Any | None,
        takes_schema: bool,
        wants: list[str],
        name: str,
        width: int,
    ) -> None: ...
    @property
    def seconds(self) -> float: ...

class Tool:
    def __init__(
        self, name: str, about: str, schema: Any, function: Any, who: list[str] | None
    ) -> None: ...

class Status(TypedDict):
    turn: int
    day: int
    calls: int
    is_over: bool
    title: str
    seed: int

class Story:
    @staticmethod
    def begin(
        source: Any,
        seed: int,
        given: Any,
        tools: list[Tool],
        save: str | PathLike[str] | None,
        data: str | PathLike[str] | None,
    ) -> Story: ...
    @staticmethod
    def open(path: str | PathLike[str], given: Any, tools: list[Tool]) -> Story: ...
    def run(
        self,
        until: int | None,
        limits: tuple[int | None, int | None, float | None],
        progress: Any | None,
    ) -> tuple[str, str, int]: ...
    def table(self, name: str) -> tuple[list[str], list[list[Any]]]: ...
    def facts(self) -> list[tuple[str, str, str]]: ...
    def sources(self, name: str, fact: str) -> list[str]: ...
    def context(self, name: str) -> list[dict[str, Any]] | None: ...
    def request(self, call: int) -> list[dict[str, Any]]: ...
    def branch(
        self,
        turn: int,
        seed: int | None,
        given: Any,
        tools: list[Tool],
        save: str | PathLike[str] | None,
    ) -> Story: ...
    def save(self, path: str | PathLike[str], replace: bool) -> None: ...
    def status(self) -> Status: ...

class Team:
    def __init__(
        self,
        members: Any,
        seed: int,
        given: Any,
        tools: list[Tool],
        data: str | PathLike[str] | None,
    ) -> None: ...
    def run(self, task: str) -> tuple[list[dict[str, Any]], str | None]: ...
    def context(self, name: str) -> list[dict[str, Any]] | None: ...
    def save_state(self) -> dict[str, Any]: ...
    def load_state(self, state: Any) -> None: ...
    def reset(self) -> None: ...

def worlds(data: str | PathLike[str] | None = None) -> list[str]: ...
def rehearse(
    name: str, runs: int, seed: int, jobs: int, data: str | PathLike[str] | None
) -> dict[str, Any]: ...
