"""What the size of tiles does to the caches: time and the processor's counters, kernel by kernel.

Blocks per rank (and the rows of tiles, where a component has them) take turns on a real case; for
each stand the time of a step and of its longest kernels, and, where the processor counts them, the
hit ratios of its caches and what is filled from where: Figures 9 and 10 of Porter et al. (2010).
Where it does not, the size of what a kernel must move in a tile stands beside those of the caches:
that says what could fit, not what was hit. Times are without the first step; those of kernels are
the least of all steps and rounds, which other programs disturb least.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from halocline.biogeochemistry.case import TransportCase
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline_lab.benchmarks import result_files, tiles_run
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.benchmarks.tiles_plot import draw

keys = {
    "blocks_per_rank": "tiles that the patch of a rank is cut into",
    "tile_bytes": "length of a row of tiles [byte]; 0 where the component has none",
    "seconds": "wall time of a step after the first, without output, slowest rank, median of the"
    " rounds [s]",
    "least": "the least of the rounds [s]",
    "most": "the most of the rounds [s]",
    "reduction": "share of a step's time that is saved against the first cut; negative: lost",
    "kernels": "by kernel: seconds, the least of a step, mean of the ranks [s]; bytes that a call"
    " must read and write in a tile [byte]",
    "counts": "by kernel: events in a step on all ranks, as the processor counts them",
    "caches": "size of the caches of the first core by level [byte]",
}

counted = (
    ["D1 loads", "D1 misses", "D1 refills from L2"],
    ["L2 hits", "L2 misses", "D1 refills from memory"],
)
"""Counters of the study, in two halves that run in turns, since processors have few."""

most_kernels = 8  # in the table
caches_here = Path("/sys/devices/system/cpu/cpu0/cache")


@dataclass
class Row:
    """One cut; see `keys`."""

    blocks_per_rank: int
    tile_bytes: int
    seconds: float = 0.0
    least: float = 0.0
    most: float = 0.0
    reduction: float = 0.0
    kernels: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, dict[str, float]] | None = None

    @property
    def name(self) -> str:
        tile = f", rows of {self.tile_bytes} bytes" if self.tile_bytes else ""
        return f"{self.blocks_per_rank} per rank{tile}"


def ratio(counts: dict[str, float], hits: str, misses: str, *, of_all: bool) -> float | None:
    """Hits over all; `of_all`: `hits` counts hits and misses together.

    >>> ratio({"D1 loads": 100.0, "D1 misses": 5.0}, "D1 loads", "D1 misses", of_all=True)
    0.95
    >>> ratio({}, "L2 hits", "L2 misses", of_all=False) is None
    True
    """
    if hits not in counts or misses not in counts:
        return None
    whole = counts[hits] if of_all else counts[hits] + counts[misses]
    if not whole > 0.0:
        return None
    return 1.0 - counts[misses] / whole


def caches(folder: Path = caches_here) -> dict[str, int]:
    """Sizes of the caches for data of a core by level [byte]; none where the system tells none."""
    found = {}
    for place in sorted(folder.glob("index*")):
        level, kind, size = (
            (place / name).read_text().strip() for name in ("level", "type", "size")
        )
        if kind != "Instruction" and size.endswith("K"):
            found[f"L{level}"] = 1024 * int(size[:-1])
    return found


def cuts(case_name: str, settings: list[str], blocks: list[int]) -> list[Row]:
    """The cuts to be tried on a case: numbers of blocks, and lengths of tiles where it has them."""
    case = read_case(case_name, settings)
    rows = [Row(count, 0) for count in blocks]
    if isinstance(case, TransportCase):
        own = case.transport.tile_bytes
        rows = [Row(count, own) for count in blocks]
        rows += [Row(1, length) for length in (own // 4, own // 2, 2 * own, 4 * own, 8 * own)]
    return rows


def measure(
    case: str, settings: list[str], rows: list[Row], options: argparse.Namespace
) -> list[Row]:
    """Run all cuts in turns and fill in what was found."""
    seconds: list[list[float]] = [[] for _ in rows]
    rounds = max(len(counted), options.repeat)
    for turn in range(rounds):
        places = list(range(len(rows)))
        for at in places if turn % 2 == 0 else places[::-1]:
            row = rows[at]
            task = {
                "case": case,
                "settings": settings,
                "blocks_per_rank": row.blocks_per_rank,
                "tile_bytes": row.tile_bytes,
                "steps": options.steps,
                "counters": counted[turn % 2],
            }
            answer = answer_of(tiles_run.__name__, task, options.ranks, options.threads)
            found = json.loads(answer)
            seconds[at].append(found["seconds"])
            take(row, found)
            print(f"  round {turn + 1} of {rounds}: {row.name}: {1e3 * found['seconds']:.2f} ms")
    for row, times in zip(rows, seconds, strict=True):
        row.seconds, row.least, row.most = median(times), min(times), max(times)
        row.reduction = 1.0 - row.seconds / median(seconds[0])
    return rows


def take(row: Row, found: dict[str, Any]) -> None:
    """Add what a run found of kernels to a cut."""
    for name, kernel in found["kernels"].items():
        known = row.kernels.setdefault(name, kernel)
        known["seconds"] = min(known["seconds"], kernel["seconds"])
    row.counts = row.counts or {}
    for name, counts in found["counts"].items():
        row.counts.setdefault(name, {}).update(counts)


def table(rows: list[Row]) -> str:
    """The cuts as text, with the ratios of all kernels together."""
    lines = [
        f"{'tiles':<34}{'step ms':>9}{'saved':>8}{'D1 hits':>9}{'L2 hits':>9}{'from memory':>13}"
    ]
    for row in rows:
        counts = together(row)
        hits = ratio(counts, "D1 loads", "D1 misses", of_all=True)
        second = ratio(counts, "L2 hits", "L2 misses", of_all=False)
        filled = counts.get("D1 refills from memory")
        words = [f"{share:.1%}" if share is not None else "unknown" for share in (hits, second)]
        lines.append(
            f"{row.name:<34}{1e3 * row.seconds:>9.2f}{row.reduction:>8.1%}{words[0]:>9}"
            f"{words[1]:>9}{f'{filled / 1e6:.2f} M' if filled is not None else 'unknown':>13}"
        )
    return "\n".join(lines)


def kernel_table(rows: list[Row], sizes: dict[str, int]) -> str:
    """The kernels that take longest with the first cut: time with all of them, size of a tile."""
    first = rows[0].kernels
    names = sorted(first, key=lambda name: -first[name]["seconds"])[:most_kernels]
    known = ", ".join(f"{level} {size / 2**20:.3g} MiB" for level, size in sizes.items())
    lines = [f"kernels, least ms of a step (MiB that a call must move in a tile; {known})"]
    lines.append(f"{'':<28}" + "".join(f"{row.name.split(' per')[0]:>17}" for row in rows))
    for name in names:
        cells = [row.kernels[name] for row in rows if name in row.kernels]
        words = [f"{1e3 * c['seconds']:.2f} ({c['bytes'] / 2**20:.3g})" for c in cells]
        lines.append(f"{name:<28}" + "".join(f"{word:>17}" for word in words))
    return "\n".join(lines)


def together(row: Row) -> dict[str, float]:
    """Counts of all kernels of a cut, those that are known of each."""
    kernels = list((row.counts or {}).values())
    known = [name for half in counted for name in half if all(name in some for some in kernels)]
    return {name: sum(some[name] for some in kernels) for name in known} if kernels else {}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab tiles`."""
    parser.add_argument("case", metavar="CASE", nargs="?", default="tracer-51", help="(tracer-51)")
    parser.add_argument("--ranks", type=int, default=1, help="ranks (1)")
    parser.add_argument("--tiles", default="1,2,4,8,16", help="tiles per patch (1,2,4,8,16)")
    parser.add_argument("--threads", type=int, default=1, help="threads per rank (1)")
    parser.add_argument("--steps", type=int, default=6, help="steps of a run, at least 2 (6)")
    parser.add_argument("--repeat", type=int, default=4, help="runs of each cut, in turns (4)")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="settings")
    parser.add_argument("--plot", metavar="FILE", default="tiles.png", help="picture (tiles.png)")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: Any) -> int:
    """Run the command."""
    try:
        blocks = [int(word) for word in options.tiles.split(",")]
    except ValueError:
        raise UserError(f"--tiles {options.tiles} is no list of numbers such as 1,4,16.") from None
    if min([options.repeat, options.steps - 1, options.ranks, options.threads, *blocks]) < 1:
        raise UserError(
            "Tiles, ranks, threads and runs are 1 or more each, steps 2 or more: the first is left"
            " out."
        )
    sizes, rows = caches(), cuts(options.case, options.settings, blocks)
    measure(options.case, options.settings, rows, options)
    print(table(rows))
    print(kernel_table([row for row in rows if row.tile_bytes == rows[0].tile_bytes], sizes))
    if not together(rows[0]):
        print(
            "The processor lets nobody count here: hits and fills of the caches are not known, only"
            " times and what could fit."
        )
    draw(options.case, rows, sizes, Path(options.plot))
    print(f"picture: {options.plot}")
    if options.json:
        found = {"case": options.case, "ranks": options.ranks, "threads": options.threads}
        found |= {"caches": sizes, "rows": [asdict(row) for row in rows]}
        result_files.write(options.json, found, keys)
    return 0
