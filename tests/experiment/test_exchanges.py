"""What members give each other: the right values at the right time, whatever the grids."""

from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from experiment.ponds import Pond, PondCase, nests, pond, pond_units, ponds, together
from halocline.analysis.exchange_picture import Arrow, exchange_sheet
from halocline.core.errors import BrokenState, UserError
from halocline.experiment.exchange_plot import plot_exchanges
from halocline.experiment.exchange_report import exchange_facts
from halocline.experiment.exchange_table import ExchangeOptions
from halocline.experiment.exchanges import GivenExchange
from halocline.experiment.grid_pairs import refuse_unfit_nests
from halocline.experiment.plan import exchange_lines
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import Alone

there = {"a": 2.0, "b": 2.0}


def whole(field):
    return np.asarray(field.gather())


def start_of(some):
    place = some.plane.at(some.level.place)
    return 2.0 * place.x - 3.0 * place.y + 0.5 * place.x * place.y


def to_b(**more):
    return {"levels": ExchangeOptions(source="a", target="b", fields=["level"], **more)}


@pytest.mark.parametrize("lagged", [False, True])
def test_a_target_has_what_the_source_has_at_the_end_of_the_interval_or_before(lagged):
    cases = {"a": pond("a", "20min"), "b": pond("b", "30min", rise=0.0)}
    members = together(cases, exchanges=to_b(lagged=lagged))
    lines = ["a 3 x 20min", "a gives b: levels", "b 2 x 30min"]
    lines = [lines[0], lines[2], lines[1]] if lagged else lines
    assert list(members.schedule().lines())[1:] == [
        f"  {n}. {line}" for n, line in enumerate(lines, 1)
    ]
    run(members)
    begin = start_of(ponds["a"])
    hours = (0 + 1 + 2) if lagged else (1 + 2 + 3)
    found = whole(ponds["b"].level)
    assert np.abs(found - (begin + 3 * begin + hours)).max() < 1e-12
    times = [time for _, time in ponds["b"].heard]
    first = ponds["b"].case.time.clock().start
    assert times == [first + hour * timedelta(hours=1) for hour in range(4)]


def test_values_that_are_not_finite_end_the_run(monkeypatch):
    """With the place at the target; the run would carry them on for ever."""
    step = Pond.step

    def breaks(self, time):
        step(self, time)
        values = whole(self.level)
        values[2, 3] = np.nan
        if self.case.title == "a":
            self.level.set_global(values)

    cases = {"a": pond("a", "20min"), "b": pond("b", "30min")}
    monkeypatch.setattr(Pond, "step", breaks)
    words = "'level' from 'a' to 'b' at 2000-01-01 01:00, and it is nan in row [12] and column [23]"
    with pytest.raises(BrokenState, match=words):
        run(together(cases, exchanges=to_b()))

    monkeypatch.setattr(PondCase, "holes", ("level",))  # as the period of a calm sea is none
    run(together(cases, exchanges=to_b()))
    missing = np.isnan(whole(ponds["b"].given))
    assert missing.any() and not missing.all()


def test_a_rank_that_gets_no_point_has_nothing_to_refuse():
    target = SimpleNamespace(component=SimpleNamespace(ports={}))
    nothing = SimpleNamespace(ports=[None], places=lambda: [np.zeros(0, int)])
    here = SimpleNamespace(target=target, exchange=nothing)
    GivenExchange._refuse_not_finite(here, [np.zeros((1, 0))], None)


def test_who_steps_later_gives_at_the_end():
    cases = {"a": pond("a", "30min"), "b": pond("b", "1h", rise=0.0)}
    members = together(cases, exchanges=to_b(), order=["b", "a"])
    assert members.schedule().text() == "every 1h: b 1 x 1h, a 2 x 30min, a gives b: levels"
    run(members)
    begin = start_of(ponds["a"])
    assert np.abs(whole(ponds["b"].level) - (4 * begin + 3)).max() < 1e-12


@pytest.mark.parametrize(("dx", "nx", "ny"), [(1.0, 15, 12), (9.0, 4, 3)])
def test_other_cells(dx, nx, ny):
    """To finer cells values are linear between points, to coarser ones means: exact for both."""
    inside = {"x0": 6.0, "y0": 3.0} if dx < 3 else {}
    cases = {"a": pond("a", "1h"), "b": pond("b", "1h", nx=nx, ny=ny, dx=dx, rise=0.0, **inside)}
    run(together(cases, exchanges=to_b()))
    assert np.abs(whole(ponds["b"].given) - (start_of(ponds["b"]) + 3)).max() < 1e-11


def nested(seats=None, feedback=True, rise=1.0):
    cases = {name: pond(name, step, rise=rise, **grid) for name, (step, grid) in nests.items()}
    seats = {name: {**(seats or {}).get(name, {}), "feedback": feedback} for name in cases}
    return together(cases, nested={"middle": "outer", "inner": "middle"}, seats=seats)


def test_turns_of_nests():
    assert nested().schedule().text() == (
        "every 1h: outer 1 x 1h, outer gives middle: sides of middle,"
        " 2 times (middle 1 x 30min, middle gives inner: sides of inner, inner 3 x 10min,"
        " inner gives middle: from inner), middle gives outer: from middle"
    )
    one_way = nested(feedback=False).schedule().lines()
    assert list(one_way) == [
        "every 1h",
        "  1. outer 1 x 1h",
        "  2. outer gives middle: sides of middle",
        "  3. 2 times",
        "     1. middle 1 x 30min",
        "     2. middle gives inner: sides of inner",
        "     3. inner 3 x 10min",
    ]


def test_nests_take_their_sides_and_give_back():
    """Levels rise alike, so that sides are exact; flows count steps, those of the innermost."""
    run(nested())
    for name in ("middle", "inner"):
        some = ponds[name]
        for word in ("level", "flow"):
            side = some.sides[word]
            place = some.plane.at(side.field.place)
            wanted = 2.0 * place.x - 3.0 * place.y + 0.5 * place.x * place.y + 3
            if word == "level":
                assert np.abs(whole(side.field) - wanted)[side.points].max() < 1e-11
            assert not whole(side.field)[~side.points].any()
    begin = ponds["outer"].plane.at(ponds["outer"].flow.place)
    flow = whole(ponds["outer"].flow) - (2.0 * begin.x - 3.0 * begin.y + 0.5 * begin.x * begin.y)
    counted = np.round(flow, 9)
    assert counted[0, 0] == 3 and counted[4, 4] == 6  # once an hour, and twice
    # Of three faces of the middle one in a face of the outer, two have the 18 of the inner one.
    assert set(np.unique(counted)) == {3.0, 6.0, 14.0}
    middle = ponds["middle"].plane.at(ponds["middle"].flow.place)
    steps = whole(ponds["middle"].flow) - (2 * middle.x - 3 * middle.y + 0.5 * middle.x * middle.y)
    assert set(np.unique(np.round(steps, 9))) == {6.0, 18.0}


refused = {
    "names 'c', which is no member": {"source": "c", "target": "b", "fields": ["level"]},
    "moves nothing: it goes from 'a' to 'a'": {"source": "a", "target": "a", "fields": ["level"]},
    "'a' does not give 'levels'. Did you mean 'level'": {
        "source": "a", "target": "b", "fields": ["levels"],
    },
}  # fmt: skip


@pytest.mark.parametrize("words", refused)
def test_refused(words):
    cases = {"a": pond("a", "1h"), "b": pond("b", "1h")}
    with pytest.raises(UserError, match=words):
        together(cases, exchanges={"x": ExchangeOptions(**refused[words])})


def test_check_refuses_nests_that_do_not_lie_in_the_grid_around_them():
    """Before anything is built."""
    for more, words in (({"x0": 7.0}, "are no faces of 'a'"), ({"dx": 1.3}, "times as wide")):
        inner = {"nx": 18, "ny": 15, "dx": 1.0, "x0": 6.0, "y0": 6.0, **more}
        members = together({"a": pond("a", "1h"), "b": pond("b", "1h", **inner)}, nested={"b": "a"})
        with pytest.raises(UserError, match=words):
            refuse_unfit_nests(members.exchanges(), members.members)


def test_nests_that_cannot_be_are_refused():
    cases = {"a": pond("a", "30min"), "b": pond("b", "20min")}
    with pytest.raises(UserError, match="'b' steps by 20min, and 'a', in which it lies, by 30min"):
        together(cases, nested={"b": "a"})
    with pytest.raises(UserError, match="'a' lies in itself: a in b in a"):
        together({**cases, "a": pond("a", "20min")}, nested={"a": "b", "b": "a"})
    with pytest.raises(UserError, match="nested_in names 'c', which is no member"):
        together(cases, nested={"b": "c"})


@pytest.mark.parametrize("path", ["parallel", "serial", "auto"])
@pytest.mark.parametrize("precision", ["field", "float32"])
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"interval": "2h"}, [(0, 0.0), (2, 2.0), (4, 4.0), (6, 6.0), (8, 8.0)]),
        ({"operator": "mean"}, [(0, 0.0), *((n, n - 0.375) for n in range(1, 9))]),
        (
            {"operator": "sum", "interval": "4h"},
            [(0, None), (4, 16 * 2.125), (8, 16 * 6.125)],
        ),
        (
            {"operator": "mean", "interval": "2h", "lag": "2h"},
            [(0, 0.0), (0, 0.0), (2, 1.125), (4, 3.125), (6, 5.125)],
        ),
        (
            {"interval": "1h", "lag": "3h"},
            [*[(0, 0.0)] * 4, *((hour, float(hour)) for hour in range(1, 6))],
        ),
    ],
    ids=["seldom", "mean", "sum", "mean-later", "later"],
)  # fmt: skip
def test_operators_and_lags_to_the_bit(more, expected, path, precision):
    """A pond that rises by a quarter in each quarter of an hour: all numbers are exact."""
    cases = {"a": pond("a", "15min", length="8h"), "b": pond("b", "1h", length="8h", rise=0.0)}
    members = together(cases, exchanges=to_b(**more, path=path, precision=precision))
    run(members)
    first, begin = ponds["b"].case.time.clock().start, start_of(ponds["a"])[0, 0]
    factor = 16 if more.get("operator") == "sum" else 1
    wanted = [
        (first + hour * timedelta(hours=1), 0.0 if rise is None else factor * begin + rise)
        for hour, rise in expected
    ]
    assert list(zip([time for _, time in ponds["b"].heard], ponds["b"].got, strict=True)) == wanted


def test_units_are_converted_and_others_refused():
    """A pond that takes metres gets them from one that tells kilometres, and none from seconds."""
    cases = {"a": pond("a", "1h"), "b": pond("b", "1h", rise=0.0)}
    members = together(cases, exchanges=to_b())
    told = pond_units["level"]
    try:
        pond_units["level"] = "km"
        run(members)
        found = whole(ponds["b"].given)
        assert np.abs(found - 1000.0 * (start_of(ponds["a"]) + 3)).max() < 1e-9
        pond_units["level"] = "s"
        with pytest.raises(UserError, match="gives 'level' with units s, and the one who takes it"):
            run(members)
    finally:
        pond_units["level"] = told


def test_each_member_tells_the_parts_of_its_exchanges():
    """The source sends, the target waits, takes and remaps; by the serial path more."""
    cases = {"a": pond("a", "1h"), "b": pond("b", "1h", rise=0.0)}
    wanted = {
        "parallel": ({"send"}, {"receive", "wait", "transfer", "remap"}),
        "serial": ({"gather", "send"}, {"receive", "wait", "transfer", "remap", "scatter"}),
    }
    for path, parts in wanted.items():
        done = run(together(cases, exchanges=to_b(path=path, operator="mean")))
        for name, own, more in zip("ab", parts, ({"mean"}, set()), strict=True):
            counters = ponds[name].run.recorder.counters
            found = {some.rpartition(": ")[2] for some in counters if some.startswith("exchange")}
            assert found == own | more
            told = exchange_facts(ponds[name].run.recorder, Alone())["levels"]
            assert set(told) == found - {"receive"}
            for part, some in told.items():
                counter = counters[f"exchange levels: {part}"]
                assert some["calls"] == counter.calls
                assert some["mean"] == some["most"] == counter.seconds
        lines = [line for line in done.summary.splitlines() if ": exchanges: " in line]
        assert len(lines) == 2 and "send" in lines[0] and "remap" in lines[1]


def test_the_table_is_printed_and_drawn(tmp_path):
    """A line for each exchange; in the picture a box for each member and an arrow each way."""
    cases = {"a": pond("a", "1h"), "b": pond("b", "1h", rise=0.0)}
    both = to_b(operator="mean", interval="2h", lag="4h", path="serial", precision="float32")
    both["back"] = ExchangeOptions(source="b", target="a", fields=["level"])
    members = together(cases, exchanges=both)
    assert exchange_lines(members.exchanges()) == [
        "a -> b: level; mean of every 2h, 4h later; remapping auto; float32 on the wire;"
        " path serial",
        "b -> a: level; instant of every 1h; remapping auto",
    ]
    assert "a gives b: levels, every 2h" in members.schedule().text()
    path = plot_exchanges(members, str(tmp_path / "table.png"))
    assert path.read_bytes().startswith(b"\x89PNG")
    about = {name: ["pond"] for name in cases}
    arrows = [Arrow("there", "a", "b", ["level"]), Arrow("back", "b", "a", ["level"])]
    figure = exchange_sheet(about, arrows, "Ponds")
    (axes,) = figure.axes
    assert len(axes.patches) == 2
    assert {text.get_text() for text in axes.texts} == {"a\npond", "b\npond", "1", "2"}
    assert "2  back: b to a" in [text.get_text() for text in figure.texts]
