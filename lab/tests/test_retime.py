"""A record timed anew is the record; with a part changed it is the run with that part changed."""

import numpy as np
import pytest

from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.retime import limited, retiming
from halocline_lab.diagnosis.timeline import timeline
from records.simulated import Simulation, begin, compute, end, everyone, receive, send
from records.simulated_faults import healthy, model, planted, steps, work
from records.small import two_ranks


def timing_of(record):
    return retiming(match(timeline(record)))


@pytest.mark.parametrize("fault", planted)
def test_unchanged_it_is_the_record(fault):
    timing = timing_of(planted[fault]().runs()[0])
    assert timing.error < 1e-9
    assert timing.unchanged == pytest.approx(timing.recorded_seconds)


def test_a_record_reckoned_by_hand():
    timing = timing_of(two_ranks())
    assert timing.unchanged == pytest.approx(200e-6)
    # Without all computation: the calls' own costs are left, one after the other.
    nothing = np.zeros_like(timing.before)
    busy = timing.busy(nothing)
    assert busy == pytest.approx([30e-6, 30e-6])  # after the last call
    # Rank 0: send 2, reduction 7 of it without waiting; rank 1: receive 3, reduction 7.
    # A step: rank 1 enters the reduction at 3, and all leave 7 later (rank 0 waits 1).
    assert timing.seconds(before=nothing) == pytest.approx(2 * 10e-6 + 30e-6)


def test_shorter_work_of_the_rank_that_all_wait_for():
    shares = (2.0, 1.0, 1.0)
    record = Simulation(3, model(lambda rank, step: work * shares[rank])).record()
    timing = timing_of(record)
    before = np.where(timing.rank == 0, timing.before / 2, timing.before)
    assert timing.unchanged - timing.seconds(before=before) == pytest.approx(steps * work, rel=0.01)
    others = np.where(timing.rank == 1, timing.before / 2, timing.before)
    assert timing.seconds(before=others) == pytest.approx(timing.unchanged)


def test_earlier_sends():
    def program(rank, size):
        for _ in range(steps):
            yield begin()
            if rank == 0:
                yield compute(work)
                yield send(1, 100)
            else:
                yield receive(0, 100)
                yield compute(work)
            yield everyone()
            yield end()

    timing = timing_of(Simulation(2, program).record())
    lead = np.full(len(timing.before), np.inf)
    saved = timing.unchanged - timing.seconds(lead=lead)
    assert saved == pytest.approx(steps * work, rel=0.01)


def test_long_records_are_cut():
    record = Simulation(4, healthy).record()
    cut = limited(record, 100)
    assert len(cut.events) < len(record.events) / 2
    timing = timing_of(cut)
    assert 0.0 < timing.unchanged < timing_of(record).unchanged


def test_a_record_that_contradicts_itself_comes_to_an_end():
    record = two_ranks()
    kinds = np.array([region.kind for region in record.regions])[record.events["region"]]
    receives = np.flatnonzero(kinds == "receive")
    record.events["end"][receives] = record.events["begin"][receives] + 1
    assert timing_of(record).unchanged > 0.0
