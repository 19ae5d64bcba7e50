"""The advice names each planted fault first, with a gain that mending has; the healthy get none."""

import numpy as np
import pytest

from halocline.runtime.record.run_record import Region
from halocline_lab.diagnosis.advice import advise
from halocline_lab.diagnosis.findings import faults
from records.simulated import Network, Simulation, begin, compute, end, everyone
from records.simulated_faults import (
    halo,
    healthy,
    many_collectives,
    model,
    planted,
    steps,
    work,
)
from records.simulated_healthy import healthy_programs


@pytest.mark.parametrize("fault", planted)
def test_a_planted_fault_is_named_first_with_its_gain(fault):
    record, faulty, mended = planted[fault]().runs()
    found = advise(record)
    assert found[0].fault == fault
    gain = found[0].gain
    assert gain.low <= faulty - mended <= gain.high
    assert gain.low <= gain.seconds <= gain.high
    assert gain.high - gain.low < faulty / 2
    assert gain.percent == pytest.approx(100 * gain.seconds / record.seconds)
    assert found[0].what and found[0].evidence and found[0].advice


@pytest.mark.parametrize(
    ("name", "root", "reading", "sure"),
    [
        ("MPI_Scatter", 0, 0.0, "certain"),
        ("MPI_Gatherv", 1, 0.0, "certain"),
        ("MPI_Scatter", 0, 1.5e-5, "likely"),
        ("MPI_Allreduce", -1, 0.0, "possible"),
    ],
)
def test_collectives_in_a_row_are_combined_as_far_as_they_are_independent(
    name, root, reading, sure
):
    record, faulty, mended = many_collectives(name, root, reading).runs()
    found = next(one for one in advise(record) if one.fault == "many small collectives")
    assert found.sure == sure
    assert f"2000 calls of {name} of 200 bytes, 100 in a row" in found.what
    assert found.gain.low <= faulty - mended <= found.gain.high


def test_collectives_with_work_between_are_no_fault():
    """A sum after each piece of work, and one in each step whatever the step's work."""

    def pieces(rank, size):
        for _ in range(300):
            yield compute(2e-5)
            yield everyone()

    def short_steps(rank, size):
        for _ in range(300):
            yield begin()
            yield compute(4e-6)
            yield everyone()
            yield end()

    for program in (pieces, short_steps):
        assert advise(Simulation(4, program).record()) == []


def test_a_barrier_before_a_sum_costs_only_itself():
    def program(rank, size):
        for _ in range(100):
            yield begin()
            yield compute(work * (1.0 + 0.5 * ((rank + size) % 2)))
            yield everyone(0, "MPI_Barrier")
            yield everyone()
            yield end()

    found = advise(Simulation(4, program).record())
    assert "barriers in every step" not in [one.fault for one in found]


def test_barriers_beside_windows_may_be_needed():
    record = planted["barriers in every step"]().runs()[0]
    record.regions.append(Region("MPI_Put", "one-sided"))
    assert advise(record)[0].sure == "possible"


def test_every_fault_is_planted():
    assert set(planted) == set(faults)


def test_members_as_busy_as_each_other_get_no_advice():
    assert advise(planted["unequal members"]().mended_run().record()) == []


@pytest.mark.parametrize("size", [2, 3, 8, 16])
def test_a_healthy_program_gets_no_advice(size):
    assert advise(Simulation(size, healthy).record()) == []


@pytest.mark.parametrize("size", [2, 4, 7])
@pytest.mark.parametrize("name", healthy_programs)
def test_messages_that_depend_on_each_other_are_no_fault(name, size):
    assert advise(Simulation(size, healthy_programs[name]).record()) == []


def test_sizes_are_those_of_the_messages_that_are_meant():
    """A large message to each neighbour in each step is none of the many small ones."""

    def exchange(rank, size):
        yield from halo(rank, size, 30, 100)
        yield compute(work)
        yield from halo(rank, size, 1, 1_000_000)

    record = Simulation(4, model(lambda rank, step: work, exchange)).record()
    found = advise(record)[0]
    assert found.fault == "per-variable messages"
    assert "30 messages of 100 bytes" in found.what
    assert f"{2 * 4 * 20 * 30} such messages" in found.evidence[0]


def test_work_that_varies_on_all_ranks_alike_is_no_fault():
    def seconds(rank, step):
        return work * (1 + 5 * (step % 7 == 0))

    assert advise(Simulation(4, model(seconds)).record()) == []


def test_small_differences_are_no_fault():
    random = np.random.default_rng(1)
    times = work * (1 + 0.02 * random.random((4, 100)))
    found = advise(Simulation(4, model(lambda rank, step: times[rank, step])).record())
    assert found == []


def test_the_planted_gain_grows_with_the_fault():
    def gain(share):
        shares = (share, 1.0, 1.0, 1.0)
        program = model(lambda rank, step: work * shares[rank])
        about = {"points_of_ranks": list(shares)}
        return advise(Simulation(4, program, about=about).record())[0].gain.seconds

    assert gain(2.0) == pytest.approx(2 * gain(1.5), rel=0.01)


@pytest.mark.parametrize("count, merges", [(1, False), (2, False), (3, True)])
def test_two_messages_to_a_neighbour_are_not_many(count, merges):
    """One of each of two kinds, say a field and its mask, is what a sound program sends."""
    program = model(lambda rank, step: work, lambda rank, size: halo(rank, size, count, 100))
    found = advise(Simulation(4, program, Network(overhead=20e-6)).record())
    assert [finding.fault for finding in found] == ["per-variable messages"] * merges


def test_noise_widens_other_gains_by_what_it_costs():
    """What mending brings is told no better than what equal runs differ by."""
    shares, about = (1.6, 0.8, 0.8, 0.8), {"points_of_ranks": [1600, 800, 800, 800]}
    excess = np.where(np.random.default_rng(3).random((4, steps)) < 0.15, 2.0, 0.0)

    def run(excess):
        program = model(lambda rank, step: work * (shares[rank] + excess[rank, step]))
        simulation = Simulation(4, program, about=about)
        gains = {finding.fault: finding.gain for finding in advise(simulation.record())}
        return simulation.seconds, gains["imbalanced decomposition"]

    (quiet, sharp), (noisy, wide) = run(0.0 * excess), run(excess)
    lost = noisy - quiet
    assert lost > 0.2 * quiet
    assert sharp.high - sharp.low < 0.5 * lost
    assert wide.high - wide.low > 0.9 * lost
