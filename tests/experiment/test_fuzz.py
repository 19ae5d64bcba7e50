"""Whatever a case or a file holds: a valid result, or one message; no traceback, hang or flood.

Files that are good are changed a little: bytes, lines, options. The same examples every time.
"""

from __future__ import annotations

import faulthandler
import itertools
import multiprocessing
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
import xarray
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from halocline.component.case.reading import read_case
from halocline.component.case.shipped import case_folder
from halocline.component.case.tables import put
from halocline.component.streams.positions import read_positions
from halocline.core import memory
from halocline.core.errors import UserError
from halocline.experiment.check import report
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.horizontal.bathymetry import BathymetryOptions, read_bathymetry
from halocline.waves.boundary import _File
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.spectrum_files import read_spectrum

# What the netCDF library says of a fill value that it cannot use.
pytestmark = pytest.mark.filterwarnings("ignore:WARNING. _FillValue not used:UserWarning")

few, many = 150, 100_000
"""Examples of each kind in the normal checks, and of all kinds with --all."""

longest = 60.0
"""Time for one example before it counts as a hang [s]; most take some milliseconds."""

kinds = ("wind", "depth", "spectra", "track")
formats = ("NETCDF3_CLASSIC", "NETCDF3_64BIT", "NETCDF4")
Edits = list[tuple[str, float, int]]


def quietly(examples: int) -> Any:
    return settings(
        max_examples=examples, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip


def result_or_message(action: Callable[[], object]) -> None:
    """Do something that ends well, or with a message of one paragraph."""
    if multiprocessing.parent_process() is not None:
        faulthandler.dump_traceback_later(longest, exit=True)
    try:
        action()
    except UserError as error:
        assert 10 < len(str(error)) < 5000


edits: st.SearchStrategy[Edits] = st.lists(
    st.tuples(
        st.sampled_from(["set", "flip", "cut", "drop", "double"]),
        st.floats(0.0, 1.0, exclude_max=True),
        st.integers(0, 255),
    ),
    min_size=1,
    max_size=4,
)


def edited(content: bytes, changes: Edits) -> bytes:
    """Bytes changed, turned, cut off, left out, or there twice; near the beginning mostly."""
    found = bytearray(content)
    for what, place, value in changes:
        at = int(len(found) * place**2)
        if what == "set" and at < len(found):
            found[at] = value
        elif what == "flip" and at < len(found):
            found[at] ^= 1 << value % 8
        elif what == "cut":
            del found[int(len(found) * place) :]
        elif what == "drop":
            del found[at : at + value % 16]
        else:
            found[at:at] = found[at : at + value % 16]
    return bytes(found)


@pytest.fixture(autouse=True)
def small_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine of little memory: what asks for more is refused, and nothing takes long."""
    monkeypatch.setattr(memory, "machine_memory", lambda: 4 * 2**20)
    yield


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Good files by kind and format."""
    lat = ("lat", np.arange(-2.0, 3.0), {"units": "degrees_north"})
    lon = ("lon", np.arange(-2.0, 3.0), {"units": "degrees_east"})
    time = ("time", [0.0, 6.0], {"units": "hours since 2000-01-01", "calendar": "standard"})
    wind = np.full((2, 5, 5), 5.0, "f4"), {"units": "m s-1", "standard_name": "eastward_wind"}
    sets = {
        "wind": xarray.Dataset(
            {"u10": (("time", "lat", "lon"), *wind)}, {"time": time, "lat": lat, "lon": lon}
        ),
        "depth": xarray.Dataset(
            {"depth": (("lat", "lon"), np.full((5, 5), 100.0), {"units": "m"})},
            {"lat": lat, "lon": lon},
        ),
        "spectra": xarray.Dataset(
            {
                "efth": (
                    ("time", "station", "frequency", "direction"),
                    np.full((2, 2, 3, 4), 0.1),
                    {"units": "m2 s rad-1"},
                ),
                "lon": ("station", [0.0, 1.0]),
                "lat": ("station", [0.0, 1.0]),
            },
            {
                "time": time,
                "frequency": ("frequency", [0.05, 0.1, 0.2]),
                "direction": ("direction", [0.0, 90.0, 180.0, 270.0]),
            },
        ),
        "track": xarray.Dataset(
            {"lon": ("time", [0.0, 1.0]), "lat": ("time", [0.0, 1.0])}, {"time": time}
        ),
    }
    folder, found = tmp_path_factory.mktemp("good"), {}
    for kind, format in itertools.product(kinds, formats):
        path = found[kind, format] = folder / f"{kind}_{format}.nc"
        sets[kind].to_netcdf(path, format=format)
        read(kind, path)
    return found


def read(kind: str, path: Path) -> None:
    """Read all of a file as a run would."""
    if kind == "wind":
        files = GriddedFiles([path])
        try:
            name = files.find("wind_u")
            for record in files.records:
                files.read(name, "wind_u", record)
        finally:
            files.close()
    elif kind == "depth":
        read_bathymetry(BathymetryOptions(file=str(path)))
    elif kind == "track":
        read_positions(path, "standard")
    else:
        read_spectrum(path, SpectralGrid(frequencies=3, directions=4))
        file = _File(path, "standard")
        try:
            file.spectra(len(file.times) - 1, np.arange(2))
        finally:
            file.close()


def fuzz_netcdf(places: dict[tuple[str, str], Path], examples: int) -> None:
    numbers = itertools.count()
    folder = next(iter(places.values())).parent
    good = {key: path.read_bytes() for key, path in places.items()}

    @quietly(examples)
    @given(st.sampled_from(kinds), st.sampled_from(formats), edits)
    def fuzz(kind: str, format: str, changes: Edits) -> None:
        path = folder / f"changed{next(numbers) % 8}.nc"
        path.unlink(missing_ok=True)
        path.write_bytes(edited(good[kind, format], changes))
        result_or_message(lambda: read(kind, path))

    fuzz()


values = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([2**31, 2**63, 10**20, -(10**400), 1_000_000, 4000]),
    st.floats(),
    st.booleans(),
    st.text(max_size=8),
    st.sampled_from(
        ["", "1h", "0s", "-1d", "1e9d", "9999999999d", "2000-01-01", "0000-01-01", "9999-12-31",
         "nan", "../x", "a/b", "{date}", "360_day", "x" * 400, "none", "auto", "servers", "zarr"]
    ),
    st.lists(st.integers(-2, 400), max_size=5),
    st.dictionaries(st.text(max_size=4), st.integers(-1, 3), max_size=2),
)  # fmt: skip


def small_cases() -> list[dict[str, Any]]:
    """Shipped cases of every component, made small; with every kind of stream."""
    tables = []
    for name in ("swell", "tracer-rotation"):
        text = (case_folder() / name / "case.toml").read_text(encoding="utf-8")
        table = tomllib.loads(text)
        table["grid"] = {"nx": 6, "ny": 6, "x0": -3.0, "y0": -3.0}
        table["time"] = {"length": "2h", "step": "1h"}
        if name == "swell":
            table["spectrum"] = {"frequencies": 3, "directions": 4}
            table["output"] = {
                "fields": {"maps": {"interval": "1h", "processing": "mean"}},
                "points": {"buoy": {"points": {"here": [0.0, 0.0]}}},
            }
        tables.append(table)
    return tables


def all_options(table: dict[str, Any], before: str = "") -> list[str]:
    """Dotted names of all values and tables."""
    names = []
    for key, value in table.items():
        names.append(f"{before}{key}")
        if isinstance(value, dict):
            names += all_options(value, f"{before}{key}.")
    return names


def fuzz_cases(folder: Path, examples: int) -> None:
    path = folder / "case.toml"
    bases = []
    for table in small_cases():
        path.write_text(tomli_w.dumps(table), encoding="utf-8")
        case = read_case(path)
        report(case, 1)
        options = [name for name in all_options(case.to_table()) if "data_folder" not in name]
        bases.append((path.read_bytes(), options))
    pieces = st.lists(st.tuples(st.integers(0, 10_000), values), max_size=3)

    @quietly(examples)
    @given(st.sampled_from(bases), pieces, edits, st.integers(0, 3))
    def fuzz(base: Any, some: list[tuple[int, Any]], changes: Edits, by_bytes: int) -> None:
        content, options = base
        path.write_bytes(edited(content, changes) if by_bytes == 0 else content)

        def look() -> None:
            table = tomllib.loads(content.decode())
            if by_bytes == 0:
                case = read_case(path)
            else:
                for number, value in some:
                    put(table, options[number % len(options)], value)
                path.write_text(tomli_w.dumps(table), encoding="utf-8")
                case = read_case(path)
            report(case, 1)

        result_or_message(look)

    fuzz()


line = st.one_of(
    st.just("2000-01-01T00:00,0.5,0.5"),
    st.text(max_size=12),
    st.tuples(st.text("0123456789-T: Z", max_size=16), st.floats(), st.floats()).map(
        lambda some: ",".join(map(str, some))
    ),
)
heads = st.sampled_from(["time,lon,lat", "time, longitude ,latitude", "date,x,y", "a,b", "", '"'])


def fuzz_tables(folder: Path, examples: int) -> None:
    path = folder / "track.csv"

    @quietly(examples)
    @given(heads, st.lists(line, max_size=4), edits, st.booleans())
    def fuzz(head: str, lines: list[str], changes: Edits, by_bytes: bool) -> None:
        content = "\n".join([head, *lines]).encode(errors="replace")
        path.write_bytes(edited(content, changes) if by_bytes else content)
        result_or_message(lambda: read_positions(path, "standard"))

    fuzz()


def test_changed_netcdf_files(places: dict[tuple[str, str], Path]) -> None:
    fuzz_netcdf(places, 4 * few)


def test_changed_cases(tmp_path: Path) -> None:
    fuzz_cases(tmp_path, few)


def test_changed_tables_of_positions(tmp_path: Path) -> None:
    fuzz_tables(tmp_path, 4 * few)


def many_changed_inputs(places: dict[tuple[str, str], Path], folder: Path) -> None:
    fuzz_netcdf(places, many * 55 // 100)
    fuzz_tables(folder, many * 35 // 100)
    fuzz_cases(folder, many // 10)


@pytest.mark.slow
def test_many_changed_inputs(places: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    """A hundred thousand: most of them files, whose bytes are what is most often damaged.

    In a process of their own: nothing else ends one that hangs in a library.
    """
    process = multiprocessing.get_context("fork").Process(
        target=many_changed_inputs, args=(places, tmp_path)
    )
    process.start()
    process.join()
    assert process.exitcode == 0
