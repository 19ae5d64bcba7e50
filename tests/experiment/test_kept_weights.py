"""Weights of exchanges on disk: the same bits, made anew where they are damaged or unlike."""

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

from halocline.experiment.run import run
from invariance.coupled_seas import case


def coupled(folder: Path, **up: Any) -> dict[str, Any]:
    found = case(time={"start": "2000-06-01T00:00:00", "length": "20min"}, restart={})
    for name in ("above", "up"):
        more = up if name == "up" else {}
        found["exchanges"] = found["exchanges"] | {
            name: found["exchanges"][name] | {"weights": str(folder)} | more
        }
    return found


def state(done: Any) -> list[bytes]:
    fields = (field for some in done.components.values() for field in some.restart_fields())
    return [np.concatenate([np.ravel(some) for some in field.read()]).tobytes() for field in fields]


@pytest.fixture(scope="module")
def plain() -> list[bytes]:
    return state(run(case(time={"start": "2000-06-01T00:00:00", "length": "20min"}, restart={})))


def test_they_are_kept_and_taken_with_the_same_bits(tmp_path: Path, plain, capfd):
    folder = tmp_path / "weights"
    assert state(run(coupled(folder))) == plain
    first = capfd.readouterr().err
    files = sorted(folder.iterdir())
    assert [path.name.partition("-")[0] for path in files] == ["bilinear", "conservative"]
    assert first.count("weights are made, and kept in") == 2
    before = [path.stat().st_mtime_ns for path in files]
    assert state(run(coupled(folder))) == plain
    assert capfd.readouterr().err.count("weights are those kept in") == 2
    assert [path.stat().st_mtime_ns for path in files] == before

    # One weight is another one, which nothing but its checksum tells; the other file is cut.
    with netCDF4.Dataset(files[0], "a") as file:
        file["S"][0] = 0.5 * file["S"][0]
    files[1].write_bytes(files[1].read_bytes()[:1000])
    assert state(run(coupled(folder))) == plain
    assert capfd.readouterr().err.count("made anew: the file there was damaged") == 2
    assert state(run(coupled(folder))) == plain
    assert capfd.readouterr().err.count("weights are those kept in") == 2

    # Another method, and another grid, have files of their own.
    run(coupled(folder, normalisation="destarea"))
    assert len(list(folder.iterdir())) == 3
    moved = coupled(folder)
    fluxes = moved["members"]["fluxes"]
    grid = fluxes["grid"] | {"x0": fluxes["grid"]["x0"] + 0.01}
    moved["members"] = moved["members"] | {"fluxes": fluxes | {"grid": grid}}
    run(moved)
    assert len(list(folder.iterdir())) == 5
