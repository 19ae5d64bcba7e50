"""What recording costs is read from the record itself."""

import pytest

from halocline_lab.benchmarks import recorder, recorder_run


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setitem(recorder.lengths, "swell", "6h")


def test_a_run_tells_what_recording_took(short):
    (row,) = recorder.measure([1], ["swell"])
    assert set(row) == set(recorder.keys)
    assert row["steps"] == 6 and row["calls_per_step"] >= 3
    assert 0.0 < row["recording_seconds"] < 1.0
    assert row["overhead"] == pytest.approx(
        row["recording_seconds"] / (row["steps"] * row["step_seconds"])
    )
    assert "swell" in recorder.table([row])


def test_the_program_answers_on_this_rank():
    found = recorder_run.answer({"case": "swell", "length": "3h"})
    assert found["steps"] == 3 and found["bytes"] > 1000
