"""A slow rank is told from an imbalanced decomposition, and both from steps that vary."""

import numpy as np
import pytest

from halocline.lab.diagnosis.balance import balance
from halocline.lab.diagnosis.matching import match
from halocline.lab.diagnosis.timeline import timeline
from records.simulated import Simulation, compute, everyone
from records.simulated_faults import healthy, model, work


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


def test_equal_work_that_takes_longer_is_a_slow_rank():
    found = balance_of(seconds_of(1, 1, 2, 1), points_of_ranks=[100] * 4)
    assert (found.verdict, found.slowest) == ("slow rank", 2)
    assert found.work.seconds_per_work[2] == pytest.approx(2.0, abs=0.01)


def test_one_rank_apart_from_equal_others_is_likely_slow():
    found = balance_of(seconds_of(1, 2, 1, 1))
    assert found.verdict == "slow rank" and "not recorded" in found.because


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
