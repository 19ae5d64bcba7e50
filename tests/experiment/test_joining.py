"""Programs in C, Fortran and Python that compute a member of a run. Ranks: 2 and 3."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
import tomli_w

from experiment.slab_sea import example, in_restart, table, with_our_sea
from halocline.experiment import exit_codes, launching
from halocline.experiment.command_line import main
from halocline.experiment.run import run
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command, rank_command
from meta.small_case import obedient
from named_programs import where_installed

limit = 60.0
"""Time within which every run here ends, also one that fails [s]."""

last = "restart_20000103T000000.slab.safetensors"


@pytest.fixture
def folder(tmp_path):
    """The example, of two days."""
    shutil.copytree(example, tmp_path / "slab")
    (tmp_path / "slab" / "case.toml").write_text(tomli_w.dumps(table()))
    return tmp_path / "slab"


def compiled(folder, *words):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "halocline", "compile", *map(str, words)],
        cwd=folder, capture_output=True, text=True, timeout=limit,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stderr


def begin(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "halocline", *words],
        cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"}, preexec_fn=obedient,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finished(process):
    """Code, output and errors of a run, which ends in time."""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err


def run_program(folder, command, *words, ranks=2):
    settings = {"program.command": command, "ranks": ranks}
    changes = [f"--set=members.slab.{name}={value}" for name, value in settings.items()]
    started = begin(folder, "run", ".", "-n", str(ranks + 1), "--output", "out", *changes, *words)
    return finished(started)


def state(path):
    """All that the sea knows at the end, to the bit."""
    return [in_restart(path / last, name) for name in ("surface_temperature", "heat_flux_into_sea")]


def changed(folder, name, *changes):
    """A program of the example with other lines."""
    text = (folder / name).read_text()
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    (folder / name).write_text(text)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """What a member of our own computes, in this process."""
    out = tmp_path_factory.mktemp("ours")
    run(with_our_sea(), output=out)
    return state(out)


def test_programs_are_short():
    for program in ("slab.c", "slab.f90", "slab.py"):
        assert len((example / program).read_text().splitlines()) < 150


def test_c_computes_the_same_bits(folder, ours):
    compiled(folder, "gcc", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "slab.c", "-o", "slab")
    code, out, err = run_program(folder, "./slab")
    assert code == exit_codes.done, err
    assert "slab: 16 steps to 2000-01-03 00:00" in out and "waited" in out
    assert state(folder / "out") == ours


def test_fortran_computes_the_same_bits(folder, ours):
    """Where there is a compiler: Debian's is no wheel, and none of the index is newer than 2020."""
    compiler = where_installed("gfortran")
    if compiler:
        compiled(folder, compiler, "-O2", "-ffp-contract=off", "-c", "slab.f90")
        compiled(folder, compiler, "slab.o", "-o", "slab")
        code, _, err = run_program(folder, "./slab")
        assert code == exit_codes.done, err
        assert state(folder / "out") == ours


def test_python_computes_the_same_bits_when_a_user_starts_it(folder, ours):
    """One rank after those of halocline, whose command alone tells of the case."""
    text = tomli_w.dumps(turned(table()))
    (folder / "case.toml").write_text(text)
    words = rank_command("halocline", "run", ".", "--output", "out", "--quiet")
    command = [*mpiexec_command(1), *words, ":", "-n", "1", sys.executable, "slab.py"]
    done = subprocess.run(
        command, cwd=folder, env=mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"}),
        capture_output=True, text=True, timeout=limit,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert state(folder / "out") == ours


def test_a_program_that_a_user_starts_and_that_never_joins_ends_the_start(folder):
    """In time and with one message, where it has begun MPI."""
    (folder / "silent.py").write_text(
        "import time\nfrom mpi4py import MPI\nassert MPI.COMM_WORLD.size == 3\ntime.sleep(60)\n"
    )
    (folder / "patient.py").write_text(
        "import sys\nfrom halocline.experiment import command_line, launching\n"
        "launching.patience = 3.0\nsys.exit(command_line.main())\n"
    )
    words = [sys.executable, "patient.py", "run", ".", "--output", "out", "--quiet"]
    command = [*mpiexec_command(2), *words, ":", "-n", "1", sys.executable, "silent.py"]
    (folder / "case.toml").write_text(tomli_w.dumps(turned(table())))
    done = subprocess.run(
        command, cwd=folder, env=mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"}),
        capture_output=True, text=True, timeout=limit,
    )  # fmt: skip
    assert done.returncode == exit_codes.user_error
    assert done.stderr.count("has not joined it within 3 s: it has ended, or") == 1
    assert "Traceback" not in done.stderr


def turned(found):
    """The same members in another order, the program on one rank."""
    members = found["members"]
    members["slab"]["ranks"] = 1
    found["members"] = {"fluxes": members["fluxes"], "slab": members["slab"]}
    found["schedule"] = {"order": ["slab", "fluxes"]}
    return found


killed = """
    while (halocline_step()) {
        if (!halocline_restarted() && halocline_rank() == 1 && halocline_seconds() > 100000.0)
            raise(SIGKILL);"""


def test_a_killed_program_ends_all_and_its_restart_is_good(folder, ours):
    """It goes on from there on another number of ranks, and has the bits of an unbroken run."""
    step = "\n  while (halocline_step()) {"
    changed(folder, "slab.c", (step, killed), ("#include <stdlib.h>", more_headers))
    compiled(folder, "gcc", "-O2", "-ffp-contract=off", "slab.c", "-o", "slab")
    code, _, err = run_program(folder, "./slab")
    assert code == exit_codes.internal_error
    assert err.count("halocline:") == 1 and "a rank ended without a word" in err
    assert not (folder / "out" / last).exists()
    changed(folder / "out", "halocline.toml", ("ranks = 2", "ranks = 1"))
    code, out, err = finished(begin(folder, "resume", "out", "-n", "2"))
    assert code == exit_codes.done, err
    assert "slab: 7 steps" not in out and state(folder / "out") == ours


more_headers = "#include <signal.h>\n#include <stdlib.h>"
leaving = "        if (halocline_seconds() > 100000.0) "
body = '    halocline_take("heat_flux_into_sea"'

faults = {
    "not-finite": (
        body,
        "        temperature[0] = halocline_seconds() > 100000.0 ? 0.0 / 0.0 : 1.0;\n" + body,
        "Member 'slab': The program gave -?nan for 'surface_temperature' at 2000-01-02 09:00, in"
        " row 0 and column 0 .from 0., x 5, y -55. Its last restart is 'restart_20000102T000000",
    ),
    "ends": (
        body, f"{leaving}break;\n{body}",
        "Member 'slab': Its program ended at 2000-01-02 06:00, before the run did.*Its last",
    ),
    "leaves": (
        body, f"{leaving}return 3;\n{body}",
        "Member 'slab': Its program ended at 2000-01-02 06:00, before the run did.*Its last",
    ),
    "units": (
        '"W m-2"', '"m s-1"',
        "Member 'slab': The program takes 'heat_flux_into_sea' in m s-1, which does not convert to"
        " W m-2",
    ),
    "name": (
        'gives("surface_temperature"', 'gives("surface_temperatures"',
        "Member 'slab': The program names 'surface_temperatures', but program.gives does not name"
        " it: it has surface_temperature. Did you mean 'surface_temperature'?",
    ),
    "member": (
        'join("slab")', 'join("slap")',
        "Rank 0 has to run the program of 'slab', and runs the program of 'slap'. Start the ranks"
        " in the order of their members: mpiexec -n 2 .*/slab : -n 1 halocline run",
    ),
}  # fmt: skip
slow = ("ends", "units", "name", "member")


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=[pytest.mark.slow] * (name in slow)) for name in faults]
)
def test_one_message_ends_all(folder, fault):
    before, after, words = faults[fault]
    changed(folder, "slab.c", (before, after))
    compiled(folder, "gcc", "-O2", "slab.c", "-o", "slab")
    begun = time.monotonic()
    code, _, err = run_program(folder, "./slab", "--quiet")
    assert code == exit_codes.user_error
    said = [line for line in err.splitlines() if line.startswith("halocline:")]
    assert len(said) == 1
    assert re.search(words, said[0]), said
    assert time.monotonic() - begun < limit


of_its_own = """
  MPI_Init(NULL, NULL);
  halocline_join("slab");
  int size;
  MPI_Comm_size(MPI_Comm_f2c(halocline_communicator()), &size);
  if (size != halocline_ranks()) return 4;"""


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, True], ids=["in-the-end", "early"])
def test_a_program_may_begin_mpi_itself(folder, ours, early):
    """What ends MPI before the run ends is noticed before all wait for each other there."""
    changed(folder, "slab.c", ('\n  halocline_join("slab");', of_its_own), ("free(heat);", ending))
    changed(folder, "slab.c", ("#include <stdlib.h>", "#include <mpi.h>\n#include <stdlib.h>"))
    if early:
        changed(folder, "slab.c", (body, f"{leaving}return MPI_Finalize();\n{body}"))
    compiled(folder, "mpicc", "-O2", "-ffp-contract=off", "slab.c", "-o", "slab")
    code, _, err = run_program(folder, "./slab", "--quiet")
    if early:
        assert code == exit_codes.user_error and re.search(faults["ends"][2], err)
    else:
        assert code == exit_codes.done and state(folder / "out") == ours


ending = "free(heat);\n  MPI_Finalize();"


@pytest.mark.slow
def test_a_signal_stops_a_program_cleanly(folder):
    """It is told that there are no more steps, and the run can go on."""
    compiled(folder, "gcc", "slab.c", "-o", "slab")
    words = ("run", ".", "-n", "3", "--output", "out", "--set", "time.length=100000d")
    process = begin(folder, *words)
    deadline = time.monotonic() + limit
    while not (folder / "out" / last).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    code, out, err = finished(process)
    assert code == exit_codes.stopped, err
    assert "stopped by a signal" in out and "Traceback" not in err


@pytest.mark.parametrize("command", ["/bin/true", "/bin/sleep 1000"])
def test_a_program_that_never_joins_is_not_waited_for(folder, monkeypatch, capfd, command):
    monkeypatch.setattr(launching, "patience", 2.0)
    begun = time.monotonic()
    setting = f"members.slab.program.command={command}"
    code = main(["run", str(folder), "-n", "3", "--output", str(folder / "out"), "--set", setting])
    assert code == exit_codes.user_error and time.monotonic() - begun < limit
    told = capfd.readouterr().err
    assert told.count("halocline:") == 1
    assert "A program of this run has not joined it within 2 s: it has ended, or" in told


two = """
import sys, numpy as np, halocline
give, units, take, other = {
    "one": ("moss", "percent", "surface_temperature", "K"),
    "two": ("surface_temperature", "degree_C", "moss", "1"),
}[sys.argv[1]]
run = halocline.join(sys.argv[1])
run.cells(np.arange(24).reshape(4, 6))
run.gives(give, units)
run.takes(take, other)
values = np.arange(24.0)
run.put(give, values)
while run.step():
    print(sys.argv[1], run.seconds, run.take(take)[3].round(6), flush=True)
    values = values + 1
    run.put(give, values)
run.end()
"""


def test_two_programs_give_each_other_a_quantity_of_their_own(tmp_path):
    """No rank is halocline's: the programs are told of the case; the second is lagged."""
    grid = {"nx": 6, "ny": 4, "x0": 10.0, "y0": 20.0, "dx": 1.0, "dy": 1.0, "closed_edges": False}
    quantities = {"moss": {"units": "percent", "standard_name": "moss_area_fraction"}}

    def member(name, give, take):
        program = {
            "command": f"{sys.executable} two.py {name}", "gives": [give], "takes": [take],
            "quantities": quantities,
        }  # fmt: skip
        return {
            "component": "program", "precision": "float64", "ranks": 1, "grid": grid,
            "program": program,
        }  # fmt: skip

    there, back = "surface_temperature", "moss"
    found = {
        "time": {"start": "2000-01-01T00:00:00", "length": "3h", "step": "1h"},
        "members": {"one": member("one", back, there), "two": member("two", there, back)},
        "exchanges": {
            "a": {"source": "one", "target": "two", "fields": [back], "path": "serial"},
            "b": {"source": "two", "target": "one", "fields": [there], "lagged": True},
        },
    }
    (tmp_path / "case.toml").write_text(tomli_w.dumps(found))
    (tmp_path / "two.py").write_text(two)
    code, out, err = finished(begin(tmp_path, "run", ".", "-n", "2", "--output", "out", "--quiet"))
    assert code == exit_codes.done, err
    said = sorted(line for line in out.splitlines() if line.startswith(("one ", "two ")))
    times = 0.0, 3600.0, 7200.0
    assert said == [f"one {time} {276.15 + n}" for n, time in enumerate(times)] + [
        f"two {time} {(4 + n) / 100}" for n, time in enumerate(times)
    ]


def test_the_command_that_starts_all_is_told(folder, capsys):
    assert main(["plan", str(folder), "-n", "4", "--set", "members.slab.ranks=3"]) == 0
    assert "\nmpiexec -n 3 ./slab : -n 1 halocline run " in capsys.readouterr().out
    assert main(["run", str(folder), "-n", "3"]) == exit_codes.user_error
    assert "Member 'slab': there is no program './slab'" in capsys.readouterr().err
    assert main(["run", str(folder), "-n", "2"]) == exit_codes.user_error
    assert "ask for more ranks than there are" in capsys.readouterr().err


def test_what_is_compiled_is_shown(capsys):
    assert main(["compile", "--show", "gcc", "-O3", "my.c", "-o", "my"]) == 0
    words = capsys.readouterr().out.split()
    assert words[0].endswith("gcc") and {"-O3", "my.c", "-o", "my"} < set(words)
    assert main(["compile", "gfortrans", "my.f90"]) == exit_codes.user_error
    assert "There is no compiler 'gfortrans' on PATH" in capsys.readouterr().err
    assert main(["compile"]) == exit_codes.user_error
