"""The ocean of `coupled_seas` under what a run of it had recorded; prints a hash of its restart.

Words: the folder of that run, and one to write to.
"""

import hashlib
import sys
from pathlib import Path

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from invariance.coupled_seas import case

if __name__ == "__main__":
    recorded, folder = sys.argv[1:]
    table = case()
    for name, member in table["members"].items():
        if name != "ocean":
            table["members"][name] = member | {"recorded_in": recorded}
    run(table, output=folder)
    if world().rank == 0:
        file = Path(folder) / "restart_20000601T020000.ocean.safetensors"
        print("bits", hashlib.sha256(file.read_bytes()).hexdigest(), flush=True)
