"""Two sites of a run: who is where, what they agree on, and what is refused. Ranks: 1."""

import queue
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from experiment.ponds import pond, together
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment import sites
from halocline.experiment.exchange_table import ExchangeOptions
from halocline.link.options import LinkOptions
from halocline.runtime.ranks.communicator import world

seats = {"a": {"site": "east"}, "b": {"site": "west"}}


def exchange(source="a", target="b", **more):
    return {"levels": ExchangeOptions(source=source, target=target, fields=["level"], **more)}


link = LinkOptions(connect="127.0.0.1:7000")


def run_of(site="east", steps=("20min", "30min"), seats=seats, exchanges=None, **more):
    """Two ponds, each at its site."""
    cases = {"a": pond("a", steps[0]), "b": pond("b", steps[1])}
    return together(
        cases, exchanges=exchanges or exchange(), seats=seats, site=site, link=link, **more
    )


class FakeLink:
    """One end of a link in memory."""

    waiting: dict[str, queue.Queue] = {}

    def __init__(self, options, here, there, log):
        self.mine, self.theirs = (self.waiting.setdefault(n, queue.Queue()) for n in (here, there))

    def open(self, hello):
        self.send(hello)
        return self.receive()

    def send(self, message):
        self.theirs.put(bytes(message))

    def receive(self):
        return self.mine.get(timeout=10.0)

    def close(self, reason=""):
        pass


@pytest.fixture
def linked(monkeypatch):
    """Ends of a link in memory."""
    monkeypatch.setattr(sites, "Link", FakeLink)
    FakeLink.waiting.clear()


def site_of(members):
    """A site, whose members have nothing but a name and a first rank."""
    here = [SimpleNamespace(name=name, leads=True) for name in members.here]
    return sites.TwoSites(members, here, world())


def both(first, second):
    """What two calls at the same time give, or how they end."""

    def tried(call):
        try:
            return call()
        except UserError as error:
            return str(error)

    with ThreadPoolExecutor() as pool:
        return [some.result() for some in [pool.submit(tried, one) for one in (first, second)]]


def test_members_of_a_site():
    east = run_of("east")
    assert list(east.here) == ["a"] and east.other_site == "west" and east.least_ranks() == 1
    assert list(run_of("west").here) == ["b"]
    assert list(run_of("", seats={}).here) == ["a", "b"]


@pytest.mark.parametrize(
    ("site", "seats", "words"),
    [
        ("", seats, "was started with no site. Start each at its own: halocline run CASE --site"),
        ("north", seats, "started with site = 'north'"),
        ("east", {"a": {"site": "east"}}, "The member 'b' has no site, and others have (east)"),
        ("east", {"a": {"site": "east"}, "b": {"site": "east"}}, "Give them two"),
        (
            "east",
            {"a": {"site": "east"}, "b": {"site": "west", "on_ranks_of": "a"}},
            "another site",
        ),
    ],
)
def test_who_is_where_is_refused(site, seats, words):
    with pytest.raises(UserError) as error:
        run_of(site, seats=seats)
    assert words in str(error.value)


def test_what_cannot_pass_between_sites_is_refused(linked):
    three = {"a": {"site": "east"}, "b": {"site": "east"}, "c": {"site": "west"}}
    cases = {name: pond(name, "20min") for name in three}
    here = [SimpleNamespace(name=name, leads=True) for name in ("a", "b")]
    members = together(cases, exchanges=exchange("a", "b"), seats=three, site="east", link=link)
    with pytest.raises(UserError, match="No exchange passes between the sites 'east' and 'west'"):
        sites.TwoSites(members, here, world())
    table = {**exchange("a", "c"), "back": exchange("c", "b")["levels"]}
    members = together(cases, exchanges=table, seats=three, site="east")
    on_ranks_of_their_own = SimpleNamespace(gather=lambda _: None, broadcast=lambda _: [True, True])
    with pytest.raises(UserError, match="members a, b of the site 'east' exchange with the other"):
        sites.TwoSites(members, here, on_ranks_of_their_own)
    nested = {**three, "b": {"site": "west"}}
    with pytest.raises(UserError, match="nested in 'a' at another site"):
        members = together(
            cases, exchanges=exchange("a", "c"), nested={"b": "a"}, seats=nested, site="east"
        )
        sites.TwoSites(members, here[:1], world())


def test_restarts_of_moments_that_both_have(linked, tmp_path):
    def files(name, *stamps):
        return [{name: tmp_path / f"restart_{s}.{name}.safetensors"} for s in stamps]

    one, two, three = "20000101T060000", "20000101T030000", "20000101T010000"
    east, west = site_of(run_of("east")), site_of(run_of("west"))
    found = both(
        lambda: east.common(files("a", one, two, three)),
        lambda: west.common(files("b", two, three)),
    )
    assert found == [files("a", two, three), files("b", two, three)]
    found = both(lambda: east.common(files("a", one)), lambda: west.common(files("b", two)))
    assert all("no restart of one moment" in words and one in words for words in found)
    assert both(lambda: east.common([]), lambda: west.common([])) == [[], []]


def test_another_case_is_refused(linked):
    east = site_of(run_of("east"))
    west = site_of(run_of("west", steps=("20min", "15min")))
    for words in both(lambda: east.common([]), lambda: west.common([])):
        assert "different cases: the schedule is" in words and "b 2 x 30min" in words


def test_values_come_by_name_and_time(linked):
    """In another order than they were sent; with the precision of the wire."""
    east, west = site_of(run_of("east")), site_of(run_of("west"))
    first, second = (date(f"2000-01-01T0{hour}:00:00", "standard") for hour in (1, 2))
    level = SimpleNamespace(name="level", shape=(2, 3))
    values = np.arange(6.0).reshape(2, 3) / 3.0
    east.send("levels", first, [values], "")
    east.send("levels", second, [values + 1.0], "float32")
    (later,) = west.receive("levels", second, [level])
    assert later.dtype == np.float32 and np.array_equal(later, (values + 1.0).astype(np.float32))
    (found,) = west.receive("levels", first, [level])
    assert np.array_equal(found, values)
    east.send("levels", second, [values], "")
    with pytest.raises(UserError, match=r"shape \(2, 3\), and here its grid has \(3, 3\)"):
        west.receive("levels", second, [SimpleNamespace(name="level", shape=(3, 3))])


def test_both_stop_after_the_same_interval(linked):
    """One interval after one of them was asked to."""
    east, west = site_of(run_of("east")), site_of(run_of("west"))
    told = [
        both(lambda said=said: east.agree(said), lambda: west.agree(""))
        for said in ("", "", "a signal", "")
    ]
    assert told[:3] == [["", ""]] * 3
    assert told[3] == ["a signal", "a signal at the site 'east'"]
