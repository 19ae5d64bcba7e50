"""Which ranks work for which member."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halocline.core.errors import UserError
from halocline.runtime.ranks.seats import Wish, deal_ranks


def crews(wishes, ranks):
    return [(c.members, list(c.ranks)) for c in deal_ranks(wishes, ranks).crews]


def test_side_by_side_and_in_sequence():
    a, b, c = Wish("a", weight=2.0), Wish("b"), Wish("c", with_member="a")
    assert crews([a, b, c], 3) == [(("a", "c"), [0, 1]), (("b",), [2])]
    assert crews([c, b, a], 3) == [(("c", "a"), [0, 1]), (("b",), [2])]
    assert crews([a, b, c], 1) == [(("a", "b", "c"), [0])]
    assert crews([Wish("b", with_member="a"), Wish("a", ranks=2)], 2) == [(("b", "a"), [0, 1])]


def test_ranks_by_number_come_first():
    wishes = [Wish("a", weight=1.0), Wish("b", ranks=2), Wish("c", weight=3.0)]
    assert crews(wishes, 6) == [(("a",), [0]), (("b",), [1, 2]), (("c",), [3, 4, 5])]


def test_servers_follow_the_ranks_of_their_crew():
    seats = deal_ranks([Wish("a", servers=1), Wish("b", with_member="a"), Wish("c", servers=2)], 3)
    first, second = seats.crews
    assert (list(first.ranks), list(second.ranks)) == ([0, 1], [3])
    assert (first.world_of("a"), first.world_of("b")) == ((0, 1, 2), (0, 1))
    assert second.world_of("c") == (3, 4, 5)
    assert (seats.size, seats.computing, seats.serving) == (6, 3, 3)
    assert seats.crew_of("b") is first


@given(st.lists(st.floats(0.01, 100.0), min_size=1, max_size=5), st.integers(0, 40))
def test_the_heaviest_load_is_the_least_possible(weights, more):
    """Compared with trying every smaller load: none is reached with as many ranks."""
    ranks = len(weights) + more
    seats = deal_ranks([Wish(f"m{n}", weight=w) for n, w in enumerate(weights)], ranks)
    counts = [len(crew.ranks) for crew in seats.crews]
    assert sum(counts) == ranks and min(counts) >= 1
    worst = max(w / n for w, n in zip(weights, counts, strict=True))
    loads = {w / n for w in weights for n in range(1, ranks + 1) if w / n < worst * (1 - 1e-12)}
    for load in sorted(loads)[-3:]:
        needed = sum(next(n for n in range(1, 10**6) if w / n <= load) for w in weights)
        assert needed > ranks


@pytest.mark.parametrize(
    ("wishes", "ranks", "words"),
    [
        ([Wish("a"), Wish("a")], 2, "Two members have one name: 'a'"),
        ([Wish("a"), Wish("A")], 2, "Two members have one name: 'a' and 'A'"),
        ([Wish("a", ranks=3), Wish("b", ranks=2)], 4, "more ranks than there are: 'a' for 3, 'b'"),
        ([Wish("a", ranks=2), Wish("b")], 2, "more ranks than there are.*b needs one each.*3 at"),
        ([Wish("a", ranks=2), Wish("b", ranks=1)], 1, "more ranks than there are"),
        ([Wish("a", ranks=2), Wish("b", ranks=1)], 4, "leave ranks without work.*Start 3"),
        ([Wish("a", with_member="bb"), Wish("b")], 2, "'bb', which is no.*Did you mean 'b'"),
        ([Wish("a", with_member="b"), Wish("b", with_member="a")], 2, "in the end asks for its"),
        ([Wish("a", ranks=1, with_member="b"), Wish("b")], 2, "Ask for one of the two"),
    ],
)
def test_refused(wishes, ranks, words):
    with pytest.raises(UserError, match=words):
        deal_ranks(wishes, ranks)


def test_ranks_that_no_member_has_work_for_are_idle():
    """Those beyond what a grid can be cut into, and beyond what all of a crew can share."""
    wishes = [Wish("air", weight=3.0, most=4), Wish("sea", most=2), Wish("ice", with_member="sea")]
    seats = deal_ranks(wishes, 9)
    assert (
        seats.describe()
        == "air on ranks 0 to 3; sea, then ice on ranks 4 to 5; 3 ranks idle, without cells"
    )
    assert (seats.size, seats.computing, seats.idle) == (6, 6, 3)
    assert deal_ranks(wishes, 6).idle == 0
    asked = [Wish("air", ranks=5, most=4), Wish("sea", servers=1)]
    seats = deal_ranks(asked, 6)
    assert (seats.computing, seats.size, seats.idle) == (5, 6, 1)
    assert seats.crew_of("sea").world_of("sea") == (4, 5)
