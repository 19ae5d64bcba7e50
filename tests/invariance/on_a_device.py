"""Runs small cases with fields on the host, then on a pretended device, and compares all files.

Run by test_device_bits.py, on any number of ranks: `on_a_device.py FOLDER NAME...`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from halocline.component.component import Component
from halocline.core.checkout import top
from halocline.experiment.run import run
from halocline.runtime.fields.memory import using
from halocline.runtime.ranks.communicator import world
from halocline.runtime.writing.restart import find_restarts
from references.pretended_device import PretendedDevice  # after sys.path

sys.path.insert(0, str(top / "docs/examples/shallow_water"))
from shallow_water import ShallowWaterCase

maps = {"maps": {"interval": "20min"}, "means": {"interval": "20min", "processing": "mean"}}
waves: dict[str, Any] = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 9, "dx": 10.0, "dy": 6.0, "y0": -20.0, "depth": 3000.0},
    "spectrum": {"frequencies": 5, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "40min", "step": "10min"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "20min"},
    "output": {
        "fields": {
            "maps": {
                "interval": "20min", "variables": ["significant_height", "wind_sea_height", "ice"],
            },
            "means": {
                "interval": "20min", "processing": "mean",
                "variables": ["significant_height", "mean_direction"],
            },
        },
        "points": {
            "buoys": {"points": {"a": [50.0, 0.0]}, "interval": "20min"},
            "mean_buoys": {
                "points": {"a": [50.0, 0.0]}, "interval": "20min", "processing": "mean",
            },
        },
    },
}  # fmt: skip
transport: dict[str, Any] = {
    "component": "transport",
    "precision": "float64",
    "grid": {"nx": 16, "ny": 12, "x0": -7.5, "y0": -5.5, "depth": 300.0, "closed_edges": False},
    "time": {"length": "40min", "step": "10min"},
    "transport": {"tracers": ["bell", "constant"], "start_offset": 2.0},
    "restart": {"interval": "20min"},
    "output": {"fields": maps},
}
shallow_water: dict[str, Any] = {
    "component": "shallow-water",
    "time": {"length": "40min", "step": "10min"},
    "grid": {
        "kind": "cartesian", "nx": 20, "ny": 18, "dx": 1e5, "dy": 1e5, "depth": 1000.0,
        "periodic_x": True,
    },
    "restart": {"interval": "20min"},
    "output": {"fields": maps},
}  # fmt: skip


def cut(case: dict[str, Any], kind: str, blocks: int) -> dict[str, Any]:
    return {**case, "decomposition": {"kind": kind, "blocks_per_rank": blocks}}


cases = {
    "waves": cut(waves, "blocks", 2),
    "waves-cards": cut(waves, "cards", 1),
    "transport": cut(transport, "blocks", 2),
    "shallow-water": cut(shallow_water, "curve", 2),
}


def files(folder: Path) -> dict[str, bytes]:
    """All that was written but logs and records."""
    return {path.name: path.read_bytes() for path in [*folder.glob("*.nc"), *find_restarts(folder)]}


def done(case: dict[str, Any], folder: Path) -> Component:
    """The component of a run; the shallow-water model is not installed here."""
    own = case["component"] == "shallow-water"
    return run(ShallowWaterCase.from_table(case) if own else case, output=folder).component


def main() -> None:
    base = Path(sys.argv[1])
    for name in sys.argv[2:]:
        case, device, folder = cases[name], PretendedDevice(), base / name
        here = done(case, folder / "host")
        with using(device):
            there = done(case, folder / "device")
        assert here.summary() == there.summary()
        half = {**case["time"], "length": "20min"}
        done({**case, "time": half}, folder / "half")
        with using(device):
            going_on = {**case["restart"], "source": str(folder / "half")}
            done({**case, "restart": going_on}, folder / "rest")
        if world().rank == 0:
            compare(name, files(folder / "host"), files(folder / "device"))
            last = [find_restarts(folder / where)[0].read_bytes() for where in ("host", "rest")]
            assert last[0] == last[1], f"{name}: it goes on with other bits"
            wanted = {"allocate", "read", "write", "launch"}
            if "cards" not in name:
                wanted |= {"move"} if world().size == 1 else {"pack", "unpack"}
            assert wanted <= set(device.done), device.done
            print("same bits", name, dict(device.done), flush=True)


def compare(name: str, host: dict[str, bytes], device: dict[str, bytes]) -> None:
    """The same files with the same bytes."""
    assert len(host) >= 3 and host.keys() == device.keys(), (name, *host, *device)
    unequal = [path for path in host if host[path] != device[path]]
    assert not unequal, f"{name}: {unequal} differ"


main()
