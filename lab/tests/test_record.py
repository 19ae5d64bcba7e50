"""The interposer on programs of known messages: every one is found, with its partner and size."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.core.programs import find_program
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.record.run_record import of_derived_type
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.recording import record as command
from halocline_lab.recording.interposer_build import find_mpicc, launchers, sources
from records.told import check_fortran, events, messages_that_arrive, programs, ranks, told


@pytest.fixture(autouse=True, scope="module")
def environment_of_ranks():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in mpi_environment({}).items():
            patch.setenv(name, value)
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


def started(*words, count=ranks):
    """A command on ranks that cannot last for ever."""
    return ["timeout", "100", *mpiexec_command(count), *map(str, words)]


def compiled(source, folder, *options):
    """A program of lab/tests/recorded."""
    program = folder / Path(source).stem
    mpicc = find_mpicc(mpiexec_command(1))
    words = [mpicc, "-g", "-O0", "-Wall", "-Wextra", "-Werror", "-o", program, programs / source]
    subprocess.run([*words, *options], check=True)
    return program


def recorded(words, folder, *options, code=0, others=(), **environment):
    """The record that the command `lab record` writes."""
    path = folder / "a.record"
    command = [sys.executable, "-m", "halocline", "lab", "record", "--output", str(path), *options]
    done = subprocess.run(
        [*command, "--", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **environment},
    )
    assert done.returncode in (code, *others), done.stdout + done.stderr
    assert f"next: halocline lab report {path}\n" in done.stdout
    return read_record(path)


@pytest.fixture(scope="module")
def patterns(tmp_path_factory):
    folder = tmp_path_factory.mktemp("patterns")
    program = compiled("patterns.c", folder, "-pthread")
    return recorded(started(program, folder / "data"), folder)


def test_all_events_are_kept_and_no_rank_is_missing(patterns):
    assert patterns.size == ranks
    assert patterns.about["notes"] == []
    assert patterns.statistics["calls"].sum() == len(patterns.events)


def test_the_steady_part_is_between_init_and_finalize(patterns):
    periods = {"MPI_Init_thread": 0, "MPI_Bcast": 1, "MPI_Finalize": 2}
    for row in patterns.statistics:
        name = patterns.regions[row["region"]].name
        assert row["period"] == periods.get(name, 1)
    for rank in range(ranks):
        own = patterns.of_rank(rank)[patterns.of_rank(rank)["thread"] == 0]
        row = patterns.ranks[rank]
        assert own["end"][0] <= row["steady_begin"] <= own["begin"][1]
        assert own["end"][-2] <= row["steady_end"] <= own["begin"][-1]


def test_ring_with_any_source(patterns):
    for rank in range(ranks):
        sends = events(patterns, "ring", "start send", rank=rank)
        assert told(sends, "partner", "bytes", "tag") == {((rank + 1) % ranks, 80, 3): 5}
        begun = events(patterns, "ring", "start receive", rank=rank)
        assert told(begun, "partner", "bytes") == {(-2, 80): 5}
        ends = events(patterns, "ring", "completion", rank=rank)
        arrived = ends[np.isin(ends["request"], begun["request"])]
        assert told(arrived, "partner", "bytes", "tag") == {((rank - 1) % ranks, 80, 3): 5}
        assert set(ends["request"]) == {*sends["request"], *begun["request"]}


def test_all_pairs_tell_what_arrived(patterns):
    others = {(a, b, 400): 1 for a in range(ranks) for b in range(ranks) if a != b}
    assert told(events(patterns, "all_pairs", "send"), "rank", "partner", "bytes") == others
    assert told(events(patterns, "all_pairs", "receive"), "rank", "partner", "bytes") == others


def test_wait_for_any_finds_who_sent(patterns):
    ends = events(patterns, "any_source", "completion", rank=0)
    expected = {(other, 4 * other, 100 + other): 1 for other in (1, 2, 3)}
    assert told(ends, "partner", "bytes", "tag") == expected


def test_persistent_requests_count_at_each_start(patterns):
    for rank in range(ranks):
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        sends = events(patterns, "persistent", "start send", rank=rank)
        assert told(sends, "partner", "bytes", "tag") == {(right, 24, 5): 8}
        ends = events(patterns, "persistent", "completion", rank=rank)
        assert told(ends, "partner", "bytes") == {(right, 24): 8, (left, 24): 8}
        assert len(set(ends["request"])) == 16


def test_derived_types_have_their_true_size(patterns):
    assert told(events(patterns, "derived", "start send"), "bytes") == {(96,): ranks}
    assert told(events(patterns, "derived", "receive"), "bytes") == {(96,): ranks}


def test_derived_types_have_a_name(patterns):
    names = {one.name for one in patterns.regions if one.name.endswith(of_derived_type)}
    assert names == {"MPI_Isend of derived type"}
    assert not any(one.site.endswith(" in ring") for one in patterns.regions if one.name in names)


def test_send_receive_is_two_messages(patterns):
    for rank in range(ranks):
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        sends = events(patterns, "shift", "start send", rank=rank)
        assert told(sends, "partner", "bytes", "tag") == {(right, 8, 7): 1, (left, 32, 8): 1}
        ends = events(patterns, "shift", "completion", rank=rank)
        arrived = ends[~np.isin(ends["request"], sends["request"])]
        assert told(arrived, "partner", "bytes", "tag") == {(left, 8, 7): 1, (right, 32, 8): 1}
        assert len(events(patterns, "shift", "send receive", rank=rank)) == 2


def test_threads_are_told_apart(patterns):
    for rank in range(ranks):
        sends = events(patterns, "thread", "start send", rank=rank)
        tags = {((rank + 1) % ranks, 20, tag): 20 for tag in (200, 201, 202)}
        assert told(sends, "partner", "bytes", "tag") == tags
        assert all(len(set(sends["thread"][sends["tag"] == tag])) == 1 for tag in (200, 201, 202))
        assert len(set(sends["thread"])) == 3


def test_probed_messages(patterns):
    assert told(events(patterns, "matched", "send"), "partner", "bytes") == {(1, 36): 3}
    received = events(patterns, "matched", "receive", "completion")
    assert told(received, "rank", "partner", "bytes", "tag") == {(1, 0, 36, 9): 3}


def test_communicators_have_one_number_on_all_ranks(patterns):
    members = patterns.about["communicators"]
    assert members[0] == [0, 1, 2, 3]
    for rank in range(ranks):
        sent = events(patterns, "split", "start send", rank=rank)
        assert told(sent, "partner", "tag") == {((rank + 2) % ranks, 10): 1}
        assert sorted(members[sent["communicator"][0]]) == sorted([rank, (rank + 2) % ranks])
        barriers = events(patterns, "split", "collective", rank=rank)
        assert len(barriers) == 20 and len(set(barriers["communicator"])) == 1
        assert barriers["communicator"][0] != sent["communicator"][0]
    between = events(patterns, "split", "send")
    # Key -rank turns the order round: local rank 0 of the even is 2, of the odd is 3.
    assert told(between, "rank", "partner", "tag") == {(2, 3, 12): 1, (0, 1, 12): 1}
    came = events(patterns, "split", "receive")
    assert told(came, "rank", "partner", "tag") == {(3, 2, 12): 1, (1, 0, 12): 1}
    assert set(came["communicator"]) == set(between["communicator"])
    assert len(members) < 12


def test_collectives_tell_what_a_rank_contributes(patterns):
    for rank in range(ranks):
        some = events(patterns, "together", "collective", "start collective", rank=rank)
        names = [patterns.regions[region].name for region in some["region"]]
        found = {
            name: (int(row["bytes"]), int(row["partner"]))
            for name, row in zip(names, some, strict=True)
        }
        assert found == {
            "MPI_Bcast": (80 if rank == 2 else 0, 2),
            "MPI_Gather": (16, 1),
            "MPI_Scatter": (96 if rank == 1 else 0, 1),
            "MPI_Allgather": (32, -1),
            "MPI_Alltoall": (32, -1),
            "MPI_Allgatherv": (8 * (rank + 1), -1),
            "MPI_Alltoallv": (80, -1),
            "MPI_Reduce_scatter": (80, -1),
            "MPI_Iallreduce": (48, -1),
        }
        (end,) = events(patterns, "together", "completion", rank=rank)
        assert end["request"] == some["request"][-1] > 0


def test_neighbours_windows_and_files(patterns):
    exchange = events(patterns, "neighbours", "collective")
    assert told(exchange, "bytes") == {(64,): ranks}
    for rank in range(ranks):
        remote = events(patterns, "windows", "one-sided", rank=rank)
        moved = remote[remote["bytes"] > 0]
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        assert told(moved, "partner", "bytes") == {(right, 48): 1, (left, 16): 1}
    written = events(patterns, "files", "file")
    assert written["bytes"].sum() == 40 * ranks and len(written) == 3 * ranks


def test_many_at_once_and_nobody(patterns):
    for rank in range(ranks):
        ends = events(patterns, "many", "completion", rank=rank)
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        assert told(ends, "partner", "bytes") == {(right, 4): 50, (left, 4): 50}
        assert set(ends["tag"]) == set(range(1000, 1050))
        assert told(events(patterns, "many", "send", rank=rank), "partner", "bytes") == {(-1, 0): 1}


def test_a_cancelled_receive_is_nobodys(patterns):
    for kind in ("start receive", "completion"):
        some = events(patterns, "cancelled", kind)
        assert told(some, "partner", "bytes") == {(-1, 0): ranks}
        assert (some["request"] > 0).all()


def test_every_message_that_leaves_arrives(patterns):
    assert messages_that_arrive(patterns) > 400


def test_why_nothing_is_recorded(tmp_path):
    with pytest.raises(UserError, match="no process of the command called MPI_Init"):
        command.main(options("true", tmp_path))
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-static", "-o", "still", "a.c"], cwd=tmp_path, check=True)
    with pytest.raises(UserError, match="linked statically"):
        command.main(options(str(tmp_path / "still"), tmp_path))
    assert command.main(options("false", tmp_path)) == 1
    with pytest.raises(UserError, match="cannot be run"):
        command.main(options(str(tmp_path / "a.c"), tmp_path))
    with pytest.raises(UserError, match="No folder can be made"):
        command.main(options("true", tmp_path / "nowhere"))
    assert list(tmp_path.glob(".*")) == []


def test_a_cache_that_cannot_be_preloaded_from(tmp_path, monkeypatch):
    library = tmp_path / "with space" / "interposer.so"
    monkeypatch.setattr(command, "interposer", lambda _: library)
    with pytest.raises(UserError, match="a space or a colon"):
        command.record(["true"], tmp_path / "a")


def options(program, folder):
    class Given:
        headers, threads, mpicc, events, sample, flags = False, True, None, None, None, None
        output, words = str(folder / "b.record"), ["--", program]

    return Given


def test_mpi_that_cannot_be_compiled_for(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="There is no 'no-such-mpicc'"):
        command.record(["true"], tmp_path / "a", mpicc="no-such-mpicc")
    only = tmp_path / "bin"
    only.mkdir()
    (only / "mpicc").write_text("#!/bin/sh\necho -I/nowhere\n")
    (only / "mpicc").chmod(0o755)
    with pytest.raises(UserError, match=r"No mpi\.h found.*knows of none"):
        command.record(["true"], tmp_path / "a", mpicc=str(only / "mpicc"))
    monkeypatch.setenv("PATH", str(only))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(UserError, match=r"No C\+\+ compiler found"):
        command.record(["true"], tmp_path / "a")


def test_mpicc_is_taken_from_beside_the_launcher(tmp_path):
    for name in ("mpiexec", "mpicc"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    found = find_mpicc(["timeout", "9", str(tmp_path / "mpiexec"), "-n", "2", "./a"])
    assert found == str(tmp_path / "mpicc")
    assert "mpiexec" in launchers and find_program("mpicc")


def test_fortran_symbols_are_wrapped_and_count_once(tmp_path):
    library = compiled("fake_fortran.c", tmp_path, "-fPIC", "-shared")
    library.rename(tmp_path / "libfake.so")
    program = compiled(
        "fortran_calls.c", tmp_path, f"-L{tmp_path}", "-lfake", f"-Wl,-rpath,{tmp_path}"
    )
    check_fortran(recorded(started(program), tmp_path))


def test_sessions(tmp_path):
    record = recorded(started(compiled("session.c", tmp_path), count=3), tmp_path)
    for rank in range(3):
        sends = events(record, "ring", "start send", rank=rank)
        assert told(sends, "partner", "bytes") == {((rank + 1) % 3, 8): 1}
    assert "uses sessions" in record.about["notes"][0]


def test_the_benchmarks_of_mpi4py(tmp_path):
    words = [sys.executable, "-m", "mpi4py.bench", "ringtest", "-n", "1000", "-l", "50"]
    record = recorded(started(*words, count=3), tmp_path)
    assert record.about["program"] == "mpi4py.bench"
    for rank in range(3):
        sends = events(record, "ring", "send", rank=rank)
        assert told(sends, "partner", "bytes", "tag") == {((rank + 1) % 3, 1000, 0): 50}
        came = events(record, "ring", "receive", rank=rank)
        assert told(came, "partner", "bytes", "tag") == {((rank - 1) % 3, 1000, 0): 50}
        assert len(events(record, "ringtest", "collective", rank=rank)) == 1


def test_python_lines_are_known_and_steps_are_marked(tmp_path):
    script = programs / "calls.py"
    record = recorded(started(sys.executable, script, sources / "regions", count=3), tmp_path)
    assert record.about["program"] == "calls.py"
    for rank in range(3):
        sends = events(record, "ring", "start send", rank=rank)
        assert told(sends, "partner", "bytes") == {((rank + 1) % 3, 80): 6}
        assert len(events(record, "objects", "send", rank=rank)) == 1
        came = events(record, "objects", "receive", rank=rank)
        assert told(came, "partner", "tag") == {((rank - 1) % 3, 4): 1}
        assert record.steps[record.steps["rank"] == rank]["step"].tolist() == [0, 1, 2, 3, 4, 5]
    lines = script.read_text().splitlines()
    (line,) = {
        one.site for one in record.regions if one.name == "MPI_Isend" and one.kind == "start send"
    }
    number = int(line.removeprefix("calls.py:").removesuffix(" in ring"))
    assert "world.Isend" in lines[number - 1]
    inside = [one.name for one in record.regions if one.kind == "phase"]
    assert inside == ["step", "exchange"]


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marked")
    return compiled("marked.c", folder, f"-I{sources / 'regions'}")


def test_regions_and_steps_of_c(marked, tmp_path):
    record = recorded(started(marked, count=2), tmp_path)
    phases = {one.name: at for at, one in enumerate(record.regions) if one.kind == "phase"}
    calls = record.statistics[record.statistics["rank"] == 0]
    found = {
        (name, int(row["period"])): int(row["calls"])
        for name, at in phases.items()
        for row in calls[calls["region"] == at]
    }
    assert found == {("start", 0): 1, ("step", 1): 6, ("outer", 1): 6, ("inner", 1): 6}
    inner = record.of_rank(0)[record.of_rank(0)["region"] == phases["inner"]][0]
    outer = record.of_rank(0)[record.of_rank(0)["region"] == phases["outer"]][0]
    assert outer["begin"] <= inner["begin"] <= inner["end"] <= outer["end"]
    for rank in range(2):
        steps = record.steps[record.steps["rank"] == rank]
        assert len(steps) == 6 and len(set(steps["signature"])) == 1


def test_a_script_with_two_programs_leaves_two_records(marked, tmp_path):
    lines = [" ".join(started(marked, count=count)) for count in (1, 2)]
    first = recorded(["bash", "-c", "; ".join(lines)], tmp_path)
    second = read_record(tmp_path / "a-2.record")
    assert (first.size, second.size) == (1, 2)


def test_marks_do_nothing_without_the_recorder(marked):
    done = subprocess.run(started(marked, count=2), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("end", "code", "present", "words"),
    [
        ("exit", 5, 1, "ended without MPI_Finalize"),
        ("abort", 6, 1, "called MPI_Abort"),
    ],
)
def test_a_program_that_dies_leaves_what_is_whole(marked, tmp_path, end, code, present, words):
    # Open MPI 5's own launcher crashes after some MPI_Abort: in 10 of 599 runs without a recorder.
    others = (139,) if end == "abort" else ()
    record = recorded(started(marked, end, count=3), tmp_path, code=code, others=others)
    assert present in record.ranks["rank"]
    notes = " ".join(record.about["notes"])
    assert f"Rank 1 {words}" in notes
    assert len(record.ranks) == 3 or "left no part of the record" in notes
    assert len(events(record, "exchange", "send receive", rank=1)) == 7


@pytest.mark.parametrize(
    ("end", "code", "words"),
    [
        ("_exit", 7, r"Ranks? .*1.* ended by _exit"),
        ("SIGKILL", 137, r"Ranks? .*1.* ended without MPI_Finalize and without a word"),
        ("SIGSEGV", 139, r"Rank 1 was ended by SIGSEGV \(segmentation fault\)"),
    ],
)
def test_a_killed_rank_and_the_others_leave_what_they_did(
    marked, tmp_path, capfd, end, code, words
):
    given = options(str(marked), tmp_path)
    given.words = started(marked, end, count=3)
    assert command.main(given) == code
    said = capfd.readouterr().out
    assert re.search(words, said) and "Is it an MPI program" not in said
    assert f"the command ended with code {code}" in said
    check_ended(read_record(tmp_path / "b.record"), 3)
    assert list(tmp_path.glob(".*")) == []


def check_ended(record, size):
    """All that ranks of marked.c did before their end is there."""
    assert record.ranks["rank"].tolist() == list(range(size))
    assert (record.ranks["end"] >= record.ranks["steady_end"]).all()
    for rank in range(size):
        assert len(events(record, "exchange", "send receive", rank=rank)) == 7
        assert record.steps[record.steps["rank"] == rank]["step"].tolist() == [0, 1, 2, 3, 4, 5]


def told_all(marked, file, number):
    """What is said where a recorder and mpiexec get a signal while rank 1 waits in a barrier."""
    words = [sys.executable, "-m", "halocline", "lab", "record", "--output", file]
    process = subprocess.Popen(
        [*words, "--", *mpiexec_command(2), marked, "waiting"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "waiting\n"
    time.sleep(0.5)
    os.killpg(process.pid, number)
    said, _ = process.communicate(timeout=240)
    assert process.returncode not in (0, None)
    assert "ended by SIG" in said and "halocline lab report" in said
    return said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_all_leaves_the_record(marked, tmp_path, number):
    """Open MPI's launcher kills all at once when the first has ended: the first takes its time."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        said = told_all(marked, tmp_path / "a.record", number)
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert "without a word" not in said
    record = read_record(tmp_path / "a.record")
    check_ended(record, 2)
    (barrier,) = events(record, "main", "collective", rank=1)  # what it was in at its end
    assert barrier["end"] == record.ranks["end"][1]
    assert barrier["end"] - barrier["begin"] > 50_000_000


def test_forked_children_change_nothing(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text(
        "import os, signal\n"
        "from mpi4py import MPI\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    MPI.COMM_SELF.Barrier()\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "os.waitpid(child, 0)\n"
        "MPI.COMM_WORLD.Barrier()\n"
    )
    record = recorded(started(sys.executable, script, count=2), tmp_path)
    barriers = [row for row in record.statistics if "Barrier" in record.regions[row["region"]].name]
    assert [row["calls"] for row in barriers] == [1, 1]
    assert record.about["notes"] == []


@pytest.mark.parametrize("pieces", [0, 1])
def test_a_full_disk_does_not_stop_the_program(tmp_path, pieces):
    compiled("full_disk.c", tmp_path, "-fPIC", "-shared", "-ldl").rename(tmp_path / "disk.so")
    around = {"LD_PRELOAD": str(tmp_path / "disk.so"), "FULL_DISK_AFTER": str(pieces)}
    words = [sys.executable, "-m", "mpi4py.bench", "ringtest", "-n", "10", "-l", "6000"]
    record = recorded(started(*words, count=2), tmp_path, **around)
    for rank in range(2):
        assert len(events(record, "ring", "send", rank=rank)) == 6000
    assert record.about["notes"] == []


def test_one_clock_for_all_nodes(marked, tmp_path):
    clock = compiled("skewed_clock.c", tmp_path, "-fPIC", "-shared", "-ldl")
    clock.rename(tmp_path / "clock.so")
    record = recorded(started(marked), tmp_path, LD_PRELOAD=str(tmp_path / "clock.so"))
    assert record.about["hosts"] == ["node0", "node1", "node2", "node3"]
    begins = record.ranks["begin"]
    assert begins.max() - begins.min() < 2e9  # not the seconds that are between the clocks
    both = events(record, "exchange", "send receive")
    for round_of_all in range(7):
        rows = [both[both["rank"] == rank][round_of_all] for rank in range(ranks)]
        for rank in range(ranks):  # nobody is done before what he gets was sent
            assert rows[rank]["end"] > rows[(rank - 1) % ranks]["begin"] - 1_000_000_000


def test_threads_of_openmp(tmp_path):
    program = compiled("team.c", tmp_path, "-fopenmp")
    record = recorded(started(program, count=1), tmp_path)
    kinds = record.kinds_of(record.events["region"])
    teams = record.events[kinds == "threads"]
    assert told(teams, "thread") == {(0,): 3, (1,): 3}
    waits = record.events[kinds == "thread wait"]
    assert told(waits, "thread") == {(0,): 3, (1,): 3}
    first = {int(row["thread"]): row["end"] - row["begin"] for row in waits[::-1]}
    length = {int(row["thread"]): row["end"] - row["begin"] for row in teams[::-1]}
    assert first[0] > 0.9 * length[0] or first[1] > 0.9 * length[1]
    (barrier,) = record.events[kinds == "collective"]
    outer = [t for t in teams if t["thread"] == 0 and t["begin"] <= barrier["begin"] <= t["end"]]
    assert len(outer) == 1

    without = recorded(started(program, count=1), tmp_path, "--no-threads")
    assert not any(one.kind == "threads" for one in without.regions)


def test_copies_of_libgomp_keep_their_own_calls(tmp_path):
    asked = ["gcc", "-print-file-name=libgomp.so.1"]
    found = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    copy = tmp_path / "libgomq.so.1"
    copy.write_bytes(found.read_bytes().replace(b"libgomp.so.1\0", b"libgomq.so.1\0"))
    source = programs / "own_team.c"
    common = ["gcc", "-shared", "-fPIC", "-fopenmp", "-g"]
    first, second = tmp_path / "first.so", tmp_path / "second.so"
    subprocess.run([*common, "-o", first, source], check=True)
    alone = tmp_path / "alone.o"
    subprocess.run(["gcc", "-c", "-fPIC", "-fopenmp", "-g", "-o", alone, source], check=True)
    own = ["-o", second, alone, copy, f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["gcc", "-shared", *own], check=True)
    program = compiled("two_copies.c", tmp_path, "-ldl")
    record = recorded(started(program, first, second, count=1), tmp_path)
    teams = record.events[record.kinds_of(record.events["region"]) == "threads"]
    assert len(teams) == 3 + 2 + 3
    sites = {record.regions[region].site for region in teams["region"]}
    assert sites == {"own_team.c:8 in team_size"}


def test_two_builds_at_once_give_one_interposer(tmp_path):
    compiler = tmp_path / "slow"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in\n*-shared*) for word; do last=$before; before=$word; '
        '[ "$last" = -o ] && sleep 0.5 && echo made > $word; done;;\n*) exec c++ "$@";;\nesac\n'
        "exit 0\n"
    )
    compiler.chmod(0o755)
    words = "from halocline_lab.recording.interposer_build import find_library, interposer\n"
    words += "print(interposer(find_library(['mpiexec'])))"
    around = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "CXX": str(compiler)}
    command = [sys.executable, "-c", words]
    both = [
        subprocess.Popen(command, env=around, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    places = {process.communicate()[0].strip() for process in both}
    assert len(places) == 1
    place = Path(places.pop())
    assert place.read_text() == "made\n"
    assert [one.name for one in place.parents[1].iterdir()] == [place.parent.name]
