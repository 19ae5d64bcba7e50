"""`halocline submit`: run a case at another machine, or at the one where it is done first."""

from __future__ import annotations

import argparse
from pathlib import Path

from halocline.core.errors import UserError
from halocline.experiment.parser import add_settings

words = "run a case at a site of the sites file, or where its result is there first"
example = "submit swell --to cluster -n 8 --walltime 02:00:00"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline submit`."""
    parser.add_argument("case", metavar="CASE", help="case file, its folder, or a shipped case")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--to", metavar="SITE", help="the site, by its name in the sites file")
    where.add_argument(
        "--anywhere", action="store_true", help="the site where the result is there first, and why"
    )
    parser.add_argument("-n", "--ranks", type=_positive, help="number of ranks; those of a node")
    add_settings(parser)
    parser.add_argument(
        "--walltime",
        metavar="HH:MM:SS",
        default="",
        help="limit of one job; the run goes on in the next one (the site's longest)",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="run it once more, though an equal run is at a site already",
    )
    sites_argument(parser)


def sites_argument(parser: argparse.ArgumentParser) -> None:
    """The option --sites."""
    parser.add_argument(
        "--sites",
        metavar="FILE",
        type=Path,
        help="sites file (~/.config/halocline/sites.toml)",
    )


def _positive(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"'{word}' is no whole number of 1 or more")
    return int(word)


def main(options: argparse.Namespace) -> int:
    """Send the case; the exit code."""
    from halocline.experiment.members import read_members
    from halocline.submission.choosing import choose, demand_of, fit
    from halocline.submission.job_script import wall_seconds
    from halocline.submission.site_file import find_site, read_sites
    from halocline.submission.site_shell import SiteShell
    from halocline.submission.submissions import load, working_on
    from halocline.submission.submitting import chosen_identity, make_order, submit

    file = options.sites.absolute() if options.sites else None
    sites = read_sites(file)
    walltime = wall_seconds(options.walltime)
    if options.to:
        find_site(options.to, sites, file)
    order = make_order(options.case, read_members(options.case, options.settings))
    demand = demand_of(order.members, options.ranks, order.shape)
    identity = chosen_identity(order, options.again)
    with working_on(identity):
        known = load(identity)
        name = options.to or (known.site if known is not None else "")
        if known is not None and known.stage != "staging" and known.site != name:
            raise UserError(
                f"An equal run, {identity}, is at '{known.site}'. 'halocline job status"
                f" {identity}' tells how it is; --again sends one more, to '{name}'."
            )
        name = name or choose(sites, demand, walltime).site
        site = find_site(name, sites, file)
        fitted = fit(name, site, demand, walltime)
        with SiteShell(name, site) as shell:
            submit(shell, order, identity, fitted, str(file or ""), _tell)
    return 0


def _tell(line: str) -> None:
    print(line, flush=True)
