"""`halocline lab sites --listen` and `--connect`: two people measure the path between their sites.

Each starts the command at its site, as it would a run (`link.options`): the same protocol with one
connection, with one for each pair of ranks and with ours, then transfers of several sizes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.link.connection import Link
from halocline.link.options import LinkOptions, address
from halocline_lab.benchmarks import result_files
from halocline_lab.reporting.report_columns import lines_up
from halocline_lab.sites import field_exchange, namespaces, site_words
from halocline_lab.sites.field_exchange import ExchangeTimes, measured, sizes
from halocline_lab.sites.one_side import measure_side
from halocline_lab.sites.path_fit import PathFit, fit_path
from halocline_lab.sites.site_cases import parts, receivers
from halocline_lab.sites.slow_start import WindowPath, least_seconds, transfers

keys = {
    "side": "what this site was",
    "kernel": "TCP of this machine after a pause, and its congestion control",
    "fit": "latency [s] and bandwidth [bit/s] of what this site sends, bounds of 95 %",
    "rows": "one entry per number of connections",
    "rows.exchanges": "times of each exchange [s], the first is not counted",
    "rows.model": "travel of what comes here by the model, all that count [s]",
}


@dataclass(frozen=True)
class MetCase:
    """What one number of connections took, as this side saw it."""

    streams: int
    exchanges: list[ExchangeTimes]


def meet(options: argparse.Namespace, pairs: int) -> int:
    """Run it at one of two sites."""
    side = options.side or ("air" if options.listen or options.site < options.other else "ocean")
    _refuse(options)
    cases: list[MetCase] = []
    timed: list[tuple[int, float]] = []
    counts = sorted({1, pairs, options.streams})
    for streams in counts:
        print(f"{streams} connection{'s' * (streams > 1)}", file=sys.stderr, flush=True)
        link = Link(_link_options(options, streams), here=options.site, there=options.other,
                    log=_tell)  # fmt: skip
        found = measure_side(
            link, side, pause=field_exchange.every * options.step, look_at_windows=True,
            fit=streams == counts[-1],
        )  # fmt: skip
        cases.append(MetCase(streams, field_exchange.from_table(found["exchanges"])))
        timed += [(int(size), seconds) for size, seconds in found["transfers"]]
    fit = fit_path(timed)
    print("\n".join(_words(side, cases, fit)))
    if options.json:
        told = _plain(side, cases, fit)
        result_files.write(options.json, told, keys)
    return 0


def _tell(line: str) -> None:
    print(f"halocline: {line}", file=sys.stderr, flush=True)


def _refuse(options: argparse.Namespace) -> None:
    if not options.site or not options.other:
        raise UserError(
            "Two sites have names, those of their certificates: say --site NAME and --other NAME."
        )
    if options.listen and not address(options.listen)[1]:
        raise UserError("--listen needs a port that the other site knows, as in 0.0.0.0:7000.")
    if options.output:
        raise UserError("--output draws what both sides of one machine saw; here take --json FILE.")


def _link_options(options: argparse.Namespace, streams: int) -> LinkOptions:
    return LinkOptions(
        connect=options.connect or "",
        listen=options.listen or "",
        relay=options.relay or "",
        credentials=str(Path(options.credentials).absolute()) if options.credentials else "",
        streams=streams,
    )


def _model(side: str, case: MetCase, fit: PathFit) -> tuple[int, float]:
    """Rounds of an exchange that comes here, and the travel of all that count, untuned."""
    restarts = namespaces.kernel_words()[0] != "goes on as before"
    path = WindowPath(fit.latency, fit.bandwidth, case.streams, restarts=restarts)
    count = len(case.exchanges)
    some = transfers(path, sizes[receivers[side]], count)[-measured:]
    return some[-1].rounds, sum(one.seconds for one in some)


def _words(side: str, cases: Sequence[MetCase], fit: PathFit) -> list[str]:
    pauses, control = namespaces.kernel_words()
    column = ("air", "ocean").index(side)
    rows = [["connections", *parts, "all", "travel", "rounds, model", "travel, model", "window"]]
    for case in cases:
        own = case.exchanges[-measured:]
        rounds, travel = _model(side, case, fit)
        known = [min(one.windows) for one in own if one.windows]
        rows.append([
            str(case.streams),
            *(f"{sum(getattr(one, part) for one in own):.3f}" for part in parts),
            f"{sum(one.whole for one in own):.3f}",
            f"{sum(one.travel for one in own):.3f}",
            str(rounds),
            f"{travel:.3f}",
            f"{1e-3 * min(known):.1f} kB" if known else "-",
        ])  # fmt: skip
    floor = least_seconds(fit.latency, fit.bandwidth, sizes[receivers[side]], measured, trips=False)
    best = (0.78, 0.34)[column]
    return [
        f"this site is the {side}; TCP here {pauses} after a pause ({control})",
        lines_up(rows, 100),
        f"Seconds of {measured} exchanges. floor: {floor:.3f}; the paper's best: {best}",
        site_words.fit_words(fit),
    ]


def _plain(side: str, cases: Sequence[MetCase], fit: PathFit) -> dict[str, Any]:
    return {
        "side": side,
        "kernel": list(namespaces.kernel_words()),
        "fit": vars(fit),
        "rows": [
            {
                "streams": case.streams,
                "exchanges": field_exchange.as_table(case.exchanges),
                "model": _model(side, case, fit)[1],
            }
            for case in cases
        ],
    }
