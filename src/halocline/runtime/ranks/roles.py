"""Roles of the ranks of a run: those of the model, and output servers in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.ranks.shared_memory import node_of

placements = ("packed", "spread")


@dataclass(frozen=True, kw_only=True)
class ServerOptions(Options):
    """Ranks that do nothing but write output, besides those of the model."""

    count: int | str = option(
        "auto",
        "1",
        "number of servers; 'auto': none where the model can write by itself within the budget"
        " (output.writing.budget), else as many as the output needs",
        at_least=0,
        source="Porter et al. (2010), section 6: 12 servers for 1024 ranks were best",
    )
    groups: int = option(
        1,
        "1",
        "groups of servers; a file is written by the servers of one group",
        at_least=1,
        source="WRF-ARW, Porter et al. (2010), section 6",
    )
    placement: str | list[int] = option(
        "packed",
        "",
        "'packed': the last ranks; 'spread': the last ranks of every node in turn; or a list of"
        " ranks, 1 or more, cut into groups in its order. Rank 0 is always of the model",
        source="Porter et al. (2010), section 6: any servers matter more than where they are",
    )
    assignment: str = option(
        "consecutive",
        "",
        "how the blocks of a frame are dealt to the servers of a group: each gets neighbouring"
        " blocks, or every n-th one",
        choices=("consecutive", "round-robin"),
        source="Porter et al. (2010), section 6: consecutive was slightly better",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.count, str) and self.count != "auto":
            raise UserError(f"count = '{self.count}' is neither 'auto' nor a whole number.")
        if isinstance(self.placement, str):
            if self.placement not in placements:
                raise UserError(
                    f"placement = '{self.placement}' is not one of: {', '.join(placements)}, or a"
                    " list of ranks."
                )
        else:
            self._check_list(self.placement)
        if self.given and self.groups > self.given:
            raise UserError(
                f"{count_words(self.given)} cannot form {self.groups} groups. Set groups to"
                f" {self.given} at most, or count to {self.groups} at least."
            )

    def _check_list(self, ranks: list[int]) -> None:
        if self.count != "auto" and self.count != len(ranks):
            raise UserError(
                f"placement names {len(ranks)} ranks, and count = {self.count}. Name as many ranks"
                " as there are servers, or leave count out."
            )
        repeated = sorted({rank for rank in ranks if ranks.count(rank) > 1})
        if repeated:
            raise UserError(f"placement = {ranks} names rank {repeated[0]} twice. Name it once.")
        if any(rank < 1 for rank in ranks):
            raise UserError(
                f"placement = {ranks}: servers are ranks from 1 on; rank 0 leads the model."
            )

    @property
    def given(self) -> int | None:
        """How many servers the case asks for; None where that is decided later."""
        if isinstance(self.placement, list):
            return len(self.placement)
        return self.count if isinstance(self.count, int) else None


@dataclass(frozen=True)
class Roles:
    """Who does what among the ranks of a world, known to all of them.

    `model[m]` is the world's number of the model's rank m, `groups[g]` those of the servers of a
    group, `nodes` the node of every rank of the world, counted from 0.

    >>> roles = lay_out([0, 0, 0, 1, 1, 1], 2, placement="spread")
    >>> roles.model, roles.groups
    ((0, 1, 3, 4), ((2, 5),))
    """

    model: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    nodes: tuple[int, ...]

    @property
    def servers(self) -> tuple[int, ...]:
        """Numbers in the world of all servers, group after group."""
        return tuple(rank for group in self.groups for rank in group)

    def group_of(self, rank: int) -> int | None:
        """The group of a server; None for a rank of the model."""
        return next((g for g, group in enumerate(self.groups) if rank in group), None)

    def describe(self) -> str:
        """The layout in one line.

        >>> lay_out([0, 0, 1, 1], 2, groups=2, placement="spread").describe()
        '2 ranks of the model and 2 output servers in 2 groups: ranks 1; 3, on 2 nodes'
        """
        words = f"{len(self.model)} rank{'s' * (len(self.model) > 1)} of the model"
        if not self.servers:
            return f"{words}, no output server"
        groups = f" in {len(self.groups)} groups" if len(self.groups) > 1 else ""
        ranks = "; ".join(" ".join(map(str, group)) for group in self.groups)
        nodes = len({self.nodes[rank] for rank in self.servers})
        return (
            f"{words} and {count_words(len(self.servers))}{groups}:"
            f" rank{'s' * (len(self.servers) > 1)} {ranks},"
            f" on {nodes} node{'s' * (nodes > 1)}"
        )


def count_words(servers: int) -> str:
    """A number of servers in words.

    >>> count_words(1), count_words(4)
    ('1 output server', '4 output servers')
    """
    return amount(servers, "output server")


def split(
    world: Communicator,
    servers: int,
    *,
    groups: int = 1,
    placement: str | Sequence[int] = "packed",
) -> tuple[Communicator | None, Roles]:
    """The communicator of the model's ranks, None on servers, and the roles; for all ranks.

    Without servers it is the world itself. A wrong number of servers is refused on all ranks.
    """
    roles = lay_out(nodes_of(world), servers, groups=groups, placement=placement)
    if not servers:
        return world, roles
    assert isinstance(world, Ranks), "there is a rank for the model and one for a server"
    server = roles.group_of(world.rank) is not None
    comm = world.comm.Split(int(server), world.rank)
    if server:
        comm.Free()
        return None, roles
    return Ranks(comm), roles


def nodes_of(world: Communicator) -> list[int]:
    """The node of every rank, numbered by their first ranks; for all ranks."""
    if not isinstance(world, Ranks):
        return [0] * world.size
    first: list[int] = world.broadcast(world.gather(node_of(world).ranks[0]))
    numbers = {rank: number for number, rank in enumerate(sorted(set(first)))}
    return [numbers[rank] for rank in first]


def lay_out(
    nodes: Sequence[int],
    servers: int,
    *,
    groups: int = 1,
    placement: str | Sequence[int] = "packed",
) -> Roles:
    """Roles of a world whose rank r is on node `nodes[r]`; options as in `ServerOptions`."""
    size = len(nodes)
    _refuse_wrong_numbers(size, servers, groups)
    if not servers:
        return Roles(tuple(range(size)), (), tuple(nodes))
    if placement == "packed":
        dealt = _consecutive(range(size - servers, size), groups)
    elif placement == "spread":
        # in turn, node after node: a group gets as many nodes as it can
        chosen = sorted(_spread(nodes, servers), key=lambda rank: (nodes[rank], rank))
        dealt = tuple(tuple(sorted(chosen[g::groups])) for g in range(groups))
    else:
        ranks = [int(rank) for rank in placement]
        _refuse_wrong_list(ranks, size, servers)
        dealt = _consecutive(ranks, groups)
    taken = {rank for group in dealt for rank in group}
    return Roles(tuple(r for r in range(size) if r not in taken), dealt, tuple(nodes))


def _consecutive(ranks: Sequence[int], groups: int) -> tuple[tuple[int, ...], ...]:
    """Servers cut into groups of neighbours whose lengths differ by one at most."""
    cuts = [len(ranks) * g // groups for g in range(groups + 1)]
    return tuple(tuple(ranks[a:b]) for a, b in zip(cuts[:-1], cuts[1:], strict=True))


def _spread(nodes: Sequence[int], servers: int) -> list[int]:
    """The last ranks of every node in turn; the last ones of few go to nodes evenly apart."""
    free = [[r for r in range(1, len(nodes)) if nodes[r] == node] for node in sorted(set(nodes))]
    chosen: list[int] = []
    while len(chosen) < servers:
        there = [ranks for ranks in free if ranks]
        count = min(len(there), servers - len(chosen))
        for turn in range(1, count + 1):
            chosen.append(there[turn * len(there) // count - 1].pop())
    return chosen


def _refuse_wrong_numbers(size: int, servers: int, groups: int) -> None:
    ranks = f"{size} rank{'s' * (size != 1)}"
    if servers >= size:
        least = "0" if size == 1 else f"{size - 1} at most"
        raise UserError(
            f"{count_words(servers)} of {ranks} leave{'s' * (servers == 1)} none for the model."
            f" Start more ranks ('halocline run -n N' starts servers besides N ranks), or set"
            f" output.servers.count to {least}."
        )
    if servers and groups > servers:
        raise UserError(
            f"{count_words(servers)} cannot form {groups} groups. Set output.servers.groups to"
            f" {servers} at most, or output.servers.count to {groups} at least."
        )


def _refuse_wrong_list(ranks: list[int], size: int, servers: int) -> None:
    where = f"output.servers.placement = {ranks}"
    if len(ranks) != servers:
        raise UserError(
            f"{where} names {len(ranks)} ranks for {count_words(servers)}. Name as many ranks as"
            " there are servers."
        )
    if len(set(ranks)) < len(ranks):
        raise UserError(f"{where} names a rank twice. Name every server once.")
    for rank in ranks:
        if not 1 <= rank < size:
            raise UserError(
                f"{where}: rank {rank} cannot be a server of a run of {size} ranks, servers"
                f" included. Name ranks from 1 to {size - 1}; rank 0 leads the model."
            )
