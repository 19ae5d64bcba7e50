"""A public class of the package has a name that no other one has, in whatever room it stands."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import halocline

allowed: dict[str, str] = {}
"""Names that several rooms may give to a class, each with its reason."""


def test_names_of_public_classes_mean_one_thing() -> None:
    root = Path(halocline.__file__).parent
    places = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(root)))
    assert len(places) > 200
    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert shared.keys() == allowed.keys(), shared
