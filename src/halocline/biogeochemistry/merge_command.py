"""`halocline merge`: an ocean's files on a grid that is a whole number of times coarser."""

from __future__ import annotations

import argparse
from pathlib import Path

words = "merge cells of an ocean's files, so that fluxes are kept"
example = "merge fine.toml 2 --output coarse"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline merge`."""
    parser.add_argument(
        "case",
        metavar="CASE",
        help="case of the transport on the fine grid, with transport.circulation = 'files'",
    )
    parser.add_argument("ratio", type=int, metavar="N", help="N x N cells become one")
    parser.add_argument(
        "--output", metavar="DIR", default="merged", help="folder of grid.nc and circulation.nc"
    )


def main(options: argparse.Namespace) -> int:
    """Write the coarse grid and the records on it; the exit code."""
    from halocline.biogeochemistry.case import TransportCase
    from halocline.biogeochemistry.merged_divergence import MergedDivergence
    from halocline.biogeochemistry.merged_files import merged_variables, write_grid, write_records
    from halocline.biogeochemistry.merging import merged
    from halocline.component.case.reading import read_case
    from halocline.component.forcing.field_records import RecordSource
    from halocline.core.clock import text
    from halocline.core.errors import UserError

    case = read_case(options.case)
    if not isinstance(case, TransportCase) or case.transport.circulation != "files":
        raise UserError(
            f"'{options.case}' has no circulation from files to merge. Name a case of the transport"
            " with transport.circulation = 'files'."
        )
    files, clock = case.circulation_files, case.time.clock()
    merging = merged(case.build_levels(), options.ratio)
    source = RecordSource(
        files, files.variables, merging.fine.horizontal, (clock.start, clock.end), "circulation"
    )
    variables = merged_variables(source, files.places, merging)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    write_grid(merging, folder / "grid.nc")
    check = MergedDivergence(source, files.places, merging)
    path, worst = folder / "circulation.nc", 0.0
    for number, moment, values in write_records(merging, variables, path, clock.calendar):
        residual = check.residual(number, values[:2], variables[:2])
        worst = max(worst, residual)
        print(f"merged {text(moment)}: divergence within {residual:.0e} of the fluxes", flush=True)
    print(f"{path}: of every cell what flows out is what flows out of its fine ones,", end=" ")
    print(f"within {worst:.1e} of the sum of their fluxes")
    return 0
