"""Typed options that explain themselves: value, unit, meaning, bounds and source."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

from halocline.core.errors import UserError, nearest

greatest = 1e18
"""No option is a number greater than this; larger ones end in overflow somewhere."""


def option(
    default: Any = dataclasses.MISSING,
    units: str = "",
    meaning: str = "",
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    choices: tuple[str, ...] = (),
    source: str = "",
    more: Callable[[], str] | None = None,
) -> Any:
    """Declare one option of an `Options` class.

    `default` may be left out for options that a case must give; a mutable default is copied.
    `units` is empty for texts and switches and "1" for pure numbers. `more` gives what the manual
    says below all that.
    """
    facts = {
        "units": units,
        "meaning": meaning,
        "at_least": at_least,
        "at_most": at_most,
        "choices": choices,
        "source": source,
        "more": more,
    }
    if isinstance(default, list | dict):
        return dataclasses.field(default_factory=lambda: default.copy(), metadata=facts)
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=facts)
    return dataclasses.field(default=default, metadata=facts)


def redeclared(owner: type[Options], name: str, default: Any) -> Any:
    """Declare the option `name` of `owner` again, for a class of its kind with another default."""
    facts = {field.name: field.metadata for field in dataclasses.fields(owner)}[name]
    return dataclasses.field(default=default, metadata=facts)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """Base of all options classes: checks values, reads itself from a table of a case file.

    >>> @dataclasses.dataclass(frozen=True, kw_only=True)
    ... class Friction(Options):
    ...     '''Bottom friction.'''
    ...     strength: float = option(0.067, "m2 s-3", "coefficient", at_least=0)
    >>> Friction.from_table({"strength": 0.038}, "waves.friction").strength
    0.038
    >>> Friction.from_table({"strengths": 1}, "friction")
    Traceback (most recent call last):
    halocline.core.errors.UserError: Unknown option 'friction.strengths'. Did you mean 'strength'?
    """

    moved: ClassVar[Mapping[str, str]] = {}
    """Full new names of options that stood here, by their old names."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check(field, getattr(self, field.name), type(self).__name__)

    @classmethod
    def from_table(cls, table: Mapping[str, Any], where: str = "") -> Self:
        """Build from a table of a case file; `where` is its dotted path, for messages."""
        hints = typing.get_type_hints(cls)
        known = {field.name: field for field in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in known:
                name = f"{where}.{key}" if where else key
                if key in cls.moved:
                    raise UserError(f"The option '{name}' is '{cls.moved[key]}' now. Rename it.")
                raise UserError(f"Unknown option '{name}'.{nearest(key, known)}")
            path = f"{where}.{key}" if where else key
            values[key] = _convert(hints[key], value, path)
        for name, field in known.items():
            required = (
                field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING
            )
            if required and name not in values:
                meaning = field.metadata.get("meaning", "")
                path = f"{where}.{name}" if where else name
                raise UserError(f"Option '{path}' is missing ({meaning}). Add it to the case file.")
        try:
            return cls(**values)
        except UserError as error:
            raise UserError(f"In [{where}]: {error}") if where else error from None

    def to_table(self) -> dict[str, Any]:
        """All values, nested, as plain types; options that are None are left out."""
        return _plain(self)


def _plain(value: Any) -> Any:
    if isinstance(value, Options):
        items = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {name: item for name, item in items.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _convert(hint: Any, value: Any, path: str) -> Any:
    """Turn a TOML value into the type of `hint`, or say why it cannot be."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        kinds = typing.get_args(hint)
        if value is None and type(None) in kinds:
            return None
        failures = []
        for kind in kinds:
            if kind is type(None):
                continue
            try:
                return _convert(kind, value, path)
            except UserError as error:
                failures.append(error)
        raise failures[0]
    if isinstance(hint, type) and issubclass(hint, Options):
        if isinstance(value, hint):
            return value
        if isinstance(value, Mapping):
            return hint.from_table(value, path)
        raise UserError(
            f"'{path}' is a table of options, got {_short(value)}. Write it as [{path}]."
        )
    if origin in (list, tuple):
        if not isinstance(value, list | tuple):
            raise UserError(f"'{path}' is a list, got {_short(value)}. Write [ ... ].")
        kinds = typing.get_args(hint)
        if origin is tuple and not (len(kinds) == 2 and kinds[1] is Ellipsis):
            if len(kinds) != len(value):
                raise UserError(f"'{path}' needs {len(kinds)} values, got {_short(value)}.")
            return tuple(_convert(k, v, path) for k, v in zip(kinds, value, strict=True))
        return origin(_convert(kinds[0], item, f"{path}[{at}]") for at, item in enumerate(value))
    if origin in (dict, Mapping):
        kind = typing.get_args(hint)[1]
        if not isinstance(value, Mapping):
            raise UserError(f"'{path}' is a table, got {_short(value)}. Write it as [{path}].")
        return {key: _convert(kind, item, f"{path}.{key}") for key, item in value.items()}
    if hint is Any:
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) <= greatest else math.inf
    if isinstance(value, bool) is not (hint is bool) or not isinstance(value, hint):
        words = {
            float: "a number",
            int: "a whole number",
            str: "a text",
            bool: "true or false",
        }
        raise UserError(f"'{path}' is {words.get(hint, hint)}, got {_short(value)}.")
    return value


def _numbers(value: Any) -> Iterator[int | float]:
    """All numbers in a value, in lists and tables too."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _short(value: Any) -> str:
    """A value as a message shows it: cut where it is long."""
    try:
        words = repr(value)
    except ValueError:  # Python writes no more than some thousand digits
        words = "a number of very many digits"
    return words if len(words) <= 80 else f"{words[:77]}..."


def _check(field: dataclasses.Field[Any], value: Any, owner: str) -> None:
    facts = field.metadata
    units = facts.get("units", "")
    units = f" {units}" if units not in ("", "1") else ""
    if facts.get("choices") and value is not None and value not in facts["choices"]:
        choices = ", ".join(facts["choices"])
        hint = nearest(str(value), facts["choices"])
        raise UserError(f"{field.name} = {_short(value)} is not one of: {choices}.{hint}")
    for item in _numbers(value):
        if not abs(item) <= greatest:
            raise UserError(f"{field.name} = {_short(item)} is no number that can be used here.")
        low, high = facts.get("at_least"), facts.get("at_most")
        if low is not None and not item >= low:
            raise UserError(
                f"{field.name} = {item}{units} is too small; it is at least {low}{units}."
            )
        if high is not None and not item <= high:
            raise UserError(
                f"{field.name} = {item}{units} is too large; it is at most {high}{units}."
            )
