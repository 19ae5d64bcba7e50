"""The atmosphere: the same bits on any ranks, threads, cuts and restarts, with checks of halos.

Ranks: 1, 3, and 5 with `--all`, started here; more than there are cores on most machines.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.experiment.run import Result, run
from invariance.printed_bits import printed_bits


def bits(ranks: int, threads: int) -> frozenset[str]:
    """Distinct lines of sides and hash, each cut in two ways on one rank, else in one of them."""
    return printed_bits("small_atmosphere.py", ranks, threads, lines=18 if ranks == 1 else 9)


@pytest.mark.parametrize("ranks", [1, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_ranks_and_cuts(ranks):
    assert len(bits(1, 1)) == 9  # of sides, moist and hydrostatic air, physics, globes
    assert bits(ranks, 1) == bits(1, 1)


def test_threads():
    assert bits(1, 3) == bits(1, 1)


@pytest.mark.parametrize("ranks", [3])
def test_nests_with_ranks_of_their_own_or_shared_whole_and_over_restarts(ranks):
    alone = printed_bits("small_air_nests.py", 1, 1, lines=2)
    assert len(alone) == 2  # one of each member
    assert printed_bits("small_air_nests.py", ranks, 1, lines=8) == alone


@pytest.mark.parametrize("ranks", [3])
def test_nests_that_begin_late_and_move_over_restarts(ranks):
    alone = printed_bits("small_moving_nests.py", 1, 1, lines=3)
    assert len(alone) == 3  # one of each member
    assert printed_bits("small_moving_nests.py", ranks, 1, lines=12) == alone


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["wsm6", "thompson"])
def test_a_forecast_in_three_domains(scheme):
    """From the shipped analysis over its ground; nests on ranks of their own, shared, or both."""
    alone = printed_bits("small_forecast.py", 1, 1, 12, scheme)
    assert len(alone) == 3  # one of each domain
    for ranks in (2, 4):
        assert printed_bits("small_forecast.py", ranks, 1, 12, scheme) == alone


def test_ranks_without_cells_idle_and_are_said(tmp_path: Path):
    """Six by five cells cannot be cut into 7 blocks: on 7 ranks they are for 6."""
    alone = printed_bits("small_idle.py", 1, 1, 3, str(tmp_path / "one"))
    assert len(alone) == 3  # of the one alone, and of two members
    assert printed_bits("small_idle.py", 7, 1, 3, str(tmp_path / "seven")) == alone
    log = (tmp_path / "seven" / "alone" / "halocline.log").read_text()
    assert "1 of 7 ranks is idle: the grid has no block for it" in log
    assert "is idle" not in (tmp_path / "one" / "alone" / "halocline.log").read_text()


@pytest.mark.parametrize("ranks", [3])
def test_stations(ranks):
    alone = printed_bits("small_air_stations.py", 1, 1, lines=2)
    assert len(alone) == 1
    assert printed_bits("small_air_stations.py", ranks, 1, lines=2) == alone


moist = {
    "microphysics": {"scheme": "kessler"},
    "base": {"kind": "standard"},
    "start": {
        "wind_u": 10.0, "sounding": {"kind": "weisman-klemp"}, "shear": {"kind": "tanh"},
        "bubble": {"amplitude": 5.0},
    },
}  # fmt: skip


def case(air: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A bubble in wind over a mountain."""
    base: dict[str, Any] = {
        "component": "atmosphere",
        "grid": {
            "kind": "cartesian", "nx": 16, "ny": 5, "dx": 500.0, "dy": 500.0, "x0": -3750.0,
            "periodic_x": True, "periodic_y": True,
        },
        "time": {"start": "2000-01-01", "length": "6s", "step": "1s"},
        "atmosphere": {
            "layers": {"count": 8, "top": 5000.0},
            "mountain": {"kind": "bell", "height": 300.0, "width": 1500.0},
            "start": {"wind_u": 10.0, "wind_v": 3.0, "bubble": {"amplitude": 3.0}},
            "mixing": {"viscosity": 50.0, "diffusivity": 50.0},
        } | air,
    }  # fmt: skip
    return base | more


round_the_globe = {
    "kind": "spherical", "nx": 16, "ny": 8, "dx": 22.5, "dy": 22.5, "x0": 0.0, "y0": -78.75,
    "periodic_x": True, "sides": {"south": "pole", "north": "pole"},
}  # fmt: skip


@pytest.mark.parametrize("scheme", ["none", "wsm6"])
def test_restarts_around_the_globe(tmp_path: Path, scheme: str):
    """In other blocks of whole rows too; with water, in steps of parts that change."""
    air: dict[str, Any] = {
        "layers": {"count": 6, "top": 15e3}, "held_suarez": {"acts": True},
        "start": {
            "wind_u": 10.0, "wind_v": 5.0,
            "bubble": {"amplitude": 5.0, "y": 70.0, "radius_x": 40.0, "radius_y": 30.0},
        },
    }  # fmt: skip
    if scheme != "none":
        sounding = {"sounding": {"kind": "weisman-klemp"}}
        air |= {"microphysics": {"scheme": scheme}, "base": {"kind": "standard"}}
        air |= {"start": air["start"] | sounding, "parted_above": 0.0012}
    time = {"start": "2000-01-01", "step": "20min"}
    more: dict[str, Any] = {"grid": round_the_globe, "time": time | {"length": "2h"}}
    whole = state(run(case(air, **more)))
    ends = {"interval": "20min", "at_end": False}
    run(
        case(air, **(more | {"time": time | {"length": "40min"}, "restart": ends})),
        output=tmp_path, check_halos=True,
    )  # fmt: skip
    cut = {"blocks_per_rank": 5}
    again = run(case(air, **more, restart={"source": str(tmp_path)}, decomposition=cut))
    assert again.outcome.steps == 4
    found = state(again)
    assert all(np.array_equal(found[name], whole[name]) for name in whole)
    if scheme != "none":
        assert np.ptp(whole["water"][0], axis=(1, 2)).max() > 1e-5
        assert len(set(again.component.watch.parts_made)) > 1  # other ones as the wind changes


def state(result: Result) -> dict[str, np.ndarray]:
    fields = {field.name: field.gather() for field in result.component.restart_fields()}
    assert all(np.isfinite(values).all() for values in fields.values())
    assert np.abs(fields["w"]).max() > 1e-2
    return fields


kinds = {
    "parted": {"parted_above": 0.01}, "at least": {"parted_above": 0.1, "least_parts": 3},
    "moist": moist | {"parted_above": 0.02},
    "hydrostatic": moist | {"hydrostatic": True},
}  # fmt: skip


@pytest.mark.parametrize("kind", kinds)
def test_restarts_and_output(tmp_path: Path, kind: str):
    """Dry and moist air, whose steps are made in parts by its wind, and hydrostatic air."""
    air = kinds[kind]
    uncut = run(case(air))
    whole, parts = state(uncut), uncut.component.watch.parts_made
    assert ("water" in whole) == ("microphysics" in air)
    assert (min(parts, default=0) > 1) == ("parted_above" in air)
    assert (set(parts) == {3}) == (kind == "at least")
    first = case(air, restart={"interval": "2s", "at_end": False})
    first["time"] = first["time"] | {"length": "2s"}
    maps = {"air": {"interval": "1s"}, "means": {"interval": "2s", "processing": "mean"}}
    run(first | {"output": {"fields": maps}}, output=tmp_path, check_halos=True)
    other_cut = {"kind": "curve", "blocks_per_rank": 3}
    again = run(case(air, restart={"source": str(tmp_path)}, decomposition=other_cut))
    assert again.outcome.steps == 4
    found = state(again)
    assert found.keys() == whole.keys()
    assert all(np.array_equal(found[name], whole[name]) for name in whole)
