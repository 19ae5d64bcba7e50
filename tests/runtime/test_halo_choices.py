"""Every way to exchange halos gives the same bits; choices as text; what cannot work is refused.

Ranks: 1, and 2 to 9 in launches of its own.
"""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos import messages
from halocline.runtime.halos.choices import (
    HaloChoice,
    all_choices,
    mechanisms,
    parse_choice,
    simplest,
)
from halocline.runtime.halos.exchange import HaloExchange, Request, fixed
from halocline.runtime.halos.patterns import Pattern, is_processor_grid
from halocline.runtime.halos.traffic import Item, Traffic
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.ranks.launched import under_mpi
from halocline.runtime.record.recorder import Recorder

here = Path(__file__).parent
alone = pytest.mark.skipif(under_mpi(), reason="starts ranks itself")


def launch(ranks: int, script: str, *arguments: str, **environment: str) -> str:
    """Output of a script on ranks; a deadlock fails."""
    command = [*mpiexec_command(ranks), sys.executable, str(here / script), *arguments]
    settings = {**mpi_environment(), "OMP_NUM_THREADS": "1", **environment}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def exchanges(output: str) -> dict[str, int]:
    """How often each way was taken."""
    lines = [line.split(maxsplit=1) for line in output.splitlines() if line[:1].isdigit()]
    return {text: int(number) for number, text in lines}


@alone
@pytest.mark.parametrize(
    "ranks, number", [(1, 100), (2, 150), (3, 150), (4, 120), (6, 100), (9, 80)]
)
def test_random_exchanges_give_what_the_global_field_says(ranks, number):
    taken = exchanges(launch(ranks, "random_exchanges.py", str(number), str(ranks)))
    assert sum(taken.values()) >= number
    used = {text.split()[0] for text in taken}
    if ranks > 1:
        assert set(mechanisms) - {"partitioned"} <= used
    if ranks == 2:
        assert "partitioned" in used


@alone
def test_shared_memory_within_small_nodes_and_messages_between_them():
    output = launch(5, "random_exchanges.py", "120", "11", HALOCLINE_RANKS_PER_NODE="2")
    assert any(text.startswith("shared") for text in exchanges(output))


@alone
@pytest.mark.slow
@pytest.mark.parametrize("ranks, number", [(4, 8000), (8, 2000)])
def test_ten_thousand_exchanges_with_random_delays(ranks, number):
    command = [*mpiexec_command(ranks), sys.executable, str(here / "random_exchanges.py")]
    command += [str(number), "5", "0.005"]
    settings = {**mpi_environment(), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(exchanges(done.stdout).values()) >= number


@alone
@pytest.mark.parametrize("text", ["messages", "shared-read", "shared-count", "put-flags"])
def test_a_killed_rank_ends_all_with_a_message(text):
    command = [*mpiexec_command(3), sys.executable, str(here / "dying_exchange.py"), text]
    begun = time.monotonic()
    done = subprocess.run(
        command, env=mpi_environment(), capture_output=True, text=True, timeout=240
    )
    assert done.returncode != 0
    assert "rank 1" in done.stdout + done.stderr
    assert time.monotonic() - begun < 45


def every_choice() -> list[HaloChoice]:
    return all_choices(
        fields=3, row_bytes=100, bytes_per_rank=1 << 20, node=True, grid=True, partitioned=True
    )


def test_choices_as_text_and_back():
    choices = every_choice()
    assert choices[0] == simplest
    assert len(set(choices)) == len(choices)
    assert {choice.mechanism for choice in choices} == set(mechanisms)
    for choice in choices:
        assert choice.problem is None
        assert parse_choice(choice.text) == choice
    assert parse_choice("put-fence per-field") == HaloChoice("put-fence", "per-field")
    assert parse_choice("messages") == simplest


@pytest.mark.parametrize(
    "text, message",
    [
        ("mesages", "'mesages' is not known. Did you mean 'messages'"),
        ("persistent agregated", "Did you mean 'aggregated'"),
        ("put-fense per-field", "Did you mean 'put-fence'"),
        ("messages segments:many", "no positive number of bytes"),
        ("messages segments", "need a size in bytes"),
        ("neighbours per-field", "use 'aggregated'"),
        ("shared-read types", "derived types go with"),
        ("messages dense", "'dense' flags go with"),
        ("", "empty"),
    ],
)
def test_unknown_and_senseless_choices_are_refused(text, message):
    with pytest.raises(UserError, match="[Hh]alo exchange") as caught:
        parse_choice(text)
    assert message in str(caught.value)


def grid_of_blocks(hole: bool) -> Decomposition:
    """Three rows of three blocks, the middle one left out where there is a `hole`."""
    sides = [(j, i) for j in (0, 4, 8) for i in (0, 4, 8) if not (hole and j == i == 4)]
    rectangles = tuple(Rectangle(n, n, j, j + 4, i, i + 4) for n, (j, i) in enumerate(sides))
    topology = Topology(12, 12, True, True)
    decomposition = Decomposition(np.ones((12, 12), bool), topology, halo=2)
    decomposition.world = World(topology, decomposition.world.mask, 2, rectangles)
    blocks = [Block(decomposition.world, rectangle) for rectangle in rectangles]
    decomposition.home = decomposition.planes = Layout("blocks", blocks, None)
    return decomposition


@pytest.mark.parametrize("hole, place", [(True, Place.center), (False, Place.point)])
def test_two_stages_are_refused_where_they_cannot_work(hole, place):
    decomposition = grid_of_blocks(hole)
    exchange = HaloExchange(decomposition, Recorder(), fixed(HaloChoice(two_stage=True)))
    flat = [np.zeros((1, 1000)) for _ in decomposition.home.blocks]
    with pytest.raises(UserError, match="two-stage"):
        exchange(decomposition.home, [Request(flat, place, all_around(1))])


def test_two_stages_send_to_four_neighbours_only():
    """Corners come through a neighbour: 2 + 2 partners of a rank instead of 8."""
    decomposition = grid_of_blocks(hole=False)
    assert is_processor_grid(decomposition.world)
    mine = Layout("blocks", [decomposition.home.blocks[4]], None)
    peers = [
        set(Pattern(mine, Place.center, all_around(2), 9, 4, stage).receive) for stage in (0, 1, 2)
    ]
    assert [len(found) for found in peers] == [8, 2, 2]
    assert peers[1] | peers[2] < peers[0]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("messages", ["Irecv", "pack", "Isend", "wait", "unpack"]),
        ("messages send-first", ["pack", "Isend", "Irecv", "wait", "unpack"]),
        ("blocking", ["Irecv", "pack", "Send", "wait", "unpack"]),
        ("blocking send-first", ["pack", "Isend", "Recv", "wait", "unpack"]),
    ],
)
def test_ways_of_messages_are_the_calls_they_say(monkeypatch, text, calls):
    """Calls of MPI in their order; what waits has all requests that were begun, and no other."""
    made: list[str] = []

    class Calls:
        size, rank = 2, 0

        def __getattr__(self, name):
            return lambda *_: made.append(name) or name

    cut = Decomposition(np.ones((6, 8), bool), Topology(6, 8), halo=1, communicator=Calls())
    items = [Item(Place.center, all_around(1), np.dtype(np.float64), 7)]
    choice = parse_choice(text)
    traffic = Traffic(items, [Pattern(cut.home, Place.center, all_around(1), 2, 0)], choice)
    assert len(traffic.send) == len(traffic.receive) == 1
    exchange = {"messages": messages.Messages, "blocking": messages.Blocking}[choice.mechanism]
    way = exchange(Calls(), traffic, 1, choice)
    way.packed = SimpleNamespace(
        pack=lambda _: made.append("pack"), unpack=lambda _: made.append("unpack")
    )
    waited = []
    monkeypatch.setattr(
        messages, "wait_all", lambda some: made.append("wait") or waited.extend(some)
    )
    way.start(None)
    way.finish(None)
    assert made == calls
    assert waited == [name for name in calls if name in ("Irecv", "Isend")]


def test_segments_hold_at_most_their_bytes_and_all_rows():
    class One:
        size, rank = 2, 0

    decomposition = Decomposition(np.ones((6, 8), bool), Topology(6, 8), halo=1, communicator=One())
    items = [
        Item(Place.center, all_around(1), np.dtype(np.float64), 7),
        Item(Place.center, all_around(1), np.dtype(np.float32), 3),
        Item(Place.center, all_around(1), np.dtype(np.float32), 5),
    ]
    patterns = [Pattern(decomposition.home, Place.center, all_around(1), 2, 0) for _ in items]
    whole = Traffic(items, patterns, simplest)
    assert whole.count == 1
    for grouping in ("segments", "mixed"):
        for size in (1, 50, 100, 200, 1000):
            traffic = Traffic(items, patterns, HaloChoice("messages", grouping, size))
            assert traffic.bytes == whole.bytes
            for message in traffic.send:
                fields = {part.field for part in message.parts}
                rows = sum(part.rows for part in message.parts)
                assert message.size <= size or rows == 1
                assert grouping == "mixed" or len(fields) == 1
            sent = [
                (p.field, p.first_row + n)
                for m in traffic.send
                for p in m.parts
                for n in range(p.rows)
            ]
            assert sorted(sent) == [
                (f, r) for f, item in enumerate(items) for r in range(item.rows)
            ]
        counts = [
            Traffic(items, patterns, HaloChoice("messages", grouping, size)).count
            for size in (1, 100, 1000)
        ]
        assert counts == sorted(counts, reverse=True) and counts[0] == 15
    assert Traffic(items, patterns, replace(simplest, grouping="per-field")).count == 3
