"""How the sides of a grid are joined is asked in one place.

Options and constructors hand on what was said of a grid (`periodic_x=...`); to read it elsewhere is
to forget folds. `Topology.resolve` and `Topology.widened` answer instead. Ranks: 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import halocline
import halocline_lab

allowed = {
    "halocline/runtime/fields/topology.py": "the answers",
    "halocline/grids/horizontal/regular.py": "makes grids of options",
}


def questions(node: ast.AST) -> Iterator[int]:
    """Lines that read `periodic_...`, but for arguments of a Topology and `periodic_...=`."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Topology":
        return
    if isinstance(node, ast.keyword) and (node.arg or "").startswith("periodic_"):
        return
    name = getattr(node, "attr", getattr(node, "id", ""))
    if name.startswith("periodic_") and isinstance(getattr(node, "ctx", None), ast.Load):
        yield node.lineno  # type: ignore[attr-defined]
    for child in ast.iter_child_nodes(node):
        yield from questions(child)


def test_nobody_else_asks_how_sides_are_joined() -> None:
    found = {}
    for package in (halocline, halocline_lab):
        root = Path(package.__file__).parents[1]
        for path in root.rglob("*.py"):
            lines = list(questions(ast.parse(path.read_text(encoding="utf-8"))))
            if lines:
                found[str(path.relative_to(root))] = lines
    strangers = {path: lines for path, lines in found.items() if path not in allowed}
    assert not strangers, f"{strangers} ask for periodic_*: use Topology.resolve or widened"
    assert found.keys() == allowed.keys()


def test_a_question_is_noticed() -> None:
    asked = "def f(grid, periodic_x):\n    if grid.periodic_x:\n        pass\n    g(periodic_x)\n"
    assert list(questions(ast.parse(asked))) == [2, 4]
    handed = "Topology(3, 4, grid.periodic_y, grid.periodic_x); G(periodic_x=grid.periodic_x)"
    assert list(questions(ast.parse(handed))) == []
