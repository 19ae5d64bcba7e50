"""`halocline demo`: five days of global waves, and their pictures.

Depths are real; the wind is a real state of a forecast moved along latitude circles.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

name, folder = "global-waves", Path("halocline-demo")


def demo(command: Callable[[list[str]], int]) -> int:
    """Run the case global-waves on all cores and draw its maps and a spectrum.

    `command` is the command line's entry. Returns its exit code.
    """
    began = time.monotonic()
    code = command(["run", name, "--output", str(folder), *_in_place_of_the_last()])
    if code:
        return code
    from halocline.analysis.plot import plot

    print("drawing", file=sys.stderr, flush=True)
    pictures = [*plot(folder / "fields.nc"), *plot(folder / "points.nc", station="north_pacific")]
    print(f"\nFive days of global waves in {time.monotonic() - began:.0f} s. Look at:")
    for picture in pictures:
        print(f"  {picture}")
    print(
        "The start has no swell and the wind is weaker than a real January's: heights are too low,"
        "\n1.6 m on average where a January has 2.5 m."
    )
    print(
        "Next: 'halocline plot halocline-demo/fields.nc --animate', where the time went with"
        "\n'halocline lab report halocline-demo', or a case of your own with"
        "\n'halocline new swell my-swell' (docs/tutorial.md)."
    )
    return 0


def _in_place_of_the_last() -> list[str]:
    """Arguments by which the files of a demo before this one are replaced; its restarts go now."""
    from halocline.component.case.reading import read_case
    from halocline.runtime.writing.restart import find_restarts

    for path in find_restarts(folder):
        path.unlink()
    case = read_case(name)
    settings = [f"output.{stream}.existing=replace" for stream, _ in case.output.streams()]
    return [word for setting in settings for word in ("--set", setting)]
