"""What can be done with a run at a site: look, follow its log, end it, fetch its results."""

from __future__ import annotations

import codecs
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.runtime.files.room import size_words
from halocline.submission.job_script import log_there
from halocline.submission.looking import Looked, look, meanings, status_lines
from halocline.submission.schedulers import scheduler_of
from halocline.submission.site_shell import SiteShell
from halocline.submission.submissions import Submission, WorkedOn, forget, load, save, working_on
from halocline.submission.transfer import fetch

look_interval = 1.0
"""How often a log is asked for more [s]."""

patience = 30.0
"""How long `cancel` waits for a run to leave its restart [s]."""


def listed(submissions: Sequence[Submission]) -> Iterator[str]:
    """All runs that this machine remembers, a line each."""
    if not submissions:
        yield "nothing was submitted from here yet"
    width = max((len(some.identity) for some in submissions), default=0)
    for some in submissions:
        stage = "complete" if some.took and some.stage == "submitted" else some.stage
        yield f"{some.identity:<{width}}  {some.site}  {stage}  {some.submitted}"


def refuse_unsent(submission: Submission) -> None:
    """Refuse to ask a site for a run that has not come there."""
    if not submission.folder or submission.stage == "staging":
        raise UserError(
            f"'{submission.identity}' has not been submitted whole: give the command 'halocline"
            f" submit {shlex.quote(submission.case)} --to {submission.site}' again."
        )


def looked_after(shell: SiteShell, submission: Submission) -> Looked:
    """A look at a run; how long it took is remembered once it is complete."""
    looked = look(shell, submission)
    if looked.state == "complete" and not submission.took:
        with suppress(WorkedOn), working_on(submission.identity):
            known = load(submission.identity) or submission
            save(replace(known, took=max(looked.seconds, 1.0)))
    return looked


def status(shell: SiteShell, submission: Submission) -> int:
    """Print how a run is; the exit code."""
    looked = looked_after(shell, submission)
    print("\n".join(status_lines(submission, looked, shell.site.kind)))
    return 0


def follow_log(shell: SiteShell, submission: Submission) -> int:
    """Print what a run has printed, and go on until it ends; the exit code."""
    offset = 0
    decoder = codecs.getincrementaldecoder("utf-8")("replace")  # letters may come in halves

    def take(pipe: IO[bytes]) -> None:
        nonlocal offset
        while piece := pipe.read(1 << 16):
            sys.stdout.write(decoder.decode(piece))
            offset += len(piece)

    script = "cd {folder} && [ ! -f {log} ] || tail -c +{at} {log}\n"
    while True:
        looked = looked_after(shell, submission)
        words = {"folder": shlex.quote(submission.folder), "log": log_there, "at": offset + 1}
        shell.run(script.format(**words), what="read the log", take=take)
        sys.stdout.flush()
        if not looked.alive:
            print(f"-- {submission.identity}: {meanings[looked.state]}")
            return 0
        time.sleep(look_interval)


def cancel(shell: SiteShell, submission: Submission) -> int:
    """End a run cleanly, and wait until it has left its restart; the exit code."""
    with working_on(submission.identity):
        looked = look(shell, submission)
        if not looked.alive:
            print(f"{submission.identity} does not run: {meanings[looked.state]}")
            return 0
        drop = ""
        if looked.entry is not None and looked.state == "waiting":
            drop = f"{scheduler_of(shell.site).drop(looked.entry.identity)} || exit 1\n"
            drop += 'echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) cancelled" >> history\n'
        folder = shlex.quote(submission.folder)
        shell.run(f"cd {folder} && : > cancel || exit 1\n{drop}", what="cancel the job")
        deadline = time.monotonic() + patience
        while looked.alive and time.monotonic() < deadline:
            time.sleep(look_interval)
            looked = look(shell, submission)
    if looked.alive:
        print(f"{submission.identity} is asked to end; 'halocline job status' tells when it has")
    else:
        print(f"{submission.identity}: {meanings[looked.state]}")
    return 0


def remove(shell: SiteShell, submission: Submission) -> int:
    """Remove the folder of a run that has ended, and input that no run has any more; exit code.

    Input of the last day stays: another command may be about to use it.
    """
    with working_on(submission.identity):
        there = submission.folder.removesuffix(f"/jobs/{submission.identity}")
        base, folder = shlex.quote(there), shlex.quote(f"jobs/{submission.identity}")
        gone = shell.run(f"[ -d {shlex.quote(submission.folder)} ] || echo gone\n", what="look")
        if not gone and look(shell, submission).alive:
            raise UserError(f"'{submission.identity}' has not ended. Cancel it first.")
        shell.run(
            f"cd {base} 2>/dev/null || exit 0\nrm -rf {folder} || exit 1\n"
            "find store -type f -links 1 -mtime +0 -exec rm -f {} +\n",
            what="remove the run",
        )
        forget(submission)
    print(f"{submission.identity}: removed at '{shell.name}'")
    return 0


def fetch_results(shell: SiteShell, submission: Submission, output: Path | None) -> int:
    """Bring what is complete of the results here; the exit code."""
    target = output or Path("results", submission.identity)
    looked = looked_after(shell, submission)
    if not looked.parts:
        raise UserError(f"'{submission.identity}' has no results yet: {meanings[looked.state]}.")
    with working_on(submission.identity):
        found = fetch(shell, submission.folder, target, running=looked.alive)
        known = load(submission.identity)
        if known is not None and looked.state == "complete":
            save(replace(known, stage="fetched"))
    print(
        f"{target}: {amount(found.files, 'file')} with right checksums,"
        f" {size_words(found.size)} came"
    )
    if found.changing:
        print(f"still being written there: {', '.join(found.changing)}")
    if looked.state != "complete":
        print(f"the run is not complete: {meanings[looked.state]}")
    return 0
