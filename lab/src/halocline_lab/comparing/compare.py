"""`halocline lab compare A B`: how two outputs differ, and whether it matters.

A and B are netCDF files, Zarr folders, or folders of results, of any model: from another compiler,
other flags, another precision or machine. Bits first; then size, place and growth of the difference
of every variable. With an ensemble of runs that were perturbed near round-off (--ensemble, or
--make-ensemble for our own cases) the verdict is whether round-off alone could have made the
difference.

exit codes: 0 the same, or within the spread of the ensemble; 1 different; 2 they cannot be compared
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.parser import add_settings
from halocline_lab.comparing.difference_maps import draw_growth, draw_maps
from halocline_lab.comparing.differences import Difference, difference, keys
from halocline_lab.comparing.ensemble import Score, score
from halocline_lab.comparing.ensemble_runs import make_members
from halocline_lab.comparing.outputs import Output, check_alike, counterpart, opened, pairs
from halocline_lab.statistics.paired import number

same, different = 0, 1
"""Exit codes."""


def compare(
    a: str | Path,
    b: str | Path,
    only: Sequence[str] = (),
    members: Sequence[str | Path] = (),
    maps: str | Path | None = None,
) -> list[dict[str, Any]]:
    """Compare two files or folders: one table for each pair of files, with rows as in `keys`.

    `only` some variables; against an ensemble of `members`; pictures go into the folder `maps`.
    """
    others = [Path(member) for member in members]
    folder = None if maps is None else Path(maps)
    found = pairs(Path(a), Path(b))
    return [_compare_files(*pair, list(only), others, folder) for pair in found]


def _compare_files(
    path_a: Path, path_b: Path, only: list[str], members: Sequence[Path], maps: Path | None
) -> dict[str, Any]:
    with ExitStack() as files:
        a, b = (files.enter_context(opened(path)) for path in (path_a, path_b))
        names = check_alike(a, b, only)
        others = [files.enter_context(opened(counterpart(m, path_a))) for m in members]
        for other in others:
            check_alike(a, other, names)
        found = [difference(a, b, name) for name in names]
        scores: dict[str, Score] = {}
        if others:
            judged = [one.name for one in found if not (one.identical or one.same_values)]
            scores = {name: score(a, b, others, name, len(judged)) for name in judged}
        if maps is not None:
            _draw(a, b, found, maps)
        return {
            "a": str(path_a),
            "b": str(path_b),
            "texts": _other_texts(a, b),
            "rows": [_row(one, scores.get(one.name)) for one in found],
        }


def _other_texts(a: Output, b: Output) -> list[str]:
    """Names of variables with words that differ or that only one of both has."""
    either = sorted({*a.texts, *b.texts})
    both = [name for name in either if name in a.texts and name in b.texts]
    return [
        name
        for name in either
        if name not in both or not a.raw[name].astype(str).equals(b.raw[name].astype(str))
    ]


def _draw(a: Output, b: Output, found: Sequence[Difference], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for one in found:
        path = folder / f"{a.path.stem}_{one.name}.png"
        if one.differing and draw_maps(a, b, one, path):
            print(path)
    path = folder / f"{a.path.stem}_growth.png"
    if draw_growth(a, found, path):
        print(path)


def verdict(found: Difference, scored: Score | None) -> str:
    """What one can say of a variable."""
    if found.identical:
        return "identical"
    if found.same_values:
        return "same values"
    if scored is None:
        return "different"
    return "within the spread" if scored.within else "beyond the spread"


def _row(found: Difference, scored: Score | None) -> dict[str, Any]:
    doubling = found.growth.doubling if found.growth else None
    row = {**asdict(found), "verdict": verdict(found, scored), "doubling_seconds": doubling}
    return {**row, "score": {**asdict(scored), "within": scored.within} if scored else None}


def is_same(tables: Sequence[dict[str, Any]]) -> bool:
    """Whether all is the same, or within the spread of the ensemble."""
    good = ("identical", "same values", "within the spread")
    return all(
        not table["texts"] and all(row["verdict"] in good for row in table["rows"])
        for table in tables
    )


def report(tables: Sequence[dict[str, Any]]) -> str:
    """All that was found, as text."""
    return "\n".join(line for table in tables for line in _lines(table))


def _lines(table: dict[str, Any]) -> list[str]:
    lines = [f"A: {table['a']}", f"B: {table['b']}"]
    heads = ("variable", "largest", "mean", "rms", "relative", "ulps", "differing", "verdict")
    cells = [heads, *(_cells(row) for row in table["rows"])]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    for row in cells:
        pairs_ = [w.ljust(n) if at in (0, 7) else w.rjust(n)
                  for at, (w, n) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        lines.append("  ".join(pairs_).rstrip())
    for row in table["rows"]:
        lines += _notes(row)
    lines += [f"{name}: the words differ" for name in table["texts"]]
    return lines


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    units = f" [{row['units']}]" if row["units"] else ""
    if row["identical"]:
        return (f"{row['name']}{units}", *("0",) * 6, row["verdict"])
    exact = "packed" if row["ulps"] is None else f"{row['ulps']:.4g}"
    return (
        f"{row['name']}{units}",
        *(f"{row[key]:.3g}" for key in ("largest", "mean", "rms")),
        f"{row['relative']:.1e}",
        exact,
        f"{row['differing']:.2%}",
        row["verdict"],
    )


def _notes(row: dict[str, Any]) -> list[str]:
    lines = []
    if row["types"][0] != row["types"][1]:
        lines.append(f"{row['name']}: stored as {row['types'][0]} and {row['types'][1]}")
    if row["missing_in_a"] or row["missing_in_b"]:
        lines.append(
            f"{row['name']}: {row['missing_in_a']} values are missing in A only,"
            f" {row['missing_in_b']} in B only"
        )
    if row["where"]:
        a, b = row["at_largest"]
        there = row["ulps_at_largest"]
        ulps = "" if there is None else f", {there:.4g} ulps"
        lines.append(f"{row['name']}: largest at {row['where']}: A {a:.9g}, B {b:.9g}{ulps}")
    if row["growth"]:
        doubling, low, high = (seconds_words(s) for s in row["growth"].values())
        lines.append(f"{row['name']}: doubles in {doubling} ({low} to {high})")
    scored = row["score"]
    if scored and not row["identical"]:
        farther = sum(member >= scored["rmsz"] for member in scored["members"])
        count = len(scored["members"])
        lines.append(
            f"{row['name']}: RMSZ {scored['rmsz']:.3g} (A {scored['rmsz_of_a']:.3g}); members"
            f" {min(scored['members']):.3g} to {max(scored['members']):.3g}, {farther} of {count}"
            f" farther out; bound {scored['bound']:.3g}"
        )
        if scored["missing"]:
            lines.append(f"{row['name']}: {scored['missing']} values are missing unlike in members")
    return lines


def seconds_words(seconds: float) -> str:
    """A time in its best unit.

    >>> seconds_words(5400.0), seconds_words(200000.0)
    ('1.5 h', '2.3 d')
    """
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds)} s"


def summary(tables: Sequence[dict[str, Any]], members: int) -> str:
    """The verdict on all of it."""
    rows = [row for table in tables for row in table["rows"]]
    beyond = [row["name"] for row in rows if row["verdict"] == "beyond the spread"]
    bad = [row["name"] for row in rows if row["verdict"] == "different"]
    if any(table["texts"] for table in tables) and not (bad or beyond):
        return "different: words"
    if bad or beyond:
        words = "different beyond the spread of the ensemble" if members else "different"
        return f"{words}: {', '.join(dict.fromkeys([*bad, *beyond]))}"
    if all(row["identical"] for row in rows):
        return "identical: the same bits"
    if all(row["verdict"] in ("identical", "same values") for row in rows):
        return "the same values, in other types or signs of zero"
    return f"within the spread of the ensemble of {members}"


def finite(value: Any) -> Any:
    """Nested values for JSON, which knows no infinity: null where a number is not finite.

    >>> finite({"a": [1.0, math.inf]})
    {'a': [1.0, None]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab compare`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("paths", metavar="A B", nargs="*", help="files, or folders of results")
    parser.add_argument(
        "--only", metavar="NAMES", type=lambda words: words.split(","), default=[],
        help="these variables only",
    )  # fmt: skip
    parser.add_argument("--ensemble", metavar="MEMBER", nargs="+", default=[], help="its members")
    parser.add_argument(
        "--make-ensemble", nargs=2, metavar=("N", "CASE"), help="run N perturbed members of a case"
    )
    parser.add_argument(
        "--members", metavar="FOLDER", help="where --make-ensemble keeps members; removed if not"
    )
    parser.add_argument(
        "--amplitude", type=float, help="relative size of perturbations; ten roundings"
    )
    add_settings(parser)
    parser.add_argument("-n", "--ranks", type=int, help="ranks of members")
    parser.add_argument("--maps", metavar="FOLDER", help="draw A, B, A - B and the growth")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if len(options.paths) not in ((0, 2) if options.make_ensemble else (2,)):
        raise UserError(f"lab compare takes two outputs, A and B; given are {len(options.paths)}.")
    if not options.paths and not options.members:
        raise UserError("--make-ensemble without A and B needs --members FOLDER to keep them.")
    with ExitStack() as ending:
        members = [Path(name) for name in options.ensemble]
        if options.make_ensemble:
            folder = options.members or ending.enter_context(tempfile.TemporaryDirectory())
            members += _make(options, Path(folder))
        if not options.paths:
            return same
        a, b = options.paths
        tables = compare(a, b, options.only, members, options.maps)
    print(report(tables))
    print(summary(tables, len(members)))
    if options.json:
        result = {"files": finite(tables), "same": is_same(tables), "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return same if is_same(tables) else different


def _make(options: argparse.Namespace, folder: Path) -> list[Path]:
    words, case = options.make_ensemble
    if not words.isdigit() or int(words) < 1:
        raise UserError(f"--make-ensemble {words} {case}: give a number of members and a case.")
    return make_members(
        int(words),
        case,
        options.settings,
        folder,
        ranks=options.ranks,
        amplitude=options.amplitude,
    )
