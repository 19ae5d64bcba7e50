"""Points that ranks of two sites give each other, between two cuts of one plane. Ranks: 1."""

import queue
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.rank_pairs import RankPairs, owners, pairs_of, stretches, whole
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.doubles import fill_doubles
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import world

topologies = {
    "closed": Topology(13, 18, False, False),
    "periodic": Topology(13, 18, False, True),
    "folded": Topology(13, 18, False, True, "faces"),
    "folded at centres": Topology(13, 18, False, True, "centres"),
}
places = (Place.center, Place.x_face, Place.y_face, Place.corner)
cuts = {
    "one": DecompositionOptions(),
    "blocks": DecompositionOptions(blocks_per_rank=16),
    "curve": DecompositionOptions(kind="curve", blocks_per_rank=3),
}


def planes(topology, options, values=None):
    """A field with two levels on each place, and on points of the sea; with land in the plane."""
    mask = np.ones((topology.nj, topology.ni), bool)
    mask[2:9, 1:13] = False
    cut = Decomposition(mask, topology, halo=1, options=options)
    found = []
    on_points = () if topology.fold == "centres" else (Place.point,)  # those are refused
    for n, place in enumerate((*places, *on_points)):
        field = Field(place.name, "m", cut, axes=(Axis("level", 2),), place=place, dtype=np.float32)
        if values is not None:
            field.set_global(values.normal(size=field.shape).astype(np.float32) + n)
            fill_doubles(field)
        else:
            field.fill(0.0)
        found.append(field)
    return found


def site(here, there):
    """One of two sites, each of one rank."""

    def trade(exchange, own):
        here.put(own)
        return there.get(timeout=10.0)

    links = SimpleNamespace(of=lambda exchange: True, open_between=lambda pairs: None)
    return SimpleNamespace(council=world(), links=links, trade=trade)


@pytest.mark.parametrize("topology", topologies)
@pytest.mark.parametrize("cut", cuts)
def test_all_that_is_owned_goes_over(topology, cut):
    """From the cut of one site to that of the other; what nobody owns is 0 there."""
    one, other = queue.Queue(), queue.Queue()
    given = planes(topologies[topology], cuts["blocks"], np.random.default_rng(1))
    taken = planes(topologies[topology], cuts[cut])
    member = SimpleNamespace(communicator=world())
    with ThreadPoolExecutor() as pool:
        sides = [
            pool.submit(RankPairs, "x", fields, member, at)
            for fields, at in ((given, site(one, other)), (taken, site(other, one)))
        ]
        gives, takes = (side.result() for side in sides)
    assert gives.partners == takes.partners == [0]
    takes.put(gives.read(given), taken)
    for mine, theirs in zip(given, taken, strict=True):
        assert np.any(mine.gather()) and np.array_equal(mine.gather(), theirs.gather())


def test_owners_are_ranks_of_the_job():
    """A member may have any ranks of its job; land that no block has is nobody's."""
    field = planes(topologies["closed"], DecompositionOptions(kind="curve", blocks_per_rank=40))[0]
    plane = owners(field, np.array([7]))
    assert set(plane.tolist()) == {7, -1}
    assert np.array_equal(whole(stretches(plane)), plane)


def test_who_has_nothing_in_common_has_no_link():
    here = np.array([4, 4, 2, 2, -1, -1])
    there = np.array([-1, 3, 3, 1, 1, -1])
    assert pairs_of(here, there) == [(2, 1), (2, 3), (4, 3)]


def test_cards_are_refused():
    mask = np.ones((9, 9), bool)
    cut = Decomposition(
        mask,
        Topology(9, 9, False, False),
        halo=1,
        options=DecompositionOptions(kind="cards"),
        components=4,
    )
    field = Field("height", "m", cut, place=Place.point, dtype=np.float32)
    with pytest.raises(UserError, match=r"deal its points like cards.*link\.ranks = 'first'"):
        owners(field, np.array([0]))


def test_points_that_stand_twice_are_refused():
    topology = topologies["folded at centres"]
    cut = Decomposition(np.ones((topology.nj, topology.ni), bool), topology, halo=1)
    field = Field("height", "m", cut, place=Place.point, dtype=np.float32)
    with pytest.raises(UserError, match="on the fold of this grid stand twice"):
        owners(field, np.array([0]))
