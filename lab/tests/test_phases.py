"""Phases: start-up apart from the steady state, MPI within them, and how two runs compare."""

import pytest

from halocline_lab.diagnosis.phases import phase_table, ratios
from halocline_lab.diagnosis.timeline import timeline
from records.small import Events


def run(scale=1.0):
    """Reading 300 us with 60 in MPI, two steps of 100 us with 20 in MPI, output of 50 us."""
    found = Events(2)
    for rank in range(2):
        found.add(rank, 0, 300 * scale, "read", "input")
        found.add(rank, 10, 70, "MPI_Bcast", "collective", partner=0, size=8)
        for step in range(2):
            at = 300 * scale + 100 * step
            found.add(rank, at, at + 100, "step", "phase")
            found.add(rank, at + 5, at + 85, "inner", "phase")
            found.add(rank, at + 10, at + 30, "MPI_Allreduce", "collective", size=8)
        end = 300 * scale + 200
        found.add(rank, end, end + 50, "store", "output")
    return phase_table(timeline(found.record()))


def by_name(rows):
    return {row.name: row for row in rows}


def test_start_up_is_apart():
    rows = by_name(run())
    assert [row.name for row in run() if row.depth == 0] == ["start-up", "steady", "end"]
    start, steady = rows["start-up"], rows["steady"]
    assert start.total.mean == pytest.approx(300e-6)
    assert start.mpi.mean == pytest.approx(60e-6)
    assert steady.computation.mean == pytest.approx(160e-6)
    assert steady.mpi_share == pytest.approx(0.2)
    assert steady.iterations == 2
    assert sum(rows[name].share for name in ("start-up", "steady", "end")) == pytest.approx(1.0)


def test_phases_tell_their_mpi_and_depth():
    rows = by_name(run())
    assert rows["step"].mpi.mean == pytest.approx(40e-6)
    assert rows["inner"].mpi.mean == pytest.approx(40e-6)
    assert rows["inner"].total.mean == pytest.approx(160e-6)
    assert (rows["step"].depth, rows["inner"].depth) == (1, 2)
    assert rows["store"].mpi.mean == 0.0 and rows["store"].period == "end"
    assert rows["read"].computation_share == pytest.approx(0.8)


def test_scalability_coefficients():
    found = {(one.name, one.period): one for one in ratios(run(), run(2.0))}
    assert found["read", "start-up"].ratio == pytest.approx(2.0)
    assert found["read", "start-up"].inverse_percent == pytest.approx(50.0)
    assert found["step", "steady"].ratio == pytest.approx(1.0)
