"""Bursts of messages: calls of a rank that follow each other and do not wait for each other.

And what a message costs: a part for each message, and a part for each byte, as this record tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import nobody, of_derived_type
from halocline_lab.diagnosis.matching import Matching, group_numbers
from halocline_lab.diagnosis.retime import Retiming
from halocline_lab.diagnosis.timeline import Flags, Floats, Integers, sums

message_kinds = ("send", "receive", "start send", "start receive", "send receive", "wait")
between_seconds = 10e-6
"""A longer pause between two messages is work; what packs them takes less, but for their bytes."""

memory_rates = (1e9, 4e9, 16e9)
"""Bytes per second that a message's data are moved at, at the least, expected, and at the most,
where the record has no messages of other sizes to tell from."""


@dataclass(frozen=True)
class Bursts:
    """The burst of each call (-1: no message), of `count` bursts."""

    of_call: Integers
    count: int

    def sums(self, values: Floats) -> Floats:
        """Sums over the calls of each burst."""
        some = self.of_call >= 0
        return sums(self.of_call[some], values[some], self.count)

    def first(self) -> Flags:
        """Which calls begin a burst."""
        found = self.of_call >= 0
        found[1:] &= self.of_call[1:] != self.of_call[:-1]
        return found


def bursts(matching: Matching, timing: Retiming) -> Bursts:
    """Join the calls of messages of each rank that could be made at one time.

    Other calls and work between end a burst, and so does a receive that is complete before a send:
    what is sent may depend on what came.
    """
    kinds = np.array([region.kind for region in timing.timeline.regions])
    some = np.isin(kinds, message_kinds)[timing.region]
    if not some.any():
        return Bursts(np.full(len(some), -1, np.int64), 0)
    size = timing.timeline.events["bytes"][timing.event]
    work = timing.before > between_seconds + size / memory_rates[0]
    begins = some.copy()
    begins[1:] = some[1:] & (~some[:-1] | (timing.rank[1:] != timing.rank[:-1]) | work[1:])
    begins[_after_receives(matching, timing, begins)] = True
    of_call = np.where(some, np.cumsum(begins) - 1, -1)
    return Bursts(of_call, int(begins.sum()))


def _after_receives(matching: Matching, timing: Retiming, begins: Flags) -> Integers:
    """The first call after the receives that were complete before each send, since the last one.

    `begins` are the calls that begin something new anyway: what came before does not count.
    """
    sends, receives = sending_and_receiving(matching, timing)
    places = np.arange(len(begins))
    last_send = np.maximum.accumulate(np.where(sends, places, -1))
    since = np.maximum.accumulate(np.where(begins, places, 0))
    since[1:] = np.maximum(since[1:], last_send[:-1])
    last_receive = np.maximum.accumulate(np.where(receives, places, -1))
    before = np.concatenate([[-1], last_receive[:-1]])
    new = sends & ~begins & (before >= since)
    return np.asarray(before[new] + 1, np.int64)


def may_answer(matching: Matching, timing: Retiming) -> Flags:
    """Calls before which their rank received something, since its last collective or send."""
    sends, receives = sending_and_receiving(matching, timing)
    places = np.arange(len(sends))
    since = np.maximum.accumulate(np.where(timing.group >= 0, places, timing.first[timing.rank]))
    since[1:] = np.maximum(since[1:], np.maximum.accumulate(np.where(sends, places, 0))[:-1])
    last = np.maximum.accumulate(np.where(receives, places, -1))
    return np.asarray(np.concatenate([[False], last[:-1] >= since[1:]]), np.bool_)


def sending_and_receiving(matching: Matching, timing: Retiming) -> tuple[Flags, Flags]:
    """The calls that send messages, and those in which received ones are complete."""
    timeline = matching.timeline
    partners = timeline.events["partner"] != nobody
    sends = np.flatnonzero(timeline.is_kind("send", "start send") & partners)
    begun = np.flatnonzero(timeline.is_kind("start receive") & partners)
    ended = matching.completed_in[begun]
    blocking = np.flatnonzero(timeline.is_kind("receive") & partners)
    found = []
    for events in (sends, np.concatenate([blocking, ended[ended >= 0]])):
        flags = np.zeros(len(timing.event), np.bool_)
        calls = timing.call_of[events]
        flags[calls[calls >= 0]] = True
        found.append(flags)
    return found[0], found[1]


@dataclass(frozen=True)
class Sent:
    """Sends in the spans, each a row.

    `call` is the call that sends, `received_by` the one that begins to receive, `completed_by` the
    one in which the receiver has the message (-1: not known).
    """

    call: Integers
    sender: Integers
    receiver: Integers
    bytes: Integers
    received_by: Integers
    completed_by: Integers
    derived: Flags

    def only(self, some: Flags) -> Sent:
        """Some of the rows."""
        return Sent(**{name: column[some] for name, column in vars(self).items()})


def sent(timing: Retiming, matching: Matching) -> Sent:
    """Matched sends as columns."""
    sends, receives = matching.sends, matching.receives
    blocking = timing.timeline.is_kind("receive")[receives]
    last = np.where(blocking, receives, matching.completed_in[receives])
    events = timing.timeline.events
    names = np.array([region.name.endswith(of_derived_type) for region in timing.timeline.regions])
    return Sent(
        call=timing.call_of[sends],
        sender=events["rank"][sends].astype(np.int64),
        receiver=events["rank"][receives].astype(np.int64),
        bytes=events["bytes"][sends].astype(np.int64),
        received_by=timing.call_of[receives],
        completed_by=np.where(last >= 0, timing.call_of[last], -1),
        derived=names[events["region"][sends]] | names[events["region"][receives]],
    )


@dataclass(frozen=True)
class MessageCost:
    """Seconds of a message inside calls: `each` + `per_byte` x bytes."""

    each: float
    per_byte: float


def message_cost(timing: Retiming, calls: Integers, sizes: Integers) -> MessageCost:
    """Fit the cost of calls to the bytes of their messages.

    Of each size class the median counts. Sizes that differ less than eight times tell nothing.
    """
    cost = timing.cost[calls]
    if not len(sizes):
        return MessageCost(0.0, 0.0)
    classes = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    groups = group_numbers([classes])
    medians = [
        (float(np.median(sizes[groups == g])), float(np.median(cost[groups == g])))
        for g in range(int(groups.max()) + 1)
    ]
    (small, least), (large, most) = min(medians), max(medians)
    if large < 8.0 * max(small, 1.0) or most <= least:
        return MessageCost(float(np.median(cost)), 0.0)
    per_byte = (most - least) / (large - small)
    return MessageCost(max(least - per_byte * small, 0.1 * least), per_byte)
