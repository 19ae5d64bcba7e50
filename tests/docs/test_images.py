"""Pictures of the pages exist and are small enough for the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

root = Path(__file__).parents[2]
pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
shown = [
    (page, name)
    for page in pages
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("page", "name"), shown, ids=lambda value: str(value).split("/")[-1])
def test_picture_is_there_and_small(page: Path, name: str) -> None:
    file = page.parent / name
    assert file.is_file()
    assert file.stat().st_size < 300_000


def test_every_picture_is_shown() -> None:
    kept = {file.name for file in (root / "docs" / "images").iterdir()}
    assert kept == {Path(name).name for _, name in shown}
