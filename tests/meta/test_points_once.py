"""Sums over a grid are made by what counts each global point once.

`FieldSums` and `KernelSums` leave out the doubles on a fold; who adds up arrays by `GlobalSums` may
forget them. Ranks: 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import halocline
import halocline_lab
from halocline.core.checkout import top

allowed = {
    "halocline/numerics/kernel_sums.py": "kernels leave out doubles",
    "halocline_lab/benchmarks/sums.py": "numbers without a grid",
    "halocline_lab/benchmarks/communication_benchmarks.py": "numbers without a grid",
}


def made(tree: ast.AST) -> Iterator[int]:
    """Lines that make a GlobalSums."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("GlobalSums"):
            yield node.lineno


def test_nobody_else_adds_up_arrays() -> None:
    roots = [Path(package.__file__).parents[1] for package in (halocline, halocline_lab)]
    found = {
        str(path.relative_to(root))
        for root in [*roots, top / "docs" / "examples"]
        for path in root.rglob("*.py")
        if list(made(ast.parse(path.read_text(encoding="utf-8"))))
    }
    strangers = found - set(allowed)
    assert not strangers, f"{strangers} make GlobalSums: use FieldSums(field, count)"
    assert found == set(allowed)


def test_making_one_is_noticed() -> None:
    assert list(made(ast.parse("a = reductions.GlobalSums(world, 1)\nb: GlobalSums"))) == [1]
