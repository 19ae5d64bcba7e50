"""The keys of `halocline lab report --json`: what each says, from the docstrings of the classes."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any, get_args, get_origin, get_type_hints

from halocline_lab.diagnosis.analysis import Analysis


def keys() -> dict[str, str]:
    """What stands behind each key that holds more than a number; "" is the whole file.

    >>> keys()["messages.matrix"]
    'Messages from rank `sender[n]` to `receiver[n]`: `count[n]`, together `bytes[n]`.'
    """
    found: dict[str, str] = {}
    _describe(Analysis, "", found)
    return found


def _describe(kind: Any, name: str, found: dict[str, str]) -> None:
    found[name] = " ".join((inspect.getdoc(kind) or "").split())
    for field, hint in get_type_hints(kind).items():
        if field not in {one.name for one in dataclasses.fields(kind)}:
            continue
        path = f"{name}.{field}" if name else field
        for inner, many in _classes(hint):
            _describe(inner, f"{path}[]" if many else path, found)


def _classes(hint: Any, many: bool = False) -> list[tuple[Any, bool]]:
    """Dataclasses within a type, and whether they come in a list."""
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return [(hint, many)]
    if get_origin(hint) is None and not isinstance(hint, types.UnionType):
        return []
    inside = many or get_origin(hint) in (list, tuple)
    return [one for part in get_args(hint) for one in _classes(part, inside)]
