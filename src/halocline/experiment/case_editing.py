"""Changing options in a case file, which keeps its comments and its order."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halocline.component.case.shipped import case_folder
from halocline.component.case.tables import put
from halocline.core.errors import UserError
from halocline.experiment.manual import toml


def write_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Put options, by dotted names, into a case file; nothing else in it changes.

    The new text is read back and compared before it is written.
    """
    if case_folder().resolve() in path.resolve().parents:
        raise UserError(
            f"'{path}' is a shipped case, which stays as it is. Make a copy with 'halocline new',"
            " or use the settings on the command line."
        )
    old = path.read_text(encoding="utf-8")
    new = edited(old, settings)
    wanted = tomllib.loads(old)
    for name, value in settings.items():
        put(wanted, name, value)
    try:
        right = tomllib.loads(new) == wanted
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise UserError(
            f"'{path}' is written in a way that cannot be changed without losing something (tables"
            f" in one line or dotted keys?). Put in by hand: {setting_words(settings)}"
        )
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(new, encoding="utf-8")
    beside.replace(path)


def setting_words(settings: Mapping[str, Any]) -> str:
    """Settings as arguments of the command line.

    >>> setting_words({"decomposition.kind": "curve", "decomposition.rows": 2})
    '--set decomposition.kind=curve --set decomposition.rows=2'
    """
    return " ".join(f"--set {name}={value}" for name, value in settings.items())


def edited(text: str, settings: Mapping[str, Any]) -> str:
    """The text of a case file with other values of options in tables of one name.

    >>> print(edited("[a]  # first\\nx = 1  # old\\n", {"a.x": 2, "b.y": "z"}))
    [a]  # first
    x = 2  # old
    <BLANKLINE>
    [b]
    y = "z"
    <BLANKLINE>
    """
    lines = text.splitlines()
    for name, value in settings.items():
        table, _, key = name.rpartition(".")
        begin, end = _table(lines, table)
        if begin is None:
            lines += ["", f"[{table}]", f"{key} = {toml(value)}"]
            continue
        for at in range(begin, end):
            found = re.match(
                rf"(\s*{re.escape(key)}\s*=\s*)([^#\"']+|\"[^\"]*\"|'[^']*')(.*)$", lines[at]
            )
            if found:
                gap = found[2][len(found[2].rstrip()) :]
                lines[at] = f"{found[1]}{toml(value)}{gap}{found[3]}"
                break
        else:
            last = max((n for n in range(begin, end) if lines[n].strip()), default=begin - 1)
            lines.insert(last + 1, f"{key} = {toml(value)}")
    return "\n".join(lines) + "\n"


def _table(lines: list[str], name: str) -> tuple[int | None, int]:
    """First line after the header of a table, and the line at which it ends."""
    begin = None
    for at, line in enumerate(lines):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$", line)
        if header and begin is not None:
            return begin, at
        if header and header[1] == name:
            begin = at + 1
    return begin, len(lines)
