"""Load imbalance: how unequal the ranks' work is, and why (paper 3, R-10).

USER is the time outside MPI; MPI_SYNC what ranks wait in collective operations (and global sums)
for others to come; MPI all other time in MPI. A slow rank takes longer for equal work; in
an imbalanced decomposition the work differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, Table, periods
from halocline.runtime.running.contest import median_bounds
from halocline_lab.diagnosis.accounting import account, useful_seconds
from halocline_lab.diagnosis.matching import Matching
from halocline_lab.diagnosis.members import are_side_by_side, member_times
from halocline_lab.diagnosis.phases import communication_seconds, period_seconds
from halocline_lab.diagnosis.places import Excess, excess_of
from halocline_lab.diagnosis.quantities import Spread, spread
from halocline_lab.diagnosis.serving import workers
from halocline_lab.diagnosis.timeline import Floats, Integers, compute_ranks, sums
from halocline_lab.statistics.paired import fewest


@dataclass(frozen=True)
class Work:
    """What is known of the ranks' work: the amount of each rank, where it is from, and the pace.

    `seconds_per_work` is each rank's useful time per unit of work, over the median rank's. Where
    the work is `measured` kernel by kernel, it is the time in the kernels, and `seconds` is that.
    """

    source: str
    amount: list[float]
    seconds_per_work: list[float]
    seconds: list[float]
    measured: bool


@dataclass(frozen=True)
class Balance:
    """Imbalance of the steady period over the ranks that compute; seconds per rank.

    `imbalance` = largest useful time / mean - 1. `step_imbalance` is the same of single steps, the
    median; `step_variation` the relative standard deviation of a rank's useful time from step to
    step, the median rank's (None without steps). `slowest` is the rank of most useful time.
    `verdict` is "balanced", "imbalanced decomposition", "slow rank", "work of one rank", "varying
    steps", "imbalanced, cause unknown" or "unequal members"; `because` is a sentence.
    """

    ranks: list[int]
    useful: list[float]
    user: Spread
    mpi: Spread
    mpi_sync: Spread
    imbalance: float
    step_imbalance: float | None
    step_variation: float | None
    slowest: int
    work: Work | None
    verdict: str
    because: str


def balance(matching: Matching, threshold: float = 0.03) -> Balance:
    """Imbalance and its cause; up to `threshold` ranks are called balanced."""
    record = matching.timeline.record
    ranks = compute_ranks(record)
    ranks = workers(record, ranks, useful_seconds(record)[ranks])
    useful = useful_seconds(record)[ranks]
    mpi = communication_seconds(record, "steady")[ranks]
    accounting = account(matching)
    sync = np.asarray(accounting.at_collectives)[np.searchsorted(accounting.ranks, ranks)]
    over_steps, variation = _steps(record, ranks)
    work = work_of(record, ranks, useful)
    found = _between_members(record, ranks, useful, threshold)
    found = found or _verdict(matching, ranks, useful, work, over_steps, threshold)
    verdict, because = found
    return Balance(
        ranks=ranks.tolist(),
        useful=useful.tolist(),
        user=spread(period_seconds(record)[periods.index("steady")][ranks] - mpi),
        mpi=spread(mpi - sync),
        mpi_sync=spread(sync),
        imbalance=spread(useful).imbalance,
        step_imbalance=over_steps,
        step_variation=variation,
        slowest=int(ranks[np.argmax(useful)]) if ranks.size else 0,
        work=work,
        verdict=verdict,
        because=because,
    )


def busy_per_step(record: RunRecord, ranks: Integers) -> Floats:
    """Seconds [step, rank] of each recorded step outside MPI, per step; empty without steps."""
    rows: Table = record.steps[np.isin(record.steps["rank"], ranks)]
    steps = np.unique(rows["step"])
    if not rows.size or len(rows) != len(steps) * len(ranks):
        return np.empty((0, len(ranks)))
    order = np.lexsort((rows["rank"], rows["step"]))
    busy = (rows["seconds"] - rows["mpi_seconds"]) / np.maximum(rows["count"], 1)
    return np.asarray(busy[order].reshape(len(steps), len(ranks)), np.float64)


def _steps(record: RunRecord, ranks: Integers) -> tuple[float | None, float | None]:
    busy = busy_per_step(record, ranks)
    if len(busy) < 2:
        return None, None
    means = np.maximum(busy.mean(axis=1), 1e-300)
    over_steps = float(np.median(busy.max(axis=1) / means - 1.0))
    variation = busy.std(axis=0) / np.maximum(busy.mean(axis=0), 1e-300)
    return over_steps, float(np.median(variation))


def work_of(record: RunRecord, ranks: Integers, useful: Floats) -> Work | None:
    """The ranks' work as far as a record tells: counted, of the contracts, or what they say."""
    size = record.size
    instructions, counted = _instructions(record)
    contract = sums(record.work["rank"], record.work["bytes"], size)
    kernels = own_seconds_in(record, np.unique(record.work["region"]))
    points = record.about.get("points_of_ranks")
    for source, amount, seconds in (
        ("instructions that the processor counted in kernels", instructions, counted),
        ("bytes that the kernels must move", contract, kernels),
    ):
        if ranks.size and (amount[ranks] > 0.0).all():
            return _work(source, amount[ranks], seconds[ranks], measured=True)
    if isinstance(points, list) and len(points) == size:
        return _work("points of each rank", np.asarray(points, np.float64)[ranks], useful)
    contributed = _contributions(record)[ranks]
    if contributed.size and (contributed > 0.0).all():
        return _work("bytes that each rank contributes to collectives", contributed, useful)
    return None


def _instructions(record: RunRecord) -> tuple[Floats, Floats]:
    """Instructions of each rank in the kernels where they were counted, and seconds in those."""
    names = list(record.about.get("counters") or [])
    if "instructions" not in names:
        return np.zeros(record.size), np.zeros(record.size)
    rows = record.counters[record.counters["counter"] == names.index("instructions")]
    found = sums(rows["rank"], np.nan_to_num(rows["value"]), record.size)
    return found, own_seconds_in(record, np.unique(rows["region"]))


def own_seconds_in(record: RunRecord, regions: Integers) -> Floats:
    """Own time of each rank's main thread in some regions, in the steady period [s]."""
    rows = record.statistics
    rows = rows[(rows["thread"] == 0) & (rows["period"] == periods.index("steady"))]
    rows = rows[np.isin(rows["region"], regions)]
    return sums(rows["rank"], rows["own_seconds"], record.size)


def _contributions(record: RunRecord) -> Floats:
    """Bytes that each rank gives to those collectives whose parts may differ in size."""
    varying = np.array(
        [
            region.kind in ("collective", "start collective") and _of_parts(region.name)
            for region in record.regions
        ]
        or [False]
    )
    rows = record.messages[varying[record.messages["region"]]]
    return sums(rows["rank"], rows["bytes"], record.size)


def _of_parts(name: str) -> bool:
    word = name.lower()
    return "gather" in word or "alltoallv" in word or "alltoallw" in word


def _work(source: str, amount: Floats, seconds: Floats, measured: bool = False) -> Work:
    pace = seconds / np.maximum(amount, 1e-300)
    relative = pace / max(float(np.median(pace)), 1e-300)
    return Work(source, amount.tolist(), relative.tolist(), seconds.tolist(), measured)


def _between_members(
    record: RunRecord, ranks: Integers, useful: Floats, threshold: float
) -> tuple[str, str] | None:
    """Whether ranks differ because they are of other members; None where that is not so."""
    members = member_times(record)
    own = {one.name: useful[np.isin(ranks, one.ranks)] for one in members}
    if not are_side_by_side(members) or any(not some.size for some in own.values()):
        return None
    most = max(some.mean() for some in own.values())
    if most <= (1.0 + threshold) * useful.mean():
        return None
    each = "; ".join(
        f"those of {name} {some.mean():.3g} s on average, {some.max():.3g} s at most"
        for name, some in own.items()
    )
    return "unequal members", f"the ranks compute for different members, {each}"


def _verdict(
    matching: Matching,
    ranks: Integers,
    useful: Floats,
    work: Work | None,
    over_steps: float | None,
    threshold: float,
) -> tuple[str, str]:
    """What is imbalanced, and the sentence that says why one thinks so."""
    found = spread(useful)
    if ranks.size < 2 or found.imbalance <= threshold:
        if over_steps is not None and over_steps > max(2.0 * threshold, 2.0 * found.imbalance):
            words = (
                f"over the run the ranks work equally long, but in single steps the slowest takes"
                f" {100 * over_steps:.0f} % more than the mean, each time another"
            )
            return "varying steps", words
        return "balanced", f"the ranks' useful times differ by {100 * found.imbalance:.1f} %"
    slowest = int(np.argmax(useful))
    if not _always(matching.timeline.record, ranks, slowest):
        words = (
            f"rank {ranks[slowest]} takes {100 * found.imbalance:.0f} % more than the mean, but not"
            " in most of the steps"
        )
        return "varying steps", words
    excess = excess_of(matching, ranks, slowest)
    if work is not None:
        return _by_work(ranks, useful, work, slowest, excess)
    return _by_place(ranks, useful, slowest, excess)


def _by_place(ranks: Integers, useful: Floats, slowest: int, excess: Excess) -> tuple[str, str]:
    """Without known work: one rank with work of its own somewhere, or nobody knows."""
    others = np.delete(useful, slowest)
    median = max(float(np.median(others)), 1e-300)
    more = useful[slowest] / median
    scatter = float(others.max() - others.min()) / median
    if len(others) < 2 or more - 1.0 <= 4.0 * scatter:
        return (
            "imbalanced, cause unknown",
            f"useful times reach from {useful.min():.3g} to {useful.max():.3g} s, and the record"
            " does not tell how much work each rank has",
        )
    if excess.spread == "in places":
        return "work of one rank", _own_work(ranks[slowest], excess)
    return (
        "imbalanced, cause unknown",
        f"rank {ranks[slowest]} takes {more:.2f} times as long as the others, which differ by"
        f" {100 * scatter:.1f} % only; nothing in the record tells more work (reading among it)"
        " from a slower processor: no work, instructions or points of ranks are on record",
    )


def _own_work(rank: int, excess: Excess) -> str:
    return (
        f"rank {rank} takes longer in some places only, most {excess.place}: {excess.seconds:.3g} s"
        f" where the median of the others takes {excess.others:.3g} s; elsewhere it is as fast as"
        " they are, so that it is not slow but does something that they do not (work, reading,"
        " waiting for what is no call of MPI)"
    )


def _always(record: RunRecord, ranks: Integers, slowest: int) -> bool:
    """Whether a rank takes longer than the others in most steps, beyond chance (95 %)."""
    busy = busy_per_step(record, ranks)
    if len(busy) < fewest:
        return True
    low, _ = median_bounds(busy[:, slowest] - np.delete(busy, slowest, axis=1).mean(axis=1))
    return low > 0.0


def _by_work(
    ranks: Integers, useful: Floats, work: Work, slowest: int, excess: Excess
) -> tuple[str, str]:
    """Unequal amounts are an imbalanced decomposition; unequal paces may be a slow rank."""
    pace = np.asarray(work.seconds_per_work)
    amount = np.asarray(work.amount)
    more_work = float(amount[slowest] / amount.mean())
    slower = float(pace[slowest])
    rank = ranks[slowest]
    if work.measured and not _explained(useful, np.asarray(work.seconds), slowest):
        return "work of one rank", (
            f"rank {rank} takes longer outside of the kernels whose work is known, most"
            f" {excess.place}: {excess.seconds:.3g} s where the median of the others takes"
            f" {excess.others:.3g} s; in those kernels it takes {slower:.2f} times as long for"
            f" equal work ({work.source})"
        )
    if slower - 1.0 <= more_work - 1.0:
        return "imbalanced decomposition", (
            f"rank {rank} has {more_work:.2f} times the mean work ({work.source}), at"
            f" {slower:.2f} times the time per work of the median rank"
        )
    words = (
        f"rank {rank} takes {slower:.2f} times as long as the median rank for equal work"
        f" ({work.source})"
    )
    if work.measured:
        return "slow rank", words
    if excess.spread == "in places":
        return "work of one rank", _own_work(rank, excess)
    if excess.spread == "everywhere":
        return "slow rank", f"{words}, in all places where the others compute too"
    return "imbalanced, cause unknown", (
        f"{words}; ranks compute in one place only, so that nothing in the record tells a slower"
        " processor from what this rank does beside (reading, diagnostics)"
    )


def _explained(useful: Floats, seconds: Floats, slowest: int) -> bool:
    """Whether the time in some kernels explains at least half of a rank's longer time."""
    more = [float(one[slowest] - np.median(np.delete(one, slowest))) for one in (seconds, useful)]
    return more[0] >= 0.5 * more[1]
