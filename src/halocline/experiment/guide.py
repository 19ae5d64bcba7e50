"""The option guide docs/options.md, made from the options themselves.

`python -m halocline.experiment.guide docs/options.md` writes it; a test compares.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from halocline.experiment.manual import ManualEntry, ManualTable, all_tables, toml

HEADING = """\
# Options of case files

Every option of a case file, with its default, units, bounds and source. This page is made from the
code: `python -m halocline.experiment.guide docs/options.md`. On the command line,
`halocline explain TABLE` and `halocline explain TABLE.OPTION` tell the same, and
`halocline run CASE --set TABLE.OPTION=VALUE` changes a value for one run. A table called `NAME` may
stand in a case file many times, under names of your own.
"""


def page() -> str:
    """The whole page, as Markdown."""
    sections = [_section(table) for table in all_tables(only_ours=True) if table.entries]
    return "\n".join([HEADING, *sections])


def _section(table: ManualTable) -> str:
    name = f"`[{table.name}]`" if table.name else "Above all tables"
    rows = [
        "| option | default | units | allowed | meaning |",
        "|---|---|---|---|---|",
        *(_row(entry) for entry in table.entries),
    ]
    return "\n".join([f"## {name}", "", table.meaning, "", *rows, ""])


def _row(entry: ManualEntry) -> str:
    given = entry.default is not dataclasses.MISSING
    units = str(entry.facts.get("units", ""))
    source = f" *Source: {entry.facts['source']}.*" if entry.facts.get("source") else ""
    cells = (
        f"`{entry.name.rpartition('.')[2]}`",
        f"`{toml(entry.default)}`" if given else "must be given",
        "" if units == "1" else units,
        _allowed(entry),
        f"{entry.facts.get('meaning', '')}{source}".replace("|", "\\|"),
    )
    return f"| {' | '.join(cells)} |"


def _allowed(entry: ManualEntry) -> str:
    if entry.facts.get("choices"):
        return ", ".join(f"`{toml(choice)}`" for choice in entry.facts["choices"])
    low, high = entry.facts.get("at_least"), entry.facts.get("at_most")
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    if high is not None:
        return f"at most {high:g}"
    return entry.kind


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
