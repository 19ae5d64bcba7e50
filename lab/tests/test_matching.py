"""Who waits for whom: each cause of waiting, in records whose waits are known."""

import numpy as np
import pytest

from halocline_lab.diagnosis.matching import causes, dependence, match
from halocline_lab.diagnosis.timeline import timeline
from records.simulated import (
    Simulation,
    compute,
    everyone,
    receive,
    send,
    start_receive,
    start_send,
    wait_all,
)
from records.small import Events


def waits_of(found):
    """Waits as (cause, rank that waited, culprit, microseconds)."""
    matching = match(timeline(found))
    return sorted(
        (
            causes[row["cause"]],
            int(row["rank"]),
            int(row["culprit"]),
            round((row["until"] - row["begin"]) / 1000, 3),
        )
        for row in matching.waits
    )


def test_late_sender_and_late_receiver():
    found = Events(2)
    found.add(0, 30, 35, "MPI_Send", "send", partner=1, size=8, tag=1)
    found.add(1, 10, 36, "MPI_Recv", "receive", partner=0, size=8, tag=1)
    found.add(0, 40, 90, "MPI_Ssend", "send", partner=1, size=8, tag=2)
    found.add(1, 80, 91, "MPI_Recv", "receive", partner=0, size=8, tag=2)
    assert waits_of(found.record()) == [("late receiver", 0, 1, 40.0), ("late sender", 1, 0, 20.0)]


def test_a_send_that_ended_before_its_receive_waits_for_nobody():
    found = Events(2)
    found.add(0, 0, 5, "MPI_Send", "send", partner=1, size=8)
    found.add(1, 50, 52, "MPI_Recv", "receive", partner=0, size=8)
    assert waits_of(found.record()) == []


def test_messages_match_in_order_by_tag():
    found = Events(2)
    found.add(0, 10, 11, "MPI_Send", "send", partner=1, size=1, tag=5)
    found.add(0, 20, 21, "MPI_Send", "send", partner=1, size=2, tag=6)
    found.add(0, 30, 31, "MPI_Send", "send", partner=1, size=3, tag=5)
    for begin, tag, size in ((40, 6, 2), (50, 5, 1), (60, 5, 3)):
        found.add(1, begin, begin + 1, "MPI_Recv", "receive", partner=0, size=size, tag=tag)
    matching = match(timeline(found.record()))
    events = matching.timeline.events
    assert len(matching.sends) == 3
    np.testing.assert_array_equal(
        events["bytes"][matching.sends], events["bytes"][matching.receives]
    )


def test_a_wait_for_several_requests_waits_for_the_last():
    found = Events(3)
    for sender, at in ((1, 40), (2, 70)):
        found.add(0, sender, sender + 0.5, "R", "start receive", partner=-2, tag=-1, request=sender)
        found.add(sender, at, at + 1, "S", "send", partner=0, size=8, tag=9)
        found.add(0, 80, 80, "C", "completion", partner=sender, size=8, tag=9, request=sender)
    found.add(0, 10, 80, "MPI_Waitall", "wait")
    assert waits_of(found.record()) == [("late sender", 0, 2, 60.0)]


def test_a_completion_belongs_to_the_wait_that_ends_not_to_what_follows():
    found = Events(2)
    found.add(0, 0, 1, "R", "start receive", partner=1, request=1)
    found.add(0, 5, 30, "MPI_Wait", "wait")
    found.add(0, 30, 30, "C", "completion", partner=1, request=1)
    found.add(0, 30, 50, "MPI_Wait", "wait")
    found.add(1, 20, 21, "S", "send", partner=0)
    assert waits_of(found.record()) == [("late sender", 0, 1, 15.0)]


def test_a_halo_exchange_waits_inside():
    found = Events(2)
    for rank, begin in ((0, 10), (1, 30)):
        other = 1 - rank
        found.add(rank, begin, 40, "halo", "halo")
        found.add(rank, begin, begin, "r", "start receive", partner=other, request=1)
        found.add(rank, begin, begin, "s", "start send", partner=other, request=2)
        found.add(rank, 39, 39, "d", "completion", partner=other, request=1)
        found.add(rank, 39, 39, "d", "completion", partner=other, request=2)
    assert waits_of(found.record()) == [("late sender", 0, 1, 20.0)]


@pytest.mark.parametrize(
    "name, root, expected",
    [
        ("MPI_Allreduce", -1, {(0, 2, 20.0), (1, 2, 10.0)}),
        ("MPI_Bcast", 1, {(0, 1, 10.0)}),
        ("MPI_Reduce", 0, {(0, 2, 20.0)}),
        ("MPI_Scan", -1, set()),
        ("MPI_Neighbor_alltoall", -1, set()),
    ],
)
def test_collectives_wait_as_their_kind_does(name, root, expected):
    found = Events(3)
    for rank in range(3):
        begin = 10.0 * rank
        found.add(rank, begin, 40, name, "collective", partner=root, size=8)
    assert {wait[1:] for wait in waits_of(found.record())} == expected


def test_prefix_operations_wait_for_lower_ranks():
    found = Events(3)
    for rank, begin in ((0, 20.0), (1, 5.0), (2, 10.0)):
        found.add(rank, begin, 40, "MPI_Scan", "collective", size=8)
    assert waits_of(found.record()) == [
        ("wait at a collective", 1, 0, 15.0),
        ("wait at a collective", 2, 0, 10.0),
    ]


def test_a_started_collective_is_waited_for_where_it_completes():
    found = Events(2)
    for rank, begin in ((0, 0.0), (1, 30.0)):
        found.add(rank, begin, begin + 1, "MPI_Iallreduce", "start collective", request=1)
        found.add(rank, max(10.0, begin + 1), 40, "MPI_Wait", "wait")
        found.add(rank, 40, 40, "C", "completion", request=1)
    assert waits_of(found.record()) == [("wait at a collective", 0, 1, 20.0)]


def test_simulated_waits_are_what_ranks_did_not_compute():
    """Rank 1 is 1 ms later in everything; all that rank 0 waits is that."""

    def program(rank, size):
        yield compute(1e-3 * (1 + rank))
        yield start_receive(1 - rank, 100)
        yield start_send(1 - rank, 100)
        yield wait_all()
        yield (send if rank else receive)(1 - rank, 50_000)
        yield everyone()

    matching = match(timeline(Simulation(2, program).record()))
    waits = matching.waits[matching.waits["rank"] == 0]
    assert (waits["until"] - waits["begin"]).sum() == pytest.approx(1e6, rel=0.02)
    assert {wait.culprit_region for wait in matching.summary()[:1]} == {"work"}


@pytest.mark.parametrize(
    "name, whom", [("MPI_Alltoallv", "all"), ("MPI_Iscatter", "root"), ("MPI_Exscan", "lower")]
)
def test_collectives_are_known_by_their_names(name, whom):
    assert dependence(name) == whom
