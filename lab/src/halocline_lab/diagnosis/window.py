"""A part of a record: what happened between two times, as a record of its own.

All that is said of the part comes from its events: statistics, messages and calls are those of the
events in it. Where not all of them were kept, numbers are reckoned from those that were, and a note
says so.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord, Table, empty
from halocline.runtime.record.run_record_file import read_record
from halocline.runtime.record.run_record_tables import statistics_of_rank
from halocline_lab.diagnosis.consistent_cut import begins_after, ends_before
from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.startup import end_of_start
from halocline_lab.diagnosis.timeline import Floats, Integers, nest, sums, timeline


def add_window(parser: argparse.ArgumentParser) -> None:
    """Options that take a part of a record."""
    parser.add_argument(
        "--since", dest="begin", type=float, metavar="SECONDS",
        help="look only at what is after this time, from the begin of the record",
    )  # fmt: skip
    parser.add_argument(
        "--until", dest="end", type=float, metavar="SECONDS", help="and before this time"
    )
    parser.add_argument(
        "--without-start",
        action="store_true",
        help="leave out the start: all before the first step; of a record without steps what is"
        " unlike the second half of the run",
    )


def record_in_window(path: str | Path, options: Any) -> RunRecord:
    """The record of a file, or the part of it that `options` ask for."""
    return part_in_window(read_record(path), path, options)


def part_in_window(record: RunRecord, path: str | Path, options: Any) -> RunRecord:
    """A record, or the part of it that `options` ask for; `path` names it."""
    if not record.size or not (options.without_start or options.begin or options.end):
        return record
    length = int(record.ranks["end"].max())
    begin = _nanoseconds(options.begin or 0.0)
    end = min(_nanoseconds(options.end), length) if options.end else length
    if options.without_start:
        found = end_of_start(record)
        if found is None:
            raise UserError(
                f"No start that is unlike the rest was found in '{path}'. Say where it ends with"
                " '--since SECONDS'; 'halocline lab report' shows the times."
            )
        begin = max(begin, found)
    if not begin < end:
        raise UserError(
            f"Nothing is between {begin / 1e9:.6g} and {end / 1e9:.6g} s: the record '{path}' has"
            f" {length / 1e9:.6g} s. Give --since and --until times within it."
        )
    return between(record, begin, end)


def _nanoseconds(seconds: float) -> int:
    if not 0.0 <= seconds < 1e9:
        raise UserError(f"'{seconds:g}' is no time of a record: give seconds from its begin.")
    return round(1e9 * seconds)


def between(record: RunRecord, begin: int, end: int) -> RunRecord:
    """What a record tells of the time from `begin` to `end` [ns].

    Each rank's part begins and ends so that no message is cut apart (`consistent_cut`).
    """
    matching = match(timeline(record))
    first, last = begins_after(matching, begin), ends_before(matching, end)
    if (first >= last).any():
        raise UserError(
            f"Between {begin / 1e9:.6g} and {end / 1e9:.6g} s messages are always under way. Take a"
            " longer part of the record."
        )
    ranks = record.ranks.copy()
    for name in ("begin", "steady_begin", "steady_end", "end"):
        ranks[name] = np.clip(ranks[name], first, last)
    events = _clipped(record.events, first, last)
    spans = _clipped(record.spans, first, last)
    steps = record.steps
    steps = steps[
        (steps["begin"] >= first[steps["rank"]])
        & (steps["begin"] + 1e9 * steps["seconds"] <= last[steps["rank"]] + 1.0)
    ]
    part = replace(
        record, about=dict(record.about), ranks=ranks, events=events, spans=spans, steps=steps
    )
    kept = _kept_shares(part)
    if not events.size:
        raise UserError(
            f"No events were kept between {begin / 1e9:.6g} and {end / 1e9:.6g} s, so that nothing"
            " is known of this part. Record again with more '--events'."
        )
    _count(part, kept)
    _keep_whole_periods(record, part)
    _scale_totals(record, part)
    _tell(record, part, (begin, end), float(kept.min()))
    return part


def _clipped(rows: Table, first: Integers, last: Integers) -> Table:
    """Rows that are between two times of their rank, or what of them is."""
    begin, end = first[rows["rank"]], last[rows["rank"]]
    instant = rows["begin"] == rows["end"]
    some = (rows["begin"] < end) & (rows["end"] > begin)
    some |= instant & (rows["begin"] >= begin) & (rows["begin"] < end)
    found = rows[some].copy()
    found["begin"] = np.maximum(found["begin"], begin[some])
    found["end"] = np.minimum(found["end"], end[some])
    return found


def _kept_shares(part: RunRecord) -> Floats:
    """Of how much of each rank's time the events were kept."""
    lengths = (part.ranks["end"] - part.ranks["begin"]).astype(np.float64)
    spans = (part.spans["end"] - part.spans["begin"]).astype(np.float64)
    kept = np.bincount(part.spans["rank"], spans, minlength=part.size)
    return np.where(lengths > 0.0, np.minimum(kept / np.maximum(lengths, 1.0), 1.0), 1.0)


def _count(part: RunRecord, kept: Floats) -> None:
    """Statistics and messages of the part, of all events as those that were kept."""
    statistics, messages = [empty("statistics")], [empty("messages")]
    for rank in range(part.size):
        events = part.of_rank(rank)
        found = statistics_of_rank(part, events, _own_seconds(events), part.ranks[rank])
        for rows, columns in zip(
            found,
            (
                ("calls", "seconds", "own_seconds", "squares", "bytes"),
                ("count", "bytes", "seconds"),
            ),
            strict=True,
        ):
            for name in columns if 0.0 < kept[rank] < 0.999 else ():
                scaled = rows[name] / kept[rank]
                rows[name] = scaled if rows[name].dtype.kind == "f" else np.rint(scaled)
        statistics.append(found[0])
        messages.append(found[1])
    part.statistics, part.messages = np.concatenate(statistics), np.concatenate(messages)


def _keep_whole_periods(record: RunRecord, part: RunRecord) -> None:
    """Statistics of periods that lie in the part as a whole are exact."""
    bounds = ("begin", "steady_begin", "steady_end", "end")
    same = np.array([part.ranks[name] == record.ranks[name] for name in bounds])
    whole = same[:-1] & same[1:]
    reckoned, exact = (
        rows[whole[rows["period"], rows["rank"]] == wanted]
        for rows, wanted in ((part.statistics, False), (record.statistics, True))
    )
    part.statistics = np.concatenate([reckoned, exact])


def _own_seconds(events: Table) -> Floats:
    """Time of each event of a rank without that of the events inside it on its thread [s]."""
    by_thread = events.copy()
    by_thread["rank"] = events["thread"]
    parents, seconds = nest(by_thread), (events["end"] - events["begin"]) / 1e9
    inner = parents >= 0
    return seconds - sums(parents[inner], seconds[inner], len(seconds))


def _scale_totals(record: RunRecord, part: RunRecord) -> None:
    """What is known of the whole run only, by the share of the calls or steps in the part."""

    def calls_of(one: RunRecord) -> Floats:
        found = np.zeros((record.size, max(1, len(record.regions))))
        np.add.at(
            found, (one.statistics["rank"], one.statistics["region"]), one.statistics["calls"]
        )
        return found

    here, whole = calls_of(part), calls_of(record)
    share = here / np.maximum(whole, 1.0)
    part.work, part.counters = record.work.copy(), record.counters.copy()
    for table, columns in (
        (part.work, ("calls", "bytes", "operations")),
        (part.counters, ("value",)),
    ):
        for name in columns:
            scaled = table[name] * share[table["rank"], table["region"]]
            table[name] = np.rint(scaled) if table[name].dtype.kind == "i" else scaled
    part.ranks["recording_seconds"] *= here.sum(axis=1) / np.maximum(whole.sum(axis=1), 1.0)
    part.ranks["cpu_seconds"] = np.nan
    simulated = part.about.pop("simulated_seconds", None)
    if simulated is not None and record.steps["count"].sum() > 0:
        steps = part.steps["count"].sum() / record.steps["count"].sum()
        part.about["simulated_seconds"] = float(simulated) * float(steps)


def _tell(record: RunRecord, part: RunRecord, times: tuple[int, int], kept: float) -> None:
    begin, end = times
    words = (
        f"Only what is between {begin / 1e9:.4g} and {end / 1e9:.4g} s of the record is looked at"
    )
    if kept < 0.999:
        words += (
            f"; of it the events of {100 * kept:.3g} % of the time were kept (of the rank with the"
            " fewest), from which calls, bytes and times are reckoned"
        )
    part.about["part"] = [begin, end]
    part.about["notes"] = [words + ".", *record.about.get("notes", [])]
