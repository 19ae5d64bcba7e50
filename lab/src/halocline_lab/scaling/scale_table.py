"""Table 4.1 of Tolman (2003) for any measured series: times, parallel fraction, efficiency."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline_lab.scaling.placement import Cluster, alpha, effective_fraction, efficiency, is_ideal
from halocline_lab.scaling.placement_fit import Fit, Timing, fit, given
from halocline_lab.scaling.scale_setups import Series, Setup
from halocline_lab.statistics.comparison import compare_pairs, outliers

keys = {
    "case": "the case and its changed options",
    "cluster": "nodes (M_n) and processors of each (M_p)",
    "unit": "what the times are",
    "skip": "first steps of each run that do not count",
    "build": "compiler, flags and variant of the build that ran",
    "growth": "where an option was varied: how the time goes with its value, by numbers of ranks",
    "growth.name": "number of ranks, group size, threads, use of hardware threads",
    "growth.values": "values of the option, rising",
    "growth.median": "median seconds at these",
    "growth.fixed": "time that a straight line through the medians has at value 0 [s]",
    "growth.each": "seconds that one more takes, by that line",
    "growth.ratio": "time at the greatest value over that at the least one, median over rounds",
    "growth.low": "bound of it, with about 95 % confidence",
    "growth.high": "the other bound",
    "growth.power": "power of the value that has this ratio: 1 is in proportion",
    "growth.words": "all that in words",
    "busy": "a warning, where other programs were running before",
    "rows": "one entry per number of ranks, group size, threads and use of hardware threads",
    "rows.processes": "ranks n",
    "rows.per_node": "group size m",
    "rows.threads": "threads per rank",
    "rows.smt": "on or off; empty where it was not told apart",
    "rows.setting": "KEY=VALUE of the option that was varied; empty where none was",
    "rows.seconds": "times of all runs [s], in rounds",
    "rows.least": "least of them [s]",
    "rows.mean": "mean [s]",
    "rows.median": "median [s]",
    "rows.most": "largest [s]",
    "rows.outliers": "rounds (from 0) of times far outside the others; they count as all do",
    "rows.steps": "steps of a run that count",
    "rows.first": "median seconds of the first steps, which do not count",
    "rows.steps_per_hour": "steps in an hour of the mean time",
    "points": "sea points of the case",
    "rows.alpha": "ranks per processor of the most loaded node, at least 1",
    "rows.parallel": "effective parallel fraction p_e of the mean (3.8); null for one rank",
    "rows.efficiency": "bulk parallel efficiency zeta of the mean (3.12); null for one rank",
    "rows.speed_up": "median over rounds of the time of one rank over this",
    "rows.speed_up_low": "bound of it, with about 95 % confidence",
    "rows.speed_up_high": "the other bound",
    "rows.ideal": "whether the loading is ideal",
    "rows.predicted": "time [s] by the placement model fitted without this number; or null",
    "rows.phases": "median seconds of phases in these steps by their mean in all, mean over ranks",
    "rows.start_up": "median seconds of a run outside its steps",
    "laws": "the placement model fitted to each series, with its error where it had to predict",
    "fastest": "the fastest setup, those not told apart from it, and words",
}


def table_rows(
    runs: Mapping[Setup, Sequence[Mapping[str, Any]]],
    cluster: Cluster,
    parallel: float | None = None,
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Rows of all setups, and the laws of all series; see `keys`.

    The parallel fraction is fitted to the times, unless it is given.
    """
    rows, laws = [], {}
    for series in dict.fromkeys(setup.series for setup in runs):
        mine = {setup: found for setup, found in runs.items() if setup.series == series}
        threads = Cluster(cluster.nodes, cluster.processors, series[1])
        law = _law(mine, threads, parallel)
        name = next(iter(mine)).name.partition(", ")[2]
        laws[name] = law.words if law else "too few numbers of ranks to fit and test a law"
        rows += _series_rows(mine, threads, law)
    return rows, laws


def _law(
    runs: Mapping[Setup, Sequence[Mapping[str, Any]]], cluster: Cluster, parallel: float | None
) -> Fit | None:
    timings = [
        Timing(setup.ranks, setup.per_node, float(np.mean([run["seconds"] for run in found])))
        for setup, found in runs.items()
    ]
    if parallel is not None:
        return given(parallel, timings, cluster)
    try:
        return fit(timings, cluster)
    except UserError:
        return None


def _series_rows(
    runs: Mapping[Setup, Sequence[Mapping[str, Any]]], cluster: Cluster, law: Fit | None
) -> list[dict[str, Any]]:
    alone = next(found for setup, found in runs.items() if setup.ranks == 1)
    firsts = np.array([run["seconds"] for run in alone])
    errors = iter(law.errors if law else ())
    rows = []
    for setup, found in runs.items():
        n, m = setup.ranks, setup.per_node
        seconds = np.array([run["seconds"] for run in found])
        mean, many = float(seconds.mean()), n > 1
        gain = compare_pairs(seconds, firsts)
        error = next(errors, None) if many else None
        row = {
            "processes": n,
            "per_node": m,
            "threads": setup.threads,
            "smt": setup.smt,
            "setting": setup.setting,
            "seconds": seconds.tolist(),
            "least": float(seconds.min()),
            "mean": mean,
            "median": float(np.median(seconds)),
            "most": float(seconds.max()),
            "outliers": outliers(seconds),
            "steps": found[0]["steps"],
            "steps_per_hour": 3600.0 * found[0]["steps"] / mean if mean > 0.0 else 0.0,
            "alpha": alpha(n, m, cluster),
            "parallel": effective_fraction(firsts.mean(), mean, n, m, cluster) if many else None,
            "efficiency": efficiency(firsts.mean(), mean, n, cluster) if many else None,
            "speed_up": gain.ratio,
            "speed_up_low": gain.low,
            "speed_up_high": gain.high,
            "ideal": is_ideal(n, m, cluster),
            "predicted": None if error is None else mean * (1.0 + error),
            "phases": _medians([run["phases"] for run in found]),
            "first": float(np.median([run["first"] for run in found])),
            "start_up": float(np.median([run["start_up"] for run in found])),
        }
        rows.append(row)
    return rows


def _medians(phases: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = sorted({name for one in phases for name in one})
    return {name: float(np.median([one.get(name, 0.0) for one in phases])) for name in names}


def series_of(row: Mapping[str, Any]) -> Series:
    """The series that a row belongs to."""
    return row["per_node"], row["threads"], row["smt"], row["setting"]


def fastest(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The setup with the least median, and those that rounds cannot tell from it."""
    best = min(rows, key=lambda row: row["median"])
    ties = [
        row
        for row in rows
        if row["seconds"] != best["seconds"]
        and compare_pairs(np.array(best["seconds"]), np.array(row["seconds"])).verdict != "slower"
    ]
    words = f"fastest: {_name(best)}, {best['median']:.4g} s"
    if ties:
        some = "; ".join(_name(row) for row in ties[:6]) + ("; ..." if len(ties) > 6 else "")
        rounds = len(best["seconds"])
        words += f"; {rounds} round{'s' * (rounds > 1)} cannot tell from it: {some}"
    return {"best": _name(best), "ties": [_name(row) for row in ties], "words": words}


def _name(row: Mapping[str, Any]) -> str:
    return Setup(row["processes"], *series_of(row)).name


columns = (
    ("n", "processes", "d", 4),
    ("m", "per_node", "d", 4),
    ("t min [s]", "least", ".4g", 11),
    ("t mean", "mean", ".4g", 10),
    ("t max", "most", ".4g", 10),
    ("steps/h", "steps_per_hour", ".4g", 10),
    ("p_e", "parallel", ".3f", 8),
    ("zeta", "efficiency", ".3f", 8),
    ("alpha", "alpha", ".2f", 7),
    ("speed-up", "speed_up", ".2f", 10),
)


def text(rows: Sequence[Mapping[str, Any]], laws: Mapping[str, str]) -> str:
    """The table as text, a block per series, each with its law."""
    lines: list[str] = []
    series = list(dict.fromkeys(map(series_of, rows)))
    for key, (name, law) in zip(series, laws.items(), strict=True):
        mine = [row for row in rows if series_of(row) == key]
        head = "".join(f"{title:>{width}}" for title, _, _, width in columns)
        lines += [name, f"{head}{'(bounds)':>14}{'predicted':>11}"]
        lines += [_line(row) for row in mine]
        lines += [f"placement model: {law}", ""]
    return "\n".join(lines).rstrip()


def _line(row: Mapping[str, Any]) -> str:
    cells = ""
    for _, name, form, width in columns:
        value = row[name]
        cells += f"{'-':>{width}}" if value is None else f"{value:>{width}{form}}"
    bounds = f"{row['speed_up_low']:.2f} to {row['speed_up_high']:.2f}" if row["parallel"] else ""
    predicted = "" if row["predicted"] is None else f"{row['predicted']:.4g}"
    late = len(row["outliers"])
    more = "  ideal loading" * row["ideal"] + f"  {late} outlier{'s' * (late > 1)}" * bool(late)
    return f"{cells}{bounds:>14}{predicted:>11}{more}"


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table as CSV, a line per setup."""
    names = [name for name in rows[0] if name not in ("seconds", "phases", "outliers")]
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if row[n] is None else row[n] for n in names] for row in rows])
    return target.getvalue()
