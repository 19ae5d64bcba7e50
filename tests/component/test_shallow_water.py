"""The example of a package that adds a component: shallow water by an entry point."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import halocline
from halocline.component.case import registry
from halocline.core.checkout import top
from halocline.core.errors import UserError

example = top / "docs" / "examples" / "shallow_water"
small = {
    "component": "shallow-water",
    "time": {"length": "1h", "step": "2min"},
    "grid": {
        "kind": "cartesian", "nx": 20, "ny": 18, "dx": 1e5, "dy": 1e5, "depth": 1000.0,
        "periodic_x": True,
    },
    "output": {"fields": {"maps": {"interval": "1h"}}},
}  # fmt: skip


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The example as its installation would leave it: a module and entry points."""
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    info = tmp_path / "packages" / "shallow_water-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shallow-water\nVersion: 1.0\n")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    paths = [str(info.parent), str(example)]
    for path in paths:
        monkeypatch.syspath_prepend(path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    registry.registered.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    registry.registered.cache_clear()
    registry.load.cache_clear()


def run(**tables: Any) -> Any:
    table = {**small, **tables}
    return halocline.run(table).component


def test_the_case_runs_by_its_words(installed: Path) -> None:
    settings = ["time.length=1h", "output.fields.fields.interval=1h"]
    result = halocline.run(example, settings=settings, output=installed / "out")
    assert "mean thickness: 1000." in result.summary
    with xarray.open_dataset(installed / "out" / "fields.nc") as maps:
        assert set(maps.data_vars) >= {"thickness", "velocity_x", "velocity_y", "vorticity"}
        assert 15 < float(maps.velocity_x[-1].max()) < 21


def test_many_ranks_give_the_same_bits(installed: Path) -> None:
    import tomli_w

    (installed / "case.toml").write_text(tomli_w.dumps(small))
    found = []
    for ranks in (1, 3):
        out = installed / f"out{ranks}"
        program = ["-m", "halocline", "run", str(installed), "--output", str(out), "-n", str(ranks)]
        done = subprocess.run(
            [sys.executable, "-P", *program, "--quiet", "--oversubscribe"],
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        with xarray.open_dataset(out / "maps.nc") as maps:
            found.append({name: maps[name].values.tobytes() for name in maps.data_vars})
    assert found[0] == found[1]


def test_kernels_read_no_halo_that_they_do_not_state(installed: Path) -> None:
    case = {**small, "time": {"length": "4min", "step": "2min"}}
    case["decomposition"] = {"blocks_per_rank": 4}
    checked = halocline.run(case, check_halos=True)
    assert "halos" in checked.summary
    plain = halocline.run(case).component
    for mine, same in zip(checked.component.v.owned, plain.v.owned, strict=True):
        np.testing.assert_array_equal(mine, same)


def test_what_it_does_not_take_is_refused(installed: Path) -> None:
    with pytest.raises(UserError, match="takes no argument 'wind_function'. It takes: none"):
        halocline.run(small, wind_function=lambda seconds, x, y: (0.0, 0.0))


def test_mass_stays_to_round_off_and_nothing_passes_a_wall(installed: Path) -> None:
    begin = run(time={"length": "2min", "step": "2min"})
    end = run(time={"length": "6h", "step": "2min"})
    sea = begin.plane.mask
    before, after = (c.thickness.owned[0][sea].sum() for c in (begin, end))
    assert abs(after / before - 1.0) < 1e-14
    assert not np.array_equal(begin.thickness.owned[0], end.thickness.owned[0])
    assert np.all(end.v.owned[0][1] == 0.0) and np.isfinite(end.v.owned[0]).all()


def test_a_basin_turned_by_half_gives_the_turned_answer(installed: Path) -> None:
    """All four walls alike: the last faces and corners are computed as the first ones are."""
    grid = {**small["grid"], "nx": 12, "ny": 10, "periodic_x": False, "closed_edges": False}
    random = np.random.default_rng(3)
    height, found = 1000.0 + random.uniform(-20.0, 20.0, (10, 12)), []
    u, v = (random.uniform(-3.0, 3.0, shape) for shape in ((10, 13), (11, 12)))
    for sign in (1, -1):
        model = built({**small, "grid": grid, "decomposition": {"blocks_per_rank": 4}})
        model.set("thickness", height[::sign, ::sign])
        model.set("u", sign * model.open["u"] * u[::sign, ::sign])
        model.set("v", sign * model.open["v"] * v[::sign, ::sign])
        for _ in range(20):
            model.step(None)
        found.append([getattr(model, name).gather() for name in ("thickness", "u", "v")])
    for one, turned, sign in zip(*found, (1, -1, -1), strict=True):
        np.testing.assert_allclose(one, sign * turned[::-1, ::-1], rtol=0, atol=1e-9)
        assert np.ptp(one) > 1.0


def test_a_restart_holds_faces_and_goes_on_to_the_same_bits(installed: Path) -> None:
    table = {**small, "grid": {**small["grid"], "periodic_x": False}}
    for name, length, more in (
        ("whole", "40min", {}),
        ("split", "20min", {}),
        ("split", "40min", {"resume": True}),
    ):
        case = {
            **table,
            "time": {"length": length, "step": "2min"},
            "restart": {"interval": "20min"},
        }
        halocline.run(case, output=installed / name, **more)
    whole, split = (
        sorted((installed / name).glob("restart*"))[-1].read_bytes() for name in ("whole", "split")
    )
    assert whole == split


def built(table: dict[str, Any]) -> Any:
    """The model of a case, started."""
    from halocline.component.case.reading import make_case
    from halocline.runtime.ranks.communicator import Alone

    case = make_case(table)
    clock = case.time.clock()
    model = case.build(clock, Alone())
    model.start(clock.time, False)
    return model


def plane_wave(cells: int) -> float:
    """Error of an inertia-gravity wave of small height after one period, relative to it."""
    length, depth, height, f, g = 1e6, 1000.0, 1e-4, 1e-4, 9.81
    k = 2 * np.pi / length
    omega = np.sqrt(f * f + g * depth * k * k)
    steps = 2 * cells
    step, dx = round(2 * np.pi / omega / steps, 6), length / cells
    table = {
        **small,
        "time": {"length": round(steps * step, 6), "step": step},
        "grid": {
            "kind": "cartesian", "nx": cells, "ny": 4, "dx": dx, "dy": dx, "depth": depth,
            "periodic_x": True, "periodic_y": True,
        },
        "water": {"jet": 0.0, "bump": 0.0, "coriolis": f, "gravity": g},
    }  # fmt: skip
    model = built(table)
    i = np.arange(cells) + np.zeros((4, 1))
    center, face = k * dx * (i + 0.5), k * dx * i
    # Gill (1982), section 8.2: u is in phase with the height, v a quarter of a period behind.
    model.set("thickness", depth + height * np.cos(center))
    model.set("u", height * omega / (k * depth) * np.cos(face))
    model.set("v", height * f / (k * depth) * np.sin(center))
    for _ in range(steps):
        model.step(None)
    wave = model.thickness.owned[0] - depth
    return float(np.abs(wave - height * np.cos(center)).max()) / height


def test_a_plane_wave_converges_with_second_order(installed: Path) -> None:
    errors = [plane_wave(cells) for cells in (16, 32)]
    assert errors[1] < 0.02
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.2
