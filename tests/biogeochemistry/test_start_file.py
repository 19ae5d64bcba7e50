"""Tracers that begin from a file: in the units of the biology, whatever those of the file."""

import re
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.biogeochemistry.start_file import StartFileOptions, from_file, negative
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.grids.vertical.file_field import WantedPoints
from halocline.runtime.ranks.communicator import Alone

wanted = WantedPoints(np.array([5.0, 6.0]), np.array([35.0, 36.0]))


def start(folder: Path, units: str | None) -> StartFileOptions:
    attributes = {} if units is None else {"units": units}
    data = xarray.Dataset(
        {"no3": (("lat", "lon"), np.full((2, 2), 0.25), attributes)},
        {"lat": [25.0, 45.0], "lon": [0.0, 20.0]},
    )
    data.to_netcdf(folder / "start.nc")
    return StartFileOptions(file=str(folder / "start.nc"), variables={"N3n": "no3"})


@pytest.mark.parametrize(
    ("theirs", "ours", "factor"),
    [
        ("mol m-3", "mmol m-3", 1000.0),
        ("umol kg-1", "mmol m-3", 1.025),
        ("mmol/m3", "mmol m-3", 1.0),
        (None, "mmol m-3", 1.0),
        ("kg m-3", "mg m-3", 1e6),
        ("mmol m-3", "bananas", 1.0),
    ],
)
def test_values_are_brought_to_the_units_of_the_tracer(
    tmp_path: Path, theirs: str | None, ours: str, factor: float
) -> None:
    found = from_file(start(tmp_path, theirs), wanted, {"N3n": ours})["N3n"]
    np.testing.assert_allclose(found, 0.25 * factor, rtol=1e-12)


def test_other_units_are_refused(tmp_path: Path) -> None:
    words = "'no3' of .* has the units 'kg m-3', which cannot be brought to 'mmol m-3'. Known"
    with pytest.raises(UserError, match=words):
        from_file(start(tmp_path, "kg m-3"), wanted, {"N3n": "mmol m-3"})


def test_a_negative_value_is_told_with_its_place(tmp_path: Path) -> None:
    points = WantedPoints(np.array([5.0, 6.0]), np.array([35.0, 36.0]), np.array([300.0, 10.0]))
    values, options = np.full((2, 2), 0.25), start(tmp_path, None)
    assert negative("N3n", values, points, options) is None
    values[1] = -0.125, -0.5
    words = r"'N3n' begins with -0.5 at 6 E, 36 N, 10 m, from 'no3' of .* \(2 values below 0\)"
    assert re.search(words, str(negative("N3n", values, points, options)))


def test_a_run_knows_the_units_of_its_biology() -> None:
    case = read_case("bloom-column")
    units = case.build(case.time.clock(), Alone()).model.units
    assert (units["N3n"], units["P1c"], len(units)) == ("mmol m-3", "mg m-3", 51)
