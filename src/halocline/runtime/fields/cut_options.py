"""What a case may say of the cut of its grid."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class DecompositionOptions(Options):
    """How the grid is cut among the ranks; no choice changes a bit of the results."""

    kind: str = option(
        "blocks",
        "",
        "blocks of a processor grid, blocks along a space-filling curve, or sea points dealt"
        " one by one like cards",
        choices=("blocks", "curve", "cards"),
        source="cards: Tolman (2003), equations 5.1 to 5.3",
    )
    blocks_per_rank: int = option(
        1, "1", "blocks (curve: about this many, cards: hands) per rank", at_least=1
    )
    rows: int = option(
        0,
        "1",
        "rows of blocks, for the kind 'blocks'; 0: the processor grid with the least largest load",
        at_least=0,
    )
    tiles: str = option(
        "given",
        "",
        "'given': kind, blocks per rank and rows as they stand here; 'auto': measured at the start"
        " of a run, in about a second, and the log says why ('halocline lab decompose' takes its"
        " time)",
        choices=("given", "auto"),
    )
