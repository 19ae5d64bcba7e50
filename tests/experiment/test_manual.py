"""The manual: every option of every case explains itself."""

from __future__ import annotations

import pytest

from halocline.core.errors import UserError
from halocline.experiment import manual
from halocline.experiment.manual import all_tables, explain
from halocline.waves.output_names import map_names


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


def test_every_option_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    known = all_tables()
    monkeypatch.setattr(manual, "all_tables", lambda: known)
    for table in known:
        assert table.meaning in explain(table.name)
        for entry in table.entries:
            assert entry.facts["meaning"] in explain(entry.name)


def test_last_word_is_enough() -> None:
    assert explain("first_frequency") == explain("spectrum.first_frequency")


@pytest.mark.parametrize(
    "key", ["output.fields.NAME.variables", "output.fields.variables", "output.fields.my.variables"]
)
def test_names_of_fields_are_listed(key: str) -> None:
    shown = explain(key)
    assert 'default  ["significant_height"]' in shown
    names = [line.split()[0] for line in shown.splitlines() if line.strip()]
    assert set(map_names) <= set(names)
    assert "significant height of wind and swell waves [m]" in shown
    assert explain("variables").count("friction velocity of the air") == 1


@pytest.mark.parametrize(
    ("others", "ours"),
    [("hs", "significant_height"), ("Tp", "peak_period"), ("fp", "peak_frequency")]
    + [("dir", "mean_direction"), ("u10", "wind_u"), ("vhm0_sw2", "swell2_height")],
)
def test_names_of_other_models_are_known(others: str, ours: str) -> None:
    first, _, told = explain(others).partition("\n\n")
    assert first == f"'{others}' is called '{ours}' here."
    assert others.lower() in told and told in explain(ours)


def test_last_word_of_a_table_is_enough() -> None:
    assert explain("air_sea") == explain("forcing.air_sea")


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("spectum", "spectrum"),
        ("peak_perod", "peak_period"),
        ("spectrum.directons", "spectrum.directions"),
        ("tme", "time"),
    ],
)
def test_misspelt_key_is_refused_with_the_nearest(key: str, nearest: str) -> None:
    with pytest.raises(UserError, match=f"Did you mean '{nearest}'"):
        explain(key)
