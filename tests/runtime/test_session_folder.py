import os
import subprocess

import pytest

from halocline.runtime.ranks.launch import can_start_ranks, mpi_environment, mpiexec_command
from halocline.runtime.ranks.session_folder import remove_leftovers, session_folder

pytestmark = pytest.mark.skipif(not can_start_ranks(), reason="no mpiexec")

left_by_the_dead = """
mkdir -p "$TMPDIR/ompi.$$"
for name in tool "tool.$$"; do echo old > "$TMPDIR/ompi.$$/pmix.$(uname -n).$name"; done
exec "$@"
"""


def test_a_process_number_of_a_killed_launcher_can_come_again(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    command = ["sh", "-c", left_by_the_dead, "sh", *mpiexec_command(1), "true"]
    environment = mpi_environment() | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_dead_left_is_removed_and_the_living_keep_theirs(tmp_path):
    ended = subprocess.Popen(["true"])
    ended.wait()
    names = {"dead": f"ompi.{ended.pid}", "alive": f"ompi.{os.getpid()}", "other": "ompi.vm.1000"}
    for name in names.values():
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {names["alive"], names["other"]}


def test_a_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = session_folder()
    assert folder is not None and folder.stat().st_mode & 0o777 == 0o700
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert session_folder() is None
