"""The demo: a second one takes the place of the first."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.analysis import plot as plotting
from halocline.experiment.command_line import main
from halocline.experiment.demo import demo

small = "time.length=2h spectrum.frequencies=4 spectrum.directions=8 restart.interval=1h".split()


def test_a_second_demo_leaves_as_many_files_as_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = []

    def plot(file: Path) -> list[Path]:
        drawn.append(file.name)
        return [file.with_suffix(".png")]

    monkeypatch.setattr(plotting, "plot", plot)

    def run_small(arguments: list[str]) -> int:
        return main([*arguments, "-n", "1", *(w for one in small for w in ("--set", one))])

    folder = Path("halocline-demo")
    folder.mkdir()
    (folder / "notes.txt").write_text("of the user")
    listings = []
    for _ in range(2):
        assert demo(run_small) == 0
        listings.append(sorted(path.name for path in folder.rglob("*")))
    assert listings[0] == listings[1]
    assert {"fields.nc", "points.nc", "notes.txt"} <= set(listings[0])
    assert sum(name.startswith("restart_") for name in listings[0]) >= 1
    assert drawn == ["fields.nc", "points.nc"] * 2
    assert "halocline-demo/fields.png" in capsys.readouterr().out


def test_a_run_that_fails_ends_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert demo(lambda arguments: 3) == 3
