"""Entry points of a checkout, and C++ that is compiled when it is first used."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import halocline
from halocline.core import checkout
from halocline.core.errors import UserError


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A room `halocline.freezing` without its module, in a checkout of its own."""
    room = tmp_path / "freezing"
    room.mkdir()
    (room / "__init__.py").touch()
    (room / "_native.pyi").touch()
    monkeypatch.setattr(checkout, "top", tmp_path)
    monkeypatch.setattr(halocline, "__path__", [*halocline.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, checkout.CompilingFinder()])
    yield room
    for name in ("halocline.freezing", "halocline.freezing._native"):
        sys.modules.pop(name, None)


def halo(room: Path, script: str) -> None:
    (room.parent / "halo").write_text(f'echo "$*" >>"{room}/asked"\n{script}\n')


def test_a_missing_module_is_compiled_once(room: Path) -> None:
    halo(room, f'echo "ice = 1" >"{room}/_native.py"')
    first = import_module("halocline.freezing._native")
    assert not hasattr(first, "__file__") and not (room / "asked").exists()
    assert first.ice == 1 and first.ice == 1
    del sys.modules["halocline.freezing._native"]
    assert import_module("halocline.freezing._native").ice == 1
    assert (room / "asked").read_text() == "--compile freezing\n"


def test_what_a_module_lacks_is_said_after_it_was_compiled(room: Path) -> None:
    halo(room, f'echo "ice = 1" >"{room}/_native.py"')
    with pytest.raises(AttributeError, match="snow"):
        _ = import_module("halocline.freezing._native").snow


def test_what_cannot_be_compiled_is_said_when_it_is_used(room: Path) -> None:
    halo(room, "exit 1")
    with pytest.raises(UserError, match="'halocline.freezing._native' is not compiled"):
        _ = import_module("halocline.freezing._native").ice


def test_nothing_else_is_compiled(room: Path) -> None:
    halo(room, "exit 1")
    (room / "_native.pyi").unlink()
    for name in ("halocline.freezing._native", "halocline.freezing.melting", "freezing._native"):
        with pytest.raises(ModuleNotFoundError):
            import_module(name)
    assert not (room / "asked").exists()


@pytest.mark.skipif(not checkout.is_ours(), reason="this is no environment of ./halo")
def test_entry_points_are_those_of_pyproject() -> None:
    project = tomllib.loads((checkout.top / "pyproject.toml").read_text())["project"]
    for group, entries in project["entry-points"].items():
        assert {e.name: e.value for e in entry_points(group=group)}.items() >= entries.items()
