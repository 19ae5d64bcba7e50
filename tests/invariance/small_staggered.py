"""The staggered model cut, run and restarted in several ways; prints hashes."""

import hashlib
import tempfile
from pathlib import Path

import numpy as np
from staggered import Staggered, ni, nj, wet_levels

from halocline.core.clock import date
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.topology import Reflections, Topology
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner
from halocline.runtime.writing.restart import read_restart
from halocline.runtime.writing.writers import write_restart

time, facts = date("2000-01-01"), {"nj": nj}
topologies = {
    "closed": Topology(nj, ni),
    "channel": Topology(nj, ni, periodic_i=True),
    "torus": Topology(nj, ni, periodic_j=True, periodic_i=True),
    "fold on faces": Topology(nj, ni, periodic_i=True, fold="faces"),
    "fold on centres": Topology(nj, ni, periodic_i=True, fold="centres"),
    "mirrors": Topology(nj, ni, reflections=Reflections(*["mirror"] * 4)),
    "globe": Topology(nj, ni, periodic_i=True, reflections=Reflections(south="pole", north="pole")),
}
ways = (
    ({}, 1, {}),
    ({"blocks_per_rank": 3}, 3, {"overlap": True, "recompute_halos": True}),
    ({"kind": "curve", "blocks_per_rank": 2}, 2, {"overlap": True}),
)


def model(topology, cut, halo):
    count = wet_levels()
    options = DecompositionOptions(**cut)
    decomposition = Decomposition(
        count > 0, topology, halo=halo, options=options, communicator=world()
    )
    made = Staggered(decomposition, count)
    made.start()
    return made, decomposition


def main(folder):
    for name, topology in topologies.items():
        for number, (cut, halo, settings) in enumerate(ways):
            one, decomposition = model(topology, cut, halo)
            run = Runner(decomposition, check_halos=True, **settings)
            path = folder / f"{name}-{number}.safetensors"
            for step in range(4):
                if step == 2:
                    write_restart(path, one.restart_fields, time, facts)
                one.step(run)
            again, decomposition = model(topology, {"kind": "curve", "blocks_per_rank": 4}, 1)
            read_restart(path, again.restart_fields, facts, "standard")
            for _ in range(2):
                again.step(Runner(decomposition))
            for found in (one.values(), again.values()):
                if found:
                    assert all(np.isfinite(v).all() and np.ptp(v) > 0 for v in found.values())
                    text = b"".join(value.tobytes() for value in found.values())
                    print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(world().broadcast(made)))
        world().broadcast(world().gather(None))
