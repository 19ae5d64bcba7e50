"""The cases of table 1 of Govett et al. (2004) and our own, measured over one path.

serial: one connection, between two roots. parallel: one for each pair of ranks. ours: the streams
that a link has. untuned: connections begin slowly again after a pause; tuned: they do not.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline_lab.sites import field_exchange
from halocline_lab.sites.field_exchange import measured, sizes
from halocline_lab.sites.rounds import counted_rounds, usual
from halocline_lab.sites.shaper import NetworkPath
from halocline_lab.sites.slow_start import WindowPath, least_seconds, transfers
from halocline_lab.sites.two_sides import PairResult, PairSettings, make_credentials, run_pair

receivers = {"air": "ocean", "ocean": "air"}
"""Who gets what a side sends."""

parts = ("send", "wait", "transfer")


@dataclass(frozen=True)
class SiteCase:
    """One way to exchange."""

    name: str
    streams: int
    restarts: bool
    over_path: bool
    published: tuple[float, float] | None
    """Communication of WRF and of ROMS, table 1 [s]."""


def site_cases(pairs: int, streams: int) -> list[SiteCase]:
    """The five of the paper, and ours."""
    return [
        SiteCase("serial untuned", 1, True, True, (1.53, 1.15)),
        SiteCase("serial tuned", 1, False, True, (1.58, 0.34)),
        SiteCase("parallel untuned", pairs, True, True, (0.83, 0.64)),
        SiteCase("parallel tuned", pairs, False, True, (0.78, 0.51)),
        SiteCase("local", 1, True, False, (0.08, 0.18)),
        SiteCase("ours", streams, True, True, None),
    ]


@dataclass(frozen=True)
class CaseResult:
    """What a case took, and what the model says of it."""

    case: SiteCase
    spent: dict[str, dict[str, float]]
    """Of each side the parts of all exchanges that count [s]."""
    travel: dict[str, float]
    """Of what each side sends, from its begin to its end at the other, in all [s]."""
    rounds: dict[str, int]
    """Of what each side sends: counted in one exchange; 0: not counted."""
    windows: dict[str, int]
    """Of a connection as an exchange begins [byte]; 0: not known."""
    model_travel: dict[str, float]
    model_rounds: dict[str, int]
    curve: list[tuple[float, int]]
    """Of one exchange of what air sends: seconds from its begin, and bytes that had entered."""

    def communication(self, side: str) -> float:
        """All that a side spent on exchanges [s]."""
        return sum(self.spent[side].values())


def measure_cases(
    cases: Sequence[SiteCase],
    path: NetworkPath,
    way: str,
    *,
    pause: float,
    rounds: int,
    fit: bool,
    tell: Callable[[str], None],
) -> tuple[list[CaseResult], list[tuple[int, float]]]:
    """Measure all cases in turns; results, and the transfers of the last one for a fit."""
    found: dict[str, list[PairResult]] = {case.name: [] for case in cases}
    timed: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        credentials = make_credentials(Path(folder))
        for turn in range(rounds):
            for case in cases:
                tell(f"round {turn + 1} of {rounds}: {case.name}")
                last = fit and turn == rounds - 1 and case is cases[-1]
                result = run_pair(_settings(case, path, way, pause, last, turn), credentials)
                found[case.name].append(result)
                timed = result.transfers["air"] if last else timed
    return [case_result(case, path, found[case.name]) for case in cases], timed


def _settings(
    case: SiteCase, path: NetworkPath, way: str, pause: float, fit: bool, seed: int
) -> PairSettings:
    return PairSettings(
        path=replace(path, slow_start=True, restart_after_idle=case.restarts),
        way=way if case.over_path else "none",
        streams=case.streams,
        restarts=case.restarts,
        pause=pause,
        fit=fit,
        seed=seed,
    )


def case_result(case: SiteCase, path: NetworkPath, runs: Sequence[PairResult]) -> CaseResult:
    """One run of several, and the model beside it.

    The fastest: other programs only make it slower. Where packets are lost, that in the middle.
    """
    by_chance = path.stalls > 0.0 or path.jitter > 0.0
    ordered = sorted(runs, key=_whole_seconds)
    run = ordered[(len(runs) - 1) // 2 if by_chance else 0]
    counting = {side: run.exchanges[side][-measured:] for side in sizes}
    spent = {
        side: {part: sum(getattr(one, part) for one in own) for part in parts}
        for side, own in counting.items()
    }
    over = path if case.over_path else NetworkPath()
    shaped = WindowPath.of(over, case.streams, restarts=case.restarts)
    count = field_exchange.steps // field_exchange.every
    model = {side: transfers(shaped, sizes[side], count)[-measured:] for side in sizes}
    return CaseResult(
        case,
        spent,
        {side: sum(one.travel for one in counting[receivers[side]]) for side in sizes},
        {side: _rounds(run, side, path) if case.over_path else 0 for side in sizes},
        {side: _window(run, side) for side in sizes},
        {side: sum(one.seconds for one in some) for side, some in model.items()},
        {side: some[-1].rounds for side, some in model.items()},
        _curve(run) if case.over_path else [],
    )


def _whole_seconds(run: PairResult) -> float:
    return sum(one.whole for own in run.exchanges.values() for one in own[-measured:])


def _rounds(run: PairResult, side: str, path: NetworkPath) -> int:
    """Of one exchange, usually."""
    at, own = run.side_of_path(side), run.exchanges[side]
    travel = [one.travel for one in run.exchanges[receivers[side]]]
    return usual(counted_rounds(run.passed, at, own, travel, path.delay)[-measured:])


def _window(run: PairResult, side: str) -> int:
    """Of a connection; who was late to look saw a window that had grown, so the least counts."""
    known = [one.windows for one in run.exchanges[side][-measured:] if one.windows]
    return min(map(statistics.median_low, known), default=0)


def _curve(run: PairResult) -> list[tuple[float, int]]:
    """Bytes of the last exchange of air over time."""
    last = run.exchanges["air"][-1].begun
    total, found = 0, [(0.0, 0)]
    for one in run.passed:
        if one.side == run.side_of_path("air") and last <= one.time < last + 1.0:
            total += one.size
            found.append((one.time - last, total))
    return found


def floors(path: NetworkPath, *, trips: bool) -> dict[str, float]:
    """What no exchange can do better, by who receives: bytes over the rate, and ways [s]."""
    return {
        receivers[side]: least_seconds(path.delay, path.rate, size, measured, trips=trips)
        for side, size in sizes.items()
    }


def as_row(one: CaseResult) -> dict[str, Any]:
    """A case as plain values; see `site_words.keys`."""
    return {
        "case": one.case.name,
        "streams": one.case.streams,
        "spent": one.spent,
        "travel": one.travel,
        "rounds": one.rounds,
        "windows": one.windows,
        "model_travel": one.model_travel,
        "model_rounds": one.model_rounds,
        "published": one.case.published,
    }
