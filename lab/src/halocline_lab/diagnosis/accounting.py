"""Where the steady time of each rank goes: five parts that add up. All reports use these.

Computing is the time outside MPI, halos, sums and files, as far as the rank had a processor then;
without one it lacks it (`processors`); files is that of input and output; waiting is
time in communication until another rank came (`matching`), and that for values of another member;
communicating is the rest of it. All but the last two, and their sum, are exact; how much of a call
was waiting is known of the kept events, and reckoned for those calls of the same region and rank
that were not kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, periods
from halocline_lab.diagnosis.matching import Matching, causes
from halocline_lab.diagnosis.phases import (
    communication_seconds,
    member_wait_seconds,
    own_seconds_of,
    period_seconds,
)
from halocline_lab.diagnosis.processors import lacking_seconds
from halocline_lab.diagnosis.timeline import Floats, communicating_kinds, compute_ranks, file_kinds

outside_mpi = tuple(kind for kind in file_kinds if kind != "file")


@dataclass(frozen=True)
class Accounting:
    """Seconds of each of the ranks that compute in the `steady` period, of its main thread.

    `steady` = `computing` + `lacking` + `files` + `communicating` + `waiting`; `lacking` is time to
    compute without a processor, `at_collectives` what of the waiting is in collective operations
    and sums.
    """

    ranks: list[int]
    steady: list[float]
    computing: list[float]
    lacking: list[float]
    files: list[float]
    communicating: list[float]
    waiting: list[float]
    at_collectives: list[float]

    def share(self, part: list[float]) -> float:
        """What share of all ranks' steady time a part is."""
        return sum(part) / max(sum(self.steady), 1e-300)


def useful_seconds(record: RunRecord, period: str = "steady") -> Floats:
    """Useful time of each rank in a period [s]: outside MPI, halos, sums, files, member waits.

    Of the steady period no more than the time in which the rank had a processor.
    """
    seconds = period_seconds(record)[periods.index(period)]
    rest = communication_seconds(record, period) + own_seconds_of(record, outside_mpi, period)
    rest += member_wait_seconds(record, period)
    found = np.asarray(np.maximum(seconds - rest, 0.0), np.float64)
    return found - lacking_seconds(record, found) if period == "steady" else found


def account(steady: Matching) -> Accounting:
    """The parts of a record's steady time, from the matching of its steady part."""
    record = steady.timeline.record
    ranks = compute_ranks(record)
    seconds = period_seconds(record)[periods.index("steady")]
    mpi = np.minimum(communication_seconds(record, "steady"), seconds)
    files = np.minimum(own_seconds_of(record, outside_mpi, "steady"), seconds - mpi)
    waiting, at_collectives = (np.minimum(part, mpi) for part in _waiting(steady))
    apart = np.minimum(member_wait_seconds(record, "steady"), seconds - mpi - files)
    computing = seconds - mpi - files - apart
    lacking = lacking_seconds(record, computing)
    idle = waiting + apart
    columns = (seconds, computing - lacking, lacking, files, mpi - waiting, idle, at_collectives)
    return Accounting(ranks.tolist(), *(column[ranks].tolist() for column in columns))


def _waiting(steady: Matching) -> tuple[Floats, Floats]:
    """What each rank waits in the steady period, and what of it at collectives [s]."""
    record, events = steady.timeline.record, steady.timeline.events
    regions = len(steady.timeline.regions)
    shape = (record.size, regions)

    def by_call(place: np.ndarray, values: np.ndarray) -> Floats:
        found = np.bincount(place, values, minlength=record.size * regions)
        return np.asarray(found.reshape(shape), np.float64)

    call = events["rank"].astype(np.int64) * regions + events["region"]
    segments = steady.timeline.segments
    segments = segments[segments["event"] >= 0]
    lengths = (segments["end"] - segments["begin"]) / 1e9
    kept = by_call(call[segments["event"]], lengths)
    idle = steady.idle_seconds
    collective = np.zeros(len(events), np.bool_)
    waits = steady.waits
    collective[waits["event"][waits["cause"] == causes.index("wait at a collective")]] = True
    exact = _exact_seconds(record, shape)
    return tuple(
        (_shares(by_call(call, values), kept) * exact).sum(axis=1)
        for values in (idle, np.where(collective, idle, 0.0))
    )


def _exact_seconds(record: RunRecord, shape: tuple[int, int]) -> Floats:
    """Own time [rank, region] of all calls of the main threads in the steady period."""
    rows = record.statistics
    wanted = np.array([one.kind in communicating_kinds for one in record.regions] or [False])
    some = (rows["thread"] == 0) & (rows["period"] == periods.index("steady"))
    rows = rows[some & wanted[rows["region"]]]
    found = np.zeros(shape)
    np.add.at(found, (rows["rank"], rows["region"]), rows["own_seconds"])
    return found


def _shares(part: Floats, whole: Floats) -> Floats:
    """part / whole of each rank and region, of all ranks where one has nothing of a region."""
    of_all = part.sum(axis=0) / np.maximum(whole.sum(axis=0), 1e-300)
    own = part / np.maximum(whole, 1e-300)
    return np.asarray(np.where(whole > 0.0, own, of_all), np.float64)
