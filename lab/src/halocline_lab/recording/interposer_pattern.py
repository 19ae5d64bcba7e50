"""How a call of MPI is recorded by the interposer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    """Calls with the same arguments that are recorded in the same way."""

    template: str
    kind: str
    arguments: str
    names: str
    seen: str = ""
    bytes: str = ""
    fortran: str | None = None  # arguments in Fortran, where they differ
