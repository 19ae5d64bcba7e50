"""`halocline remap`: fields of files on other grids, and how good that is on the user's grids."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.core.errors import UserError

if TYPE_CHECKING:
    from halocline.grids.remapping.quality import Quality
    from halocline.grids.remapping.remap import RemapOptions, SurfaceRemap
    from halocline.grids.remapping.remapped_files import TargetMaps
    from halocline.grids.remapping.rows import Mask, RemapRows
    from halocline.grids.remapping.surface import Surface

words = "bring fields of a file to another grid, or report how good that is"
example = "remap results/swell/maps.nc 72x36 --method bilinear --output coarse.nc"
grid_help = "netCDF file with maps, case, or COLUMNSxROWS of the globe (360x180)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline remap`."""
    add = parser.add_argument
    add("source", metavar="SOURCE", help=f"file with fields; with --report any {grid_help}")
    add("target", metavar="TARGET", help=grid_help)
    add("--method", help="nearest, bilinear, patch, conservative or conservative-2 (bilinear)")
    add("--normalisation", default="fracarea", help="fracarea (default), destarea or ownarea")
    add("--extrapolation", default="none", help="none (default), nearest or creep")
    add("--fields", metavar="NAME[,NAME]", default="", help="fields to remap; all")
    add("--weights", metavar="FILE", help="take weights of ESMF_RegridWeightGen, SCRIP or CDO")
    add("--write-weights", metavar="FILE", help="write the weights, in ESMF's form")
    add("--scrip", action="store_true", help="write them in SCRIP's form, as CDO's")
    add("--keep", metavar="DIR", help="keep weights in a folder, and take them from there")
    add("--report", action="store_true", help="known functions on both grids, by all methods")
    add("-o", "--output", help="new file (remapped.nc), or folder of the report (remap-report)")


def main(options: argparse.Namespace) -> int:
    """Remap or report; the exit code."""
    return _report(options) if options.report else _remap(options)


def _remap_options(options: argparse.Namespace, method: str) -> RemapOptions:
    from halocline.grids.remapping.remap import RemapOptions

    return RemapOptions(
        method=method,
        normalisation=options.normalisation,
        extrapolation=options.extrapolation,
    )


def _remap(options: argparse.Namespace) -> int:
    """Write the fields of a file on another grid."""
    from halocline.grids.files.gridded_files import variables_of
    from halocline.grids.remapping.file_surface import FileSurface
    from halocline.grids.remapping.remapped_files import fields_on, remap_file

    path, chosen = Path(options.source), [name for name in options.fields.split(",") if name]
    if not path.is_file():
        raise UserError(f"There is no file '{path}' to remap. Name a netCDF file with maps.")
    known = variables_of([path])
    there = FileSurface.of(path, next((name for name in chosen if name in known), ""))
    fields = fields_on(path, there, chosen)
    target = _target(options.target)
    how = _remap_options(options, options.method or "bilinear")
    output = Path(options.output or "remapped.nc")
    if output.exists() and output.samefile(path):
        raise UserError(f"The output '{output}' is the source itself. Give --output another name.")

    made: list[bytes] = []

    def rows(mask: Mask) -> RemapRows:
        made.append(mask.tobytes())
        if options.write_weights and set(made) != {made[0]}:
            raise UserError(
                f"Fields of '{path}' have missing values at different points, and"
                " --write-weights writes one file. Choose --fields that have them at the same ones."
            )
        return _rows(options, replace(there.surface, wet=mask), target.surface, how)

    history = f"halocline remap --method {how.method} {path} {options.target}"
    for line in remap_file(path, fields, there, target, rows, output, history):
        print(line)
    print(output)
    return 0


def _rows(
    options: argparse.Namespace, source: Surface, target: Surface, how: RemapOptions
) -> RemapRows:
    """Rows of all target points: of a file, kept, or made here."""
    from halocline.grids.remapping.kept import kept_rows, made_by_all
    from halocline.grids.remapping.remap import SurfaceRemap
    from halocline.grids.remapping.weight_files import read_weights
    from halocline.runtime.ranks.communicator import Alone

    if options.weights:
        stored = read_weights(Path(options.weights))
        stored.check(Path(options.weights), source, target)
        return stored.rows.of_known(source.wet)
    remap = SurfaceRemap(source, target, how)
    if options.keep:
        rows = kept_rows(remap, Path(options.keep), Alone())
    else:
        rows = made_by_all(remap, Alone())
    if options.write_weights:
        _write(options, remap, rows)
    return rows


def _write(options: argparse.Namespace, remap: SurfaceRemap, rows: RemapRows) -> None:
    from halocline.grids.remapping.kept import all_fractions, words_of
    from halocline.grids.remapping.weight_files import write_weights

    conservative = remap.options.method.startswith("conservative")
    write_weights(
        Path(options.write_weights),
        "scrip" if options.scrip else "esmf",
        rows,
        (remap.source, remap.target),
        words_of(remap),
        all_fractions(remap) if conservative else None,
    )
    print(options.write_weights)


def _report(options: argparse.Namespace) -> int:
    """Print a table, write it and draw maps."""
    from halocline.analysis import looks
    from halocline.analysis.remap_picture import misfit_sheet
    from halocline.grids.remapping.quality import qualities
    from halocline.grids.remapping.remap import methods

    source, target = (_surface(name) for name in (options.source, options.target))
    found: list[Quality] = []
    for method in [options.method] if options.method else methods:
        found += qualities(source, target, _remap_options(options, method))
    folder = Path(options.output or "remap-report")
    folder.mkdir(parents=True, exist_ok=True)
    title = f"from {source.title} to {target.title}"
    table = _table(found)
    print(f"{title}\n{table}")
    (folder / "report.txt").write_text(f"{title}\n{table}\n", encoding="utf-8")
    with looks.style():
        misfits = {(one.method, one.function): one.misfit for one in found}
        figure = misfit_sheet(target.longitude, target.latitude, misfits, title)
        figure.savefig(folder / "report.png", dpi=150)
    for name in ("report.txt", "report.png"):
        print(folder / name)
    return 0


def _table(found: Sequence[Quality]) -> str:
    """The measures in columns."""
    heads = ("mean", "95 %", "max", "rms", "coast", "conservation", "below", "above")
    lines = [f"{'method':<16}{'function':<12}" + "".join(f"{head:>13}" for head in heads)]
    for one in found:
        numbers = (
            one.mean,
            one.upper,
            one.highest,
            one.root_mean_square,
            one.coast,
            one.conservation,
            one.below,
            one.above,
        )
        line = "".join(f"{'-' if n != n else format(n, '.2e'):>13}" for n in numbers)
        lines.append(f"{one.method:<16}{one.function:<12}{line}")
    return "\n".join(lines)


def _target(name: str) -> TargetMaps:
    """The grid that fields are brought to; along east and north, whatever its axes are."""
    from halocline.grids.remapping.file_surface import FileSurface
    from halocline.grids.remapping.remapped_files import TargetMaps

    if _is_file_of_maps(name):
        return TargetMaps.of_file(FileSurface.of(Path(name)))
    surface = _surface(name)
    return TargetMaps.of_surface(replace(surface, angle=0.0 * surface.angle))


def _surface(name: str) -> Surface:
    """The sea of a case or file, or all of the globe."""
    from halocline.experiment.grid_plot import read_grid
    from halocline.grids.horizontal.regular import GridOptions, regular_grid
    from halocline.grids.remapping.file_surface import FileSurface
    from halocline.grids.remapping.remapped_files import fields_on, mask_of
    from halocline.grids.remapping.surface import Surface
    from halocline.runtime.fields.place import Place

    size = re.fullmatch(r"(\d+)x(\d+)", name)
    if size:
        columns, rows = (int(number) for number in size.groups())
        dx, dy = 360.0 / columns, 180.0 / rows
        west, south = 0.5 * dx, 0.5 * dy - 90.0
        grid = regular_grid(
            GridOptions(nx=columns, ny=rows, x0=west, y0=south, dx=dx, dy=dy, closed_edges=False)
        )
        return Surface.of(grid, Place.center, name)
    if _is_file_of_maps(name):
        path = Path(name)
        there = FileSurface.of(path)
        mask = mask_of(path, fields_on(path, there, [])[0])
        return replace(there.surface, wet=mask)
    return Surface.of(read_grid(name)[0], Place.center, name)


def _is_file_of_maps(name: str) -> bool:
    """Whether a name is that of a file that is no grid with corners of its cells."""
    from halocline.experiment.grid_plot import is_case
    from halocline.grids.horizontal.curvilinear_files import is_curvilinear

    path = Path(name)
    if is_case(name) or re.fullmatch(r"\d+x\d+", name):
        return False
    if not path.is_file():
        raise UserError(f"'{name}' is no grid: there is no such file or case. Give a {grid_help}.")
    return not is_curvilinear(path)
