"""Tests that judge no time run two at a time: a second pytest shares their files.

All other tests measure time, or start more ranks than two at a time bear. They have the cores for
themselves, after the shared files. The first pytest reports what the second has run, file by file,
as if it had run it itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import tethered
from halocline.runtime.ranks.threads import set_threads
from halocline_lab import _native

shared = (
    *(
        f"tests/{room}/"
        for room in (
            "meta",
            "docs",
            "invariance",
            "experiment",
            "runtime",
            "ocean",
            "atmosphere",
            "waves",
            "component",
            "analysis",
            "biogeochemistry",
            "living_ocean",
            "submission",
            "link",
            "coupler",
            "numerics",
        )
    ),
    "lab/tests/",
    *(f"tests/{room}/" for room in ("kernels", "grids", "core")),
)
"""How the names of shared files begin; what takes longest first."""

alone = tuple(
    f"{room}/test_{name}.py"
    for room, names in {
        "tests/meta": ("install", "mutations"),
        "tests/atmosphere": ("step_work",),
        "tests/runtime": (
            "every_way",
            "halo_choices",
            "ranks",
            "recording",
            "referee",
            "sum_variants",
        ),
        "lab/tests": (
            "calls",
            "faults",
            "noise",
            "peak",
            "platform_measure",
            "processors",
            "recorder",
            "site_runs",
            "stream",
            "sums",
        ),
    }.items()
    for name in names
)
"""Files of shared rooms that are not shared."""

option = "--second-in"

expected_codes = {
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
}


def add_option(parser: pytest.Parser) -> None:
    """The option with which the first pytest starts the second."""
    parser.addoption(option, metavar="FOLDER", help="(how ./halo test starts a second pytest)")


def configure(config: pytest.Config) -> None:
    """Two share a whole run; files that are named are run by one."""
    if folder := config.getoption(option):
        os.environ.pop("HALOCLINE_LAUNCHER", None)  # itself: ranks of tests would signal it
        config.pluginmanager.register(Second(config, Path(folder)))
    elif (
        config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and not (config.option.collectonly or config.option.usepdb)
        and len(os.sched_getaffinity(0)) > 1
    ):
        config.pluginmanager.register(First(config))


def is_shared(test: pytest.Item) -> bool:
    """Whether a test stands in a shared file."""
    return test.nodeid.startswith(shared) and not test.nodeid.startswith(alone)


def taken(folder: Path, tests: list[pytest.Item]) -> Iterator[list[pytest.Item]]:
    """The tests of each shared file that the other has not taken."""
    files: dict[str, list[pytest.Item]] = {}
    for test in filter(is_shared, tests):
        files.setdefault(test.nodeid.partition("::")[0], []).append(test)
    order = [file for start in shared for file in files if file.startswith(start)]
    for number, file in enumerate(order):
        try:
            (folder / str(number)).mkdir()
        except FileExistsError:
            continue
        yield files[file]


@contextmanager
def one_core() -> Iterator[None]:
    """Kernels have one thread, and ranks that wait give way to the other pytest's."""
    threads, polite = _native.threads(), {"OMPI_MCA_mpi_yield_when_idle": "true"}
    set_threads(1)
    os.environ.update(polite)
    try:
        yield
    finally:
        for name in polite:
            del os.environ[name]
        set_threads(threads)


def run(session: pytest.Session, tests: list[pytest.Item]) -> None:
    """Run tests as pytest does."""
    for test, following in zip_longest(tests, tests[1:]):
        session.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        stop_where_asked(session)


def stop_where_asked(session: pytest.Session) -> None:
    """After a failure with `-x`, for one."""
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


class Second:
    """Runs shared files and writes its reports, one a line; an empty line ends a file."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.reports = (folder / "reports").open("w", buffering=1, encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a report."""
        plain = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.reports.write(json.dumps(plain) + "\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run what the first has not taken."""
        with one_core():
            for tests in taken(self.folder, session.items):
                run(session, tests)
                self.reports.write("\n")
        return True


class First:
    """Starts the second, runs shared files beside it, and then all others."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.passed_on = config, 0
        folder = tempfile.TemporaryDirectory(prefix="halocline-second-")
        config.add_cleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Start the second, which collects at the same time."""
        called = self.config.invocation_params
        command = [sys.executable, "-P", "-m", "pytest", *called.args, f"{option}={self.folder}"]
        with (self.folder / "output").open("w") as output:
            self.second = subprocess.Popen(
                tethered(command), cwd=called.dir, stdout=output, stderr=output
            )
        self.config.add_cleanup(self.end_second)

    def end_second(self) -> None:
        """Leave nobody behind where this run ends early."""
        self.second.kill()
        self.second.wait()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run shared files beside the second, then all others with all cores."""
        if session.testsfailed:  # while collecting: pytest goes on, or ends
            return None
        with one_core():
            for tests in taken(self.folder, session.items):
                run(session, tests)
                self.pass_on(session)
        code = self.second.wait()
        self.pass_on(session)
        if code not in expected_codes:
            said = (self.folder / "output").read_text(encoding="utf-8")
            session.shouldfail = f"The second pytest ended with code {code}. It said:\n{said}"
            stop_where_asked(session)
        run(session, [test for test in session.items if not is_shared(test)])
        return True

    def pass_on(self, session: pytest.Session) -> None:
        """Report what the second has run: whole files, and all when it has ended."""
        path, hook = self.folder / "reports", self.config.hook
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        end = text.rfind("\n\n") if self.second.poll() is None else len(text)
        for line in text[self.passed_on : max(end, 0)].splitlines():
            if line:
                plain = json.loads(line)
                report = hook.pytest_report_from_serializable(config=self.config, data=plain)
                if isinstance(report.longrepr, list):  # file, line and reason of a skip
                    report.longrepr = tuple(report.longrepr)
                hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
                hook.pytest_runtest_logreport(report=report)
        self.passed_on = max(end, self.passed_on)
        stop_where_asked(session)
