"""The advice names each planted fault first, with a gain that mending has; the healthy get none."""

import numpy as np
import pytest

from halocline.lab.diagnosis.advice import advise
from halocline.lab.diagnosis.findings import faults
from records.simulated import Simulation, compute
from records.simulated_faults import halo, healthy, model, planted, work
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


def test_every_fault_is_planted():
    assert set(planted) == set(faults)


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
