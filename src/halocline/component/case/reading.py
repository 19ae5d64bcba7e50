"""Reading case files: one TOML file says everything about a run, as typed options.

A case is complete: the same file and the same data give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.case.registry import component_case, default_component
from halocline.component.case.shipped import find_case
from halocline.component.case.tables import loads, plain_dates, put, read_setting
from halocline.core.errors import UserError


def read_case(name: str | Path, settings: Iterable[str] = ()) -> Case:
    """Read a case file, a folder with one, or a shipped case; `settings` are texts "key=value".

    >>> read_case("global-waves", ["time.length=6h"]).time.length
    '6h'
    """
    path, table = read_table(name, settings)
    try:
        return make_case(table)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def read_table(name: str | Path, settings: Iterable[str] = ()) -> tuple[Path, dict[str, Any]]:
    """Path and nested tables of a case file, changed by `settings`."""
    path = find_case(str(name))
    try:
        table = loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"Cannot read '{path}': {error.strerror}.") from None
    except ValueError as error:
        raise UserError(f"'{path}' is no valid TOML: {error}") from None
    for setting in settings:
        put(table, *read_setting(setting))
    table.setdefault("data_folder", str(path.parent.resolve()))
    return path, table


def make_case(table: Mapping[str, Any]) -> Case:
    """A case from nested tables, of the component that it names; no other is imported.

    A case that names none is one of the registry's first.
    """
    if "members" in table:
        names = ", ".join(map(str, table["members"]))
        raise UserError(f"A case of one component is needed, and this one has members ({names}).")
    kind = component_case(table["component"] if "component" in table else default_component())
    try:
        return kind.from_table(plain_dates(table))
    except RecursionError:
        raise UserError("Its tables or lists are nested too deeply.") from None
