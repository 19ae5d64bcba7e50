"""Blocks of a processor grid: rows of equal load, each cut into columns of equal load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Rectangle
from halocline.runtime.fields.load import Cells, Load, even_cuts


@dataclass(frozen=True)
class ProcessorGrid:
    """One factorisation of a number of blocks: those that are kept, and those of each rank."""

    rows: int
    columns: int
    blocks: list[Cells]
    deal: list[list[int]]
    loads: list[float]  # of each rank, in units of `Load.cost`

    @property
    def rectangles(self) -> tuple[Rectangle, ...]:
        parts = [(rank, self.blocks[n]) for rank, part in enumerate(self.deal) for n in part]
        return tuple(Rectangle(n, rank, *block) for n, (rank, block) in enumerate(parts))

    def with_messages(self, load: Load) -> ProcessorGrid:
        """The same, its loads with what messages cost."""
        messages = load.messages(self.blocks, self.deal)
        pairs = zip(self.loads, messages, strict=True)
        return replace(self, loads=[cost + load.work.message * n for cost, n in pairs])


def factorisations(number: int) -> Iterator[tuple[int, int]]:
    """All (rows, columns) with rows * columns = number."""
    for rows in range(1, number + 1):
        if number % rows == 0:
            yield rows, number // rows


def processor_grid(load: Load, ranks: int, per_rank: int, rows: int) -> ProcessorGrid | None:
    """The cut into `rows` rows of blocks, its loads without messages.

    None where it leaves a rank without a block with sea.
    """
    columns = ranks * per_rank // rows
    if rows > load.sea_units.shape[0] or columns > load.sea_units.shape[1]:
        return None
    blocks = [load.cells(units) for units in _units_of_blocks(load, rows, columns)]
    if load.has_sea(blocks).sum() < ranks:
        return None
    shares, deal = load.costs(blocks), load.deal(blocks, ranks)
    loads = [float(shares[part].sum()) for part in deal]
    return ProcessorGrid(rows, columns, blocks, deal, loads)


def _units_of_blocks(load: Load, rows: int, columns: int) -> Iterator[Cells]:
    """Rows of equal weight, each cut into columns of equal weight; land alone is dropped."""
    weight = load.unit_weights
    j_ends = even_cuts(weight.sum(axis=1), rows)
    for j0, j1 in zip(j_ends, j_ends[1:], strict=False):
        i_ends = even_cuts(weight[j0:j1].sum(axis=0), columns)
        for i0, i1 in zip(i_ends, i_ends[1:], strict=False):
            if load.kept_units[j0:j1, i0:i1].any():
                yield j0, j1, i0, i1


def best_grid(load: Load, ranks: int, per_rank: int, rows: int = 0) -> ProcessorGrid:
    """Rate all factorisations of the number of blocks, or only that into `rows` rows of blocks.

    The least largest load wins, the fewest rows among equals.
    """
    wanted = ranks * per_rank
    if wanted > load.sea_units.size:
        raise UserError(_refusal(load, ranks, wanted, rows))
    known = [down for down, _ in factorisations(wanted)]
    if rows and rows not in known:
        raise UserError(
            f"decomposition.rows = {rows} does not divide {wanted} blocks ({ranks} ranks x"
            f" {per_rank} blocks). Use one of {', '.join(map(str, known))}, or 0 for the best."
        )
    chosen = [rows] if rows else known
    found = [processor_grid(load, ranks, per_rank, down) for down in chosen]
    grids = sorted((g for g in found if g is not None), key=lambda g: (max(g.loads), g.rows))
    if not grids:
        raise UserError(_refusal(load, ranks, wanted, rows))
    best = grids[0].with_messages(load)
    for grid in grids[1:]:
        if max(grid.loads) > max(best.loads):  # messages only add to it
            break
        best = min(best, grid.with_messages(load), key=lambda g: (max(g.loads), g.rows))
    return best


def _refusal(load: Load, ranks: int, wanted: int, rows: int) -> str:
    nj, ni = load.mask.shape
    cut = f" in {rows} rows" if rows else ""
    units, instead = f"of which {int(load.mask.sum())} compute", "decomposition.kind = 'cards'"
    if load.unit != (1, 1):
        units, instead = f"in units of {load.unit[0]} x {load.unit[1]}", "smaller units"
    return (
        f"Cannot cut {nj} x {ni} cells {units} into {wanted} blocks{cut} for {ranks} ranks. Use"
        f" fewer ranks or blocks, or {instead}."
    )
