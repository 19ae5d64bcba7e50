"""Nested tables of a case file: settings put into them by dotted names, dates as texts."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping
from typing import Any

from halocline.core.errors import UserError


def loads(text: str) -> dict[str, Any]:
    """The tables of a text in TOML; ValueError where it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_setting(text: str) -> tuple[str, Any]:
    """Name and value of "a.b.c=value"; the value is TOML, or else a plain text.

    >>> read_setting("time.length=5d"), read_setting("waves.steps = [1, 2]")
    (('time.length', '5d'), ('waves.steps', [1, 2]))
    """
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UserError(f"--set {text}: write it as key=value, for example time.length=6h.")
    try:
        return name.strip(), loads(f"value = {value}")["value"]
    except ValueError:
        return name.strip(), value.strip()


def put(table: dict[str, Any], name: str, value: Any) -> None:
    """Set an entry of nested tables by its dotted name."""
    *path, last = name.split(".")
    for key in path:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise UserError(f"Cannot set '{name}': '{key}' is a value, not a table.")
    table[last] = value


def plain_dates(value: Any) -> Any:
    """Dates of TOML as texts of ISO 8601."""
    if isinstance(value, Mapping):
        return {key: plain_dates(item) for key, item in value.items()}
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    return value
