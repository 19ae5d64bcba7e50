"""Two sites of a run: who is where, what they agree on, and what is refused. Ranks: 1."""

import queue
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from experiment.ponds import pond, together
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment import site_links, sites
from halocline.experiment.exchange_table import ExchangeOptions
from halocline.link.options import LinkOptions
from halocline.runtime.fields.place import Place
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

    def __init__(self, options, here, there, number, log):
        ends = (here, number), (there, number)
        self.mine, self.theirs = (self.waiting.setdefault(end, queue.Queue()) for end in ends)
        self.where = options.connect

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
    monkeypatch.setattr(site_links, "Link", FakeLink)
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
    nested = {**three, "b": {"site": "west"}}
    with pytest.raises(UserError, match="nested in 'a' at another site"):
        members = together(
            cases, exchanges=exchange("a", "c"), nested={"b": "a"}, seats=nested, site="east"
        )
        sites.TwoSites(members, here[:1], world())


def crews_at(site, ranks, rank, first="", told=None):
    """Members a and b at one site and c and d at the other, on ranks as said; the links of one.

    first: what is wrong with the first link, as all hear; told: gets what this rank tells them.
    """
    seats = {name: {"site": "east" if name in "ab" else "west"} for name in "abcd"}
    cases = {name: pond(name, "20min") for name in seats}
    ways = [("c", "b"), ("a", "c"), ("d", "a"), ("b", "d")]
    table = {one + other: exchange(one, other)["levels"] for one, other in ways}
    members = together(cases, exchanges=table, seats=seats, site=site, link=link)
    here = [SimpleNamespace(name=n, leads=True) for n, at in ranks.items() if at == rank]
    led = [[n for n, at in ranks.items() if at == number] for number in range(3)]
    answers = iter([led, [first, "", ""], [""] * 3])
    told = [] if told is None else told
    council = SimpleNamespace(rank=rank, gather=told.append, broadcast=lambda _: next(answers))
    return site_links.SiteLinks(members, here, council)


def test_crews_have_links_of_their_own(linked):
    """a has one rank, b another; c and d at the other site compute in sequence on one."""
    east, west = {"a": 0, "b": 2}, {"c": 1, "d": 1}
    a, b, neither = (crews_at("east", east, rank) for rank in (0, 2, 1))
    cd = crews_at("west", west, 1)
    assert [some.main is not None for some in (a, b, neither, cd)] == [True, False, False, True]
    for some in (a, neither):
        some.open_others(west)
    assert both(lambda: b.open_others(west), lambda: cd.open_others(east)) == [None, None]
    first, second = "127.0.0.1:7000", "127.0.0.1:7001"
    ports = {"ac": first, "da": first, "cb": second, "bd": second}
    assert {name: cd.of(name).where for name in ports} == ports
    assert {name: a.of(name).where for name in ("ac", "da")} == {"ac": first, "da": first}
    assert {name: b.of(name).where for name in ("cb", "bd")} == {"cb": second, "bd": second}
    assert a.of("cb") is None and neither.of("ac") is None


def test_a_link_that_one_rank_cannot_have_is_refused_by_all(monkeypatch):
    """A key that is not there, for one: no rank is left waiting, and none is killed."""

    def no_key(*_, **__):
        raise UserError("no key")

    monkeypatch.setattr(site_links, "Link", no_key)
    for rank, words in enumerate(("no key", "", "")):  # only the first has it
        told = []
        with pytest.raises(UserError, match="no key"):
            crews_at("east", {"a": 0, "b": 2}, rank, first="no key", told=told)
        assert told[1:] == [words]


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
    both(lambda: east.common([]), lambda: west.common([]))
    first, second = (date(f"2000-01-01T0{hour}:00:00", "standard") for hour in (1, 2))
    values = np.arange(6.0).reshape(2, 3) / 3.0
    east.send("levels", first, [values], "")
    east.send("levels", second, [values + 1.0], "float32")
    (later,) = west.receive("levels", second)
    assert later.dtype == np.float32 and np.array_equal(later, (values + 1.0).astype(np.float32))
    (found,) = west.receive("levels", first)
    assert np.array_equal(found, values)


def test_the_grid_comes_from_the_site_that_has_it(linked):
    """With all that it is made of, to the bit."""
    east, west = site_of(run_of("east")), site_of(run_of("west"))
    both(lambda: east.common([]), lambda: west.common([]))
    plane = run_of().members["a"].case.build_grid()
    level = SimpleNamespace(units="m", place=Place.center, outer=(1,), dtype=np.dtype(np.float32))
    east.tell_facts("levels", [level], plane)
    facts, found = west.facts("levels")
    assert facts == [["m", "center", [1], "<f4"]]
    assert np.array_equal(found.x, plane.x) and np.array_equal(found.depth, plane.depth)
    assert found.topology == plane.topology and found.title == plane.title


def test_both_stop_after_the_same_interval(linked):
    """One interval after one of them was asked to."""
    east, west = site_of(run_of("east")), site_of(run_of("west"))
    told = [
        both(lambda said=said: east.agree(said), lambda: west.agree(""))
        for said in ("", "", "a signal", "")
    ]
    assert told[:3] == [["", ""]] * 3
    assert told[3] == ["a signal", "a signal at the site 'east'"]
