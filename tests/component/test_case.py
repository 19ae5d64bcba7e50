"""Case files: what is read, what is refused and how, what is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli_w

from halocline.component.case.reading import make_case, read_case
from halocline.component.case.shipped import case_folder, names
from halocline.component.case.tables import read_setting
from halocline.core.clock import text
from halocline.core.errors import UserError
from halocline.experiment.members import read_members
from halocline.waves.case import WaveCase


def write(folder: Path, words: str) -> Path:
    path = folder / "case.toml"
    path.write_text(words)
    return path


@pytest.mark.parametrize("name", names())
def test_shipped_cases_are_valid(name: str) -> None:
    members = read_members(name)
    assert members.title
    for member in members.members.values():
        assert member.clock.steps >= 1
        assert member.case.title


@pytest.mark.parametrize("name", names())
def test_written_case_gives_the_same_case(name: str, tmp_path: Path) -> None:
    members = read_members(name)
    (tmp_path / "resolved.toml").write_text(tomli_w.dumps(members.to_table()))
    again = read_members(tmp_path / "resolved.toml")
    assert again.to_table() == members.to_table()
    assert [some.case for some in again.members.values()] == [
        some.case for some in members.members.values()
    ]


def test_dates_of_toml_and_texts_mean_the_same(tmp_path: Path) -> None:
    words = "[time]\nstart = {}\nlength = '6h'\n"
    first = read_case(write(tmp_path, words.format("2011-01-15T12:00:00")))
    second = read_case(write(tmp_path, words.format("'2011-01-15T12:00:00'")))
    assert first == second
    assert text(first.time.clock().start) == "2011-01-15 12:00"


def test_settings_go_before_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "[time]\nlength = '6h'\n")
    case = read_case(path, ["time.length=1d", "spectrum.directions = 36", "title=a b"])
    assert isinstance(case, WaveCase)
    assert (case.time.length, case.spectrum.directions, case.title) == ("1d", 36, "a b")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("[tme]\nlength = '6h'", "Unknown option 'tme'. Did you mean 'time'?"),
        ("[time]\nlenght = '6h'", "Unknown option 'time.lenght'. Did you mean 'length'?"),
        ("[spectrum]\ndirections = 2", "directions = 2 is too small; it is at least 4"),
        ("[spectrum]\ndirections = 24.5", "'spectrum.directions' is a whole number, got 24.5"),
        ("component = 'wave'", "component = 'wave' is not one of: waves, "),
        ("precision = 'float16'", "float16"),
        ("time = 3", "'time' is a table of options, got 3. Write it as [time]."),
        ("[time", "is no valid TOML"),
    ],
)
def test_mistakes_are_refused_with_their_place(tmp_path: Path, words: str, message: str) -> None:
    path = write(tmp_path, words)
    with pytest.raises(UserError) as error:
        read_case(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ({}, "needs either 'end' or 'length'"),
        ({"end": "2000-01-02", "length": "1d"}, "needs either 'end' or 'length'"),
        ({"end": "1999-01-02"}, "before it starts"),
        ({"length": "90min"}, "no whole number of steps"),
        ({"length": "6 hours"}, "Cannot read the duration"),
    ],
)
def test_times_that_make_no_sense(time: dict[str, str], message: str) -> None:
    case = make_case({"time": time})
    with pytest.raises(UserError, match=message):
        case.time.clock()


def test_missing_case_and_data_name_the_nearest() -> None:
    with pytest.raises(UserError, match=r"Did you mean 'global-waves'\?"):
        read_case("global-wave")
    with pytest.raises(UserError, match=r"Did you mean 'w_wind_6h_2p5.nc'\?"):
        read_case("global-waves").find("w_wind_6h_2p.nc")


def test_data_beside_the_case_comes_first(tmp_path: Path) -> None:
    (tmp_path / "gfs_sample.nc").write_bytes(b"mine")
    case = read_case(write(tmp_path, ""))
    assert case.find("gfs_sample.nc") == tmp_path / "gfs_sample.nc"
    assert case.find("w_depth_1p25x1.nc").parent.name == "data"


def test_results_of_another_run_say_how_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case, name = read_case(write(tmp_path, "")), "results/gyre/fields.nc"
    with pytest.raises(UserError, match="'halocline run gyre' makes it there"):
        case.find_here(name)
    (tmp_path / "results/gyre").mkdir(parents=True)
    (tmp_path / name).write_bytes(b"made")
    assert case.find_here(name) == name


@pytest.mark.parametrize("name", names())
def test_commands_of_shipped_cases_look_where_results_are(name: str) -> None:
    """A run's results lie in results/NAME."""
    text = (case_folder() / name / "case.toml").read_text(encoding="utf-8")
    plotted = re.findall(r"^# Command: .*halocline plot (\S+)", text, re.MULTILINE)
    assert all(path.startswith(f"results/{name}/") for path in plotted)


def test_setting_needs_a_value() -> None:
    with pytest.raises(UserError, match="write it as key=value"):
        read_setting("time.length")
