"""Life in the ocean: the same bits on any ranks, threads and cuts, and over restarts.

Ranks: 1 and 3, 4 with `--all`, started here; more than there are cores on most machines.
"""

from pathlib import Path

import numpy as np
import pytest

from halocline.experiment.run import Result, run
from invariance.printed_bits import printed_bits
from living_ocean.seas import hours, sea, under_air, wet_state


@pytest.mark.parametrize(("ranks", "threads"), [(3, 2), pytest.param(4, 1, marks=pytest.mark.slow)])
def test_ranks_threads_and_cuts(ranks: int, threads: int):
    alone = printed_bits("small_living_ocean.py", 1, 1, lines=8)
    assert len(alone) == 4  # one of each scheme and precision
    assert printed_bits("small_living_ocean.py", ranks, threads, lines=8) == alone


@pytest.fixture(scope="module")
def air(tmp_path_factory):
    return under_air(tmp_path_factory.mktemp("air"))


def state(result: Result) -> dict[str, np.ndarray]:
    fields = wet_state(result.component)
    assert fields["life"].shape[0] == 51 and np.ptp(fields["wind_speed_after"]) > 0
    return fields


@pytest.fixture(scope="module")
def whole(air) -> dict[str, np.ndarray]:
    return state(run(sea("living-ocean", ocean=air)))


@pytest.mark.parametrize("split", [1, 4, 5])
def test_restart_split(tmp_path: Path, air, whole, split):
    """After the forward step, before and after a step that ends in averages of levels."""
    first = sea("living-ocean", ocean=air, restart={"interval": f"{split}h", "at_end": False})
    first["time"] = first["time"] | {"length": f"{split}h"}
    run(first, output=tmp_path)
    cut = {"kind": "curve", "blocks_per_rank": 3}
    again = sea("living-ocean", ocean=air, restart={"source": str(tmp_path)}, decomposition=cut)
    result = run(again)
    assert result.outcome.steps == hours - split
    found = state(result)
    assert found.keys() == whole.keys()
    assert [name for name in whole if not np.array_equal(found[name], whole[name])] == []
