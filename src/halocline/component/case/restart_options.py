"""When restart files are written, and the one that a run begins with."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option
from halocline.runtime.writing.writing_options import inherited_meaning, inherited_way


@dataclass(frozen=True, kw_only=True)
class RestartOptions(Options):
    """Restart files, in the output folder, and the one that a run begins with."""

    source: str = option(
        "", "", "restart file, or a folder whose newest one is taken; empty: begin anew"
    )
    interval: str | float = option(
        "", "s", "time between restart files, as '6h' or a number of seconds; empty: none"
    )
    at_end: bool = option(True, "", "write one where the run ends")
    keep: int = option(
        0, "1", "how many restart files, the newest ones, stay in the folder; 0: all", at_least=0
    )
    way: str = option("", "", inherited_meaning, choices=inherited_way)
