"""JSON schemas of the arguments of functions."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(
    function: Callable[..., Any],
) -> tuple[dict[str, Any], Callable[[str], dict[str, Any]]]:
    """The schema of a function's arguments, and what reads them from JSON."""
    hints = typing.get_type_hints(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"the tool {function.__name__} must name its parameters")
        properties[name] = _of_type(hints.get(name, str))
        if parameter.default is parameter.empty:
            required.append(name)
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }

    def read(arguments: str) -> dict[str, Any]:
        values = json.loads(arguments or "{}")
        if not isinstance(values, dict) or not set(required) <= set(values) <= set(properties):
            raise TypeError(f"{function.__name__} takes {', '.join(properties) or 'nothing'}")
        return {name: _read(hints.get(name, str), value) for name, value in values.items()}

    return schema, read


def _of_type(hint: Any) -> dict[str, Any]:
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is typing.Annotated:
        about = next((text for text in arguments[1:] if isinstance(text, str)), None)
        return _of_type(arguments[0]) | ({"description": about} if about else {})
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of_type(one) for one in arguments]}
    if hint is type(None):
        return {"type": "null"}
    kind = origin or hint
    if isinstance(kind, type):
        if issubclass(kind, enum.Enum):
            return {"enum": [member.value for member in kind]}
        if dataclasses.is_dataclass(kind):
            return _of_fields(typing.get_type_hints(kind))
        if typing.is_typeddict(kind):
            return _of_fields(typing.get_type_hints(kind))
        if issubclass(kind, Mapping):
            return {"type": "object"}
        if issubclass(kind, Sequence):
            return {"type": "array", "items": _of_type(arguments[0]) if arguments else {}}
    return {}


def _of_fields(hints: dict[str, Any]) -> dict[str, Any]:
    properties = {name: _of_type(hint) for name, hint in hints.items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _read(hint: Any, value: Any) -> Any:
    if get_origin(hint) is typing.Annotated:
        hint = get_args(hint)[0]
    if isinstance(hint, type):
        if issubclass(hint, enum.Enum):
            return hint(value)
        if dataclasses.is_dataclass(hint) and isinstance(value, dict):
            return hint(**value)
    return value
