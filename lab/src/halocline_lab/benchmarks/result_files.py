"""Results of a benchmark, as a file that says what its numbers are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write(path: str | Path, result: Mapping[str, Any], keys: Mapping[str, str]) -> None:
    """Write a result with the meaning of its keys.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "result.json"
    >>> write(path, {"rows": [1.5]}, {"rows": "times [s]"})
    >>> json.loads(path.read_text())["keys"]
    {'rows': 'times [s]'}
    """
    words = json.dumps({**result, "keys": dict(keys)}, indent=1)
    Path(path).write_text(words + "\n", encoding="utf-8")
