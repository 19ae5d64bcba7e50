"""Opening and forgetting files: who closes them, and where."""

import gc
import os
import threading
from pathlib import Path

import numpy as np
import xarray

from halocline.grids.files.sources import open_source


def open_files(folder: Path) -> list[str]:
    """Names of the files of a folder that this process holds open."""
    links = Path("/proc/self/fd").iterdir()
    held = [Path(os.readlink(link)) for link in links if link.is_symlink()]
    return sorted(path.name for path in held if path.parent == folder)


def test_a_forgotten_file_is_closed_by_the_next_opening_and_by_no_other_thread(tmp_path):
    for name in ("one.nc", "two.nc"):
        xarray.Dataset({"depth": (("y", "x"), np.ones((2, 3)))}).to_netcdf(tmp_path / name)
    held = open_source(tmp_path / "one.nc")
    del held
    collector = threading.Thread(target=gc.collect)
    collector.start()
    collector.join()
    assert open_files(tmp_path) == ["one.nc"]
    held = open_source(tmp_path / "two.nc")
    assert open_files(tmp_path) == ["two.nc"]
    held.close()
    assert open_files(tmp_path) == []
