"""The option guide holds every option and is the one that the code gives."""

from __future__ import annotations

from pathlib import Path

from halocline.experiment.guide import page
from halocline.experiment.manual import all_tables

COMMITTED = Path(__file__).parents[2] / "docs" / "options.md"


def test_every_option_has_its_row() -> None:
    text = page()
    for table in all_tables():
        section = text.split(f"## `[{table.name}]`\n")[-1].split("\n## ")[0] if table.name else text
        for entry in table.entries:
            name = entry.name.rpartition(".")[2]
            rows = [line for line in section.splitlines() if line.startswith(f"| `{name}` |")]
            assert len(rows) >= 1, entry.name
            assert str(entry.facts["meaning"]).replace("|", "\\|") in "".join(rows)


def test_bounds_units_and_choices_are_told() -> None:
    text = page()
    row = next(line for line in text.splitlines() if line.startswith("| `first_frequency` |"))
    assert "`0.0418`" in row and "| Hz |" in row and "at least" in row
    assert '`"float32"`, `"float64"`' in text


def test_every_row_has_five_cells() -> None:
    rows = [line for line in page().splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {6}


def test_the_committed_page_is_current() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == page(), (
        "docs/options.md is old. Run: python -m halocline.experiment.guide docs/options.md"
    )
