"""The manual of every option, made from the options themselves."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from halocline.component.case.registry import all_cases
from halocline.component.streams.describing import describe
from halocline.core.errors import UserError, nearest
from halocline.core.names import Quantity
from halocline.core.options import Options
from halocline.core.other_names import our_name
from halocline.experiment.exchange_table import ExchangeOptions
from halocline.experiment.member_options import MemberOptions
from halocline.experiment.schedule import ScheduleOptions
from halocline.link.options import LinkOptions

_words = {float: "number", int: "whole number", str: "text", bool: "true or false", list: "list"}


@dataclass(frozen=True)
class ManualEntry:
    """One option as the manual shows it."""

    name: str
    owner: type[Options]
    kind: str
    default: Any
    facts: dict[str, Any]

    def text(self) -> str:
        """All about the option, as lines."""
        units = self.facts.get("units", "")
        lines = [self.name, f"  {self.facts.get('meaning', '')}"]
        lines.append(f"  kind     {self.kind}" + (f" [{units}]" if units not in ("", "1") else ""))
        default = "must be given" if self.default is dataclasses.MISSING else toml(self.default)
        lines.append(f"  default  {default}")
        low, high = self.facts.get("at_least"), self.facts.get("at_most")
        if low is not None or high is not None:
            bounds = [f"at least {low:g}"] if low is not None else []
            bounds += [f"at most {high:g}"] if high is not None else []
            lines.append(f"  bounds   {', '.join(bounds)}")
        if self.facts.get("choices"):
            lines.append(f"  choices  {', '.join(self.facts['choices'])}")
        if self.facts.get("source"):
            lines.append(f"  source   {self.facts['source']}")
        return "\n".join(lines)

    def line(self) -> str:
        """The option in one line."""
        units = self.facts.get("units", "")
        shown = "" if self.default is dataclasses.MISSING else f" = {toml(self.default)}"
        shown += f" [{units}]" if units not in ("", "1") else ""
        return f"{self.name.rpartition('.')[2]}{shown}: {self.facts.get('meaning', '')}"


@dataclass(frozen=True)
class ManualTable:
    """One table of the case file as the manual shows it; `name` is empty for the top."""

    name: str
    owner: type[Options]
    entries: tuple[ManualEntry, ...]

    @property
    def meaning(self) -> str:
        return (self.owner.__doc__ or "").strip().splitlines()[0]

    def text(self) -> str:
        heading = f"[{self.name}] {self.meaning}" if self.name else self.meaning
        return "\n".join([heading, *(f"  {entry.line()}" for entry in self.entries)])


def toml(value: Any) -> str:
    """A value as a case file has it.

    >>> toml("a"), toml(True), toml([1.0, 2.0]), toml(None)
    ('"a"', 'true', '[1.0, 2.0]', 'not given')
    """
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(item) for item in value)}]"
    return str(value)


def tables(owner: type[Options], name: str = "") -> Iterator[ManualTable]:
    """All tables of a case file below `owner`, outermost first."""
    hints = typing.get_type_hints(owner)
    entries, inner = [], []
    for field in dataclasses.fields(owner):
        path = f"{name}.{field.name}" if name else field.name
        nested, named = _options_class(hints[field.name])
        if nested:
            inner.append((nested, f"{path}.NAME" if named else path))
            continue
        entries.append(
            ManualEntry(
                path, owner, _kind(hints[field.name]), _default(field), dict(field.metadata)
            )
        )
    yield ManualTable(name, owner, tuple(entries))
    for nested, path in inner:
        yield from tables(nested, path)


def all_tables(*, only_ours: bool = False) -> list[ManualTable]:
    """The tables of all components (of Halocline's); what they share appears once."""
    found: dict[str, ManualTable] = {}
    for case in all_cases(only_ours=only_ours).values():
        for table in tables(case):
            found.setdefault(table.name, table)
    for owner, name in (
        (MemberOptions, "members.NAME"),
        (ScheduleOptions, "schedule"),
        (ExchangeOptions, "exchanges.NAME"),
        (LinkOptions, "link"),
    ):
        found |= {table.name: table for table in tables(owner, name)}
    return list(found.values())


def all_fields() -> dict[str, Quantity]:
    """What runs of all components can write, by short name."""
    cases = all_cases().values()
    return {name: facts for case in cases for name, facts in case.exports.items()}


def explain(key: str = "") -> str:
    """The manual of one option, of a table or of a field of the output, or the list of all tables.

    >>> print(explain("time.calendar").splitlines()[1].strip())
    calendar of CF
    """
    known = all_tables()
    if not key:
        width = max(len(table.name) for table in known) + 2
        return "\n".join(
            [known[0].text(), "", "Tables (halocline explain TABLE lists the options of one):"]
            + [f"  {f'[{t.name}]':<{width}}  {t.meaning}" for t in known if t.name]
        )
    entries = [entry for table in known for entry in table.entries]
    asked = [entry for entry in entries if _is_named(entry.name, key)]
    chosen = [table for table in known if _is_named(table.name, key, beginning=True)]
    if not asked and not chosen:
        asked = [entry for entry in entries if entry.name.rpartition(".")[2] == key]
        chosen = [table for table in known if table.name.rpartition(".")[2] == key]
    more = dict.fromkeys(entry.facts["more"] for entry in asked if entry.facts["more"])
    told = [part.text() for part in asked or chosen] + [tell() for tell in more]
    fields = all_fields()
    if key in fields:
        told.append(describe(fields[key]))
    if not told and (ours := our_name(key)) in fields:
        told = [f"'{key}' is called '{ours}' here.", describe(fields[ours])]
    if not told:
        raise UserError(f"No option, table or field '{key}'.{_suggestion(key, known)}")
    return "\n\n".join(told)


def _is_named(name: str, key: str, *, beginning: bool = False) -> bool:
    """Whether a key means an option or table, or its `beginning`; words for NAME may be left out.

    >>> keys = ("output.fields.NAME.way", "output.fields.way", "output.fields.maps.way", "output")
    >>> [_is_named("output.fields.NAME.way", key) for key in keys]
    [True, True, True, False]
    """
    return bool(_pattern(name).fullmatch(key)) or (beginning and f"{name}.".startswith(f"{key}."))


@functools.cache  # `re` keeps fewer patterns than there are options
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name).replace(r"\.NAME", r"(\.[^.]+)?"))


def _suggestion(key: str, known: list[ManualTable]) -> str:
    options = [entry.name for table in known for entry in table.entries]
    names = [*options, *(table.name for table in known)]
    last_words = {name.rpartition(".")[2]: name for name in reversed(names)}
    found = nearest(key, names) or nearest(key.rpartition(".")[2], [*last_words, *all_fields()])
    return found or " 'halocline explain' lists the tables."


def _options_class(hint: Any) -> tuple[type[Options] | None, bool]:
    """The options class behind a type, and whether it stands in a dictionary of names."""
    for kind in _alternatives(hint):
        if isinstance(kind, type) and issubclass(kind, Options):
            return kind, False
        arguments = typing.get_args(kind)
        if typing.get_origin(kind) in (dict, Mapping) and isinstance(arguments[1], type):
            if issubclass(arguments[1], Options):
                return arguments[1], True
    return None, False


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return typing.get_args(hint)
    return (hint,)


def _kind(hint: Any) -> str:
    kinds = [kind for kind in _alternatives(hint) if kind is not type(None)]
    return " or ".join(_words.get(typing.get_origin(kind) or kind, "table") for kind in kinds)


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
