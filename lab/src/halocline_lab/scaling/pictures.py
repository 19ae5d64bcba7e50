"""Pictures in files of the kinds that matplotlib writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halocline.core.errors import UserError

kinds = (".png", ".pdf", ".svg")
"""Ends of names of files that can be drawn."""


def write_picture(draw: Callable[[Path], None], path: Path) -> None:
    """Draw into a file of a kind that matplotlib knows."""
    if path.suffix.lower() not in kinds:
        raise UserError(f"--output {path}: the name must end in one of {', '.join(kinds)}.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draw(path)
    except OSError as error:
        raise UserError(f"Cannot write '{path}': {error.strerror}.") from None
    print(f"drawn: {path}")
