"""The collectives that the interposer records: blocking, non-blocking and persistent."""

from __future__ import annotations

from halocline_lab.recording.interposer_pattern import Pattern

one_size = "size<L>(count, type)"
send_size = "size<L>(send_count, send_type)"
into = "L::in_place(send_buffer)"


def _collective(name: str, arguments: str, contributes: str) -> Pattern:
    root = "root" if "root" in arguments.split() else "nobody"
    return Pattern("collective", "collective", arguments, name, f"{root} comm", contributes)


gathered = f"{into} ? {one_size} : {send_size}"
own_part = f"{into} ? part<L>(counts, type, comm) : {send_size}"
all_parts = "sum<L>(counts, type, partners<L>(comm))"
send_parts = "sum<L>(send_counts, send_type, {partners})"
each_part = "sum_each<L>(send_counts, send_types, {partners})"
among = "partners<L>(comm)"
neighbours = "neighbours<L>(comm)"
v_arguments = (
    "send_buffer send_counts send_displacements_pointer send_type"
    " buffer counts displacements_pointer type comm"
)
w_arguments = (
    "send_buffer send_counts send_displacements_pointer send_types"
    " buffer counts displacements_pointer types comm"
)
same_arguments = "send_buffer send_count send_type buffer count type comm"
gatherv_arguments = "send_buffer send_count send_type buffer counts displacements_pointer type"

collectives = (
    _collective("Barrier", "comm", "0"),
    _collective("Bcast", "buffer count type root comm", f"is_root<L>(root, comm) ? {one_size} : 0"),
    _collective("Gather", "send_buffer send_count send_type buffer count type root comm", gathered),
    _collective("Gatherv", f"{gatherv_arguments} root comm", own_part),
    _collective(
        "Scatter",
        "send_buffer send_count send_type buffer count type root comm",
        f"is_root<L>(root, comm) ? {send_size} * {among} : 0",
    ),
    _collective(
        "Scatterv",
        "send_buffer send_counts send_displacements_pointer send_type buffer count type root comm",
        f"is_root<L>(root, comm) ? {send_parts.format(partners=among)} : 0",
    ),
    _collective("Allgather", same_arguments, gathered),
    _collective("Allgatherv", f"{gatherv_arguments} comm", own_part),
    _collective("Alltoall", same_arguments, f"({gathered}) * {among}"),
    _collective(
        "Alltoallv",
        v_arguments,
        f"{into} ? {all_parts} : {send_parts.format(partners=among)}",
    ),
    _collective(
        "Alltoallw",
        w_arguments,
        f"{into} ? sum_each<L>(counts, types, {among}) : {each_part.format(partners=among)}",
    ),
    _collective("Reduce", "send_buffer buffer count type op root comm", one_size),
    _collective("Allreduce", "send_buffer buffer count type op comm", one_size),
    _collective("Scan", "send_buffer buffer count type op comm", one_size),
    _collective("Exscan", "send_buffer buffer count type op comm", one_size),
    _collective("Reduce_scatter", "send_buffer buffer counts type op comm", all_parts),
    _collective(
        "Reduce_scatter_block", "send_buffer buffer count type op comm", f"{one_size} * {among}"
    ),
    _collective("Neighbor_allgather", same_arguments, send_size),
    _collective("Neighbor_allgatherv", f"{gatherv_arguments} comm", send_size),
    _collective("Neighbor_alltoall", same_arguments, f"{send_size} * {neighbours}"),
    _collective("Neighbor_alltoallv", v_arguments, send_parts.format(partners=neighbours)),
    _collective("Neighbor_alltoallw", w_arguments, each_part.format(partners=neighbours)),
)


def _started(one: Pattern) -> tuple[Pattern, Pattern]:
    """The non-blocking and the persistent form of a collective."""
    seen = f"{one.seen} request"
    immediate = f"I{one.names.lower()}"
    return (
        Pattern(
            "starting_collective",
            "start collective",
            f"{one.arguments} request",
            immediate,
            seen,
            one.bytes,
        ),
        Pattern(
            "preparing_collective",
            "start collective",
            f"{one.arguments} info request",
            f"{one.names}_init",
            seen,
            one.bytes,
        ),
    )


def all_collectives() -> list[Pattern]:
    """Every form of every collective.

    >>> [one.names for one in all_collectives()][:3]
    ['Barrier', 'Ibarrier', 'Barrier_init']
    """
    return [form for one in collectives for form in (one, *_started(one))]
