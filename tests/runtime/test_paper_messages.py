"""Message counts of paper 5 (OPATM-BFM: 51 tracers on 32 processes in a chain), exactly.

Requirements B-10, B-11 and B-16: per step an inner process sends 8,160 messages, the two at the
ends half of that, 252,960 in all; 72 kB each in advection and time integration, 1 kB per level in
diffusion; 2,273 MB. One message for all tracers takes their place when they are aggregated.
"""

import numpy as np
import pytest

from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.patterns import Pattern
from halocline.runtime.halos.traffic import Item, Traffic
from halocline.runtime.record.recorder import Partners, Recorder

ranks, tracers, levels, across = 32, 51, 72, 125
per_variable, per_level = HaloChoice(grouping="per-field"), HaloChoice("messages", "segments", 1)
# Exchanges per step: how often, levels, messages
routines = {
    "trcadv": (8, levels, per_variable),
    "trchdf": (1, levels - 1, per_level),
    "trcnxt": (1, levels, per_variable),
}


@pytest.fixture(scope="module")
def patterns() -> list[Pattern]:
    """A channel of 125 cells across, cut into a chain of 32 pieces, as each rank sees it."""
    mask = np.ones((2 * ranks, across), bool)
    pieces = tuple(Rectangle(n, n, 2 * n, 2 * n + 2, 0, across) for n in range(ranks))
    world = World(Topology(*mask.shape), mask, 1, pieces)
    layouts = [Layout("blocks", [Block(world, piece)], None) for piece in pieces]
    return [
        Pattern(layout, Place.center, all_around(1), ranks, rank)
        for rank, layout in enumerate(layouts)
    ]


def step(pattern: Pattern, aggregated: bool) -> dict[str, Recorder]:
    """What a rank sends in a step, on record, by routine."""
    records = {}
    for name, (times, rows, choice) in routines.items():
        items = [Item(Place.center, all_around(1), np.dtype(np.float64), rows)] * tracers
        way = HaloChoice() if aggregated else choice
        traffic = Traffic(items, [pattern] * tracers, way)
        records[name] = Recorder()
        partners = Partners.of([(m.peer, m.size) for m in traffic.send], [])
        for _ in range(times):
            records[name].exchange(name, partners, 0)
    return records


@pytest.fixture(scope="module")
def apart(patterns) -> list[dict[str, Recorder]]:
    """What every rank sends in a step as printed."""
    return [step(pattern, aggregated=False) for pattern in patterns]


def test_messages_and_bytes_of_a_step_as_printed(apart):
    for rank, records in enumerate(apart):
        inner = 1 if rank in (0, ranks - 1) else 2
        counts = {name: record.message_count for name, record in records.items()}
        assert counts == {"trcadv": 408 * inner, "trchdf": 3621 * inner, "trcnxt": 51 * inner}
        assert sum(counts.values()) == 4080 * inner
    assert sum(r.message_count for records in apart for r in records.values()) == 252_960
    volume = {
        name: sum(records[name].message_bytes for records in apart) / 1e6 for name in routines
    }
    assert volume["trcadv"] == pytest.approx(1821, abs=0.5)
    assert volume["trcnxt"] == pytest.approx(227.6, abs=0.1)
    assert volume["trchdf"] == pytest.approx(224.5, abs=0.05)
    assert sum(volume.values()) == pytest.approx(2273.1, abs=0.6)


def test_sizes_of_messages_as_printed(patterns):
    for rows, choice, size in [(levels, per_variable, 72_000), (levels - 1, per_level, 1_000)]:
        items = [Item(Place.center, all_around(1), np.dtype(np.float64), rows)] * tracers
        traffic = Traffic(items, [patterns[5]] * tracers, choice)
        assert {message.size for message in traffic.send} == {size}


def test_aggregation_sends_the_same_bytes_in_ten_messages_per_neighbour(patterns, apart):
    together = [step(pattern, aggregated=True) for pattern in patterns]
    assert sum(r.message_count for records in together for r in records.values()) == 620
    for one, other in zip(apart, together, strict=True):
        for name in routines:
            assert one[name].message_bytes == other[name].message_bytes


def test_segments_from_one_variable_to_all_of_them(patterns):
    """B-16: segments of n variables take ceil(51 / n) messages."""
    items = [Item(Place.center, all_around(1), np.dtype(np.float64), levels)] * tracers
    for variables in (1, 2, 10, 25, 50, 51):
        choice = HaloChoice("messages", "mixed", variables * 72_000)
        traffic = Traffic(items, [patterns[5]] * tracers, choice)
        assert traffic.count == 2 * -(-tracers // variables)
