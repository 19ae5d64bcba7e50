"""Ranks for which a grid has no cells: they sleep until the others have ended.

A run that is cut finer than its grid allows (7 ranks for 4 x 3 cells) computes on as many ranks as
there are blocks for, with the bits that it has on any ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from halocline.component.case.case import Case
from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.experiment.imagined import Imagined
from halocline.experiment.stopping import ask_the_launcher, stop_signals
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.load import Load
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.ranks.patience import until

tag = 917


def useful_ranks(case: Case, grid: Grid, ranks: int) -> int:
    """On how many of some ranks a case can be cut, the most that there are; all if on none.

    What is wrong with a cut on one rank too is said where the cut is made.
    """
    if ranks == 1 or (case.decomposition.kind == "blocks" and _fits_in_stripes(case, grid, ranks)):
        return ranks
    load = case.load(grid)
    counts = range(min(ranks, grid.sea_points), 0, -1)
    return next((count for count in counts if _can_be_cut(case, grid, load, count)), ranks)


def _fits_in_stripes(case: Case, grid: Grid, ranks: int) -> bool:
    """Whether every row has sea in all columns, and there are as many rows as blocks."""
    blocks = ranks * case.decomposition.blocks_per_rank
    return bool(grid.mask.all()) and not case.decomposition.rows and blocks <= grid.shape[0]


def _can_be_cut(case: Case, grid: Grid, load: Load, ranks: int) -> bool:
    try:
        Decomposition(
            load.mask,
            load.topology,
            halo=case.halo,
            options=case.cut(grid, ranks),
            communicator=Imagined(ranks),
            components=case.planes,
            weights=load.weights,
            work=load.work,
            unit=load.unit,
            staggered=load.staggered,
        )
    except UserError:
        return False
    return True


def idle_words(ranks: int, idle: int) -> str:
    """What the log says of ranks without work.

    >>> idle_words(7, 1)
    '1 of 7 ranks is idle: the grid has no block for it'
    """
    verb, whom = ("is", "it") if idle == 1 else ("are", "them")
    return f"{idle} of {amount(ranks, 'rank')} {verb} idle: the grid has no block for {whom}"


@contextmanager
def waking(world: Communicator, idle: Sequence[int]) -> Iterator[None]:
    """Of one rank: tell ranks that are idle when the others end, and with what mistake."""
    words = ""
    try:
        yield
    except UserError as error:
        words = str(error)
        raise
    finally:
        for rank in idle:
            assert isinstance(world, Ranks)
            world.comm.send(words, dest=rank, tag=tag)


def sleep(world: Communicator) -> None:
    """Of an idle rank: wait until the others have ended; their mistake is raised here too."""
    assert isinstance(world, Ranks)
    request: Any = world.comm.irecv(tag=tag)
    found: list[str] = []

    def ended() -> bool:
        done, words = request.test()
        if done:
            found.append(words)
        return bool(done)

    with stop_signals(ask_the_launcher):
        until(ended)
    if found[0]:
        raise UserError(found[0])
