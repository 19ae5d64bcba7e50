"""The ranks of a run at work: which members each computes for, and who writes their output.

Output servers are those of one member each: the last ranks of that member, as many as its case
says. Where a run has several members, 'auto' asks for none.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.core.errors import UserError
from halocline.experiment.ending import one_of
from halocline.experiment.expectations import work
from halocline.experiment.idle_ranks import idle_words, sleep, useful_ranks, waking
from halocline.experiment.members import Member, Members, of_member
from halocline.experiment.server_advice import ServerCount, decided_servers
from halocline.experiment.writing import writing
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.ranks.patience import PatientRanks
from halocline.runtime.ranks.seats import Seats, deal_ranks
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.writers import Writers


@dataclass(frozen=True)
class Team:
    """What one computing rank knows: its members with their writers, and who meets for them all.

    The `council` are all ranks that compute, of all members; where there are several, `seats` says
    who computes where.
    """

    here: Sequence[tuple[Member, Writers]]
    council: Communicator
    seats: Seats | None = None


@contextmanager
def seated(
    members: Members, world: Communicator, folder: Path | None, joined: Sequence[str] = ()
) -> Iterator[Team | None]:
    """The team of this rank; on output servers, None when the run has ended.

    `joined` are, by rank, the members whose programs these are, empty where it is ours.
    """
    with ExitStack() as stack:
        if any(joined) and not any(some.case.outside_command for some in members.here.values()):
            raise UserError(
                f"A program has joined this run as '{next(filter(None, joined))}', but none of its"
                " members is computed by a program. Let the case have a member of that name with"
                " component = 'program'."
            )
        if not members.several:
            yield _seated_alone(members.first, world, folder, stack)
            return
        seats = on_first_rank(world, lambda: seats_of(members, _computing(members, world.size)))
        _refuse_other_programs(members, seats, joined)
        worlds, council = _split(world, seats)
        if not worlds:
            sleep(world)
            yield None
            return
        if council is not None and council.rank == 0:
            stack.enter_context(waking(world, range(seats.size, world.size)))
        here: list[tuple[Member, Writers]] = []
        for name, inner in worlds.items():
            member = members.members[name]
            one_of(inner)
            decided = ServerCount(servers_of(member), "the members share one run")
            found = stack.enter_context(writing(member.case, inner, folder, decided))
            if found is None:
                yield None
                return
            here.append((member, found))
        assert council is not None, "a rank that does not compute serves"
        yield Team(here, council, seats)


def _seated_alone(
    member: Member, world: Communicator, folder: Path | None, stack: ExitStack
) -> Team | None:
    """The team of a run of one member, on the ranks that it has cells for and its servers."""
    case = member.case
    decided = decided_servers(case, world, folder)
    there = world.size - decided.count
    useful = on_first_rank(world, lambda: useful_ranks(case, case.build_grid(), there))
    working = world
    if useful < there and isinstance(world, Ranks):
        size = useful + decided.count
        comm = world.comm.Split(int(world.rank >= size), world.rank)
        if world.rank >= size:
            sleep(world)
            return None
        if world.rank == 0:
            stack.enter_context(waking(world, range(size, world.size)))
        working = Ranks(comm)
    writers = stack.enter_context(writing(case, working, folder, decided))
    if writers is None:
        return None
    if useful < there:
        writers.about += f"; {idle_words(there, there - useful)}"
    return Team([(member, writers)], writers.communicator)


def seats_of(members: Members, computing: int) -> Seats:
    """Where the members of a run sit on so many computing ranks."""
    servers = {name: servers_of(member) for name, member in members.here.items()}
    most = {
        name: _most_ranks(member, computing)
        for name, member in members.here.items()
        if not member.case.outside_command
    }
    wishes = members.wishes(expected_work(members), servers)
    wishes = [replace(wish, most=most.get(wish.name, computing)) for wish in wishes]
    seats = deal_ranks(wishes, computing)
    _refuse_shared_programs(members, seats)
    return seats


def _most_ranks(member: Member, ranks: int) -> int:
    """On how many of some ranks a member has work."""
    with of_member(member.name):
        return useful_ranks(member.case, member.case.build_grid(), ranks)


def parts_of(members: Members, seats: Seats) -> list[tuple[int, str]]:
    """How many ranks one after the other run which member's program, empty where it is ours."""
    parts: list[tuple[int, str]] = []
    for name in programs_by_rank(members, seats):
        before, last = parts[-1] if parts else (0, None)
        if name == last:
            parts[-1] = before + 1, name
        else:
            parts.append((1, name))
    return parts


def programs_by_rank(members: Members, seats: Seats) -> list[str]:
    """Of each rank of the world the member whose program it runs, empty where it is ours."""
    found = [""] * (seats.size + seats.idle)
    for crew in seats.crews:
        for name in crew.members:
            if members.members[name].case.outside_command:
                for rank in crew.ranks:
                    found[rank] = name
    return found


def _refuse_shared_programs(members: Members, seats: Seats) -> None:
    """Refuse two programs on one rank, which can run one, and one that is all there is."""
    for crew in seats.crews:
        programs = [name for name in crew.members if members.members[name].case.outside_command]
        if len(programs) > 1:
            raise UserError(
                f"The members '{programs[0]}' and '{programs[1]}' are programs of their own and"
                f" cannot share ranks. Start {members.least_ranks()} ranks at least (-n)."
            )
        if programs and seats.size == 1:
            raise UserError(
                f"The member '{programs[0]}' is a program of its own, which MPI has to start beside"
                f" others. Start {max(2, members.least_ranks())} ranks at least (-n)."
            )


def _refuse_other_programs(members: Members, seats: Seats, joined: Sequence[str]) -> None:
    """Refuse ranks that run another program than that of the member which sits there."""
    wanted = programs_by_rank(members, seats)
    for rank, (want, have) in enumerate(zip(wanted, joined or [""] * len(wanted), strict=True)):
        if want != have:
            words = [f"the program of '{some}'" if some else "halocline" for some in (want, have)]
            raise UserError(
                f"Rank {rank} has to run {words[0]}, and runs {words[1]}. Start the ranks in the"
                f" order of their members: {mpiexec_words(members, seats, 'CASE')}"
            )


def mpiexec_words(members: Members, seats: Seats, case: str) -> str:
    """The command that starts all ranks, for people."""
    parts = []
    for count, name in parts_of(members, seats):
        command = members.members[name].case.outside_command if name else ["halocline", "run", case]
        parts.append(f"-n {count} {shlex.join(command)}")
    return f"mpiexec {' : '.join(parts)}"


def expected_work(members: Members) -> Mapping[str, float]:
    """Expected time of each member on one core [s]."""
    found = {}
    for name, member in members.here.items():
        with of_member(name):
            found[name] = work(member.case, member.case.build_grid(), member.clock)
    return found


def servers_of(member: Member) -> int:
    """How many output servers a member of several has."""
    output = member.case.output
    servers = output.servers
    if servers.placement != "packed":
        raise UserError(
            f"output.servers.placement = {servers.placement!r} of the member '{member.name}': where"
            " a run has several members, servers are the last ranks of their member. Leave it"
            " out."
        )
    if servers.given is not None:
        return int(servers.given)
    return int(servers.groups) if output.needs_servers(member.case.restart.way) else 0


def _computing(members: Members, size: int) -> int:
    """How many ranks of a world compute."""
    servers = sum(servers_of(member) for member in members.here.values())
    if servers >= size:
        raise UserError(
            f"The members ask for {servers} output servers, and there are {size} ranks. Start more"
            " ('halocline run -n N' starts servers besides N ranks), or ask for fewer"
            " (members.NAME.output.servers.count)."
        )
    return size - servers


def _split(
    world: Communicator, seats: Seats
) -> tuple[dict[str, Communicator], Communicator | None]:
    """What each member of this rank sees as its world, and the council where this rank computes.

    A call for all ranks of the world.
    """
    names = [name for crew in seats.crews for name in crew.members]
    if not isinstance(world, Ranks):
        return dict.fromkeys(names, world), world
    from mpi4py import MPI

    found: dict[str, Communicator] = {}
    for name in names:
        mine = world.rank in seats.crew_of(name).world_of(name)
        comm = world.comm.Split(0 if mine else MPI.UNDEFINED, world.rank)
        if mine:
            found[name] = Ranks(comm)
    computes = any(world.rank in crew.ranks for crew in seats.crews)
    comm = world.comm.Split(0 if computes else MPI.UNDEFINED, world.rank)
    return found, PatientRanks(comm) if computes else None
