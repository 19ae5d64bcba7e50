"""Advice on unequal work: an imbalanced decomposition, a slow rank, noise."""

from __future__ import annotations

import numpy as np

from halocline_lab.diagnosis.advice_case import AdviceCase, step_noise
from halocline_lab.diagnosis.balance import busy_per_step
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.members import are_side_by_side, better_use, member_times
from halocline_lab.diagnosis.timeline import Floats, compute_ranks

least_imbalance = 0.03
"""Ranks whose times differ less are balanced."""


_decompose = [
    "Halocline: let 'halocline lab decompose CASE' choose another process grid, blocks and weights"
    " of points.",
    "Other programs: cut the domain so that each rank has the same work, not the same area: weigh"
    " points by what they cost, or change the process grid (MPI_Dims_create, MPI_Cart_create), or"
    " give the work out in more, smaller pieces.",
]

_unequal = {
    "imbalanced decomposition": ("The decomposition is imbalanced:", "certain", []),
    "work of one rank": (
        "One rank has work of its own:",
        "likely",
        [
            "Share what that rank does among all (MPI-IO or parallel netCDF instead of one reader,"
            " diagnostics by parts), or leave it to a rank or thread that nobody waits for.",
        ],
    ),
    "imbalanced, cause unknown": (
        "The ranks compute unequally long, and why is not on record:",
        "possible",
        [
            "First find out which: count instructions (perf stat), or move the rank to another node"
            " and see whether the slowness goes with it. Equal instructions in more time are a slow"
            " processor; more of them are more work.",
        ],
    ),
}
"""Verdicts of the balance: how the advice begins, how sure it is, and what it says first."""


def find_imbalance(case: AdviceCase) -> Finding | None:
    """Ranks of more work than others: what it would bring if all had the mean."""
    found = case.balance
    if found.verdict not in _unequal or are_side_by_side(member_times(case.record)):
        return None
    timing = case.timing
    saved = timing.seconds(before=case.typical) - timing.seconds(before=case.even)
    most = float(np.max(found.useful))
    mean = float(np.mean(found.useful))
    begin, sure, more = _unequal[found.verdict]
    return Finding(
        fault="imbalanced decomposition",
        what=f"{begin} rank {found.slowest} computes for {most:.3g} s, the mean rank for"
        f" {mean:.3g} s.",
        evidence=[
            found.because,
            f"largest useful time / mean = {1 + found.imbalance:.3f}",
            f"the other ranks wait for it: {100 * _waiting_share(case):.1f} % of all ranks' time",
            *_processor_evidence(case, found.slowest),
        ],
        gain=case.gain(saved, 0.85 * saved, 1.1 * saved),
        sure=sure,
        advice=[*more, *_decompose] if found.verdict != "work of one rank" else more,
    )


def find_unequal_members(case: AdviceCase) -> Finding | None:
    """Members side by side that keep their ranks unequally busy: what a better use would bring."""
    members = member_times(case.record)
    better = better_use(members)
    if better is None:
        return None
    last = max(members, key=lambda one: one.busy + one.lent)
    saved = better.now - better.seconds
    return Finding(
        fault="unequal members",
        what=f"Members wait for {last.name}, which keeps its ranks busy for"
        f" {last.busy + last.lent:.3g} s of the steps.",
        evidence=[
            f"{one.name} on {len(one.ranks)} rank{'s' * (len(one.ranks) > 1)}: busy for"
            f" {one.busy:.3g} s, waiting for others for {one.waiting:.3g} s"
            for one in members
        ],
        gain=case.whole_gain(saved, 0.5 * saved, 1.1 * saved),
        sure="likely",
        advice=[
            f"Halocline: let them compute {better.words}.",
            "Other programs: give the component that is waited for more processes of the launch,"
            " or let components take turns on the same ones.",
        ],
    )


def find_slow_rank(case: AdviceCase) -> Finding | None:
    """A rank that is slower at equal work: what it would bring if it were as fast as the others."""
    found = case.balance
    if found.verdict != "slow rank" or are_side_by_side(member_times(case.record)):
        return None
    timing, slow = case.timing, found.slowest
    before, factor = as_fast_as_others(case, slow)
    saved = timing.seconds(before=case.typical) - timing.seconds(before=before)
    hosts = case.record.about.get("hosts") or []
    host = int(case.record.ranks["host"][slow])
    on = f" (host {hosts[host]})" if host < len(hosts) else ""
    return Finding(
        fault="slow rank",
        what=f"Rank {slow}{on} is slow: it takes {factor:.2f} times as long as the others for"
        " equal work.",
        evidence=[
            found.because,
            f"useful times: rank {slow} {np.max(found.useful):.3g} s, median rank"
            f" {np.median(found.useful):.3g} s",
            *_processor_evidence(case, slow),
        ],
        gain=case.gain(saved, 0.85 * saved, 1.1 * saved),
        sure="certain" if found.work is not None and found.work.measured else "likely",
        advice=[
            "Look at that node: other processes on its cores (top), two ranks bound to one core"
            " (mpiexec --report-bindings), a lowered clock frequency, failing memory.",
            "Start the ranks with mpiexec --bind-to core, leave the node out"
            " (mpiexec --host, or the exclude option of the batch system), and run again.",
        ],
    )


def as_fast_as_others(case: AdviceCase, slow: int) -> tuple[Floats, float]:
    """Computations, had one rank the others' pace; and how many times as long it takes."""
    found, timing = case.balance, case.timing
    at = found.ranks.index(slow)
    if found.work is not None:
        factor = found.work.seconds_per_work[at]
        others = np.median(np.delete(np.asarray(found.work.seconds_per_work), at))
        factor /= max(float(others), 1e-300)
    else:
        others = np.median(np.delete(np.asarray(found.useful), at))
        factor = found.useful[at] / max(float(others), 1e-300)
    factor = max(factor, 1.0)
    return np.where(timing.rank == slow, case.typical / factor, case.typical), factor


def _processor_evidence(case: AdviceCase, slow: int) -> list[str]:
    """Whether the rank had its core for itself, and always something to compute."""
    row = case.record.ranks[slow]
    length = float(row["end"] - row["begin"]) / 1e9
    if not np.isfinite(row["cpu_seconds"]) or length <= 0.0:
        return []
    share = float(row["cpu_seconds"]) / length / max(1, int(row["threads"]))
    words = f"the threads of rank {slow} had a processor for {100 * share:.0f} % of the time"
    return [words + (": something else ran there, or it read or slept" if share < 0.9 else "")]


def find_noise(case: AdviceCase) -> Finding | None:
    """Excess over the typical time of equal work, and what it costs where ranks wait.

    Of all steps, where they are on record one by one, or else of the computations in the spans.
    Tasks that a rank gives out differ by nature.
    """
    if len(case.balance.ranks) < len(compute_ranks(case.record)):
        return None
    steps = step_noise(case)
    if steps is not None:
        whole = case.record.steady_seconds
        lost, own = steps.lost_together, steps.lost_alone
        where = steps.excess.sum(axis=0)
        long = int((steps.excess > 0.1 * _typical_step(case)).sum())
        compared = f"{long} of {steps.excess.size} steps of a rank"
        found = case.whole_gain(lost, 0.8 * lost, 1.1 * lost)
    else:
        whole, lost = case.timing.unchanged, case.noise_seconds
        excess = case.timing.before - case.typical
        own = float(excess.sum()) / max(case.record.size, 1)
        where = np.bincount(case.timing.rank, excess, minlength=case.record.size)
        long = int((excess > 0.1 * case.typical).sum())
        compared = f"{long} of {len(excess)} computations between the same two calls"
        found = case.gain(lost, 0.8 * lost, 1.1 * lost, of_noise=True)
    if lost <= 0.0 or whole <= 0.0:
        return None
    return Finding(
        fault="noise",
        what=f"Noise: equal work takes longer now and then on {int((where > 0.0).sum())} of"
        f" {case.record.size} ranks, and the others wait for it.",
        evidence=[
            f"{compared} take over 10 % more than their median",
            f"a rank loses {100 * own / whole:.2f} % of the time to its own excess, the run"
            f" {100 * lost / whole:.2f} %: synchronisation amplifies it"
            f" {lost / max(own, 1e-300):.1f} times",
            f"most on rank {int(np.argmax(where))}: {where.max():.3g} s",
        ],
        gain=found,
        sure="likely",
        advice=[
            "Look for what runs beside the ranks: daemons, monitoring, other jobs; leave a core of"
            " each node to them (mpiexec --map-by ppr:N:node with one less) and bind ranks to cores"
            " (--bind-to core). 'halocline lab noise' measures it, with its period.",
            "In the program: fewer synchronisations (non-blocking MPI_Iallreduce, fewer barriers),"
            " so that one rank's delay is not every rank's.",
        ],
    )


def _typical_step(case: AdviceCase) -> float:
    """What a rank computes in a step, the median [s]."""
    busy = busy_per_step(case.record, np.array(case.balance.ranks, np.int64))
    return float(np.median(busy)) if busy.size else 0.0


def _waiting_share(case: AdviceCase) -> float:
    waits = case.matching.waits
    seconds = float((waits["until"] - waits["begin"]).sum()) / 1e9
    return seconds / max(float(case.matching.timeline.seconds_of_spans().sum()), 1e-300)
