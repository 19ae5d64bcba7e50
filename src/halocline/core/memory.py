"""The memory of this machine, and sizes that are refused before anything so large is made."""

from __future__ import annotations

import os

from halocline.core.errors import UserError


def machine_memory() -> int:
    """Memory of this machine [byte]."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def refuse_beyond_memory(size: float, what: str, remedy: str) -> None:
    """Refuse what needs more bytes than this machine has; for one process."""
    memory = machine_memory()
    if size > memory:
        raise UserError(
            f"{what} needs {size / 2**30:.2g} GiB of memory; this machine has"
            f" {memory / 2**30:.3g} GiB. {remedy}"
        )
