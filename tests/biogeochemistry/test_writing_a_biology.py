"""A biology of another package by an entry point, as docs/writing-a-biology.md has it. Ranks: 1."""

import importlib
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from halocline.biogeochemistry import known_biologies
from halocline.core.checkout import top
from halocline.core.errors import UserError
from halocline.experiment.run import run

example = top / "docs" / "examples" / "plankton"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The example as its installation would leave it: a module and an entry point."""
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    info = tmp_path / "packages" / "halocline_plankton-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: halocline-plankton\nVersion: 1.0\n"
    )
    ((group, points),) = project["entry-points"].items()
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))
    for path in (info.parent, example):
        monkeypatch.syspath_prepend(str(path))
    known_biologies.registered.cache_clear()
    yield
    monkeypatch.undo()
    known_biologies.registered.cache_clear()


def column(**biology):
    """The example's case, short and in a column of 100 m."""
    case = tomllib.loads((example / "case.toml").read_text())
    levels = {"thickness": [20.0] * 5}
    return {
        **case,
        "time": {"start": "2011-04-01", "length": "10d", "step": "2h"},
        "grid": {"kind": "cartesian", "nx": 1, "ny": 1, "depth": 100.0, "closed_edges": False,
                 "levels": levels},
        "biology": {**case["biology"], **biology},
    }  # fmt: skip


def test_it_blooms_and_keeps_its_nitrogen(installed):
    done = run(column())
    before, now = done.component.elements()["nitrogen"]
    assert now == pytest.approx(before, rel=1e-12)
    tracer = done.component.state.tracer.gather()
    assert tracer.min() >= 0.0 and tracer[1, -1, 0, 0] > 1.5 * 0.2
    assert tracer[0, -1, 0, 0] < tracer[0, 0, 0, 0]
    assert done.component.biology.options.growth == 1.5


def test_mistakes_are_told(installed):
    for biology, says in [
        ({"numbers": {"growht": 1.0}}, "growht.*Did you mean 'growth'"),
        ({"numbers": {"growth": -1.0}}, "growth = -1.0 day-1 is too small"),
        ({"model": "planktn"}, "planktn' is not one of: .*Did you mean 'plankton'"),
        ({"model": "npzd", "numbers": {"growth": 1.0}}, r"stand in \[biology.npzd\]"),
        ({"start": {"X": 1.0}}, "'plankton' has no tracer 'X'"),
    ]:
        with pytest.raises(UserError, match=says):
            run(column(**biology))


def test_what_is_no_biology_is_refused(monkeypatch):
    for value, says in [("os:path", "is no class of biologies"), ("nowhere:X", "cannot be loaded")]:
        point = importlib.metadata.EntryPoint("odd", value, known_biologies.group)
        monkeypatch.setattr(known_biologies, "registered", lambda point=point: {"odd": point})
        with pytest.raises(UserError, match=says):
            known_biologies.biology_kind("odd")


def test_the_page_shows_the_example():
    """Every line of code on the page that is not cut short stands in the example."""
    page = (top / "docs" / "writing-a-biology.md").read_text(encoding="utf-8")
    source = (example / "plankton.py").read_text(encoding="utf-8")
    assert len([line for line in source.splitlines() if line.strip()]) <= 60
    blocks = re.findall(r"\n\n```\n(.*?)```", page, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if "..." not in line]
    assert len(lines) > 30 and not [line for line in lines if line not in source.splitlines()]


def test_npzd_blooms_sinks_and_keeps_its_nitrogen():
    case = column(model="npzd", numbers={})
    done = run({**case, "precision": "float64"})
    before, now = done.component.elements()["nitrogen"]
    assert now == pytest.approx(before, rel=1e-12)
    tracer = done.component.state.tracer.gather()
    assert tracer.min() >= 0.0 and np.isfinite(tracer).all()
    assert tracer[1, -1, 0, 0] > 0.2 and tracer[3, 0, 0, 0] > tracer[3, -1, 0, 0]
