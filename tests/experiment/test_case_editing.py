"""Settings put into a case file leave all else as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from halocline.component.case.shipped import case_folder
from halocline.core.errors import UserError
from halocline.experiment.case_editing import write_settings

TEXT = """\
# A case.
title = "cut # here"   # kept

[decomposition] # how
blocks_per_rank = 2  # two
# kind = "curve"
kind = 'cards'

[time]
length = "1h"
"""


def test_values_change_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(TEXT)
    changes = {
        "decomposition.kind": "blocks",
        "decomposition.blocks_per_rank": 16,
        "decomposition.rows": 4,
        "transport.tile_bytes": 640,
    }
    write_settings(path, changes)
    expected = TEXT.replace("'cards'", '"blocks"\nrows = 4').replace("= 2  #", "= 16  #")
    assert path.read_text() == f"{expected}\n[transport]\ntile_bytes = 640\n"
    table = tomllib.loads(path.read_text())
    assert table["decomposition"] == {"kind": "blocks", "blocks_per_rank": 16, "rows": 4}
    assert [p.name for p in tmp_path.iterdir()] == ["case.toml"]


@pytest.mark.parametrize(
    "text", ["decomposition = {kind = 'cards'}\n", "decomposition.kind = 'cards'\n"]
)
def test_what_cannot_be_changed_safely_is_left(tmp_path: Path, text: str) -> None:
    path = tmp_path / "case.toml"
    path.write_text(text)
    with pytest.raises(UserError, match="--set decomposition.kind=blocks"):
        write_settings(path, {"decomposition.kind": "blocks"})
    assert path.read_text() == text


def test_shipped_cases_stay_as_they_are() -> None:
    path = case_folder() / "swell" / "case.toml"
    before = path.read_text()
    with pytest.raises(UserError, match="halocline new"):
        write_settings(path, {"decomposition.kind": "curve"})
    assert path.read_text() == before
