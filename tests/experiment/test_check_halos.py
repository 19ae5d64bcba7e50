"""`halocline run --check halos`: a report in the terminal and the log, refusals with code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.experiment.command_line import main
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.running.calls import BoundCall

words = ["run", "swell", "-n", "1", "--set", "time.length=3h"]
words += ["--set", "decomposition.blocks_per_rank=3"]


def test_a_clean_wave_case_has_no_stale_halo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--check", "halos", "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    log = (tmp_path / "halocline.log").read_text()
    assert "== halos ==\nstale halos: none in " in log
    for line in log.split("== halos ==\n")[1].split("\n\n")[0].splitlines():
        assert line.strip() in shown
    (exchanges,) = [line for line in log.splitlines() if line.startswith("propagate_space: spec")]
    assert int(exchanges.split()[3]) >= 3


def test_without_the_check_nothing_is_said(tmp_path: Path) -> None:
    assert main([*words, "--quiet", "--output", str(tmp_path)]) == 0
    assert "halos ==" not in (tmp_path / "halocline.log").read_text()


def test_an_unknown_check_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--check", "halo"]) == 2
    assert "'halo' is none of: halos" in capsys.readouterr().err


def test_a_field_changed_behind_the_runner_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = BoundCall.__call__

    def forgetful(self: BoundCall, **scalars) -> None:
        call(self, **scalars)
        if self.kernel.name == "propagate_space":
            spectrum = self.values[0].field
            spectrum.storage(spectrum.layout).fresh.set(all_around(3))

    monkeypatch.setattr(BoundCall, "__call__", forgetful)
    assert main([*words, "--check", "halos", "--output", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert "kernel 'propagate_space' reads 'spectrum' (field 'spectrum') 3 deep" in message
    assert "its owner" in message and "(step " in message
