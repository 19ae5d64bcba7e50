"""The CPMIP sheet: known numbers where a record tells them, and reasons where it does not."""

import pytest

from halocline_lab.diagnosis.cpmip import cpmip_sheet
from records.small import Events


def sheet(**about):
    found = Events(2, about)
    for rank in range(2):
        found.add(rank, 0, 800_000, "step", "phase")
        found.add(rank, 800_000, 1_000_000, "maps", "output")
    record = found.record()
    record.ranks["threads"] = 3
    if "peak" in about:
        record.ranks["peak_memory"] = about["peak"]
    return {one.name: one for one in cpmip_sheet(record)}


def test_a_run_of_one_second():
    """Ten simulated days in 1 s on 6 cores."""
    found = sheet(
        simulated_seconds=10 * 86400.0,
        joules=500.0,
        output_bytes=3e9,
        state_bytes=1e6,
        points=5451,
        peak=4_000_000,
        calendar_seconds=4.0,
    )
    assert found["SYPD"].value == pytest.approx(10 / 365 * 86400)
    assert found["ASYPD"].value == pytest.approx(10 / 365 * 86400 / 4)
    assert found["CHSY"].value == pytest.approx(6 / 3600 / (10 / 365))
    assert found["in a core hour"].value == pytest.approx(10 * 24 / 6 * 3600 / 0.8)
    assert found["JPSY"].value == pytest.approx(500 / (10 / 365))
    assert found["output cost"].value == pytest.approx(1.25)
    assert found["data intensity"].value == pytest.approx(3 / (6 / 3600))
    assert found["memory bloat"].value == pytest.approx(8.0)
    assert found["parallelisation"].value == 6
    assert found["resolution"].value == 5451


def test_what_is_not_known_has_a_reason():
    found = sheet()
    for name in (
        "SYPD",
        "ASYPD",
        "CHSY",
        "in a core hour",
        "JPSY",
        "memory bloat",
        "coupling cost",
        "complexity",
    ):
        assert found[name].value is None
        assert found[name].words().startswith("unknown, because ")
