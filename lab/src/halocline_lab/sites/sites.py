"""`halocline lab sites`: exchanges between two sites, beside table 1 of Govett et al. (2004).

Two programs on this machine exchange fields of the paper's sizes over a path of 15 ms each way and
100 Mbit/s, by the real link: 25 steps, an exchange every 5, the last four counted. Each side's
sending, waiting and transfer are told apart. What decides is explained by congestion windows: the
rounds of each exchange are counted and compared with a model, which also tells what another network
would change. With --listen, --connect or --relay two people measure the path between them. With
--case it predicts whether a coupled case runs faster at two sites.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.parser import add_settings
from halocline_lab.sites.shaper import NetworkPath

choices = ("serial untuned", "serial tuned", "parallel untuned", "parallel tuned", "local", "ours")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab sites`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--delay", type=float, default=15.0, metavar="MS", help="one way (15)")
    add("--rate", type=float, default=100.0, metavar="MBIT", help="Mbit/s each way (100; 0: any)")
    add("--loss", type=float, default=0.0, metavar="PERCENT", help="of packets that are lost (0)")
    add("--jitter", type=float, default=0.0, metavar="MS", help="packets are later by up to this")
    add("--by", choices=("namespaces", "shaper"), help="how the path is made: packets between"
        " network namespaces where they are allowed, else bytes between sockets")  # fmt: skip
    add("--cases", nargs="+", metavar="CASE", default=list(choices),
        help=f"some of: {', '.join(choices)} (quote them)")  # fmt: skip
    add("--pairs", default="6x2", metavar="AIRxOCEAN", help="ranks of the parallel case (6x2)")
    add("--streams", type=int, default=16, metavar="N", help="connections of ours (16)")
    add("--step", type=float, default=0.4, metavar="S", help="a step computes so long (0.4 s)")
    add("--rounds", type=int, default=1, help="how often cases take turns (1): the fastest counts,"
        " or that in the middle where packets are lost")  # fmt: skip
    add("--listen", metavar="HOST:PORT", help="measure the path to another site, which connects")
    add("--connect", metavar="HOST:PORT", help="the same, where that site listens")
    add("--relay", metavar="HOST:PORT", help="the same, where both connect to a relay")
    add("--credentials", metavar="FOLDER", help="of this site, as 'halocline site certificate'"
        " makes them")  # fmt: skip
    add("--site", default="", metavar="NAME", help="of this site, as in its certificate")
    add("--other", default="", metavar="NAME", help="of the other site")
    add("--side", choices=("air", "ocean"), help="what this site is (who listens: air)")
    add("--case", metavar="CASE", help="predict whether a coupled case is faster at two sites")
    add("--ranks-here", type=int, metavar="N", help="of --case: ranks of one site")
    add("--ranks-there", type=int, metavar="M", help="of --case: ranks of the other")
    add("--records", metavar="RECORD", nargs="+", default=[], help="of --case: records as of 'lab"
        " split', in place of runs")  # fmt: skip
    add("--perfect", action="store_true", help="of --case: divide perfectly what was measured on"
        " one number of ranks")  # fmt: skip
    add_settings(parser)
    add("--output", metavar="FILE", help="draw it: PNG, PDF, SVG")
    add("--json", metavar="FILE", help="write values; it explains its keys")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    path = path_of(options)
    if options.case:
        from halocline_lab.sites.site_prediction import predict

        return predict(options, path)
    if options.listen or options.connect or options.relay:
        from halocline_lab.sites.site_meeting import meet

        return meet(options, _pairs(options.pairs))
    return _measure(options, path)


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _measure(options: argparse.Namespace, path: NetworkPath) -> int:
    from halocline_lab.benchmarks import result_files
    from halocline_lab.benchmarks.machine_load import load_words
    from halocline_lab.sites import site_words
    from halocline_lab.sites.path_fit import fit_path
    from halocline_lab.sites.site_cases import as_row, floors, measure_cases, site_cases

    known = {case.name: case for case in site_cases(_pairs(options.pairs), options.streams)}
    for name in options.cases:
        if name not in known:
            raise UserError(f"--cases '{name}' is none of: {', '.join(choices)}.")
    cases = [case for name, case in known.items() if name in options.cases]
    way, why = _way(options)
    pause = 5 * options.step
    results, timed = measure_cases(
        cases, path, way, pause=pause, rounds=options.rounds,
        fit=cases[-1].over_path, tell=_tell,
    )  # fmt: skip
    fit = fit_path(timed) if timed else None
    busy = load_words()
    said = [
        site_words.path_words(path, way, why),
        site_words.protocol_words(pause),
        "",
        site_words.case_table(results, path),
    ]
    if any(one.case.over_path for one in results):
        best = site_words.best_all(results)
        said += ["", site_words.why_table(results), *site_words.why_words(results, path)]
        said += ["", *site_words.paper_words(), ""]
        said += [site_words.fit_words(fit)] if fit else []
        said += ["", *site_words.what_if_words(cases, path, best)]
    print("\n".join([*said, *(["", busy] if busy else [])]))
    if options.output:
        from halocline_lab.scaling.pictures import write_picture
        from halocline_lab.sites.sites_plot import draw

        write_picture(lambda place: draw(results, path, place), Path(options.output))
    if options.json:
        told: dict[str, Any] = {
            "path": {"delay": path.delay, "rate": path.rate, "jitter": path.jitter,
                     "lost": path.stalls, "made by": way},
            "pause": pause,
            "floors": {
                name: floors(path, trips=trips)
                for name, trips in (("one way", False), ("with trips", True))
            },
            "rows": [as_row(one) for one in results],
            "fit": vars(fit) if fit else None,
        }  # fmt: skip
        result_files.write(options.json, told, site_words.keys)
    return 0


def path_of(options: argparse.Namespace) -> NetworkPath:
    """The path that is asked for."""
    for name in ("delay", "rate", "jitter", "step"):
        if getattr(options, name) < 0.0:
            raise UserError(f"--{name} {getattr(options, name):g}: give 0 or more.")
    if not 0.0 <= options.loss < 50.0:
        raise UserError(f"--loss {options.loss:g}: give per cent from 0 to less than 50.")
    for name in ("streams", "rounds"):
        if getattr(options, name) < 1:
            raise UserError(f"--{name} {getattr(options, name)}: give 1 or more.")
    return NetworkPath(
        delay=1e-3 * options.delay,
        rate=1e6 * options.rate,
        jitter=1e-3 * options.jitter,
        stalls=1e-2 * options.loss,
    )


def _pairs(words: str) -> int:
    found = re.fullmatch(r"([1-9]\d?)x([1-9]\d?)", words)
    if found is None or int(found[1]) * int(found[2]) > 64:
        raise UserError(f"--pairs '{words}': write ranks of air and ocean, as 6x2, of 64 pairs.")
    return int(found[1]) * int(found[2])


def _way(options: argparse.Namespace) -> tuple[str, str]:
    """How the path is made here, and why not by namespaces."""
    from halocline_lab.sites.namespaces import why_not

    if options.by == "shaper":
        return "shaper", ""
    why = why_not()
    if why and options.by:
        raise UserError(f"--by namespaces: {why}. Say --by shaper, or nothing.")
    return ("shaper", why) if why else ("namespaces", "")
