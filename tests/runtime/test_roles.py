"""Who of a run's ranks computes and who writes. Ranks: 1, and 2 to 6 that it starts itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.ranks.roles import ServerOptions, lay_out, split
from halocline.runtime.writing.writing_options import WritingOptions

one_node, two_nodes, three_nodes = [0] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
cyclic = [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("nodes", "servers", "groups", "placement", "expected"),
    [
        (one_node, 2, 1, "packed", ((4, 5),)),
        (one_node, 4, 2, "packed", ((2, 3), (4, 5))),
        (one_node, 3, 2, "packed", ((3,), (4, 5))),
        (two_nodes, 2, 1, "packed", ((4, 5),)),
        (one_node, 2, 2, "spread", ((4,), (5,))),
        (two_nodes, 1, 1, "spread", ((5,),)),
        (two_nodes, 2, 1, "spread", ((2, 5),)),
        (two_nodes, 2, 2, "spread", ((2,), (5,))),
        (two_nodes, 4, 2, "spread", ((1, 4), (2, 5))),
        (three_nodes, 2, 1, "spread", ((1, 5),)),
        (three_nodes, 3, 1, "spread", ((1, 3, 5),)),
        (three_nodes, 4, 2, "spread", ((1, 4), (3, 5))),
        (cyclic, 3, 1, "spread", ((3, 4, 5),)),
        (cyclic, 1, 1, "spread", ((5,),)),
        ([0, 1, 2], 2, 1, "spread", ((1, 2),)),
        (two_nodes, 3, 2, [5, 1, 3], ((5,), (1, 3))),
    ],
)
def test_layouts(nodes, servers, groups, placement, expected) -> None:
    roles = lay_out(nodes, servers, groups=groups, placement=placement)
    assert roles.groups == expected
    assert sorted([*roles.model, *roles.servers]) == list(range(len(nodes)))
    assert roles.model == tuple(sorted(roles.model))
    for number, group in enumerate(expected):
        assert {roles.group_of(rank) for rank in group} == {number}
    assert {roles.group_of(rank) for rank in roles.model} == {None}


@st.composite
def spread_worlds(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    nodes = draw(st.permutations([n for n, size in enumerate(sizes) for _ in range(size)]))
    if len(nodes) == 1:
        nodes = [0, 0]
    servers = draw(st.integers(1, len(nodes) - 1))
    return nodes, servers, draw(st.integers(1, servers))


@given(spread_worlds())
def test_spread_is_even_over_nodes_and_in_every_group(world) -> None:
    nodes, servers, groups = world
    roles = lay_out(nodes, servers, groups=groups, placement="spread")
    assert len(set(roles.servers)) == servers and 0 in roles.model
    lengths = [len(group) for group in roles.groups]
    assert max(lengths) - min(lengths) <= 1 and len(lengths) == groups
    used = Counter(nodes[rank] for rank in roles.servers)
    free = Counter(nodes[1:])
    for node, count in free.items():
        # only a node without more ranks may have two servers fewer than another
        assert used[node] == count or used[node] >= max(used.values()) - 1
    for group in roles.groups:
        of_node = Counter(nodes[rank] for rank in group)
        for node, count in used.items():
            assert count // groups <= of_node[node] <= -(-count // groups)


def test_without_servers_the_world_is_the_model() -> None:
    alone = Alone()
    model, roles = split(alone, 0, groups=3, placement="spread")
    assert model is alone
    assert roles.model == (0,) and roles.groups == () and roles.nodes == (0,)
    assert roles.describe() == "1 rank of the model, no output server"


@pytest.mark.parametrize(
    ("size", "servers", "groups", "placement", "message"),
    [
        (3, 3, 1, "packed", "3 output servers of 3 ranks leave none for the model.*to 2 at most"),
        (1, 1, 1, "packed", "1 output server of 1 rank leaves none for the model.*count to 0"),
        (4, 2, 3, "spread", "2 output servers cannot form 3 groups"),
        (4, 2, 1, [1, 2, 3], "names 3 ranks for 2 output servers"),
        (4, 2, 1, [2, 2], "names a rank twice"),
        (4, 2, 1, [2, 4], "rank 4 cannot be a server of a run of 4 ranks.*from 1 to 3"),
        (4, 2, 1, [0, 1], "rank 0 cannot be a server"),
    ],
)
def test_wrong_numbers_are_explained(size, servers, groups, placement, message) -> None:
    with pytest.raises(UserError, match=message):
        lay_out([0] * size, servers, groups=groups, placement=placement)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"count": "some"}, "count = 'some' is neither 'auto' nor a whole number"),
        ({"count": -1}, "count = -1 is too small"),
        ({"placement": "spred"}, "placement = 'spred' is not one of: packed, spread, or a list"),
        ({"count": 3, "placement": [1, 2]}, "placement names 2 ranks, and count = 3"),
        ({"placement": [3, 3]}, "names rank 3 twice"),
        ({"placement": [0, 3]}, "servers are ranks from 1 on"),
        ({"count": 2, "groups": 3}, "2 output servers cannot form 3 groups"),
        ({"placement": [1], "groups": 2}, "1 output server cannot form 2 groups"),
        ({"assignment": "robin"}, "assignment = 'robin' is not one of"),
    ],
)
def test_wrong_options_are_explained(table, message) -> None:
    with pytest.raises(UserError, match=message):
        ServerOptions.from_table(table, "output.servers")


def test_servers_that_a_case_asks_for() -> None:
    assert ServerOptions().given is None
    assert ServerOptions(count=0).given == 0
    assert ServerOptions(count=4, groups=4).given == 4
    assert ServerOptions(placement=[4, 2]).given == 2


def test_a_budget_is_a_share() -> None:
    with pytest.raises(UserError, match="budget = 2.0 is too large"):
        WritingOptions.from_table({"budget": 2}, "output.writing")


def start(ranks: int, *words: str, per_node: int = 0) -> subprocess.CompletedProcess[str]:
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    if per_node:
        environment["HALOCLINE_RANKS_PER_NODE"] = str(per_node)
    program = str(Path(__file__).with_name("split_world.py"))
    return subprocess.run(
        [*mpiexec_command(ranks), sys.executable, program, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.mark.parametrize(
    ("ranks", "words", "per_node", "groups"),
    [
        (4, ("1", "1", "packed"), 0, [[3]]),
        (6, ("4", "2", "spread"), 3, [[1, 4], [2, 5]]),
        (5, ("2", "2", "[3, 1]"), 0, [[3], [1]]),
    ],
)
def test_all_ranks_know_the_roles_and_the_model_computes_alone(
    ranks, words, per_node, groups
) -> None:
    done = start(ranks, *words, per_node=per_node)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    servers = {rank for group in groups for rank in group}
    model = [rank for rank in range(ranks) if rank not in servers]
    assert not told["same"]
    for rank, own, model_ranks, group_ranks, nodes in told["ranks"]:
        assert (model_ranks, group_ranks) == (model, groups)
        assert nodes == [r // per_node if per_node else 0 for r in range(ranks)]
        expected = None if rank in servers else [model.index(rank), len(model), sum(model)]
        assert own == expected


def test_ranks_without_servers_stay_together() -> None:
    done = start(2, "0", "1", "packed")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["same"]
    assert [own for _, own, *_ in told["ranks"]] == [[0, 2, 1.0], [1, 2, 1.0]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("3", "1", "packed"), "3 output servers of 3 ranks leave none for the model"),
        (("2", "1", "[2, 3]"), "rank 3 cannot be a server of a run of 3 ranks"),
    ],
)
def test_a_wrong_number_ends_all_ranks_with_one_message(words, message) -> None:
    done = start(3, *words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count(message) == 1
    assert "on rank" not in done.stderr and "Traceback" not in done.stderr
