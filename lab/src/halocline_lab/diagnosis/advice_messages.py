"""Advice on messages: many small ones, derived types, senders that come late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import of_derived_type
from halocline_lab.diagnosis.advice_case import AdviceCase
from halocline_lab.diagnosis.bursts import (
    Bursts,
    MessageCost,
    Sent,
    bursts,
    may_answer,
    memory_rates,
    message_cost,
    sent,
)
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.matching import group_numbers, late_senders
from halocline_lab.diagnosis.timeline import Floats, Integers, sums

fewest_to_merge = 3
"""Messages from one rank to another in a burst that are worth merging."""

packing_rates = (2.5e9, 6e9, 20e9)
"""Bytes per second at which values of 8 bytes that lie apart are gathered into a buffer, or back
[s-1]: from memory each takes a line of 64 bytes at 20 GB/s, in a cache a nanosecond or less."""

fewest_late = 6
"""Fewer messages may be late by chance."""

least_late = 0.5
"""Of the computation before a send, what the receiver waits, if it is the computation that makes it
late: in a pipeline that fills, or between ranks that take turns, it is less."""


def find_small_messages(case: AdviceCase) -> Finding | None:
    """N messages to the same rank in one burst, where one would do (B-16, B-17, P-15)."""
    timing, found = case.timing, _sent(case)
    if not len(found.call):
        return None
    together = bursts(case.matching, timing)
    number = _together(found, together)
    merge = number >= fewest_to_merge
    if not merge.any():
        return None
    messages, left = _messages_and_left(found, together, number)
    many = messages > left + 0.5
    size = float(np.mean(found.bytes[merge]))
    partners = _partners(found.only(merge), together)
    gaps = np.where(together.first(), 0.0, case.typical)
    each = float(together.sums(timing.cost + gaps)[many].sum() / messages[many].sum())
    between = float(together.sums(gaps)[many].sum() / messages[many].sum())
    shares = [max(0.1, 1.0 - size / rate / max(each, 1e-300)) for rate in memory_rates]
    saved = [
        _merged(case, together, left / np.maximum(messages, 1.0), share, share * pause)
        for share, pause in zip(shares, (0.6, 0.95, 1.0), strict=True)
    ]
    median = float(np.median(number[merge]))
    return Finding(
        fault="per-variable messages",
        what=f"Many small messages: {median:.0f} messages of {size:.0f} bytes go to the same rank"
        " one after the other, where one would do.",
        evidence=[
            f"{int(merge.sum())} such messages, in {int(many.sum())} bursts of a rank that sends or"
            f" receives them, with at most {partners} partners each",
            "no rank gets a message between them that the next could depend on, and"
            f" {1e6 * between:.2g} us pass between two calls",
            f"a message costs its rank {1e6 * each:.2f} us, {100 * shares[1]:.0f} % of it whatever"
            f" its size: {size:.0f} bytes take {1e6 * size / memory_rates[1]:.2f} us at"
            f" {memory_rates[1] / 1e9:.0f} GB/s",
        ],
        gain=case.gain(saved[1], 0.8 * saved[0], 1.15 * saved[2]),
        sure="certain" if shares[0] > 0.5 and between < 0.5 * each else "likely",
        advice=[
            f"Pack the {median:.0f} messages to each partner into one buffer and send it once (one"
            " MPI_Isend and MPI_Irecv per neighbour; MPI_Pack or plain copies), unpack after"
            " MPI_Waitall.",
            "Halocline does it: keep decomposition.halos = 'auto', or choose an 'aggregated' way"
            " ('halocline lab communication' lists them).",
        ],
    )


def _sent(case: AdviceCase) -> Sent:
    """Sends that no all-to-one pattern explains."""
    found = sent(case.timing, case.matching)
    size = case.record.size
    keep = (found.call >= 0) & (found.received_by >= 0)
    for rank in range(size) if size > 2 else ():
        to = found.receiver == rank
        back = found.sender == rank
        if len(np.unique(found.sender[to])) == size - 1 and back.sum() < 0.2 * to.sum():
            keep &= ~to
    return found.only(keep)


def _together(found: Sent, together: Bursts) -> Integers:
    """Of each message: how many go from the same burst of one rank into the same of another."""
    sent_in, received_in = together.of_call[found.call], together.of_call[found.received_by]
    group = group_numbers([sent_in, received_in])
    number = np.bincount(group)[group]
    return np.where((sent_in >= 0) & (received_in >= 0), number, 1).astype(np.int64)


def _messages_and_left(found: Sent, together: Bursts, number: Integers) -> tuple[Floats, Floats]:
    """Messages of each burst, sent and received, and how many were left if merged."""
    burst = np.concatenate([together.of_call[found.call], together.of_call[found.received_by]])
    left = np.where(number >= fewest_to_merge, 1.0 / number, 1.0)
    some = burst >= 0
    messages = sums(burst[some], np.ones(int(some.sum())), together.count)
    return messages, sums(burst[some], np.tile(left, 2)[some], together.count)


def _partners(found: Sent, together: Bursts) -> int:
    """With how many ranks a burst exchanges these messages, at most."""
    burst = np.concatenate([together.of_call[found.call], together.of_call[found.received_by]])
    partner = np.concatenate([found.receiver, found.sender])
    pairs = np.unique(np.stack([burst, partner]), axis=1)
    return int(np.bincount(pairs[0]).max())


def _merged(
    case: AdviceCase, together: Bursts, left: Floats, share: float, share_between: float
) -> float:
    """Seconds saved in the spans if `left` is the share of each burst's messages that is left, and
    these shares of the time in and between its calls go with the number of messages."""
    timing = case.timing
    factor = np.where(together.of_call >= 0, left[np.maximum(together.of_call, 0)], 1.0)
    cost = timing.cost * (1.0 - share * (1.0 - factor))
    inside = (together.of_call >= 0) & ~together.first()
    before = np.where(inside, case.typical * (1.0 - share_between * (1.0 - factor)), case.typical)
    return timing.seconds(before=case.typical) - timing.seconds(before=before, cost=cost)


def find_derived_types(case: AdviceCase) -> Finding | None:
    """Messages of data with gaps that are slower than contiguous ones (P-14, P-17)."""
    timing = case.timing
    found = sent(timing, case.matching)
    found = found.only((found.call >= 0) & (found.received_by >= 0))
    derived, plain = found.only(found.derived), found.only(~found.derived)
    if not len(derived.call):
        return None
    size = float(np.mean(derived.bytes))
    costs = [_Costs.of(case, derived, plain, rate) for rate in packing_rates]
    saved = [_packed(case, derived, one) for one in costs]
    slow = _mean_cost(case, derived)
    compared = bool(len(plain.call))
    quick = costs[1].start.each + costs[1].end.each
    quick += (costs[1].start.per_byte + costs[1].end.per_byte) * size
    packing = 2e6 * size / packing_rates[1]
    return Finding(
        fault="derived types",
        what=f"Derived types are slow here: a message of {size:.0f} bytes of data with gaps takes"
        f" {1e6 * slow:.1f} us in calls of MPI.",
        evidence=[
            f"{len(derived.call)} messages of the calls named '...{of_derived_type}'",
            f"contiguous ones of that size take {1e6 * quick:.1f} us, and packing and unpacking"
            f" {packing:.1f} us at {packing_rates[1] / 1e9:.1f} GB/s"
            if compared
            else "the record has no contiguous messages to compare with",
        ],
        gain=case.gain(saved[1], 0.7 * saved[0], 1.1 * saved[2]),
        sure="certain" if compared else "possible",
        advice=[
            "Pack the values into a contiguous buffer with a loop of your own, send that as a"
            " standard type (MPI_DOUBLE, count), and unpack after receiving, instead of"
            " MPI_Type_vector, MPI_Type_indexed or MPI_Type_create_subarray.",
            "Halocline packs; its ways named 'types' in 'halocline lab communication' do not.",
        ],
    )


@dataclass(frozen=True)
class _Costs:
    """What contiguous messages cost where they are sent and where they are complete."""

    start: MessageCost
    end: MessageCost
    packing: float
    """Seconds per byte of packing and unpacking."""

    @staticmethod
    def of(case: AdviceCase, derived: Sent, plain: Sent, rate: float) -> _Costs:
        start = message_cost(case.timing, plain.call, plain.bytes)
        alone = (plain.completed_by >= 0) & ~np.isin(plain.completed_by, derived.completed_by)
        end = message_cost(case.timing, plain.completed_by[alone], plain.bytes[alone])
        return _Costs(start, end, 2.0 / rate)


def _mean_cost(case: AdviceCase, derived: Sent) -> float:
    """What a message with gaps costs, in the call that sends and the one that completes it [s]."""
    cost = case.timing.cost
    ends = derived.completed_by[derived.completed_by >= 0]
    return float(cost[derived.call].mean() + (cost[np.unique(ends)].sum() / max(len(ends), 1)))


def _packed(case: AdviceCase, derived: Sent, costs: _Costs) -> float:
    """Seconds saved if data with gaps are packed, sent as plain ones, and unpacked."""
    timing = case.timing
    number = len(timing.cost)
    least = np.full(number, np.inf)
    sides = ((derived.call, costs.start, 0.0), (derived.completed_by, costs.end, costs.packing))
    for calls, cost, packing in sides:
        some = calls >= 0
        moved = sums(calls[some], derived.bytes[some], number)
        count = sums(calls[some], np.ones(int(some.sum())), number)
        wanted = count * cost.each + moved * (cost.per_byte + packing)
        least = np.where(count > 0, wanted, least)
    then = timing.seconds(before=case.typical, cost=np.minimum(timing.cost, least))
    return timing.seconds(before=case.typical) - then


def find_late_sender(case: AdviceCase) -> Finding | None:
    """Sends that begin only after a computation that nothing received makes necessary.

    Expected is what it brings if each send begins when its rank's previous call of MPI has ended,
    after all ranks have equal work.
    """
    timing = case.timing
    even = timing.seconds(before=case.even)
    lead = np.zeros(len(timing.cost))
    always = timing.call_of[_always_late(case)]
    lead[always] = case.even[always]
    saved = even - timing.seconds(before=case.even, lead=lead)
    culprits = np.flatnonzero(np.isin(timing.call_of, always) & (timing.call_of >= 0))
    waits = case.matching.waits
    mine = np.isin(waits["culprit_event"], culprits) & (waits["cause"] == 0)
    if saved <= 0.0 or not mine.any():
        return None
    first = case.matching.summary(1, mine)[0]
    computing = "" if first.culprit_region == "computation" else f" in '{first.culprit_region}'"
    at = f" at {first.site}" if first.site else ""
    spans = float(case.matching.timeline.seconds_of_spans().sum())
    waited = float((waits["until"] - waits["begin"])[mine].sum()) / 1e9
    return Finding(
        fault="late sender",
        what=f"Late sender: ranks wait in {first.region}{at} for messages that rank"
        f" {first.culprit} sends only after computing{computing}.",
        evidence=[
            f"{first.times} times, {first.seconds:.3g} s together; all such late senders:"
            f" {100 * waited / max(spans, 1e-300):.1f} % of all ranks' time",
            f"the ranks' useful times differ by {100 * case.balance.imbalance:.1f} %; what unequal"
            " work costs is not counted here",
            "whether the message holds what is computed just before is not on record: then it"
            " cannot be sent earlier",
        ],
        gain=case.gain(saved, 0.5 * saved, 1.1 * saved),
        sure="possible",
        advice=[
            "Compute what the partner needs first, call MPI_Isend at once, then compute the rest,"
            " and call MPI_Wait at the end; start MPI_Irecv before computing.",
            "Halocline: decomposition.overlap = true computes the inner points while halos travel.",
        ],
    )


def _always_late(case: AdviceCase) -> Integers:
    """Sends that are late more often than not, by most of the computation before them.

    Those of one rank to another are looked at together, by where it waits. A send after which its
    rank has received something may depend on that, and is left out.
    """
    waits = late_senders(case.matching)
    call = case.timing.call_of[waits["culprit_event"]]
    waits, call = waits[call >= 0], call[call >= 0]
    if not len(waits):
        return np.empty(0, np.int64)
    where = case.timing.timeline.events["region"][waits["event"]].astype(np.int64)
    ranks = [waits[name].astype(np.int64) for name in ("rank", "culprit")]
    group = group_numbers([*ranks, where])
    waited = np.maximum(waits["until"] - waits["begin"], 0) / 1e9
    late = np.bincount(group, waited > 0.0) / np.bincount(group)
    share = np.bincount(group, waited) / np.maximum(np.bincount(group, case.even[call]), 1e-300)
    usual = (late > 0.5) & (share > least_late) & (np.bincount(group) >= fewest_late)
    free = ~may_answer(case.matching, case.timing)[call]
    return np.asarray(waits["culprit_event"][usual[group] & free], np.int64)
