"""Two pytest share the files of some rooms; the others wait; nothing gets lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: one pytest")

conftest = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import two_at_a_time

def pytest_addoption(parser):
    two_at_a_time.add_option(parser)

def pytest_configure(config):
    two_at_a_time.configure(config)
"""

meeting = """
import os, pathlib, time

def meet(mine, other):
    pathlib.Path(mine).write_text(str(os.getpid()))
    end = time.monotonic() + 60
    while not pathlib.Path(other).exists():
        assert time.monotonic() < end, "nobody came"
        time.sleep(0.01)

def is_second():
    return pathlib.Path(f"/proc/{os.getpid()}/cmdline").read_bytes().count(b"--second-in=")
"""


def outcome(folder, one, two="pass", *options):
    """Two shared files whose tests wait for each other, and then do what is told; and a third."""
    (folder / "conftest.py").write_text(conftest)
    (folder / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
    for name in ("grids", "waves", "gpu"):
        (folder / "tests" / name).mkdir(parents=True)
    body = "{}\ndef test_meets():\n    meet({!r}, {!r})\n    {}\n\ndef test_after():\n    pass\n"
    (folder / "tests/grids/test_one.py").write_text(body.format(meeting, "one", "two", one))
    (folder / "tests/waves/test_two.py").write_text(body.format(meeting, "two", "one", two))
    (folder / "tests/gpu/test_alone.py").write_text(
        "import pathlib\ndef test_alone():\n    pathlib.Path('alone').touch()\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout


def test_files_are_shared_and_reported_once(tmp_path):
    code, said = outcome(tmp_path, "pass")
    assert code == 0, said
    assert (tmp_path / "one").read_text() != (tmp_path / "two").read_text()
    assert (tmp_path / "alone").exists()
    names = [line.split()[0] for line in said.splitlines() if line.startswith("tests/")]
    assert names[-1] == "tests/gpu/test_alone.py"
    assert sorted(names[:2]) == ["tests/grids/test_one.py", "tests/waves/test_two.py"]
    assert said.splitlines()[-1].strip("= ").startswith("5 passed in")


def test_ranks_of_tests_know_of_no_launcher_but_their_own(tmp_path):
    """The second pytest ends with the first, as mpiexec does: a rank that ends would signal it."""
    knows = "assert 'HALOCLINE_LAUNCHER' not in os.environ"
    code, said = outcome(tmp_path, knows, knows)
    assert code == 0, said


def test_nothing_may_be_left_for_one_alone(tmp_path):
    code, said = outcome(tmp_path, "pass", "pass", "-k", "meets")
    assert code == 0, said
    assert said.splitlines()[-1].strip("= ").startswith("2 passed, 3 deselected in")


def test_failures_of_both_are_told_with_their_output(tmp_path):
    code, said = outcome(tmp_path, "print('from one'); assert 1 == 3", "print('from two'); 1 / 0")
    assert code == 1
    assert "assert 1 == 3" in said and "ZeroDivisionError" in said
    assert "from one" in said and "from two" in said
    assert said.splitlines()[-1].strip("= ").startswith("2 failed, 3 passed in")


def test_why_tests_of_both_are_skipped_is_told(tmp_path):
    skips = "import pytest; pytest.skip('no ' + str(is_second()))"
    code, said = outcome(tmp_path, skips, skips, "-ra")
    assert code == 0, said
    assert "no 0" in said and "no 1" in said
    assert said.splitlines()[-1].strip("= ").startswith("3 passed, 2 skipped in")


def test_a_failure_of_the_second_ends_a_run_that_ends_with_the_first_failure(tmp_path):
    fails = "assert not is_second()"
    code, said = outcome(tmp_path, fails, fails, "-x")
    assert code == 1 and "stopping after 1 failures" in said
    assert not (tmp_path / "alone").exists()


def test_the_death_of_the_second_is_told(tmp_path):
    dies = "print('farewell') or is_second() and os._exit(7)"
    code, said = outcome(tmp_path, dies, dies)
    assert code == 1 and "The second pytest ended with code 7" in said
    assert not (tmp_path / "alone").exists()
