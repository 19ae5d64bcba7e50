"""A member that is a program of its own, as far as it goes in one process without MPI."""

import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from halocline.component.outside import ComputedOutside
from halocline.core.clock import date
from halocline.core.errors import BrokenState, UserError
from halocline.experiment.meeting import meet, told
from halocline.experiment.members import make_members
from halocline.experiment.run import run
from halocline.experiment.seating import mpiexec_words, parts_of, seats_of
from halocline.program.case import ProgramCase
from halocline.runtime.ranks.communicator import Alone

start = date("2000-01-01")
sea = {"nx": 4, "ny": 3, "x0": 10.0, "y0": 20.0, "dx": 1.0, "dy": 2.0, "closed_edges": True}
"""Two cells of sea, in the middle row, with land around."""


def case(**program):
    options = {
        "command": "./theirs --fast",
        "gives": ["surface_temperature"],
        "takes": ["heat_flux_into_sea"],
        "keeps": {"ice": {"levels": 2}},
        **program,
    }
    return ProgramCase.from_table(
        {
            "precision": "float64",
            "time": {"start": "2000-01-01T00:00:00", "length": "2h", "step": "1h"},
            "grid": sea,
            "program": options,
        }
    )


def component(**program) -> ComputedOutside:
    found = case(**program)
    return found.build(found.time.clock(), Alone())


def ready():
    """One that has said all that it must before its first step."""
    some = component()
    some.set_cells(np.arange(12)[::-1], None, None)
    some.set_units("surface_temperature", "K", given=True)
    some.set_units("surface_downward_heat_flux_in_sea_water", "1000 W m-2", given=False)
    some.put("surface_temperature", 280.0 + np.arange(12)[::-1])
    some.put("ice", np.arange(24.0))
    return some


def test_values_change_units_at_the_door_and_cells_have_any_order():
    some = ready()
    some.start(start, restarted=False)
    field = some.diagnose(["surface_temperature"], start)["surface_temperature"]
    assert some.plane.sea_points == 2
    found = field.gather()
    assert found[1, 1:3] == pytest.approx([5.0 + 6.85, 6.0 + 6.85])
    assert found[0].tolist() == [0.0] * 4  # on land
    some.ports["heat_flux_into_sea"].field.set_global(1000.0 * np.arange(12.0).reshape(3, 4))
    some.hand_out()
    assert some.take("heat_flux_into_sea")[12 - 1 - 6] == 6.0


def test_what_it_takes_has_its_units():
    some = component(gives=["ice"], takes=["surface_temperature"], keeps={})
    some.set_cells([6, 5], None, None)
    some.set_units("surface_temperature", "K", given=False)
    some.ports["surface_temperature"].field.set_global(np.arange(12.0).reshape(3, 4))
    some.hand_out()
    assert some.take("surface_temperature") == pytest.approx([279.15, 278.15])


def test_what_it_keeps_comes_back_with_its_cells():
    some = ready()
    some.start(start, restarted=False)
    other = component()
    for mine, theirs in zip(some.restart_fields(), other.restart_fields(), strict=True):
        theirs.set_global(mine.gather())
    other.set_cells([6, 5], [12.0, 11.0], [22.0, 22.0])
    ice = other.take("ice")
    assert ice.tolist() == [[5.0, 6.0], [17.0, 18.0]]


def test_what_it_puts_into_what_it_takes_stays_where_nobody_gives():
    some = ready()
    some.put("heat_flux_into_sea", np.full(12, 0.25))
    some.start(start, restarted=False)
    some.hand_out()
    assert some.take("heat_flux_into_sea")[5] == 0.25
    with pytest.raises(UserError, match="nothing it puts into the run here"):
        some.put("heat_flux_into_sea", np.zeros(12))


refused = {
    "has a cell of number 12, but .*3 rows of 4.*go from 0 to 11": ([12], None, None),
    "2 of 2 cells of the sea are of none": ([0, 1], None, None),
    "1 of 2 cells of the sea are of none": ([5], None, None),
    "3 cells of a sea of 2, so that some are of two": ([5, 6, 5], None, None),
    "2 cells here, and 1 longitudes and 2 latitudes": ([5, 6], [11.0], [22.0, 22.0]),
    "row 1 and column 2 .* at .12.2, 22. in the program, and at .12, 22.": (
        [5, 6], [11.0, 12.2], [22.0, 22.0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", refused)
def test_cells_are_refused(words):
    with pytest.raises(UserError, match=words):
        component().set_cells(*refused[words])


def test_turned_longitudes_are_the_same():
    component().set_cells([5, 6], [371.0, -348.0], [22.0, 22.0])


def test_mistakes_are_refused():
    some = component()
    with pytest.raises(UserError, match="did not say which cells"):
        some.put("surface_temperature", [1.0])
    some.set_cells(np.arange(12), None, None)
    with pytest.raises(UserError, match="has said already which cells"):
        some.set_cells(np.arange(12), None, None)
    with pytest.raises(UserError, match="in m s-1, which does not convert to W m-2"):
        some.set_units("heat_flux_into_sea", "m s-1", given=False)
    with pytest.raises(UserError, match="program.gives does not name it: it has surface_temp"):
        some.set_units("heat_flux_into_sea", "W m-2", given=True)
    with pytest.raises(UserError, match="did not say in what units it has 'surface_temperature'"):
        some.put("surface_temperature", np.zeros(12))
    with pytest.raises(UserError, match="did not say that it gives 'surface_temperature'"):
        some.start(start, restarted=False)
    some.set_units("surface_temperature", "degree_C", given=True)
    with pytest.raises(UserError, match="has 11 values of 'surface_temperature', and 12 cells"):
        some.put("surface_temperature", np.zeros(11))
    with pytest.raises(UserError, match="has 12 values of 'ice', and 12 cells of 2 levels"):
        some.put("ice", np.zeros(12))
    with pytest.raises(UserError, match="'sea_level', but that is nothing it takes"):
        some.take("sea_level")


def test_what_is_not_put_or_no_number_is_refused():
    some = ready()
    some.start(start, restarted=False)
    values = 280.0 + np.zeros(12)
    values[0] = np.nan  # on land
    some.put("ice", np.zeros(24))
    with pytest.raises(UserError, match="did not put 'surface_temperature' in the step from"):
        some.step(start)
    some.put("surface_temperature", values)
    some.step(start)
    ice = np.zeros((2, 12))
    ice[1, 5] = np.inf
    some.put("surface_temperature", values)
    some.put("ice", ice)
    with pytest.raises(BrokenState, match="gave inf for 'ice' at 2000-01-01 02:00, in row 1 and"):
        some.step(date("2000-01-01T01:00:00"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"command": " "}, "has no command"),
        ({"gives": ["ice", "ice"]}, "has 'ice' twice"),
        ({"takes": ["heat_flux_in_sea"]}, "which is no known field. Did you mean"),
        ({"gives": [], "takes": [], "keeps": {}}, "gives, takes and keeps nothing"),
    ],
)
def test_options_are_refused(options, words):
    with pytest.raises(UserError, match=words):
        case(**options)


def test_quantities_of_its_own():
    own = {"moss": {"standard_name": "moss_area_fraction", "units": "percent"}}
    some = case(gives=["moss"], quantities=own)
    assert some.gives()["moss"].units == "percent"
    assert some.described().keys() == {"moss", "heat_flux_into_sea"}


def members(**seats):
    """Two programs and a sink."""
    program = {
        "component": "program", "grid": sea, "program": {"command": "./a", "gives": ["ice"]},
    }  # fmt: skip
    other = {**program, "program": {"command": "./b", "gives": ["ice"]}}
    return make_members(
        {
            "time": {"start": "2000-01-01T00:00:00", "length": "2h", "step": "1h"},
            "members": {
                "sink": {"component": "data", "grid": sea, "data": {"takes": ["ice"]}},
                "one": {**program, **seats},
                "two": other,
            },
        }
    )


def test_ranks_are_told_apart_by_program():
    found = members(ranks=2)
    seats = seats_of(found, 4)
    assert parts_of(found, seats) == [(1, ""), (2, "one"), (1, "two")]
    words = "mpiexec -n 1 halocline run CASE : -n 2 ./a : -n 1 ./b"
    assert mpiexec_words(found, seats, "CASE") == words
    shared = members(on_ranks_of="sink")
    assert parts_of(shared, seats_of(shared, 2)) == [(1, "one"), (1, "two")]
    with pytest.raises(UserError, match="'one' and 'two' are programs of their own and cannot sh"):
        seats_of(members(), 1)


def test_a_run_in_one_process_has_no_programs():
    found = members(on_ranks_of="sink")
    del found.members["two"]
    with pytest.raises(UserError, match="which MPI has to start beside others. Start 2 ranks"):
        run(found)


def test_a_program_is_told_of_the_run(monkeypatch, tmp_path):
    with pytest.raises(UserError, match="is started with no rank of halocline beside it"):
        meet(Alone(), None, "slab")
    options = Namespace(
        case=str(tmp_path), settings=["a=1"], output="out", walltime=None, check=[], quiet=True,
        command="run", threads=3,
    )  # fmt: skip
    monkeypatch.setenv("HALOCLINE_RUN", told(options))
    met = meet(Alone(), None, "slab")
    assert met.programs == ["slab"] and met.options.settings == ["a=1"]
    assert met.options.case == str(tmp_path) and met.options.command == "run"


def test_python_is_that_of_the_run_where_path_has_none(monkeypatch, tmp_path):
    """As on Debian, whose Python is python3."""
    monkeypatch.setenv("PATH", str(tmp_path))
    own = str(Path(sys.executable).with_name("python"))
    assert case(command="python slab.py").outside_command == [own, "slab.py"]
    theirs = tmp_path / "python"
    theirs.write_text("#!/bin/sh\n")
    theirs.chmod(0o755)
    assert case(command="python slab.py").outside_command == [str(theirs), "slab.py"]
