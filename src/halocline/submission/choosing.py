"""Which site: what a run needs, what sites have, and where its result is there first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.experiment.expectations import showing, to_start, work
from halocline.experiment.members import Members, of_member
from halocline.experiment.progress import time_words
from halocline.experiment.start import cores, points_per_rank
from halocline.experiment.too_many_ranks import expected_memory, field_bytes
from halocline.submission.job_script import JobWords
from halocline.submission.schedulers import scheduler_of, slurm_start
from halocline.submission.site_file import SiteOptions
from halocline.submission.site_shell import SiteShell
from halocline.submission.submissions import Submission, all_submissions

shortest_walltime = 10.0
"""A job of less wall time would do nothing but start and end [s]."""


@dataclass(frozen=True)
class Demand:
    """What a run needs: ranks if asked for, points, bytes by member, steps, times on a core [s].

    `work` is shared by ranks, `alone` is not.
    """

    ranks: int | None
    least: int
    points: int
    fields: Mapping[str, float]
    steps: int
    work: float
    alone: float
    shape: str


@dataclass(frozen=True)
class Fit:
    """How a run would be at a site: ranks, wall time of a job [s], time of computing [s], why."""

    ranks: int
    walltime: float
    seconds: float
    why: str

    @property
    def jobs(self) -> int:
        """Jobs, one after the other, that it takes."""
        if not self.walltime:
            return 1
        return max(1, math.ceil(self.seconds / (0.8 * self.walltime)))


def demand_of(members: Members, ranks: int | None, shape: str) -> Demand:
    """What a run needs; builds the grids of its members."""
    fields, points, each, alone, steps = {}, 0, 0.0, to_start, 0
    for name, member in members.here.items():
        with of_member(name):
            grid, clock = member.case.build_grid(), member.clock
            fields[name] = field_bytes(member.case, grid)
            each += work(member.case, grid, clock)
            alone += showing(member.case, clock)
            points += grid.sea_points
            steps = max(steps, clock.steps)
    least = members.least_ranks() if members.several else 1
    return Demand(ranks, least, points, fields, steps, each, alone, shape)


def fit(name: str, site: SiteOptions, demand: Demand, walltime: float) -> Fit:
    """How a run would be at a site; a UserError where it cannot be there."""
    there = site.cores or (cores() if site.kind == "local" else 0)
    if not demand.ranks and not there:
        raise UserError(
            f"It is not known how many cores the site '{name}' has. Say the number of ranks (-n),"
            " or 'cores' in the sites file."
        )
    useful = min(there, demand.points // points_per_rank)
    ranks = demand.ranks or max(1, demand.least, useful)
    if site.most_ranks and ranks > site.most_ranks:
        raise UserError(
            f"The site '{name}' has {amount(site.most_ranks, 'core')} for a run, and"
            f" {amount(ranks, 'rank')} are wanted. Take fewer (-n), or another site."
        )
    needed = expected_memory(demand.fields, ranks) / 1e9
    if site.memory and needed > site.memory * site.nodes_for(ranks):
        raise UserError(
            f"The site '{name}' has {site.memory * site.nodes_for(ranks):g} GB of memory for"
            f" {amount(ranks, 'rank')}, and the run needs about {needed:.1f} GB. Take more nodes"
            " (-n), or another site."
        )
    longest = site.longest_seconds
    if longest and walltime > longest:
        raise UserError(
            f"A job of the site '{name}' has {site.longest} at most, and"
            f" {time_words(walltime)} are wanted (--walltime)."
        )
    walltime = walltime or longest
    if site.batch and not walltime:
        raise UserError(
            f"A job of the site '{name}' needs a limit of wall time. Give --walltime, or 'longest'"
            " in the sites file."
        )
    if walltime and walltime < shortest_walltime:
        raise UserError(
            f"A wall time of {walltime:g} s is too short to start in. Give"
            f" {shortest_walltime:g} s at least (--walltime)."
        )
    return Fit(ranks, walltime, *_expected(name, site, demand, ranks))


def _expected(name: str, site: SiteOptions, demand: Demand, ranks: int) -> tuple[float, str]:
    """Time of computing at a site [s], and where it is from."""
    if earlier := _earlier(name, demand.shape):
        seconds = earlier.took / earlier.steps * demand.steps * earlier.ranks / ranks
        scaled = f", scaled from {earlier.ranks}" if earlier.ranks != ranks else ""
        return (
            seconds,
            f"an earlier run there took {earlier.took / earlier.steps:.3g} s a step{scaled}",
        )
    there = min(ranks, site.most_ranks) if site.most_ranks else ranks
    seconds = (demand.work / there + demand.alone) / site.speed
    return seconds, f"the case's stated cost, cores {site.speed:g} times as fast as here"


def _earlier(name: str, shape: str) -> Submission | None:
    """The newest run of a case with such options at a site that is known to be complete."""
    found = [
        some
        for some in all_submissions()
        if some.site == name and some.shape == shape and some.took and some.steps
    ]
    return max(found, key=lambda some: some.submitted, default=None)


@dataclass(frozen=True)
class Prospect:
    """What is to be expected of a site: how the run fits, its wait [s]; or why it cannot be."""

    site: str
    fit: Fit | None
    wait: float = 0.0
    queue: str = ""
    refused: str = ""

    @property
    def ready(self) -> float:
        """When the result is there [s]; every job of the run waits."""
        if self.fit is None:
            return math.inf
        return self.wait * self.fit.jobs + self.fit.seconds


def choose(sites: Mapping[str, SiteOptions], demand: Demand, walltime: float) -> Prospect:
    """The site where the result is there first; prints what was weighed."""
    found = [_prospect(name, site, demand, walltime) for name, site in sites.items()]
    print("\n".join(table(found)), flush=True)
    best = min(found, key=lambda some: some.ready)
    if best.fit is None:
        raise UserError("No site can take this run: see the table above.")
    print(f"chosen: {best.site}, {_reason(best, found)}", flush=True)
    return best


def _reason(best: Prospect, found: Sequence[Prospect]) -> str:
    others = [some for some in found if some.fit is not None and some is not best]
    if not others:
        return "the only one that can take the run"
    second = min(others, key=lambda some: some.ready)
    return (
        f"where the result is there in {time_words(best.ready)}, against"
        f" {time_words(second.ready)} at {second.site}"
    )


def _prospect(name: str, site: SiteOptions, demand: Demand, walltime: float) -> Prospect:
    """What is to be expected of one site, its queue looked at."""
    try:
        fitted = fit(name, site, demand, walltime)
        with SiteShell(name, site) as shell:
            return _weighed(shell, fitted)
    except UserError as error:
        return Prospect(name, None, refused=str(error))


def _weighed(shell: SiteShell, fitted: Fit) -> Prospect:
    """A run that fits, with the state of the queue, or of the machine."""
    site, scheduler = shell.site, scheduler_of(shell.site)
    trial = scheduler.trial(site, JobWords("", "halocline", fitted.ranks, fitted.walltime))
    said = shell.run(f"{scheduler.load(site)}\n{trial}\n", what="look at the queue")
    count = next(
        (
            float(line.split()[1])
            for line in said.splitlines()
            if line.startswith(("load ", "ahead "))
        ),
        0.0,
    )
    if not site.batch:
        there = site.cores or (cores() if site.kind == "local" else 0)
        free = max(1.0, there - count) if there else float(fitted.ranks)
        slower = max(1.0, fitted.ranks / free)
        busy = f"load {count:g}" + (f" of {there} cores" if there else "")
        return Prospect(shell.name, replace(fitted, seconds=fitted.seconds * slower), 0.0, busy)
    told = slurm_start(said) if site.kind == "slurm" else None
    if told is not None:
        return Prospect(shell.name, fitted, told, "start told by Slurm")
    ahead = f"{amount(int(count), 'job')} ahead, {site.wait_per_job:g} s each"
    return Prospect(shell.name, fitted, count * site.wait_per_job, ahead)


def table(found: Sequence[Prospect]) -> list[str]:
    """The sites, a line each, and below it why a run takes so long, or cannot be there."""
    rows: list[tuple[str, ...]] = [
        ("site", "ranks", "jobs", "wait", "computing", "there in", "queue")
    ]
    for some in found:
        if some.fit is None:
            rows.append((some.site, "-", "-", "-", "-", "-", "refused"))
            continue
        times = (some.wait, some.fit.seconds, some.ready)
        counts = (str(some.fit.ranks), str(some.fit.jobs))
        rows.append((some.site, *counts, *map(time_words, times), some.queue))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    for some in found:
        lines.append(f"{some.site}: {some.refused or (some.fit and some.fit.why)}")
    return lines
