"""What another network, or more processors, would change: Govett et al. (2004) asked both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from halocline_lab.sites.field_exchange import every, measured, sizes, steps
from halocline_lab.sites.shaper import NetworkPath
from halocline_lab.sites.site_cases import SiteCase
from halocline_lab.sites.slow_start import WindowPath, least_seconds, transfers

fast = 10e9
"""The network that the paper hoped for [bit/s]."""

loops = {"WRF": (125.0, 6, 64), "ROMS": (52.0, 2, 8)}
"""Their main loops for steps 6 to 25 [s], processors, and those of the paper's projection."""


@dataclass(frozen=True)
class Projection:
    """One case on two networks, by the model: four exchanges of the winds [s]."""

    name: str
    here: float
    at_fast: float
    latency: float
    """Share of the delay and of round trips in `at_fast`."""


def projections(cases: Sequence[SiteCase], path: NetworkPath) -> list[Projection]:
    """All cases that pass the path, on this one and on one of 10 Gbit/s as long."""
    found = []
    for case in cases:
        if not case.over_path:
            continue
        here, there = (
            sum(
                one.seconds
                for one in transfers(
                    WindowPath.of(some, case.streams, restarts=case.restarts),
                    sizes["air"],
                    steps // every,
                )[-measured:]
            )
            for some in (path, replace(path, rate=fast))
        )
        wire = least_seconds(0.0, fast, sizes["air"], measured, trips=False)
        found.append(Projection(case.name, here, there, 1.0 - wire / there))
    return found


def perfect_loops() -> Mapping[str, float]:
    """The main loops on the processors of the projection, if they scale perfectly [s].

    >>> {name: round(seconds, 1) for name, seconds in perfect_loops().items()}
    {'WRF': 11.7, 'ROMS': 13.0}
    """
    return {name: seconds * ranks / more for name, (seconds, ranks, more) in loops.items()}


def messages_in_a_step(delay: float) -> int:
    """Messages one after the other that take as long as a step of WRF then computes."""
    step = perfect_loops()["WRF"] / (steps - every)
    return int(step / delay) if delay else 0
