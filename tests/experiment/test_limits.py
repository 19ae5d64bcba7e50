"""Limits of the system too low for ranks: one message before anything starts."""

import resource
import subprocess
import sys

import pytest

from halocline.experiment import exit_codes
from halocline.experiment.limits import limits_in_force


@pytest.mark.parametrize(
    "which, limit, words",
    [
        (resource.RLIMIT_FSIZE, 200_000, "A file may have 200 kB at most here (ulimit -f)"),
        (resource.RLIMIT_FSIZE, 0, "A file may have 0 bytes at most here (ulimit -f)"),
        (resource.RLIMIT_NOFILE, 20, "Only 20 files may be open at a time here (ulimit -n)"),
    ],
)
def test_a_limit_too_low_for_ranks_is_said(tmp_path, which, limit, words):
    small = ["--set", "time.length=1h", "--set", "output.servers.count=0"]
    done = subprocess.run(
        [sys.executable, "-m", "halocline", "run", "duration-limited", "-n", "2", *small],
        preexec_fn=lambda: resource.setrlimit(which, (limit, limit)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == exit_codes.user_error, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr and "-n 1" in done.stderr


def test_limits_are_suspects():
    before = resource.getrlimit(resource.RLIMIT_CPU)
    words = limits_in_force()
    resource.setrlimit(resource.RLIMIT_CPU, (100_000, before[1]))
    try:
        assert "processor time (ulimit -t)" in limits_in_force()
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)
    assert limits_in_force() == words
