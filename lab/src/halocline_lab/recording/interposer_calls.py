"""The calls of MPI that the interposer records: their arguments, and how each is recorded.

An argument is a word; what stands behind its last underscore, without digits, is its role (see
`interposer_wrappers.roles`). `template` is the function of `interposer/*.hpp` that records the call
and gets the arguments named in `seen`. `bytes` is what one rank contributes, as C++.
"""

from __future__ import annotations

from halocline_lab.recording.interposer_collectives import all_collectives
from halocline_lab.recording.interposer_pattern import Pattern

sent = "count type to tag comm"
received = "count type from tag comm"
one_size = "size<L>(count, type)"

messages = (
    Pattern("sending", "send", f"buffer {sent}", "Send Bsend Ssend Rsend", sent),
    Pattern("receiving", "receive", f"buffer {received} status", "Recv", f"{received} status"),
    Pattern(
        "starting_send",
        "start send",
        f"buffer {sent} request",
        "Isend Ibsend Issend Irsend",
        f"{sent} request",
    ),
    Pattern(
        "starting_receive",
        "start receive",
        f"buffer {received} request",
        "Irecv",
        f"{received} request",
    ),
    Pattern(
        "preparing_send",
        "start send",
        f"buffer {sent} request",
        "Send_init Bsend_init Ssend_init Rsend_init",
        f"{sent} request",
    ),
    Pattern(
        "preparing_receive",
        "start receive",
        f"buffer {received} request",
        "Recv_init",
        f"{received} request",
    ),
    Pattern(
        "sending_receiving",
        "send receive",
        "buffer count type to tag receive_buffer receive_count receive_type from receive_tag comm"
        " status",
        "Sendrecv",
        "count type to tag receive_count receive_type from receive_tag comm status",
    ),
    Pattern(
        "exchanging",
        "send receive",
        "buffer count type to tag from receive_tag comm status",
        "Sendrecv_replace",
        "count type to tag from receive_tag comm status",
    ),
    Pattern(
        "starting_both",
        "send receive",
        "buffer count type to tag receive_buffer receive_count receive_type from receive_tag comm"
        " request",
        "Isendrecv",
        "count type to tag receive_count receive_type from receive_tag comm request",
    ),
    Pattern(
        "starting_exchange",
        "send receive",
        "buffer count type to tag from receive_tag comm request",
        "Isendrecv_replace",
        "count type to tag from receive_tag comm request",
    ),
    Pattern("probing", "test", "from tag comm status", "Probe", "from tag comm status"),
    Pattern(
        "probing_once", "test", "from tag comm flag status", "Iprobe", "from tag comm flag status"
    ),
    Pattern(
        "matching",
        "test",
        "from tag comm message status",
        "Mprobe",
        "from tag comm message status",
    ),
    Pattern(
        "matching_once",
        "test",
        "from tag comm flag message status",
        "Improbe",
        "from tag comm flag message status",
    ),
    Pattern(
        "receiving_matched",
        "receive",
        "buffer count type message status",
        "Mrecv",
        "count type message status",
    ),
    Pattern(
        "starting_matched",
        "start receive",
        "buffer count type message request",
        "Imrecv",
        "count type message request",
    ),
)

requests = (
    Pattern("starting", "start send", "request", "Start", "request"),
    Pattern("starting_all", "other mpi", "integer requests", "Startall", "integer requests"),
    Pattern("waiting", "wait", "request status", "Wait", "request status"),
    Pattern(
        "waiting_all", "wait", "integer requests statuses", "Waitall", "integer requests statuses"
    ),
    Pattern(
        "waiting_any",
        "wait",
        "integer requests index status",
        "Waitany",
        "integer requests index status",
    ),
    Pattern(
        "waiting_some",
        "wait",
        "integer requests done indices statuses",
        "Waitsome",
        "integer requests done indices statuses",
    ),
    Pattern("testing", "test", "request flag status", "Test", "request flag status"),
    Pattern(
        "testing_all",
        "test",
        "integer requests flag statuses",
        "Testall",
        "integer requests flag statuses",
    ),
    Pattern(
        "testing_any",
        "test",
        "integer requests index flag status",
        "Testany",
        "integer requests index flag status",
    ),
    Pattern(
        "waiting_some",
        "test",
        "integer requests done indices statuses",
        "Testsome",
        "integer requests done indices statuses",
    ),
    Pattern("timed", "test", "pointer1 pointer2 pointer3", "Request_get_status"),
    Pattern("forgetting", "other mpi", "request", "Request_free", "request"),
    Pattern("cancelling", "other mpi", "request", "Cancel", "request"),
)


target = "target displacement target_count target_type"
one_sided = (
    Pattern(
        "remote", "one-sided", f"buffer count type {target} win", "Put Get", "target win", one_size
    ),
    Pattern(
        "remote",
        "one-sided",
        f"buffer count type {target} win pointer",
        "Rput Rget",
        "target win",
        one_size,
    ),
    Pattern(
        "remote",
        "one-sided",
        f"buffer count type {target} op win",
        "Accumulate",
        "target win",
        one_size,
    ),
    Pattern(
        "remote",
        "one-sided",
        f"buffer count type {target} op win pointer",
        "Raccumulate",
        "target win",
        one_size,
    ),
    Pattern(
        "remote",
        "one-sided",
        f"buffer count type result_buffer result_count result_type {target} op win",
        "Get_accumulate",
        "target win",
        one_size,
    ),
    Pattern(
        "remote",
        "one-sided",
        f"buffer count type result_buffer result_count result_type {target} op win pointer",
        "Rget_accumulate",
        "target win",
        one_size,
    ),
    Pattern(
        "remote",
        "one-sided",
        "buffer result_buffer type target displacement op win",
        "Fetch_and_op",
        "target win",
        "unit<L>(type)",
    ),
    Pattern(
        "remote",
        "one-sided",
        "buffer compare_buffer result_buffer type target displacement win",
        "Compare_and_swap",
        "target win",
        "unit<L>(type)",
    ),
    Pattern("remote", "one-sided", "integer1 target integer2 win", "Win_lock", "target win", "0"),
    Pattern(
        "remote",
        "one-sided",
        "target win",
        "Win_unlock Win_flush Win_flush_local",
        "target win",
        "0",
    ),
    Pattern("timed", "one-sided", "integer win", "Win_fence Win_lock_all"),
    Pattern("timed", "one-sided", "group integer win", "Win_post Win_start"),
    Pattern("timed", "one-sided", "win pointer", "Win_test"),
    Pattern(
        "timed",
        "one-sided",
        "win",
        "Win_complete Win_wait Win_unlock_all Win_flush_all Win_flush_local_all Win_sync",
    ),
    Pattern("timed", "other mpi", "buffer size_address integer info comm pointer", "Win_create"),
    Pattern(
        "timed",
        "other mpi",
        "size_address integer info comm pointer1 pointer2",
        "Win_allocate Win_allocate_shared",
    ),
    Pattern("timed", "other mpi", "info comm pointer", "Win_create_dynamic"),
    Pattern("freeing_window", "other mpi", "window", "Win_free", "window"),
)

io = "pointer1 count type pointer2"
files = (
    Pattern("timed", "file", "comm string integer info pointer", "File_open"),
    Pattern("timed", "file", "pointer", "File_close"),
    Pattern("timed", "file", "string info", "File_delete"),
    Pattern("timed", "file", "file offset", "File_set_size File_preallocate"),
    Pattern("timed", "file", "file", "File_sync"),
    Pattern("timed", "file", "file offset type1 type2 string info", "File_set_view"),
    Pattern(
        "volume",
        "file",
        f"file offset {io}",
        "File_read_at File_read_at_all File_write_at File_write_at_all File_iread_at"
        " File_iwrite_at File_iread_at_all File_iwrite_at_all",
        bytes=one_size,
    ),
    Pattern(
        "volume",
        "file",
        f"file {io}",
        "File_read File_read_all File_write File_write_all File_read_shared File_write_shared"
        " File_read_ordered File_write_ordered File_iread File_iwrite File_iread_all"
        " File_iwrite_all File_iread_shared File_iwrite_shared",
        bytes=one_size,
    ),
    Pattern(
        "volume",
        "file",
        "file offset pointer1 count type",
        "File_read_at_all_begin File_write_at_all_begin",
        bytes=one_size,
    ),
    Pattern(
        "volume",
        "file",
        "file pointer1 count type",
        "File_read_all_begin File_write_all_begin File_read_ordered_begin File_write_ordered_begin",
        bytes=one_size,
    ),
    Pattern(
        "timed",
        "file",
        "file pointer1 pointer2",
        "File_read_at_all_end File_write_at_all_end File_read_all_end File_write_all_end"
        " File_read_ordered_end File_write_ordered_end",
    ),
)


def _creating(name: str, arguments: str) -> Pattern:
    return Pattern("creating", "other mpi", f"{arguments} created", name, "created")


communicators = (
    _creating("Comm_dup", "comm"),
    _creating("Comm_dup_with_info", "comm info"),
    _creating("Comm_split", "comm integer1 integer2"),
    _creating("Comm_split_type", "comm integer1 integer2 info"),
    _creating("Comm_create", "comm group"),
    _creating("Comm_create_group", "comm group integer"),
    _creating("Comm_create_from_group", "group string info errhandler"),
    _creating("Cart_create", "comm integer1 pointer1 pointer2 integer2"),
    _creating("Cart_sub", "comm pointer"),
    _creating("Graph_create", "comm integer1 pointer1 pointer2 integer2"),
    _creating(
        "Dist_graph_create", "comm integer1 pointer1 pointer2 pointer3 pointer4 info integer2"
    ),
    _creating(
        "Dist_graph_create_adjacent",
        "comm integer1 pointer1 pointer2 integer2 pointer3 pointer4 info integer3",
    ),
    _creating("Intercomm_create", "comm integer1 remote_comm integer2 integer3"),
    _creating("Intercomm_merge", "comm integer"),
    _creating("Comm_accept", "string info integer comm"),
    _creating("Comm_connect", "string info integer comm"),
    _creating("Comm_join", "integer"),
    Pattern(
        "creating",
        "other mpi",
        "string strings integer1 info integer2 comm created pointer",
        "Comm_spawn",
        "created",
    ),
    Pattern("timed", "other mpi", "comm pointer1 pointer2", "Comm_idup"),
    Pattern("freeing", "other mpi", "freed", "Comm_free Comm_disconnect", "freed"),
)

program = (
    Pattern("initialising", "other mpi", "pointer1 pointer2", "Init", fortran=""),
    Pattern(
        "initialising",
        "other mpi",
        "pointer1 pointer2 integer pointer3",
        "Init_thread",
        fortran="integer pointer3",
    ),
    Pattern("opening_session", "other mpi", "info errhandler session", "Session_init", "session"),
    Pattern("closing_session", "other mpi", "pointer", "Session_finalize"),
    Pattern("finalising", "other mpi", "", "Finalize"),
    Pattern("aborting", "other mpi", "comm integer", "Abort"),
    Pattern("timed", "other mpi", "pointer1 count type pointer2 integer pointer3 comm", "Pack"),
    Pattern("timed", "other mpi", "pointer1 integer1 pointer2 pointer3 count type comm", "Unpack"),
)


def calls() -> dict[str, Pattern]:
    """Every recorded call by its name, without MPI_.

    >>> calls()["Isend"].template
    'starting_send'
    >>> sorted(name for name in calls() if name.endswith("allreduce_init"))
    []
    >>> "Allreduce_init" in calls() and "Ineighbor_alltoallw" in calls()
    True
    """
    patterns = (
        *messages, *requests, *all_collectives(), *one_sided, *files, *communicators, *program
    )  # fmt: skip
    return {name: pattern for pattern in patterns for name in pattern.names.split()}
