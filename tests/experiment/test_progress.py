"""Progress and the log of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from halocline.component.case.reading import make_case
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment.progress import Progress, time_words
from halocline.experiment.run_log import RunLog
from halocline.runtime.ranks.communicator import Alone

start, end = date("2000-01-01"), date("2000-01-05")


def test_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(start, end, show=True) as progress:
        progress.line_interval = 0.0
        progress.began -= 10.0
        progress.update(date("2000-01-02"))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.search(r"2000-01-02 00:00 +25%  8,6\d\d simulated days per day, 30 s left", shown.err)


def test_silence_when_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(start, end, show=False) as progress:
        progress.line_interval = 0.0
        progress.update(date("2000-01-02"))
    assert capsys.readouterr() == ("", "")


def test_speed_of_a_continued_run_counts_from_its_beginning() -> None:
    progress = Progress(start, end, first=date("2000-01-03"), show=False)
    progress.began -= 100.0
    progress.update(date("2000-01-04"))
    assert progress.share == 0.75
    assert progress.days_per_day == pytest.approx(864.0, rel=1e-2)


def test_times_of_waiting() -> None:
    assert [time_words(s) for s in (0.4, 59.6, 3599, 3600)] == [
        "0 s", "1 min 00 s", "59 min 59 s", "1 h 00 min",
    ]  # fmt: skip


def test_log_holds_versions_machine_and_every_option(tmp_path: Path) -> None:
    case = make_case({"time": {"length": "6h"}, "title": "A test"})
    log = RunLog(tmp_path / "results" / "halocline.log")
    log.begin()
    log.of_member("", Alone()).begin(case, ranks=2, threads=3, decomposition="blocks: 2")
    log.line("started")
    words = log.path.read_text()
    for expected in ("halocline ", "numpy ", "cores ", "ranks 2", "threads 3", "blocks: 2"):
        assert expected in words
    for option in ("first_frequency = 0.0418", 'length = "6h"', 'title = "A test"'):
        assert option in words
    assert words.rstrip().endswith("Z  started")


def test_other_ranks_write_nothing(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "halocline.log", write=False)
    log.line("nothing")
    assert not log.path.exists()


def test_unwritable_folder_has_its_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="Choose another folder"):
        RunLog(tmp_path / "file" / "halocline.log")
