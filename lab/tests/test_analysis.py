"""All that the analysis says of a record of two ranks, against numbers reckoned by hand."""

import json

import pytest

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import Region, RunRecord, empty
from halocline_lab.diagnosis.analysis import analyse
from records.small import two_ranks


@pytest.fixture(scope="module")
def found():
    return analyse(two_ranks())


def test_states(found):
    # idle: 20 us a step in the receive, and 1 us for rank 0 at the reduction
    assert found.states.idle == pytest.approx([2e-6, 40e-6])
    # overhead: send 2 + reduction 8 - 1; receive 3 + reduction 7
    assert found.states.overhead == pytest.approx([18e-6, 20e-6])
    assert found.states.busy == pytest.approx([180e-6, 140e-6])
    assert found.states.busy_share == pytest.approx(320 / 400)


def test_utilisation_counts_all_ranks_at_all_times(found):
    use = found.utilisation
    assert not use.averaged
    for busy, overhead, idle in list(zip(use.busy, use.overhead, use.idle, strict=True))[:-1]:
        assert busy + overhead + idle == 2
    at = {round(1e6 * begin): idle for begin, idle in zip(use.begin, use.idle, strict=True)}
    assert at[0] == 0 and at[40] == 1 and at[60] == 0 and at[62] == 1 and at[63] == 0


def test_waits_name_who_is_waited_for(found):
    first, second = found.waits
    assert (first.cause, first.culprit, first.culprit_region) == ("late sender", 0, "work")
    assert first.seconds == pytest.approx(40e-6) and first.times == 2
    assert (second.cause, second.culprit) == ("wait at a collective", 1)
    assert second.seconds == pytest.approx(2e-6)


def test_phases(found):
    period, step = found.phases
    assert (period.name, period.depth, period.iterations) == ("steady", 0, 2)
    assert (step.name, step.depth, step.iterations) == ("step", 1, 2)
    for row in (period, step):
        assert row.total.mean == pytest.approx(200e-6)
        assert row.mpi.maximum == pytest.approx(60e-6)
        assert row.computation.mean == pytest.approx(160e-6)
        assert row.computation_share == pytest.approx(0.8)
        assert row.share == pytest.approx(1.0)


def test_messages(found):
    assert (found.messages.count, found.messages.bytes) == (2, 2000)
    matrix = found.messages.matrix
    assert (matrix.sender, matrix.receiver, matrix.count) == ([0], [1], [2])
    assert found.messages.histogram.limit == [1024]
    sites = {site.name: site for site in found.messages.sites}
    assert sites["MPI_Recv"].waiting == pytest.approx(40e-6)
    assert sites["MPI_Recv"].seconds.maximum == pytest.approx(46e-6)
    assert sites["MPI_Allreduce"].calls == 4


def test_balance_and_efficiency(found):
    assert found.balance.useful == pytest.approx([180e-6, 140e-6])
    assert found.balance.imbalance == pytest.approx(180 / 160 - 1)
    assert found.balance.mpi_sync.maximum == pytest.approx(2e-6)
    assert found.efficiency.parallel.value == pytest.approx(0.8)
    assert found.efficiency.load_balance.value == pytest.approx(160 / 180)
    assert found.efficiency.communication.value == pytest.approx(0.9)
    # Without a network rank 0 is never stopped: 2 steps of 60 + 30 us.
    assert found.efficiency.ideal_seconds == pytest.approx(180e-6)
    assert found.efficiency.serialisation.value == pytest.approx(1.0)
    assert found.efficiency.transfer.value == pytest.approx(0.9)
    additive = {one.name: one.value for one in found.efficiency.additive}
    assert additive["process load balance"] == pytest.approx(1 - 20 / 200)
    assert additive["process transfer"] == pytest.approx(1 - 20 / 200)
    assert additive["thread efficiency"] is None


def test_all_of_it_is_json(found):
    assert json.loads(json.dumps(found.as_json()))["size"] == 2


def test_a_record_without_events_is_analysed():
    record = RunRecord({}, [Region("work", "kernel")], ranks=empty("ranks", 1))
    record.ranks["end"] = record.ranks["steady_end"] = 100
    found = analyse(record)
    assert found.balance.verdict == "balanced"
    assert found.advice == [] and found.waits == []
    assert found.efficiency.ideal_seconds is None
    json.dumps(found.as_json())


def test_a_record_without_ranks_is_refused():
    with pytest.raises(UserError, match="no ranks"):
        analyse(RunRecord({}, []))
