"""Pictures in files of the kinds that matplotlib writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halocline.core.errors import UserError


def write_picture(draw: Callable[[Path], None], path: Path) -> None:
    """Draw into a file of a kind that matplotlib knows."""
    known = (".png", ".pdf", ".svg")
    if path.suffix.lower() not in known:
        raise UserError(f"--output {path}: the name must end in one of {', '.join(known)}.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draw(path)
    except OSError as error:
        raise UserError(f"Cannot write '{path}': {error.strerror}.") from None
    print(f"drawn: {path}")
