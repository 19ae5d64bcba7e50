"""The benchmarks of `halocline lab communication` on the ranks that run this program.

`python -m halocline.lab.communication_run SETTINGS.json RESULT.json`, under a launcher of MPI.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halocline.lab import _native
from halocline.lab.communication_benchmarks import Place, Protocol, benchmarks, referee
from halocline.runtime.communicator import Communicator, world


def measure(communicator: Communicator, settings: dict[str, Any]) -> dict[str, Any]:
    """Rows and verdicts as plain tables; a call for all ranks, of one thread each."""
    _native.set_threads(1)
    protocol = Protocol(**{**settings["protocol"], "words": tuple(settings["protocol"]["words"])})
    place = Place(communicator, protocol)
    rows, verdicts = [], []
    for name in settings["what"]:
        if name == "referee":
            verdicts = [asdict(verdict) for verdict in referee(place)]
        else:
            rows += [asdict(row) for row in benchmarks[name](place)]
    return {"rows": rows, "verdicts": verdicts}


def main() -> None:
    communicator = world()
    result = measure(communicator, json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if communicator.rank == 0:
        Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
