"""`--all` runs the slow tests too; programs that README does not name are out of sight."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tests"))  # `references` and other neighbours
sys.path.insert(0, str(Path(__file__).parent / "lab" / "tests"))

import halocline
import two_at_a_time
from halocline.core.checkout import is_ours, register
from named_programs import restrict_path  # after sys.path

folders = [Path(__file__).parent / "tests", Path(__file__).parent / "lab" / "tests"]

# Ranks that share a folder for temporary files would remove each other's.
if "OMPI_COMM_WORLD_RANK" in os.environ:
    root = os.environ.get("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    own = Path(root) / "halocline-ranks" / os.environ["OMPI_COMM_WORLD_RANK"]
    own.mkdir(parents=True, exist_ok=True)
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(own)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the slow tests too")
    two_at_a_time.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    # Under nohup or in the background of a script these are ignored, and so in all ranks we start.
    for number in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) == signal.SIG_IGN:
            default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, default)
    if is_ours() and "OMPI_COMM_WORLD_RANK" not in os.environ:
        register(halocline.__version__)
    programs = tempfile.TemporaryDirectory(prefix="halocline-programs-")
    config.add_cleanup(programs.cleanup)
    restrict_path(Path(programs.name))
    two_at_a_time.configure(config)


@pytest.fixture(autouse=True)
def cores_are_left() -> Iterator[None]:
    """No test leaves the process bound to fewer cores: all that follows would share them."""
    before = os.sched_getaffinity(0)
    yield
    assert os.sched_getaffinity(0) == before


seconds: dict[str, float] = {}
"""Time of the tests of each room [s]."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    room = "/".join(report.nodeid.partition("::")[0].split("/")[:2])
    seconds[room] = seconds.get(room, 0.0) + report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Minutes by room, where tests of several rooms ran; CONTRIBUTING says what each covers."""
    if len(seconds) > 1:
        terminalreporter.section("minutes")
        for room in sorted(seconds, key=seconds.__getitem__, reverse=True):
            terminalreporter.line(f"{seconds[room] / 60.0:6.2f}  {room}")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Programs that tests start would run when they are imported; they have no examples."""
    own = any(folder in collection_path.parents for folder in folders)
    if not own or collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    return True if ">>> " not in collection_path.read_text(encoding="utf-8") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all"):
        return
    slow = [item for item in items if "slow" in item.keywords]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]
