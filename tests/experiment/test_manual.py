"""The manual: every option of every case explains itself."""

from __future__ import annotations

import pytest

from halocline.core.errors import UserError
from halocline.experiment.manual import all_tables, explain


def test_every_option_has_a_meaning_and_every_table_its_sentence() -> None:
    tables = all_tables()
    assert {"", "time", "grid", "spectrum", "start.gaussian"} <= {table.name for table in tables}
    for table in tables:
        assert table.meaning.endswith("."), table.name
        for entry in table.entries:
            assert entry.facts.get("meaning"), entry.name


def test_every_number_has_a_unit() -> None:
    for table in all_tables():
        for entry in table.entries:
            if "number" in entry.kind:
                assert entry.facts.get("units"), f"{entry.name} has no unit; '1' is a pure number"


def test_every_option_can_be_asked_for() -> None:
    for table in all_tables():
        assert table.meaning in explain(table.name)
        for entry in table.entries:
            assert entry.facts["meaning"] in explain(entry.name)


def test_last_word_is_enough() -> None:
    assert explain("first_frequency") == explain("spectrum.first_frequency")


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("spectum", "spectrum"), ("spectrum.directons", "spectrum.directions"), ("tme", "time")],
)
def test_misspelt_key_is_refused_with_the_nearest(key: str, nearest: str) -> None:
    with pytest.raises(UserError, match=f"Did you mean '{nearest}'"):
        explain(key)
