"""What a case lacks so that its run would show nothing: waves, or output."""

from __future__ import annotations

from halocline.experiment.case import Case, TransportCase, WaveCase
from halocline.experiment.forcing import WindOptions


def lacking(
    case: Case, *, windy: bool = False, restarted: bool = False, watched: bool = False
) -> list[str]:
    """What is to be said of a case without waves or without output, a line each.

    A run may be `windy` by a function of its own, have waves from a restart, and be `watched`
    without output of the case: by streams of the user, or in its fields.
    """
    assert isinstance(case, WaveCase | TransportCase)
    found = []
    if isinstance(case, WaveCase) and not restarted and not _has_waves(case, windy):
        found.append(
            "no waves: no wind that raises any ([forcing.wind], waves.physics), no spectra at the"
            " boundary ([boundary]), and a calm sea at the start ([start])"
        )
    if not watched and not case.output.streams():
        tables = "[output.fields.NAME]" + isinstance(case, WaveCase) * ", [output.points.NAME]"
        found.append(f"no output: nothing is written but restarts and the log ({tables})")
    return found


def _has_waves(case: WaveCase, windy: bool) -> bool:
    """Whether anything gives the sea waves."""
    blows = windy or _blows(case.forcing.wind)
    kinds = {case.start.kind, case.start.boundary} - {"same", "calm"}
    if not blows:
        kinds.discard("jonswap")  # it is that of the local wind
    return bool(kinds or case.boundary.file or (blows and case.waves.physics != "none"))


def _blows(wind: WindOptions) -> bool:
    return bool(wind.file or wind.function or wind.speed)
