"""Options on who writes output, and how much of the time of a run that may take."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option

ways = (
    "first",
    "separate",
    "striped",
    "gathered",
    "blocked",
    "buffered",
    "shared",
    "parts",
    "mpiio",
    "mpiio-collective",
    "pnetcdf",
    "pnetcdf-collective",
    "servers",
)
"""All ways to write a file of several ranks; every one writes the same bytes."""

inherited_way = ("", *ways)
"""What a stream or the restarts may say of their own."""

inherited_meaning = "way to write this output, as in output.writing.way; empty: that one"


@dataclass(frozen=True, kw_only=True)
class WritingOptions(Options):
    """Who writes output files and when; no choice changes a byte of them."""

    budget: float = option(
        0.02,
        "1",
        "share of the time of a run that ranks of the model may lose in output calls",
        at_least=0.0,
        at_most=1.0,
        source="time lost: Porter et al. (2010), section 6; 0.05 in Tolman (2003), section 5",
    )
    way: str = option(
        "auto",
        "",
        "'auto': measured in the first frames against the budget, the log says why. First rank:"
        " 'first'; another rank for every file: 'separate'; one rank, of the parts as they come:"
        " 'striped', of the whole: 'gathered', block after block: 'blocked', while the next block"
        " comes: 'buffered'; every rank some blocks: 'shared', or its own part: 'parts', 'mpiio',"
        " 'mpiio-collective', 'pnetcdf', 'pnetcdf-collective'; ranks that do nothing else:"
        " 'servers'",
        choices=("auto", *ways),
        source="Tolman (2003), section 5; Porter et al. (2010), section 6",
    )
    blocks: int = option(
        10,
        "1",
        "how many blocks a frame is cut into by 'blocked' and 'buffered'",
        at_least=1,
        source="Tolman (2003), section 5.2",
    )
    buffers: int = option(
        2,
        "1",
        "how many blocks 'buffered' and 'servers' hold at once: one fills, one is written",
        at_least=1,
        source="Tolman (2003), section 5.2",
    )
    block_size: int = option(
        4 * 2**20,
        "byte",
        "length of the blocks of 'shared' and 'servers'",
        at_least=4096,
        source="many small writes joined: a wish of Porter et al. (2010), section 6",
    )
    stripe_count: int = option(
        0,
        "1",
        "storage targets that each file of results is spread over, where the folder of results lies"
        " on Lustre; -1: all there are; 0: as many as the folder has. Elsewhere the log says that"
        " there are no stripes to set",
        at_least=-1,
        source="Porter et al. (2010), section 6: no effect there, as files were written in parts of"
        " 4 MB",
    )
    stripe_size: int = option(
        0,
        "byte",
        "length of the stripes of files on Lustre, a multiple of 65536; 0: as the folder has it",
        at_least=0,
        source="Porter et al. (2010), section 6",
    )
    copies: int = option(
        1,
        "1",
        "packed copies of its share of an output that a rank of the model keeps while servers fetch"
        " them; 0: it waits until they have it",
        at_least=0,
    )
