"""The ocean: the same bits on any ranks, threads, cuts, tiles and restarts, with checks and output.

Ranks: 1, 3, and 5 and 8 with `--all`, started here; more than there are cores on most machines.
"""

from pathlib import Path

import numpy as np
import pytest

from halocline.experiment.run import Result, run
from invariance.printed_bits import printed_bits
from invariance.small_windy_sea import case, halo_ways, hours, sum_ways


def bits(ranks: int, threads: int) -> frozenset[str]:
    """Distinct lines of sea, precision and hash, over all ways to cut the grid."""
    return printed_bits("small_circulation.py", ranks, threads, lines=12)


@pytest.mark.parametrize("ranks", [1, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_ranks_cuts_and_tiles(ranks):
    assert len(bits(1, 1)) == 4  # one of each sea and precision
    assert bits(ranks, 1) == bits(1, 1)


@pytest.mark.slow
def test_eight_ranks():
    """In one cut, of a block for each rank."""
    assert printed_bits("small_circulation.py", 8, 1, 4, "1") == bits(1, 1)


@pytest.mark.slow
def test_ways_of_halos_and_sums():
    """Of what this library knows; among them one-sided and shared memory."""
    count = len(halo_ways) + len(sum_ways)
    alone = printed_bits("small_windy_sea.py", 1, 1, 1, "alone")
    assert len(alone) == 1
    assert printed_bits("small_windy_sea.py", 3, 1, count) == alone


def test_threads():
    assert bits(1, 3) == bits(1, 1)


def state(result: Result) -> dict[str, np.ndarray]:
    fields = {field.name: field.gather() for field in result.component.restart_fields()}
    assert all(np.isfinite(values).all() for values in fields.values())
    assert np.abs(fields["u"]).max() > 1e-4
    return fields


@pytest.fixture(scope="module")
def whole() -> dict[str, np.ndarray]:
    return state(run(case()))


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("split", range(1, hours))
def test_restart_split(tmp_path: Path, whole, split):
    """After the forward step, before and after steps that end in averages."""
    first = case(restart={"interval": f"{split}h", "at_end": False})
    first["time"] = first["time"] | {"length": f"{split}h"}
    run(first, output=tmp_path)
    other_cut = {"kind": "curve", "blocks_per_rank": 3}
    result = run(case(restart={"source": str(tmp_path)}, decomposition=other_cut))
    assert result.outcome.steps == hours - split
    assert same(state(result), whole)


def test_halo_check_and_output(tmp_path: Path, whole):
    maps = {"maps": {"interval": "2h"}, "means": {"interval": "3h", "processing": "mean"}}
    blocks = {"kind": "blocks", "blocks_per_rank": 4}
    some = case(decomposition=blocks, output={"fields": maps})
    result = run(some, output=tmp_path / "results", check_halos=True)
    assert len(list((tmp_path / "results").glob("*.nc"))) == 2
    assert same(state(result), whole)
