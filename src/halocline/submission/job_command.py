"""`halocline job`: what became of runs that were sent to a site by `halocline submit`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halocline.submission.site_shell import SiteShell
    from halocline.submission.submissions import Submission

words = "look after runs at sites: their state, their log, their results, their end"
example = "job status swell"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline job`."""
    actions = parser.add_subparsers(dest="job_action", metavar="ACTION", required=True)
    actions.add_parser("list", help="all runs that were submitted from here")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        found = actions.add_parser(name, help=help)
        found.add_argument(
            "job",
            metavar="JOB",
            nargs="?",
            default="",
            help="its name or the beginning of it; the newest",
        )
        return found

    action("status", "where it is: queue, simulated time reached, time left")
    action("log", "what it prints, until it ends")
    action("remove", "remove its folder at the site, results too, and remember it no more")
    action("cancel", "end it, with a restart from which 'halocline submit' goes on")
    fetch = action("fetch", "bring its results, by checksum; of a run under way what is complete")
    fetch.add_argument("--output", metavar="DIR", type=Path, help="folder of results; results/JOB")


def main(options: argparse.Namespace) -> int:
    """Do what is asked; the exit code."""
    from halocline.submission import job_actions
    from halocline.submission.site_file import find_site, read_sites
    from halocline.submission.site_shell import SiteShell
    from halocline.submission.submissions import all_submissions, find

    if options.job_action == "list":
        for line in job_actions.listed(all_submissions()):
            print(line)
        return 0
    submission = find(options.job)
    file = Path(submission.sites_file) if submission.sites_file else None
    site = find_site(submission.site, read_sites(file), file)
    with SiteShell(submission.site, site) as shell:
        return _act(options, shell, submission)


def _act(options: argparse.Namespace, shell: SiteShell, submission: Submission) -> int:
    from halocline.submission import job_actions

    job_actions.refuse_unsent(submission)
    if options.job_action == "fetch":
        return job_actions.fetch_results(shell, submission, options.output)
    simple = {
        "status": job_actions.status,
        "log": job_actions.follow_log,
        "cancel": job_actions.cancel,
        "remove": job_actions.remove,
    }
    return simple[options.job_action](shell, submission)
