"""Starts and sides that a run makes itself of the analyses that its case names. Ranks: 1."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atmosphere.dynamics_cases import begun, ended, values
from atmosphere.test_given_sides import make_analysis
from halocline.atmosphere.case import AtmosphereCase
from halocline.core.errors import UserError


@pytest.fixture
def made_by_command(tmp_path: Path) -> AtmosphereCase:
    """A case whose start and sides were made by `halocline analysis`, on 14 x 11 columns."""
    return make_analysis(tmp_path, orog=np.full((10, 15), 150.0)).with_settings(
        {"time.length": "8min"}
    )


@pytest.fixture
def case(made_by_command: AtmosphereCase, tmp_path: Path) -> AtmosphereCase:
    """The same case, which names analyses, and paths of files that are not there."""
    return made_by_command.with_settings(
        {
            "atmosphere.analysis.files": ["analysis.nc"],
            "atmosphere.start.file": str(tmp_path / "new" / "start.nc"),
            "atmosphere.sides.file": str(tmp_path / "new" / "sides.nc"),
        }
    )


def moments(case: AtmosphereCase) -> dict[str, int]:
    """When its files were written [ns]."""
    named = case.atmosphere.start.file, case.atmosphere.sides.file
    return {Path(name).name: os.stat(name).st_mtime_ns for name in named}


def test_a_run_from_files_of_its_own_is_that_from_files_of_the_command(made_by_command, case):
    one, other = ended(made_by_command), ended(case)
    for name in ("u", "v", "w", "theta", "mass"):
        assert_array_equal(values(one, name), values(other, name))


def test_files_are_made_once_and_again_where_they_do_not_fit(case, capsys):
    begun(case)
    assert not list(Path(case.atmosphere.start.file).parent.glob("*.unready"))
    assert "making" in capsys.readouterr().err
    first = moments(case)
    begun(case)
    assert moments(case) == first and not capsys.readouterr().err
    begun(case.with_settings({"time.length": "16min"}))  # the sides cover more time
    longer = moments(case)
    assert longer["start.nc"] == first["start.nc"] and longer["sides.nc"] > first["sides.nc"]
    assert [line.count("sides.nc") for line in capsys.readouterr().err.splitlines()] == [1]
    finer = case.with_settings({"atmosphere.layers.count": 14})
    assert begun(finer).coordinate.thickness.size == 14
    assert all(moments(case)[name] > longer[name] for name in longer)


def test_files_of_the_users_own_stay(case, made_by_command, tmp_path):
    """A start by the command has no mark: it is not made anew, but refused if it does not fit."""
    own = case.with_settings({"atmosphere.start.file": str(tmp_path / "start.nc")})
    before = moments(own.with_settings({"atmosphere.sides.file": str(tmp_path / "sides.nc")}))
    begun(own)
    assert os.stat(tmp_path / "start.nc").st_mtime_ns == before["start.nc"]
    with pytest.raises(UserError, match="12 layers"):
        begun(own.with_settings({"atmosphere.layers.count": 14}))


def test_a_file_that_is_broken_is_named(case):
    path = Path(case.atmosphere.start.file)
    path.parent.mkdir()
    path.write_text("no netCDF")
    with pytest.raises(UserError, match=r"new/start.nc cannot be read.*Remove it"):
        begun(case)


def test_what_cannot_be_made_is_refused(case, tmp_path):
    with pytest.raises(UserError, match="start.file no file to make"):
        case.with_settings({"atmosphere.start.file": ""})
    with pytest.raises(UserError, match="no_such.nc"):
        begun(case.with_settings({"atmosphere.analysis.files": ["no_such.nc"]}))
    with pytest.raises(UserError, match=r"analysis of 2020-01-02.*It has"):
        begun(case.with_settings({"time.start": "2020-01-02T00"}))
    assert not list((tmp_path / "new").glob("*.nc"))  # nothing half made is left by its name
