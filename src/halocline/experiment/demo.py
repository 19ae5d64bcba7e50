"""`halocline demo`: a shipped case is run, and all that it writes is drawn."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

name, folder = "global-waves", Path("halocline-demo")
"""The case of the demo, and where its results go."""


def demo(command: Callable[[list[str]], int]) -> int:
    """Run the case on all cores, draw its files, and say what it shows.

    `command` is the command line's entry. Returns its exit code.
    """
    began = time.monotonic()
    code = command(["run", name, "--output", str(folder), *_in_place_of_the_last()])
    if code:
        return code
    from halocline.analysis.plot import plot
    from halocline.component.case.shipped import about

    print("drawing", file=sys.stderr, flush=True)
    files = _files_written()
    pictures = [picture for file in files for picture in plot(file)]
    print(f"\n{about(name)}\n\nComputed and drawn in {time.monotonic() - began:.0f} s. Look at:")
    for picture in pictures:
        print(f"  {picture}")
    print(
        f"Next: 'halocline plot {files[0] if files else folder} --animate', where the time went"
        f" with\n'halocline lab report {folder}', or a case of your own with"
        f"\n'halocline new {name} my-case' (docs/tutorial.md)."
    )
    return 0


def _files_written() -> list[Path]:
    """The files of output that the run has begun."""
    from halocline.experiment.files_written import read_list
    from halocline.runtime.writing.writers import restarts

    written = [folder / some.path for some in read_list(folder) if some.stream != restarts]
    return list(dict.fromkeys(written))


def _in_place_of_the_last() -> list[str]:
    """Arguments by which the files of a demo before this one are replaced; its restarts go now."""
    from halocline.component.case.reading import read_case
    from halocline.runtime.writing.restart import find_restarts

    for path in find_restarts(folder):
        path.unlink()
    case = read_case(name)
    settings = [f"output.{stream}.existing=replace" for stream, _ in case.output.streams()]
    return [word for setting in settings for word in ("--set", setting)]
