"""A nest of the atmosphere that takes and gives back, on any ranks; prints hashes."""

import hashlib
import sys
from pathlib import Path

from halocline.experiment.run import run

sys.path.append(str(Path(__file__).parents[1]))
from atmosphere.test_air_nests import moist, nest

several = {"decomposition": {"blocks_per_rank": 3}}

for seats, more in (({}, several), ({"on_ranks_of": "outer"}, {})):
    case = nest(**moist)
    for table in case["members"].values():
        table["precision"] = "float32"
        table["time"]["length"] = "30s"
        table["atmosphere"] |= {"physics": {"turbulence": "ysu"}, "ground": {"kind": "sea"}}
        table.update(more)
    case["members"]["inner"].update(seats)
    for name, found in run(case).components.items():
        whole = [field.gather() for field in found.restart_fields()]
        if whole[0] is not None:
            text = b"".join(values.tobytes() for values in whole)
            print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)
