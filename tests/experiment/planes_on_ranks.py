"""The largest array beyond its fields that the last of these ranks keeps, by component and grid."""

import gc
import sys
import tracemalloc
from typing import Any

import numpy as np

from halocline.component.case.reading import make_case
from halocline.experiment.building import build_component
from halocline.runtime.ranks.communicator import world

shape = ny, nx = 64, 96
grids = {
    "tripole": {"kind": "tripole", "nx": nx, "ny": ny},
    "globe": {"nx": nx, "ny": ny, "x0": -180.0, "y0": -70.0, "dx": 3.75, "dy": 2.18},
}
levels = {"levels": {"thickness": [100.0, 900.0]}}
pairs = [("waves", "globe"), ("transport", "globe"), ("ocean", "globe"), ("ocean", "tripole")]
components: dict[str, dict[str, Any]] = {
    "waves": {"spectrum": {"frequencies": 3, "directions": 4}},
    "transport": {"transport": {"tracers": ["bell"], "circulation": "gyres"}},
    "ocean": {"ocean": {}},
}


def case(component: str, grid: str) -> dict[str, Any]:
    """An ocean 1,000 m deep with an island."""
    depth = [[1000.0] * nx for _ in range(ny)]
    for row in (0, ny - 2, ny - 1):
        depth[row] = [0.0] * nx
    of_levels = {} if component == "waves" else levels
    time = {"start": "2000-01-01", "length": "2h", "step": "1h"}
    table = {"grid": {**grids[grid], **of_levels, "depth": depth}, "time": time}
    return {"component": component, **table, **components[component]}


def largest(component: str, grid: str) -> tuple[float, str]:
    """Bytes per cell of the grid, and where they were asked for; fields of blocks left out."""
    made = make_case(case(component, grid))
    clock = made.time.clock()
    ranks = world()
    tracemalloc.start(6)
    model = build_component(made, clock, ranks)
    model.start(clock.time, restarted=False)
    model.step(clock.time)
    gc.collect()
    kept = [
        trace
        for trace in tracemalloc.take_snapshot().traces
        if trace.size > nx * ny
        and not any(frame.filename.endswith("memory.py") for frame in trace.traceback)
    ]
    tracemalloc.stop()
    model.close()
    most = max(kept, key=lambda trace: trace.size)
    lines = [f"{frame.filename}:{frame.lineno}" for frame in most.traceback]
    return most.size / np.prod(shape), " < ".join(reversed(lines))


def main() -> None:
    """Print a line for each component and grid."""
    for component, grid in pairs:
        share, where = largest(component, grid)
        if world().rank == world().size - 1:
            print(f"{component} {grid} {share:.2f} {where}")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
