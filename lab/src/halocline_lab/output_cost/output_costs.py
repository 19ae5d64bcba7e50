"""Tables 5.2 and 5.3: what outputs cost a day's run, from blocks of steps with and without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.running.contest import median_bounds
from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_results import Curve, Matrix, Panel, Row, Section, cost_row
from halocline_lab.output_cost.output_runs import measured, numbers
from halocline_lab.statistics.paired import Cost, cost, how_many, number, together, verdict

names = {
    "separate": "a process of its own for every output",
    "first": "the first process writes all",
    "servers": "a server process beside the model's",
    "core": "a server process on a core of its own, the model on one less",
    "auto": "the way that Halocline chooses, without servers",
}
"""Set-ups of writers."""

short = {
    "separate": "a process for each",
    "first": "first process",
    "servers": "a server besides",
    "core": "a server's own core",
    "auto": "as Halocline chooses",
}
tables = {"separate": "5.2", "first": "5.3"}
old = {"separate": papers.separate, "first": papers.first}

method = (
    "A block of {length} was run again and again from one state of the spun-up model, each time"
    " with other outputs at its beginning, the order turning; then the state went on; {rounds}"
    " rounds. A difference is that of two blocks of one round, so that both had the same work and"
    " the same quarter of a minute of the machine. A block ends when all its files are on disk."
    " Its median difference, times the blocks of a day, is the cost of a day's run, with one"
    " restart. The paper compared 99 whole runs of each set-up, not in pairs."
)


def label(kinds: Sequence[str]) -> str:
    """Name of an arrangement.

    >>> label(("fields", "points")), label(papers.kinds)
    ('fields with points', 'all')
    """
    return "all" if tuple(kinds) == papers.kinds else " with ".join(kinds)


class Costs:
    """Costs of all arrangements from one set-up's blocks."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.result = result
        self.seconds: NDArray[np.float64] = np.array(result["seconds"])
        self.blocks = papers.day / result["length"]

    def of_block(self, kinds: Sequence[str], what: str = "on disk") -> Cost:
        """What some outputs add to a block [s]."""
        with_it = self._of(kinds, what)
        nothing = what in ("calls", "diagnostics")
        return cost(with_it - (0.0 if nothing else self._of((), what)))

    def of_day(self, kinds: Sequence[str], what: str = "on disk") -> Cost:
        """What some outputs add to a day with one restart [s]."""
        hourly = tuple(kind for kind in kinds if kind != "restart")
        if hourly == tuple(kinds):
            return together([(self.blocks, self.of_block(kinds, what))])
        parts = [(1.0, self.of_block(kinds, what))]
        if hourly:
            parts.append((self.blocks - 1.0, self.of_block(hourly, what)))
        return together(parts)

    @property
    def day(self) -> float:
        """Median time of a day without output [s]."""
        return float(self.blocks * np.median(self._of((), "run")))

    @property
    def day_bounds(self) -> tuple[float, float]:
        low, high = median_bounds(self._of((), "run"))
        return self.blocks * low, self.blocks * high

    def _of(self, kinds: Sequence[str], what: str) -> NDArray[np.float64]:
        at = measured.index(tuple(kinds))
        return self.seconds[:, at, numbers.index(what)]


def section(result: Mapping[str, Any]) -> Section:
    """The table of one set-up of writers."""
    costs, writers = Costs(result), str(result["writers"])
    theirs = old.get(writers, papers.first)
    rows = [_run_row(costs, theirs)]
    for kinds in papers.arrangements:
        rows.append(_cost_row(costs, kinds, theirs))
    table = tables.get(writers)
    title = f"Table {table}" if table else f"{short[writers][0].upper()}{short[writers][1:]}"
    length = result["length"]
    return Section(
        name=f"runs-{writers}",
        title=f"{title}: {names[writers]}",
        source="Tolman (2003), "
        + (f"table {table}" if table else "table 5.3 for comparison")
        + f"; mean of {papers.paper_runs} runs",
        method=method.format(
            length="one hourly step" if length == 1 else f"{length} hourly steps",
            rounds=costs.seconds.shape[0],
        ),
        rows=rows,
        matrix=_matrix(),
        panels=[_panel(costs, theirs)],
        remarks=_remarks(costs),
    )


def _run_row(costs: Costs, theirs: Mapping[tuple[str, ...], papers.Mean]) -> Row:
    low, high = costs.day_bounds
    old_value = theirs[()].value
    return Row("run without output", "s", costs.day, low, high, old_value)


def _cost_row(
    costs: Costs, kinds: tuple[str, ...], theirs: Mapping[tuple[str, ...], papers.Mean]
) -> Row:
    found, without = costs.of_day(kinds), theirs[()].value
    lost = costs.of_day(kinds, "calls")
    more = {
        "of the run, new": _percent(found.value, costs.day),
        "of the run, old": _percent(theirs[kinds].value, without),
        "old deviation": f"{theirs[kinds].deviation:g} s",
        "time lost in calls": f"{lost.value:.2f} s ({_percent(lost.value, costs.day)})",
        "mean": f"{found.mean:.2f} s",
        "to tell": how_many(found),
    }
    return cost_row(label(kinds), found, theirs[kinds].value, **more)


def _panel(costs: Costs, theirs: Mapping[tuple[str, ...], papers.Mean]) -> Panel:
    """All costs in parts of the run, beside the paper's means and their standard errors."""
    names = [label(kinds) for kinds in papers.arrangements]
    found = [costs.of_day(kinds).over(costs.day / 100.0) for kinds in papers.arrangements]
    means = [theirs[kinds] for kinds in papers.arrangements]
    share = 100.0 / theirs[()].value
    error = [1.96 * mean.deviation / papers.paper_runs**0.5 for mean in means]
    return Panel(
        "Cost of output, in percent of the run without",
        "% of the run (bounds of about 95 %)",
        "",
        [
            Curve(
                "here",
                [c.value for c in found],
                names=names,
                low=[c.low for c in found],
                high=[c.high for c in found],
            ),
            Curve(
                "paper",
                [share * mean.value for mean in means],
                names=names,
                low=[share * (m.value - e) for m, e in zip(means, error, strict=True)],
                high=[share * (m.value + e) for m, e in zip(means, error, strict=True)],
                old=True,
            ),
        ],
    )


def _matrix() -> Matrix:
    """The shape of the paper's tables."""
    lines: dict[str, list[str | None]] = {}
    for kind in papers.kinds:
        cells: list[str | None] = [kind]
        for other in papers.kinds:
            pair = tuple(sorted((kind, other), key=papers.kinds.index))
            cells.append(None if kind == other else label(pair))
        lines[kind] = cells
    lines["all"] = ["all", *[None] * len(papers.kinds)]
    columns = ["alone", *(f"with {kind}" for kind in papers.kinds)]
    return Matrix("output", columns, lines)


def _percent(value: float, whole: float) -> str:
    return f"{round(100.0 * value / whole, 1) + 0.0:.1f} %"


def headline(results: Sequence[Mapping[str, Any]]) -> str:
    """A day's output in every set-up, in one line."""
    words = []
    for result in results:
        costs, writers = Costs(result), str(result["writers"])
        share = costs.of_day(papers.kinds).over(costs.day / 100.0)
        lost = costs.of_day(papers.kinds, "calls")
        found = f"{number(share.value)} %" if share.clear else verdict(share, "%")
        theirs = old.get(writers)
        if theirs is not None:
            found += f", paper {_percent(theirs[papers.kinds].value, theirs[()].value)}"
        words.append(f"{short[writers]} {found} ({_percent(lost.value, costs.day)} lost in calls)")
    return f"A day's output, in parts of the run without: {'; '.join(words)}."


def _remarks(costs: Costs) -> list[str]:
    everything, on_disk = costs.of_day(papers.kinds, "run"), costs.of_day(papers.kinds)
    lost = costs.of_day(papers.kinds, "calls")
    diagnostics = costs.of_day(papers.kinds, "diagnostics")
    day = costs.day
    return [
        f"All output makes a run of {day:.1f} s on {costs.result['ranks']} ranks of the model"
        f" {_percent(everything.value, day)} longer, and"
        f" {_percent(on_disk.value - everything.value, day)} more pass until the files are on"
        f" disk. Time lost in output calls: {_percent(lost.value, day)}; in diagnostics for them:"
        f" {_percent(diagnostics.value, day)}.",
    ]
