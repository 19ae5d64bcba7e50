"""Every division of 2 to 8 ranks over two members that sleep, run in one launch of 8 ranks.

`mpiexec -n 8 python all_divisions.py FOLDER` leaves the seconds of an interval of each division in
FOLDER/seconds.json, and records of those on 1, 2, 4 and 8 ranks in sequence.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from toy import ToyCase, pair

from halocline.component.case import registry
from halocline.experiment.members import make_members
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import Ranks, world
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.scaling.split_runs import ShortRuns
from halocline_lab.scaling.split_search import compositions
from halocline_lab.scaling.split_timeline import Division

both = ("sky", "sea")


def main(folder: Path) -> None:
    """Run all of them, the ones after the others."""
    load = registry.component_case
    registry.component_case = lambda name: ToyCase if name == "toy" else load(name)
    import halocline.component.case.reading as reading

    reading.component_case = registry.component_case
    everyone = world()
    runs = ShortRuns(make_members(pair()), intervals=4)
    found = {}
    for division in divisions():
        working = everyone.rank < division.total
        comm = everyone.comm.Split(0 if working else 1, everyone.rank)
        if working:
            place = folder / division.words.replace("; ", "-").replace(": ", "")
            members = make_members(runs.table(division))
            run(members, output=place, communicator=Ranks(comm))
            if everyone.rank == 0:
                found[division.words] = least_seconds(read_record(place))
        everyone.comm.Barrier()
    if everyone.rank == 0:
        (folder / "seconds.json").write_text(json.dumps(found))


def least_seconds(record) -> float:
    """Of an interval: sleep takes what it takes, and other programs add to it."""
    own = record.steps[record.steps["rank"] == 0]
    return float((own["seconds"] / own["count"]).min())


def divisions() -> list[Division]:
    """In sequence on 1 to 8, and side by side on 2 to 8 in all ways."""
    together = [Division((both,), (count,)) for count in range(1, 9)]
    apart = [
        Division((("sky",), ("sea",)), shares)
        for count in range(2, 9)
        for shares in compositions(count, 2)
    ]
    return [*together, *apart]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
