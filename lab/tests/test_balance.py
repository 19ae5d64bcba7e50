"""A slow rank is told from an imbalanced decomposition, and both from steps that vary."""

import numpy as np
import pytest

from halocline.runtime.record.run_record import empty
from halocline_lab.diagnosis.advice import advise
from halocline_lab.diagnosis.balance import balance
from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.timeline import timeline
from records.simulated import Simulation, begin, compute, end, everyone
from records.simulated_faults import healthy, model, two_places, work


def balance_of(program, **about):
    return balance(match(timeline(Simulation(4, program, about=about).record())))


def seconds_of(*shares):
    return model(lambda rank, step: work * shares[rank])


def test_balanced():
    found = balance_of(healthy)
    assert found.verdict == "balanced" and found.imbalance < 0.01


def test_more_work_is_the_decomposition():
    found = balance_of(seconds_of(2, 1, 1, 1), points_of_ranks=[200, 100, 100, 100])
    assert found.verdict == "imbalanced decomposition"
    assert found.slowest == 0
    assert found.imbalance == pytest.approx(2 / 1.25 - 1, abs=0.01)
    assert found.step_imbalance == pytest.approx(found.imbalance, abs=0.01)


def test_equal_work_that_takes_longer_everywhere_is_a_slow_rank():
    program = two_places(lambda rank, part: work * (2 if rank == 2 else 1))
    found = balance_of(program, points_of_ranks=[100] * 4)
    assert (found.verdict, found.slowest) == ("slow rank", 2)
    assert found.work.seconds_per_work[2] == pytest.approx(2.0, abs=0.01)


def test_equal_points_do_not_tell_a_slow_rank_from_other_work_in_the_only_place():
    found = balance_of(seconds_of(1, 1, 2, 1), points_of_ranks=[100] * 4)
    assert found.verdict == "imbalanced, cause unknown"
    assert "nothing in the record tells a slower processor" in found.because


@pytest.mark.parametrize("about", [{}, {"points_of_ranks": [100] * 4}])
def test_what_rank_0_does_beside_is_work_of_its_own(about):
    """Reading between a gather and a sum, which MPI does not see; all else takes equally long."""

    def program(rank, size):
        for _ in range(20):
            yield begin()
            yield compute(work)
            yield everyone(100, "MPI_Gather", root=0)
            if rank == 0:
                yield compute(work, "")
            yield everyone()
            yield end()

    found = balance_of(program, **about)
    assert (found.verdict, found.slowest) == ("work of one rank", 0)
    assert "after MPI_Gather" in found.because
    record = Simulation(4, program, about=about).record()
    advice = advise(record)[0]
    assert advice.fault == "imbalanced decomposition"
    assert "node" not in " ".join([advice.what, *advice.advice])


@pytest.mark.parametrize(
    ("longer", "more", "verdict"),
    [
        ("work", 1.0, "slow rank"),
        ("work", 2.0, "imbalanced decomposition"),
        ("", 1.0, "work of one rank"),
    ],
)
@pytest.mark.parametrize("counted", [False, True])
def test_work_that_is_measured_in_kernels_tells_the_cause(longer, more, verdict, counted):
    def program(rank, size):
        for _ in range(20):
            yield begin()
            yield compute(work, "work")
            if rank == 0:
                yield compute(work, longer)
            yield everyone()
            yield end()

    record = Simulation(4, program).record()
    region = [one.name for one in record.regions].index("work")
    amount = [more, 1.0, 1.0, 1.0]
    if counted:
        record.about["counters"] = ["cycles", "instructions"]
        record.counters = empty("counters", 4)
        record.counters["counter"], record.counters["region"] = 1, region
        record.counters["rank"], record.counters["value"] = range(4), amount
    else:
        record.work = empty("work", 4)
        record.work["region"], record.work["rank"], record.work["bytes"] = region, range(4), amount
    found = balance(match(timeline(record)))
    assert found.verdict == verdict
    assert {"slow rank": "certain"}.get(verdict, advise(record)[0].sure) == advise(record)[0].sure


def test_one_rank_apart_from_equal_others_may_be_slow_or_have_more_work():
    found = balance_of(seconds_of(1, 2, 1, 1))
    assert found.verdict == "imbalanced, cause unknown"
    assert "tells more work (reading among it) from a slower processor" in found.because


def test_ranks_that_all_differ_have_no_known_cause():
    assert balance_of(seconds_of(1.0, 1.2, 1.4, 1.6)).verdict == "imbalanced, cause unknown"


def test_work_known_from_what_ranks_contribute():
    def program(rank, size):
        yield everyone((3000, 1000, 1000, 1000)[rank], "MPI_Gatherv", root=0)
        yield from seconds_of(3, 1, 1, 1)(rank, size)

    found = balance_of(program)
    assert found.verdict == "imbalanced decomposition"
    assert found.work.amount == [3000.0, 1000.0, 1000.0, 1000.0]


def test_each_step_another_rank():
    found = balance_of(model(lambda rank, step: work * (1 + (rank == step % 4))))
    assert found.verdict == "varying steps"
    assert found.step_imbalance == pytest.approx(2 / 1.25 - 1, abs=0.02)


def test_waiting_at_collectives_is_mpi_sync():
    def program(rank, size):
        yield compute(work * (1 + rank))
        yield everyone()

    found = balance_of(program)
    assert found.mpi_sync.maximum == pytest.approx(3 * work, rel=0.01)
    assert found.mpi_sync.mean == pytest.approx(1.5 * work, rel=0.01)
    assert found.user.maximum == pytest.approx(4 * work, rel=0.01)
    assert found.mpi.maximum < 0.1 * work
    assert np.isclose(found.user.mean + found.mpi.mean + found.mpi_sync.mean, 4 * work, rtol=0.01)
