"""Sending a run to a site: its input, its folder, its job; each step may be repeated."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import halocline
from halocline.core.clock import text
from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.experiment.members import Members
from halocline.experiment.start import default_folder
from halocline.runtime.files.room import size_words
from halocline.submission.choosing import Fit
from halocline.submission.job_script import JobWords, scripts
from halocline.submission.looking import Looked, look
from halocline.submission.schedulers import scheduler_of
from halocline.submission.site_shell import SiteShell
from halocline.submission.staging import StagedFile, staged_files
from halocline.submission.submissions import Submission, load, save, working_on
from halocline.submission.transfer import send

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Order:
    """What is to be sent: a case with all the files that it needs."""

    case: str
    files: Sequence[StagedFile]
    members: Members
    shape: str

    @property
    def identity(self) -> str:
        """The name of a run: that of its case, and a part of the checksum of all its input."""
        facts = sorted((file.name, file.sha256) for file in self.files)
        sums = hashlib.sha256(repr(facts).encode()).hexdigest()
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(default_folder(self.case)).name).strip("-")
        return f"{name[:40] or 'case'}.{sums[:8]}"

    @property
    def steps(self) -> int:
        """Steps of the member that has most."""
        return max(member.clock.steps for member in self.members.members.values())


def make_order(case: str, members: Members) -> Order:
    """What is to be sent of a case."""
    table = members.to_table()
    return Order(case, staged_files(table), members, shape_of(table))


def shape_of(table: dict[str, Any]) -> str:
    """Checksum of what a step costs: of all options but those of time and of restarts' names."""

    def without_dates(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            key: without_dates(item)
            for key, item in value.items()
            if key not in ("start", "end", "length", "title", "source", "data_folder")
            or isinstance(item, dict)
        }

    return hashlib.sha256(
        json.dumps(without_dates(table), sort_keys=True, default=str).encode()
    ).hexdigest()[:16]


def chosen_identity(order: Order, again: bool) -> str:
    """The name of the run that an order goes on with; `again`: of one more like it."""
    first, number = order.identity, 1
    name = first
    while load(name) is not None:
        number += 1
        following = f"{first}-{number}"
        if not again and load(following) is None:
            return name
        name = following
    return name


def submit(
    shell: SiteShell, order: Order, identity: str, fitted: Fit, sites_file: str, tell: Tell
) -> Submission:
    """Have a run at a site, whatever an earlier command has done of it.

    1. remember it  2. the folder there  3. input  4. the folder of the run  5. its job
    """
    # 1. remember it
    known = load(identity)
    if known is not None and known.stage != "staging":
        looked = look(shell, known)
        if looked.alive or looked.state == "complete":
            tell(_nothing_to_do(known, looked))
            return known
    fresh = _remembered(order, identity, shell.name, sites_file, fitted)
    known = save(replace(fresh, **_kept(known)) if known is not None else fresh)
    # 2. the folder there
    base = _base_folder(shell, tell)
    folder = f"{base}/jobs/{identity}"
    # 3. input
    words = JobWords(folder, known.job_name, known.ranks, known.walltime)
    own = scripts(shell.site, words, scheduler_of(shell.site).submit(shell.site, words))
    files = [*order.files, *own]
    with working_on(f"input-of-{shell.name}", wait=True):  # two would mix what comes
        size = send(shell, base, files)
    tell(f"input: {amount(len(files), 'file')} at '{shell.name}', {size_words(size)} sent")
    # 4. the folder of the run
    shell.run(_folder_script(base, folder, files), what=f"make the folder '{folder}'")
    known = save(replace(known, folder=folder))
    # 5. its job
    looked = look(shell, known)
    if looked.alive or looked.state == "complete":
        tell(f"{identity} is there already: {looked.state}")
    else:
        said = shell.run(_start_script(folder), what="submit the job")
        tell(f"submitted {identity}: {_named(said, shell)}")
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}Z"
    return save(replace(known, stage="submitted", submitted=known.submitted or now))


def _remembered(order: Order, identity: str, site: str, sites_file: str, fitted: Fit) -> Submission:
    """What is put down of a run that is sent for the first time."""
    clocks = [member.clock for member in order.members.members.values()]
    return Submission(
        identity=identity,
        case=order.case,
        site=site,
        sites_file=sites_file,
        ranks=fitted.ranks,
        walltime=fitted.walltime,
        begins=text(clocks[0].start),
        ends=text(max(clock.end for clock in clocks)),
        steps=order.steps,
        shape=order.shape,
        expected=fitted.seconds,
    )


def _kept(known: Submission) -> dict[str, Any]:
    """What stays of a run that is taken up again, perhaps on other ranks or with more time."""
    return {name: getattr(known, name) for name in ("stage", "submitted", "took")}


def _nothing_to_do(known: Submission, looked: Looked) -> str:
    what = "'halocline job fetch' brings its results, " if looked.state == "complete" else ""
    return (
        f"{known.identity} is at '{known.site}' already: {looked.state}; {what}--again runs it anew"
    )


def _named(said: str, shell: SiteShell) -> str:
    identity = said.strip().splitlines()[-1] if said.strip() else "?"
    if shell.site.batch:
        return f"job {identity} of '{shell.name}'"
    return f"process {identity.split()[0]} at '{shell.name}'"


def _base_folder(shell: SiteShell, tell: Tell) -> str:
    """The folder of a site, made where it is missing, as its whole path; halocline is there."""
    site = shell.site
    folder = site.folder
    place = f'"$HOME"/{shlex.quote(folder[2:])}' if folder.startswith("~/") else shlex.quote(folder)
    setup = "\n".join(site.setup)
    said = shell.run(
        f"cd && mkdir -p {place} && cd {place} && mkdir -p store jobs && pwd -P || exit 1\n"
        f"{{\n{setup}\n{site.halocline} --version; }} </dev/null 2>&1 | tail -n 1\n",
        what="begin",
    )
    base, _, version = said.strip().partition("\n")
    if not re.fullmatch(r"halocline \S+", version.strip()):
        raise UserError(
            f"Halocline cannot be started at the site '{shell.name}': '{site.halocline} --version'"
            f" says '{version.strip()[-300:]}'. Set 'halocline' and 'setup' of the site as its"
            " shell needs them."
        )
    if version.strip() != f"halocline {halocline.__version__}":
        tell(f"'{shell.name}' has {version.strip()}, here it is {halocline.__version__}")
    return base


def _folder_script(base: str, folder: str, files: Sequence[StagedFile]) -> str:
    """Put the files of a run into its folder: links to the store, or copies where none can be."""
    lines = [f"cd {shlex.quote(base)} && mkdir -p {shlex.quote(folder)} || exit 1"]
    folders = sorted({file.name.rpartition("/")[0] for file in files} - {""})
    lines += [f"mkdir -p {shlex.quote(f'{folder}/{some}')} || exit 1" for some in folders]
    for file in files:
        store, place = f"store/{file.sha256}", shlex.quote(f"{folder}/{file.name}")
        lines.append(f"ln -f {store} {place} 2>/dev/null || cp -f {store} {place} || exit 1")
    return "\n".join(lines) + "\n"


def _start_script(folder: str) -> str:
    """Submit the job, and say so before: what runs is never without a word of it."""
    return (
        f"cd {shlex.quote(folder)} && rm -f cancel || exit 1\n"
        'echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) submitted" >> history || exit 1\n'
        "exec /bin/sh ./submit.sh </dev/null\n"
    )
