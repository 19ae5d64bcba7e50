"""The benchmarks of `halocline lab communication` on the ranks that run this program.

`python -m halocline_lab.benchmarks.communication_run SETTINGS.json ANSWER`, under a launcher of
MPI.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.ranks.threads import set_threads
from halocline_lab.benchmarks.communication_benchmarks import Bench, Protocol, benchmarks, referee
from halocline_lab.benchmarks.rank_programs import give_answer


def measure(communicator: Communicator, settings: dict[str, Any]) -> dict[str, Any]:
    """Rows and verdicts as plain tables; a call for all ranks, of one thread each."""
    set_threads(1)
    protocol = Protocol(**{**settings["protocol"], "words": tuple(settings["protocol"]["words"])})
    place = Bench(communicator, protocol)
    rows, verdicts = [], []
    for name in settings["what"]:
        if name == "referee":
            verdicts = [asdict(verdict) for verdict in referee(place)]
        else:
            rows += [asdict(row) for row in benchmarks[name](place)]
    return {"rows": rows, "verdicts": verdicts}


if __name__ == "__main__":
    give_answer(lambda settings: measure(world(), settings))
