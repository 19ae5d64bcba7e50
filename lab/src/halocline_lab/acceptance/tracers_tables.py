"""Tables 1, 3, 4 and figure 5 of Cheptsov et al. (2009) from times measured here, as sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.running.contest import median_bounds
from halocline_lab.acceptance import golden_cheptsov as golden
from halocline_lab.acceptance.phase_table import Phase, PhaseTable
from halocline_lab.acceptance.tracers_run import (
    blocking,
    blocking_sends,
    by_parts,
    collective,
    every_rank,
    homogeneous,
    mixed,
    ours,
    paper,
    printed,
    test_steps,
)
from halocline_lab.acceptance.tracers_run import others as other_ways
from halocline_lab.benchmarks import tracer_messages
from halocline_lab.output_cost.output_results import (
    Curve,
    Panel,
    Row,
    Section,
    bounded_row,
    counted_row,
)
from halocline_lab.scaling.extrapolation import Wanted
from halocline_lab.scaling.scaling_law import Measurement, fit_law
from halocline_lab.statistics.turns import Bounded

Floats = NDArray[np.float64]
phases = (golden.initialisation, golden.loop, golden.storage)
ways = (printed, paper, ours)
per = dict(zip(phases, ("run", "step", "frame"), strict=True))
source = "Cheptsov et al. (2009), {}"
stores = int(golden.real_stores)

trials = {
    printed: (f"input, {every_rank}", f"loop, {printed}", f"storage, {blocking}"),
    paper: (f"input, {by_parts}", f"loop, {paper}", f"storage, {collective}"),
    ours: (f"input, {by_parts}", f"loop, {ours}", f"storage, {ours}"),
}
"""What each way does in the three phases."""


def bounded(values: Floats) -> Bounded:
    """The median and what encloses it."""
    return Bounded(float(np.median(values)), *median_bounds(values))


@dataclass(frozen=True)
class Times:
    """What was measured on one number of ranks; with `least` the least of all rounds counts."""

    found: Mapping[str, Any]
    least: bool = False

    @property
    def ranks(self) -> int:
        return int(self.found["ranks"])

    @cached_property
    def _seconds(self) -> Floats:
        seconds = np.asarray(self.found["seconds"], np.float64)
        if not self.least:
            return seconds
        best = seconds[..., 0].argmin(axis=0)
        return seconds[best, np.arange(best.size)][None]

    def trial(self, name: str) -> tuple[Floats, Floats]:
        """Seconds of every round, all and in MPI."""
        at = self.found["trials"].index(name)
        return self._seconds[:, at, 0], self._seconds[:, at, 1]

    def phase(self, way: str, phase: str, part: str = "total") -> Floats:
        """Seconds of a phase of the test, of every round."""
        total, mpi = self.trial(trials[way][phases.index(phase)])
        built = self.found["built"] if phase == golden.initialisation else 0.0
        mpi = np.minimum(mpi, total)
        return {"total": built + total, "mpi": mpi, "computation": built + total - mpi}[part]

    def test(self, way: str, part: str = "total") -> Floats:
        """Seconds of the test: one input, three steps, one store."""
        return np.asarray(sum(self.phase(way, phase, part) for phase in phases))

    def once(self, way: str, phase: str) -> Floats:
        """Seconds of a phase once: the input, a step, a store."""
        return self.phase(way, phase) / (test_steps if phase == golden.loop else 1)

    def real(self, way: str) -> Floats:
        """Seconds of the real case, put together from its phases."""
        wanted = Wanted(golden.real_steps, golden.real_stores, self.ranks)
        return np.asarray(sum(wanted.times(per[p]) * self.once(way, p) for p in phases))

    def table(self, way: str) -> PhaseTable:
        """The phases in the shape of the paper's table 1."""
        rows = [
            Phase(
                name,
                float(np.median(self.phase(way, name, "computation"))),
                float(np.median(self.phase(way, name, "mpi"))),
                iterations=test_steps if name == golden.loop else 1,
            )
            for name in phases
        ]
        return PhaseTable(f"{way}, {self.ranks} ranks", self.ranks, tuple(rows))


def messages_section(few: Times, more: Times) -> Section:
    """What is sent in a step."""
    text = {"trcadv": 408.0, "trchdf": 3621.0, "trcnxt": 51.0}
    rows, between = [], 2 * (more.ranks - 1)
    stored = more.found["stored_messages"] / (more.ranks - 1)
    for name, old in text.items():
        count, size = more.found["messages"][name]
        here, each = count / between, size / max(count, 1.0)
        label = f"{name}: messages of an end rank in a step"
        rows.append(counted_row(label, here, old, each=f"{each / 1024:.3g} KiB"))
    sent, volume = in_chain(32)
    for label, old, new, units in (
        ("32 ranks: messages in a step", 252960.0, sent, ""),
        ("32 ranks: volume in a step", 2273.1, volume / 1e6, "MB"),
        ("storing: messages of a rank", 612.0, stored, ""),
    ):
        rows.append(counted_row(label, float(new), old, units))
    own = more.found["messages"][ours][0]
    return Section(
        "messages",
        "Messages of a step",
        source.format("section IV.3"),
        "The exchanges of OPATM-BFM between the ranks of this machine, counted by their recorders:"
        f" {more.ranks} ranks in a chain on {_shape(more)} cells. A rank with two neighbours sends"
        " twice as many; trchdf has one for each tracer and level but one. Those of 32 ranks"
        " are counted from the pattern of their blocks. 128 rows of the Mediterranean by 72 levels"
        " in double precision, or halos two deep in single, are the paper's 72 kB, 128 rows its"
        " 1 kB.",
        rows,
        f"{sum(more.found['messages'][n][0] for n in text) / between:,.0f} messages of an end rank"
        f" in a step as printed (paper: 4,080); Halocline's step sends {own / between:.0f}."
        f" 32 ranks: {sent:,} as printed,"
        f" {in_chain(32, tracer_messages.aggregated)[0]:,} with all tracers in one.",
    )


def in_chain(ranks: int, choice: HaloChoice | None = None) -> tuple[int, int]:
    """Messages and bytes of OPATM's step on a chain of ranks; all but its ends send alike."""
    sent = tracer_messages.sent_in_step(tracer_messages.patterns(3), choice)
    times = {0: 1, 1: ranks - 2, 2: 1}
    return (
        sum(times[one.rank] * one.messages for one in sent),
        sum(times[one.rank] * one.bytes for one in sent),
    )


def segments_section(times: Sequence[Times]) -> Section:
    """One exchange of all tracers in every size of segments."""
    rows, panels = [], []
    for some in times:
        base = some.trial(f"exchange, {homogeneous}, 1")[0]
        curves = []
        for kind in (homogeneous, mixed):
            numbers = tracer_messages.segments()
            found = {n: some.trial(f"exchange, {kind}, {n}")[0] for n in numbers}
            for n, seconds in found.items():
                last = n == tracer_messages.tracers
                label = f"{some.ranks} ranks: {n} in a message, {kind}"
                milliseconds = {"time": f"{1e3 * np.median(seconds):.3g} ms"}
                rows.append(_ratio(label, seconds / base, 50.0 if last else None, milliseconds))
            lines = [bounded(1e3 * seconds) for seconds in found.values()]
            curves.append(_curve(kind, numbers, lines))
        for name in ("a message for each level", blocking_sends, *other_ways):
            seconds = some.trial(f"exchange, {name}")[0]
            label = f"{some.ranks} ranks: {name}" + ", all in one" * (name in other_ways)
            rows.append(_ratio(label, seconds / base, None, _milliseconds(seconds)))
        panels.append(Panel(f"{some.ranks} ranks", "tracers in a message", "ms", curves, True))
    upper = [_times_of_segments(some) for some in times]
    return Section(
        "segments",
        "Segments: tracers in a message",
        source.format("section V.2: all 51 in one halve the communication of trcnxt"),
        "One exchange of all tracers between the blocks of the run, in turns; ratios to one message"
        " per tracer, round by round. Homogeneous segments are parts of one array of all tracers,"
        " mixed ones of 51 arrays. The paper calls its messages non-blocking in section IV.3 and"
        " blocking in V.2: both are here. Neighbourhood collectives, persistent requests, puts and"
        " shared memory carry all tracers at once.",
        rows,
        "All 51 tracers in one message take "
        + " and ".join(
            f"{100 * v:.0f} % ({s.ranks} ranks)" for v, s in zip(upper, times, strict=True)
        )
        + " of the time of one message each (paper: 50 %).",
        panels=panels,
    )


def _times_of_segments(some: Times) -> float:
    one, all_ = (some.trial(f"exchange, {homogeneous}, {n}")[0] for n in (1, 51))
    return float(np.median(all_ / one))


def table_1_section(few: Times) -> Section:
    """Shares of the phases in the test, and of MPI in them."""
    rows = []
    whole = few.test(printed)
    for phase in golden.table_1.phases:
        share = few.phase(printed, phase.name) / whole
        mpi = few.phase(printed, phase.name, "mpi") / few.phase(printed, phase.name)
        other = few.phase(ours, phase.name) / few.test(ours)
        seconds = few.phase(printed, phase.name)
        assert phase.mpi is not None and phase.total is not None
        words = {**_seconds(seconds), "Halocline": f"{100 * np.median(other):.0f} %"}
        rows.append(_ratio(f"{phase.name}: of the run", share, phase.shares["total"], words))
        if phase.name != golden.initialisation:
            rows.append(_ratio(f"{phase.name}: MPI in it", mpi, phase.shares["mpi"]))
    return Section(
        "table-1",
        "Table 1: the phases of the test, 3 steps",
        source.format("table 1, 32 nodes"),
        f"As printed: every one of {few.ranks} ranks reads all tracers whole; a message per tracer"
        " (trcadv, trcnxt) and level (trchdf), the ten exchanges of a step; 612 blocking messages"
        " of a rank to the first one, which writes. Steps are those of Halocline's transport and"
        " BFM. What building the model takes is part of the first phase. MPI in the input is not"
        " told apart.",
        rows,
        f"Of the test on {few.ranks} ranks as printed, the input takes"
        f" {100 * np.median(few.phase(printed, phases[0]) / whole):.0f} % (paper: 80 %), the loop"
        f" {100 * np.median(few.phase(printed, phases[1]) / whole):.0f} % (2 %), storing"
        f" {100 * np.median(few.phase(printed, phases[2]) / whole):.0f} % (18 %).",
    )


def table_3_section(few: Times, more: Times) -> Section:
    """How the phases took on twice the ranks."""
    rows = []
    for (name, part), old in golden.coefficients.items():
        if (name, part) == (golden.initialisation, "mpi"):
            continue
        a, b = (
            t.test(printed, part) if name == "all" else t.phase(printed, name, part)
            for t in (few, more)
        )
        words = {}
        if part == "total":
            x, y = (t.test(ours) if name == "all" else t.phase(ours, name) for t in (few, more))
            words = {"Halocline": f"{np.median(_over(y, x)):.2f}"}
        rows.append(bounded_row(f"{name}, {part}", bounded(_over(b, a)), old, "×", **words))
    name = f"t{more.ranks}/t{few.ranks}"
    total = np.median(_over(more.test(printed), few.test(printed)))
    input_ = np.median(_over(*(t.phase(printed, phases[0]) for t in (more, few))))
    return Section(
        "table-3",
        f"Table 3: {name}",
        source.format("table 3, t64/t32; its 1.25 is 0.83 by its own seconds"),
        f"The test as printed on {few.ranks} and on {more.ranks} ranks, in processes of their own"
        " that take turns.",
        rows,
        f"From {few.ranks} to {more.ranks} ranks the input by every rank takes {input_:.2f} times"
        f" as long (paper, 32 to 64: 2.4), the test {total:.2f} times (2.0).",
    )


def table_4_section(few: Times, more: Times) -> Section:
    """What the gains of the paper give."""
    rows = []
    for times, nodes in ((few, 32), (more, 64)):
        before, after = (golden.table_4[nodes, when] for when in golden.whens)
        for name in (*phases, "all"):
            values = {w: times.test(w) if name == "all" else times.phase(w, name) for w in ways}
            old = after.whole / before.whole
            if name != "all":
                old = after.phase(name).seconds / before.phase(name).seconds
            ratio = float(np.median(values[ours] / values[printed]))
            words = {**_seconds(values[printed]), "Halocline": f"{100 * ratio:.3g} %"}
            label = f"{name}, {times.ranks} ranks (paper: {nodes})"
            rows.append(_ratio(label, values[paper] / values[printed], 100.0 * old, words))
    gains = _over(more.test(paper), more.test(printed))
    best = _over(more.test(ours), more.test(printed))
    waiting = more.phase(paper, phases[2], "mpi"), more.phase(printed, phases[2], "mpi")
    rows.append(_ratio("storing: MPI by a collective", _over(*waiting), 50.0))
    return Section(
        "table-4",
        "Table 4: before and after",
        source.format("table 4 and section V.2"),
        "After over before. The paper's gains: each rank reads its part; trcnxt in one message; one"
        " gathering collective brings all tracers to the first rank, which writes. Halocline: each"
        " rank reads its part, one exchange of all tracers in a step, the store by 'buffered'.",
        rows,
        f"The paper's gains leave {100 * np.median(gains):.0f} % of the test on {more.ranks} ranks"
        f" (paper, 64: 22 %), Halocline {100 * np.median(best):.0f} %.",
    )


def figure_5_section(few: Times, more: Times) -> Section:
    """The real case from its phases."""
    rows = []
    for times, nodes in ((few, 32), (more, 64)):
        old = golden.real_minutes[nodes, "after"] / golden.real_minutes[nodes, "before"]
        before, after, best = (times.real(way) for way in (printed, paper, ours))
        words = {
            "before": _minutes(before),
            "after": _minutes(after),
            "Halocline": f"{_minutes(best)}, {100 * np.median(best / before):.3g} %",
        }
        label = f"816 steps on {times.ranks} ranks (paper: {nodes}), after over before"
        rows.append(_ratio(label, after / before, 100.0 * old, words))
    for way, when in ((printed, "before"), (paper, "after"), (ours, "")):
        old_gain = None
        if when:
            old_gain = 100.0 * golden.real_minutes[32, when] / golden.real_minutes[64, when]
        found = _over(few.real(way), more.real(way))
        rows.append(_ratio(f"scalability t{few.ranks}/t{more.ranks}, {way}", found, old_gain))
    for way, most in ((printed, 90.0), (ours, None)):
        inside = golden.real_steps * few.once(way, golden.loop) / few.real(way)
        label = f"the loop in 816 steps on {few.ranks} ranks, {way} (paper: up to)"
        rows.append(_ratio(label, inside, most))
    for times in (few, more):
        if times.found["whole"]:
            ran = np.array([float(times.found["whole"])])
            label = f"816 steps run on {times.ranks} ranks, Halocline, over the forecast"
            words = {"run": _minutes(ran)}
            rows.append(_ratio(label, ran / times.real(ours), None, words))
    gains = [100 * np.median(_over(t.real(paper), t.real(printed))) for t in (few, more)]
    least = [100 * np.median(_over(t.real(ours), t.real(printed))) for t in (few, more)]
    return Section(
        "figure-5",
        "Figure 5: the real case, 816 steps",
        source.format("figure 5: 309 and 293 minutes on 32 nodes, 213 and 185 on 64"),
        "One input, 816 steps and 17 stores, each phase by itself from the test: shares change with"
        " the length of a run, so that the time of 3 steps says nothing of 816 (B-23).",
        rows,
        f"816 steps take {gains[0]:.0f} and {gains[1]:.0f} % with the paper's gains on {few.ranks}"
        f" and {more.ranks} ranks (paper, 32 and 64: 95 and 87 %), {least[0]:.0f} and"
        f" {least[1]:.0f} % in Halocline's way.",
        panels=figure_5_panels(few, more),
        remarks=elsewhere([few, more]),
    )


def figure_5_panels(few: Times, more: Times) -> list[Panel]:
    """The paper's minutes, and ours."""
    words = {"before": "initial", "after": "optimised"}
    theirs = [
        Curve(words[when], [golden.real_minutes[n, when] for n in (32, 64)], (32.0, 64.0))
        for when in golden.whens
    ]
    here = []
    for way in ways:
        lines = [bounded(times.real(way) / 60.0) for times in (few, more)]
        here.append(_curve(way, (few.ranks, more.ranks), lines))
    return [
        Panel("Figure 5 of the paper", "nodes", "minutes", theirs),
        Panel("816 steps here, from their phases", "ranks", "minutes", here),
    ]


def elsewhere(times: Sequence[Times]) -> list[str]:
    """The real case on 32 and 64 ranks, each phase by its law over the ranks measured."""
    most, lines = max(some.ranks for some in times), []
    for ranks in (32, 64):
        found = {way: _predicted(times, way, ranks) for way in ways}
        whole = {way: sum(parts.values()) for way, parts in found.items()}
        share = 100.0 * found[printed][golden.loop] / whole[printed]
        lines.append(
            f"Extrapolated to {ranks} ranks, {ranks / most:.3g} times as many as measured, from the"
            f" phases: {'; '.join(f'{way} {s / 60.0:.3g} min' for way, s in whole.items())}. The"
            f" loop would be {share:.0f} % of it as printed. Laws of two numbers of ranks know"
            " neither a network nor a file server."
        )
    return lines


def _predicted(times: Sequence[Times], way: str, ranks: int) -> dict[str, float]:
    """Seconds of the phases of the real case, each by the law of its times over the ranks."""
    wanted = Wanted(golden.real_steps, golden.real_stores, ranks)
    found = {}
    for name in phases:
        measured = [Measurement(t.ranks, float(np.median(t.once(way, name)))) for t in times]
        law = fit_law(measured, resampled=0)
        found[name] = wanted.times(per[name]) * law.seconds(ranks)
    return found


def _over(a: Floats, b: Floats) -> Floats:
    """Ratios round by round; of medians where the rounds are not the same."""
    if a.size != b.size:
        a, b = (np.array([np.median(values)]) for values in (a, b))
    return a / np.where(b > 0.0, b, np.nan)


def _ratio(
    name: str, values: Floats, old: float | None, words: Mapping[str, str] | None = None
) -> Row:
    return bounded_row(name, bounded(100.0 * values), old, "%", **(words or {}))


def _curve(name: str, x: Sequence[int], lines: Sequence[Bounded]) -> Curve:
    return Curve(
        name,
        [line.value for line in lines],
        [float(n) for n in x],
        low=[line.low for line in lines],
        high=[line.high for line in lines],
    )


def _seconds(values: Floats) -> dict[str, str]:
    return {"as printed": f"{np.median(values):.3g} s"}


def _milliseconds(values: Floats) -> dict[str, str]:
    return {"time": f"{1e3 * np.median(values):.3g} ms"}


def _minutes(values: Floats) -> str:
    return f"{np.median(values) / 60.0:.3g} min"


def _shape(times: Times) -> str:
    return " × ".join(f"{n}" for n in reversed(times.found["cells"]))
