"""`halocline demo`: five days of global waves on real depths and winds, and their pictures."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

folder = Path("halocline-demo")


def demo(command: Callable[[list[str]], int]) -> int:
    """Run the case global-waves on all cores and draw its maps and a spectrum.

    `command` is the command line's entry. Returns its exit code.
    """
    began = time.monotonic()
    code = command(["run", "global-waves", "--output", str(folder)])
    if code:
        return code
    from halocline.analysis.plot import plot

    print("drawing", file=sys.stderr, flush=True)
    pictures = [*plot(folder / "fields.nc"), *plot(folder / "points.nc", station="north_pacific")]
    print(f"\nA forecast of five days in {time.monotonic() - began:.0f} s. Look at:")
    for picture in pictures:
        print(f"  {picture}")
    print(
        "Next: 'halocline plot halocline-demo/fields.nc --animate', where the time went with"
        "\n'halocline lab report halocline-demo', or a case of your own with"
        "\n'halocline new swell my-swell' (docs/tutorial.md)."
    )
    return 0
