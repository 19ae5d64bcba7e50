"""What input costs: all ways give the same values; bytes read grow with the ranks in one only.

Ranks: 2, started here.
"""

import json
import os
import subprocess
import sys

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline_lab.output_cost import input_cost

script = """
import dataclasses, json, sys
from pathlib import Path
from halocline_lab.output_cost.input_cost import measure
from halocline.runtime.ranks.communicator import world
rows = measure(world(), Path(sys.argv[1]), shape=(361, 720), records=3)
if world().rank == 0:
    print(json.dumps([dataclasses.asdict(row) for row in rows]))
"""


def test_rows_of_two_ranks(tmp_path):
    command = [*mpiexec_command(2, threads=1), sys.executable, "-c", script, str(tmp_path)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = {(row["file"], row["way"]): row for row in json.loads(done.stdout)}
    assert set(found) == {(f, way) for f in input_cost.formats for way in input_cost.ways}
    assert all(set(row) == set(input_cost.keys) and row["ranks"] == 2 for row in found.values())
    assert all(0.0 <= row["low"] <= row["seconds"] <= row["high"] for row in found.values())
    plain, compressed = input_cost.formats
    maps = 2 * 361 * 720 * 4

    def size(file, way):
        return found[file, way]["bytes"]

    assert size(plain, input_cost.every_rank) > 1.9 * maps
    for way in (input_cost.by_parts, *input_cost.ahead):
        assert size(plain, way) < 1.1 * maps
    once = size(compressed, input_cost.scattered)
    assert 0 < once < maps
    assert size(compressed, input_cost.every_rank) > 1.9 * once
    assert not list(tmp_path.iterdir())
