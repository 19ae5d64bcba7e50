"""Advice on messages: many small ones, derived types, senders that come late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.lab.diagnosis.advice_case import AdviceCase
from halocline.lab.diagnosis.bursts import (
    Bursts,
    MessageCost,
    Sent,
    bursts,
    memory_rates,
    message_cost,
    sent,
)
from halocline.lab.diagnosis.findings import Finding
from halocline.lab.diagnosis.matching import group_numbers, late_senders
from halocline.lab.diagnosis.timeline import Flags, Floats, Integers, sums
from halocline.runtime.run_record import of_derived_type

fewest_to_merge = 3
"""Messages from one rank to another in a burst that are worth merging."""

packing_rates = (2.5e9, 6e9, 20e9)
"""Bytes per second at which values of 8 bytes that lie apart are gathered into a buffer, or back
[s-1]: from memory each takes a line of 64 bytes at 20 GB/s, in a cache a nanosecond or less."""

fewest_late = 6
"""Fewer messages may be late by chance."""


def find_small_messages(case: AdviceCase) -> Finding | None:
    """N messages to the same rank in one burst, where one would do (B-16, B-17, P-15)."""
    timing, found = case.timing, _sent(case)
    if not len(found.call):
        return None
    together = bursts(timing)
    messages, pairs = _messages_and_pairs(found, together)
    many = messages >= fewest_to_merge * np.maximum(pairs, 1)
    if not many.any():
        return None
    size = float(np.mean(found.bytes))
    spent = together.sums(timing.cost + np.where(together.first(), 0.0, case.typical))
    each = float(spent[many].sum() / messages[many].sum())
    shares = [max(0.1, 1.0 - size / rate / max(each, 1e-300)) for rate in memory_rates]
    saved = [
        _merged(case, together, messages, pairs, many, share, share * between)
        for share, between in zip(shares, (0.6, 0.95, 1.0), strict=True)
    ]
    number = float(np.median((messages / np.maximum(pairs, 1))[many]))
    return Finding(
        fault="per-variable messages",
        what=f"Many small messages: {number:.0f} messages of {size:.0f} bytes go to the same rank"
        " one after the other, where one would do.",
        evidence=[
            f"{int(messages[many].sum())} messages, sent and received, in {int(many.sum())} bursts"
            f" with at most {int(pairs.max(initial=0))} partners each",
            f"a message costs its rank {1e6 * each:.2f} us, {100 * shares[1]:.0f} % of it whatever"
            f" its size: {size:.0f} bytes take {1e6 * size / memory_rates[1]:.2f} us at"
            f" {memory_rates[1] / 1e9:.0f} GB/s",
        ],
        gain=case.gain(saved[1], 0.8 * saved[0], 1.15 * saved[2]),
        sure="certain" if shares[0] > 0.5 else "likely",
        advice=[
            f"Pack the {number:.0f} messages to each partner into one buffer and send it once (one"
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


def _messages_and_pairs(found: Sent, together: Bursts) -> tuple[Floats, Floats]:
    """Messages of each burst, sent and received, and to and from how many ranks."""
    burst = np.concatenate([together.of_call[found.call], together.of_call[found.received_by]])
    partner = np.concatenate([found.receiver + 1, -found.sender - 1])
    some = burst >= 0
    messages = np.bincount(burst[some], minlength=together.count).astype(np.float64)
    pair = group_numbers([burst[some], partner[some]])
    _, first = np.unique(pair, return_index=True)
    pairs = np.bincount(burst[some][first], minlength=together.count).astype(np.float64)
    return messages, pairs


def _merged(
    case: AdviceCase,
    together: Bursts,
    messages: Floats,
    pairs: Floats,
    many: Flags,
    share: float,
    share_between: float,
) -> float:
    """Seconds saved in the spans where these shares of the time in and between the calls of a burst
    go with the number of messages."""
    timing = case.timing
    left = np.where(many, pairs / np.maximum(messages, 1.0), 1.0)
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
    """Sends that begin only after a computation, although the ranks have equal work.

    Expected is what it brings if each send begins when its rank's previous call of MPI has ended.
    """
    timing = case.timing
    even = timing.seconds(before=case.even)
    lead = np.zeros(len(timing.cost))
    always = timing.call_of[_always_late(case)]
    lead[always] = case.even[always]
    saved = even - timing.seconds(before=case.even, lead=lead)
    late = [wait for wait in case.matching.summary() if wait.cause == "late sender"]
    if saved <= 0.0 or not late:
        return None
    first = late[0]
    computing = "" if first.culprit_region == "computation" else f" in '{first.culprit_region}'"
    at = f" at {first.site}" if first.site else ""
    spans = float(case.matching.timeline.seconds_of_spans().sum())
    waited = sum(wait.seconds for wait in late)
    return Finding(
        fault="late sender",
        what=f"Late sender: ranks wait in {first.region}{at} for messages that rank"
        f" {first.culprit} sends only after computing{computing}.",
        evidence=[
            f"{first.times} times, {first.seconds:.3g} s together; all late senders:"
            f" {100 * waited / max(spans, 1e-300):.1f} % of all ranks' time",
            f"the ranks' useful times differ by {100 * case.balance.imbalance:.1f} % only, so that"
            " unequal work does not explain it",
        ],
        gain=case.gain(saved, 0.5 * saved, 1.1 * saved),
        sure="likely",
        advice=[
            "Compute what the partner needs first, call MPI_Isend at once, then compute the rest,"
            " and call MPI_Wait at the end; start MPI_Irecv before computing.",
            "Halocline: decomposition.overlap = true computes the inner points while halos travel.",
        ],
    )


def _always_late(case: AdviceCase) -> Integers:
    """Sends that are late more often than not: those of one rank to another, by where it waits."""
    waits = late_senders(case.matching)
    if not len(waits):
        return np.empty(0, np.int64)
    where = case.timing.timeline.events["region"][waits["event"]].astype(np.int64)
    ranks = [waits[name].astype(np.int64) for name in ("rank", "culprit")]
    group = group_numbers([*ranks, where])
    late = waits["until"] > waits["begin"]
    share = np.bincount(group, late) / np.bincount(group)
    usual = (share > 0.5) & (np.bincount(group) >= fewest_late)
    found = waits["culprit_event"][usual[group]]
    return np.asarray(found[case.timing.call_of[found] >= 0], np.int64)
