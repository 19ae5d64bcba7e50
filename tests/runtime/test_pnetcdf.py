"""Output through PnetCDF: the real library where it is found, a fake one everywhere.

Ranks: 3, started here.
"""

import os
import re
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pytest

from halocline.runtime.files.classic_files import make_head, parse_header
from halocline.runtime.files.mpi_files import in_file_order
from halocline.runtime.files.pnetcdf_files import selections
from halocline.runtime.files.pnetcdf_library import variable
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command

here = Path(__file__).parent
real = os.environ.get(variable) or find_library("pnetcdf")


def without_mpi(program, *arguments):
    """What a Python program prints that loads MPI, but does not start it."""
    start = "import mpi4py; mpi4py.rc.initialize = False\nimport sys\nfrom mpi4py import MPI\n"
    command = [sys.executable, "-c", start + program, *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, env=mpi_environment(os.environ)
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def fakes(tmp_path_factory):
    """The fake library linked to this MPI, made for another one, and for none."""
    folder = tmp_path_factory.mktemp("fake")
    maps = without_mpi("print(open('/proc/self/maps').read())")
    ours = re.search(r"/\S*/libmpi(ch)?\.so\S*", maps)[0]
    options = {
        "ours": ["-Wl,--no-as-needed", ours],
        "other": ["-DOTHER_MPI"],
        "none": [],
    }
    made = {}
    for name, some in options.items():
        made[name] = folder / f"lib{name}.so"
        command = ["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        command += ["-o", str(made[name]), str(here / "fake_pnetcdf.cpp"), *some]
        subprocess.run(command, check=True, timeout=300)
    return made


@pytest.mark.parametrize("way", ["independent", "collective"])
@pytest.mark.parametrize("library", ["fake", "found"] if real else ["fake"])
def test_all_bytes_are_right_and_the_count_is_ours(tmp_path, fakes, library, way):
    path = fakes["ours"] if library == "fake" else real
    command = [*mpiexec_command(3), sys.executable, str(here / "pnetcdf_records.py")]
    command += [str(tmp_path), way, library]
    environment = mpi_environment({**os.environ, variable: str(path), "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all bytes are right" in done.stdout


def test_streams_through_pnetcdf(tmp_path, fakes):
    """Right bytes of streams and restarts, several files open at once."""
    command = [*mpiexec_command(3), sys.executable, "-m", "mpi4py", str(here / "every_way.py")]
    command += [str(tmp_path), "0", "pnetcdf", "pnetcdf-collective"]
    path = str(real or fakes["ours"])
    environment = mpi_environment({**os.environ, variable: path, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_libraries_that_cannot_be_used_are_refused(tmp_path, fakes):
    nonsense = tmp_path / "libnonsense.so"
    nonsense.write_text("no library")
    program = """
import os
from halocline.core.errors import UserError
from halocline.runtime.files import pnetcdf_library
pnetcdf_library.find_library = lambda name: None
for path in sys.argv[1:]:
    os.environ[pnetcdf_library.variable] = path
    try:
        pnetcdf_library.load.__wrapped__()
        print("accepted")
    except UserError as error:
        print(error)
"""
    paths = ["", nonsense, fakes["other"], fakes["none"], fakes["ours"]]
    said = without_mpi(program, *paths).splitlines()
    assert len(said) == 5
    advice = f"Set {variable} to the path of a libpnetcdf.so built for it, or write in another way."
    assert all(words.endswith(advice) for words in said[:4])
    assert "No PnetCDF was found for this MPI (" in said[0]
    assert f"'{nonsense}' cannot be used as PnetCDF" in said[1]
    assert "was built for another MPI (Another MPI 1.0) than the one that runs (" in said[2]
    assert "does not say which MPI it was built for" in said[3]
    assert said[4] == "accepted"


def content(file):
    file.createDimension("time", None)
    file.createDimension("j", 3)
    file.createDimension("i", 5)
    file.createVariable("time", "f8", ("time",))
    file.createVariable("plane", "f4", ("time", "j", "i"))
    file.createVariable("small", "i2", ("time", "i"))
    file.createVariable("precise", "f8", ("time", "i", "j"))


@pytest.mark.parametrize("share", [0.3, 0.9, 1.0])
def test_runs_become_parts_of_variables(share):
    """Some elements of a record as runs of bytes: PnetCDF is told to put them where they were."""
    header = parse_header(make_head(content))
    random = np.random.default_rng(0)
    expected, runs, data = {}, [], []
    for name, place in header.growing.items():
        values = np.array(random.integers(1, 1000, place.shape), place.dtype)
        chosen = np.asarray(random.random(place.shape) < share)
        expected[name] = np.where(chosen, values, 0)
        size = place.dtype.itemsize
        for number in np.flatnonzero(chosen):
            runs.append((place.offset + 4 * header.record_size + number * size, size))
            data.append(values.reshape(-1)[number : number + 1].tobytes())
    offsets, lengths = np.array(runs, np.int64).T
    ordered = in_file_order(offsets, lengths, np.frombuffer(b"".join(data), np.uint8))
    found = {name: np.zeros_like(values) for name, values in expected.items()}
    for part in selections(header, *ordered):
        begin = 0
        for start, count in zip(part.starts, part.counts, strict=True):
            assert start[0] == 4 and count[0] == 1
            end = begin + count.prod()
            place = tuple(slice(a, a + n) for a, n in zip(start[1:], count[1:], strict=True))
            found[part.name][place] = part.values[begin:end].reshape(count[1:])
            begin = end
        assert begin == part.values.size
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)
