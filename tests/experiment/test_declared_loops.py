"""Declared loops in one process: what the check finds, what declarations may say."""

import numpy as np
import pytest

from halocline.component.outside import ComputedInLoops
from halocline.core.clock import date
from halocline.core.errors import BrokenState, UserError
from halocline.program.case import ProgramCase
from halocline.program.declared_check import UndeclaredAccess
from halocline.runtime.ranks.communicator import Alone

start = date("2000-01-01")
grid = {
    "kind": "cartesian", "nx": 7, "ny": 5, "dx": 1e4, "depth": 100.0, "periodic_x": True,
    "closed_edges": False, "land": [[25e3, 35e3, 15e3, 25e3]],
}  # fmt: skip


def component(check=True, **more) -> ComputedInLoops:
    program = {
        "command": "./theirs",
        "fields": {
            "a": {"units": "m", "restart": True},
            "b": {"units": "m"},
            "u": {"place": "x_face", "units": "m s-1"},
            "v": {"place": "y_face", "units": "m s-1"},
            "deep": {"units": "K", "levels": 3},
        },
        "halo": 2,
        **more,
    }
    table = {
        "precision": "float64", "grid": grid, "program": program,
        "time": {"start": "2000-01-01T00:00:00", "length": "2h", "step": "1h"},
    }  # fmt: skip
    found = ProgramCase.from_table(table)
    made = found.build(found.time.clock(), Alone(), check_halos=check)
    assert isinstance(made, ComputedInLoops)
    random = np.random.default_rng(1)
    for name in ("a", "b", "u", "v", "deep"):
        owned = made.diagnose([name], start)[name].owned[0]
        owned[...] = random.uniform(1.0, 2.0, owned.shape)
        made.diagnose([name], start)[name].written()
    return made


def views(some):
    """Arrays of all fields, to be used with columns and rows of the whole grid as [at(...)]."""

    def view(name):
        array, row, column = some.window(name)

        def at(i0, i1, j0, j1, i=0, j=0):
            box = np.s_[:, j0 + j - row : j1 + j - row, i0 + i - column : i1 + i - column]
            return array[box] if len(array) > 1 else array[0][box[1:]]

        return at

    return {name: view(name) for name in ("a", "b", "u", "v", "deep", "depth")}


def checked(loops, **declared):
    """Run loops under examination; they get views and their range."""
    some = component()
    see = views(some)
    words = {"reads": "", "writes": "", "updates": "", **declared}
    some.declare(1, "theirs", lambda *box: loops(see, box), **words)
    some.compute(1)
    return some, see


def moved(field, i=0, j=0, to="b"):
    def loops(see, box):
        see[to](*box)[...] = see[field](*box, i, j)

    return loops


@pytest.mark.parametrize(
    ("i", "j", "words"),
    [(-1, 0, "west=1"), (1, 0, "east=1"), (0, -2, "south=2"), (0, 1, "north=1"), (0, 0, ""),
     (-1, 1, "west=1, north=1"), (2, -1, "around=2")],
)  # fmt: skip
def test_what_is_declared_is_right(i, j, words):
    some, see = checked(moved("a", i, j), reads=f"a({words})", writes="b")
    whole = np.zeros((9, 7))
    whole[2:-2] = see["a"](0, 7, 0, 5)
    expected = np.roll(np.roll(whole, -i, 1), -j, 0)[2:-2]
    np.testing.assert_array_equal(see["b"](0, 7, 0, 5), expected)


@pytest.mark.parametrize(
    ("i", "j", "words", "said"),
    [
        (-1, 0, "", "'a' 1 cell to the west, and declares 'a'"),
        (2, 0, "east=1", r"'a' 2 cells to the east, and declares 'a\(east=1\)'"),
        (0, -1, "north=2", "'a' 1 cell to the south"),
        (0, 2, "", "'a' 2 cells to the north"),
        (-1, -1, "west=1", "'a' 1 cell to the south"),
        (3, 0, "east=2", "'a' 3 cells to the east"),
    ],
)
def test_a_reach_that_is_too_short_is_refused(i, j, words, said):
    declared = f"a({words})" if words else "a"
    with pytest.raises(
        UndeclaredAccess, match=f"Kernel 'theirs' reads {said}.*At 2000-01-01 00:00"
    ):
        checked(moved("a", i, j), reads=declared, writes="b")


def test_a_halo_that_is_fresh_by_chance_is_refused_too():
    """Halos of `a` are filled for other loops before."""
    some = component()
    see = views(some)
    some.declare(1, "first", lambda *box: moved("a", -1)(see, box), "a(west=1)", "b", "")
    some.declare(2, "second", lambda *box: moved("a", -1)(see, box), "a", "b", "")
    some.compute(1)
    with pytest.raises(UndeclaredAccess, match="Kernel 'second' reads 'a' 1 cell to the west"):
        some.compute(2)


def test_a_minimum_does_not_hide_what_is_read():
    """Of a number and NaN `fmin` is the number."""

    def loops(see, box):
        see["b"](*box)[...] = np.fmin(see["a"](*box, -1), see["a"](*box) + 0.1)

    with pytest.raises(UndeclaredAccess, match="reads 'a' 1 cell to the west"):
        checked(loops, reads="a", writes="b")


def test_other_fields_are_not_touched():
    def reading(see, box):
        see["b"](*box)[...] = see["a"](*box) + 0.0 * see["deep"](*box)[1]

    def writing(see, box):
        see["b"](*box)[...] = see["a"](*box)
        see["deep"](*box)[2, 1, 1] += 1.0

    def changing(see, box):
        see["b"](*box)[...] = see["a"](*box)
        see["a"](*box)[1, 1] += 1.0

    with pytest.raises(UndeclaredAccess, match="reads 'deep', which it does not declare. Add it"):
        checked(reading, reads="a", writes="b")
    with pytest.raises(UndeclaredAccess, match="writes 'deep', which it does not declare"):
        checked(writing, reads="a", writes="b")
    with pytest.raises(UndeclaredAccess, match="writes 'a', which it declares to read only"):
        checked(changing, reads="a", writes="b")
    checked(reading, reads="a, deep", writes="b")
    checked(writing, reads="a", writes="b", updates="deep")
    checked(changing, updates="a", writes="b")


def test_what_is_written_does_not_depend_on_what_was_there():
    def some_cells(see, box):
        wet = see["depth"](*box) > 0.0
        see["b"](*box)[wet] = see["a"](*box)[wet]

    with pytest.raises(UndeclaredAccess, match="'b' whatever it held, but .* updates = 'b'"):
        checked(some_cells, reads="a, depth", writes="b")
    checked(some_cells, reads="a, depth", updates="b")


def test_only_kernels_change_fields_once_it_steps():
    some, see = checked(moved("a"), reads="a", writes="b")
    some.start(start, restarted=False)
    see["a"](0, 7, 0, 5)[...] = 3.0
    some.compute(1)
    see["b"](0, 7, 0, 5)[2, 2] = 3.5
    with pytest.raises(UndeclaredAccess, match="'b' has been changed outside of a kernel, after"):
        some.compute(1)


def test_without_the_check_nothing_is_done_twice():
    some, calls = component(check=False), []
    some.declare(1, "theirs", lambda *box: calls.append(box), "a(west=1)", "u", "")
    some.declare(2, "others", lambda *box: calls.append(box), "a", "v", "")
    some.compute(1)
    some.compute(2)
    assert calls == [(0, 7, 0, 5), (0, 7, 0, 6)], "joined along x, closed along y"


def test_sums_are_of_wet_points():
    some = component()
    a = some.diagnose(["a"], start)["a"].owned[0]
    a[...] = np.arange(35.0).reshape(5, 7)
    land = a[2, 3]
    assert some.sum("a") == 35 * 34 / 2 - land and some.largest("a") == 34.0
    a[1, 1] = np.inf
    with pytest.raises(BrokenState, match="sum of 'a' at 2000-01-01 00:00 is of values that are"):
        some.sum("a")
    with pytest.raises(BrokenState, match="inf in 'a' by 2000-01-01 00:00, in row 1 and column 1"):
        some.diagnose(["a"], start)


refused = {
    "field": (("c", "b", ""), r"reads 'c', which is no field of \[program.fields\]"),
    "twice": (("a", "b", "a"), "names 'a' twice"),
    "sides": (("a(left=1)", "b", ""), r"cannot be read at 'left=1'. Say how many cells to which"),
    "words": (("a b", "b", ""), "reads = 'a b' cannot be read at 'a b'. Write fields once"),
    "halo": (("a(west=3)", "b", ""), "3 cells beyond .* halos are 2 deep.*program.halo = 3"),
    "beyond": (("a", "", "b(west=1)"), "updates 'b' beyond its own place. Only what is not"),
    "grid": (("a", "depth", ""), "writes 'depth', which is of the grid"),
    "nothing": (("a", "", ""), "writes and updates nothing"),
    "places": (("a", "b, v", ""), "'b' at center .* and 'v' at y_face .* in a kernel each"),
}  # fmt: skip


@pytest.mark.parametrize("fault", refused)
def test_declarations_that_contradict_are_refused(fault):
    declared, words = refused[fault]
    with pytest.raises(UserError, match=f"Kernel 'theirs'.*{words}"):
        component().declare(1, "theirs", print, *declared)


def test_what_is_not_declared_does_not_run():
    some = component()
    with pytest.raises(UserError, match="has declared no kernels"):
        some.start(start, restarted=False)
    some.declare(1, "theirs", print, "a", "b", "")
    with pytest.raises(UserError, match="not declared. .*: there are theirs"):
        some.compute(2)
    with pytest.raises(UserError, match="'theirs' is declared already"):
        some.declare(2, "theirs", print, "a", "b", "")
    with pytest.raises(UserError, match="asks for the field 'aa', .*Did you mean 'a'"):
        some.window("aa")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"gives": ["surface_temperature"]}, "program.gives is for programs that cut the grid"),
        ({"takes": ["u"]}, "program.takes has 'u', which is no field at centres"),
        ({"fields": {"depth": {}}}, r"\[program.fields\] has 'depth'. Give a field a name"),
        ({"fields": {"a-b": {}}}, r"\[program.fields\] has 'a-b'"),
    ],
)
def test_fields_that_do_not_go_together_are_refused(more, words):
    with pytest.raises(UserError, match=words):
        component(**more)


def test_a_rank_has_one_block():
    table = {
        "grid": grid, "decomposition": {"blocks_per_rank": 2}, "time": {"length": "1h"},
        "program": {"command": "./theirs", "fields": {"a": {}}},
    }  # fmt: skip
    case = ProgramCase.from_table(table)
    with pytest.raises(UserError, match="one block on each rank, but .*blocks_per_rank = 1"):
        case.build(case.time.clock(), Alone())


def test_before_its_first_step_a_program_sets_arrays_by_hand():
    """Halos that a kernel has filled are filled again."""
    some = component(check=False)
    see = views(some)
    some.declare(1, "theirs", lambda *box: moved("a", -1)(see, box), "a(west=1)", "b", "")
    some.compute(1)
    see["a"](0, 7, 0, 5)[...] = 5.0
    some.start(start, restarted=False)
    some.compute(1)
    assert (see["b"](0, 7, 0, 5) == 5.0).all()
