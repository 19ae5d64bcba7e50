"""Options of models of FABM."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class FabmOptions(Options):
    """A model of FABM (Bruggeman and Bolding 2014), as its own file describes it.

    It is asked cell by cell, in Python: some 50 microseconds for each, for boxes and columns.
    """

    file: str = option("fabm.yaml", "", "description of the model, as FABM wants it")
    energy: float = option(
        0.217, "J umol-1", "of light that plants use", at_least=0.01, source="as light.energy"
    )
    largest_share: float = option(
        0.5, "1", "that a tracer may lose of itself at once", at_least=0.01, at_most=0.95
    )
    most_parts: int = option(
        50, "1", "of a step of a cell; what is left of it then is left out, and said", at_least=1
    )
