"""How a run at a site is: what happened to it, what the queue says, how far it has come."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from halocline.experiment.progress import time_words
from halocline.submission.job_script import log_there, newest_restart
from halocline.submission.schedulers import QueueEntry, scheduler_of
from halocline.submission.site_shell import SiteShell
from halocline.submission.submissions import Submission

# The queue first: what a job puts down before it leaves that one is seen then.
_look = """
cd {folder} || exit 1
echo '%% queue'; {ask}
echo '%% history'; cat history 2>/dev/null
echo '%% newest'
{newest}
echo '%% log'; tail -c 4000 {log} 2>/dev/null
exit 0
"""

progress_line = re.compile(r"^(-?\d{4,}-\d\d-\d\d[ \d:.]*?) +(\d+)% +(.*)$", re.MULTILINE)

at_its_end = ("complete", "cancelled", "failed", "stalled")
ended = (*at_its_end, "stopped")

meanings = {
    "new": "not in the queue: give the command 'halocline submit' again",
    "waiting": "waits in the queue",
    "running": "running",
    "ending": "ending",
    "complete": "complete",
    "cancelled": "cancelled, with a restart if it had begun; 'halocline submit' goes on with it",
    "failed": "failed; see 'halocline job log'; 'halocline submit' goes on with it",
    "stalled": "stopped: a job of this wall time comes no step further. Give it more (--walltime)",
    "stopped": "stopped at its wall time, and its next job was refused by the queue;"
    " 'halocline submit' goes on with it",
    "lost": "ended without a word: killed, or the machine went down; 'halocline submit' goes on"
    " with it from its last restart",
}


@dataclass(frozen=True)
class JobEvent:
    """What the script of a run has put down: when, what, and a word more."""

    time: datetime
    what: str
    more: str = ""


@dataclass(frozen=True)
class Looked:
    """A run at its site: events, its entry in the queue, newest restart, end of its log."""

    events: Sequence[JobEvent]
    entry: QueueEntry | None
    newest: str
    log: str

    @property
    def state(self) -> str:
        """One word: a key of `meanings`."""
        last = self.events[-1].what if self.events else ""
        if self.entry is not None and last not in at_its_end:
            return self.entry.state
        if last in ("", "submitted"):
            return "new"
        return last if last in ended else "lost"

    @property
    def alive(self) -> bool:
        """Whether it waits, runs or goes on."""
        return self.state in ("waiting", "running", "ending")

    @property
    def parts(self) -> int:
        """Jobs that have begun to run."""
        return sum(event.what == "running" for event in self.events)

    @property
    def seconds(self) -> float:
        """Time for which its jobs have run, without waiting [s]."""
        total, since = 0.0, None
        for event in self.events:
            if event.what == "running":
                since = event.time
            elif since is not None:
                total += (event.time - since).total_seconds()
                since = None
        return total

    @property
    def reached(self) -> tuple[str, str]:
        """Simulated time and what else is known: from the log, else from the newest restart."""
        told = progress_line.findall(self.log)
        newest = _date(self.newest)
        if told and told[-1][0] >= newest:
            date, share, pace = told[-1]
            return date, f"{share}%  {pace}"
        return (newest, "newest restart") if newest else ("", "")


def _date(stamp: str) -> str:
    """The date in the name of a restart, as the log has it.

    >>> _date("20000101T063000")
    '2000-01-01 06:30'
    """
    found = re.fullmatch(r"(\d+)(\d\d)(\d\d)T(\d\d)(\d\d)\d\d", stamp)
    return "{}-{}-{} {}:{}".format(*found.groups()) if found else ""


def look(shell: SiteShell, submission: Submission) -> Looked:
    """Look after a run at its site."""
    scheduler = scheduler_of(shell.site)
    script = _look.format(
        folder=shlex.quote(submission.folder),
        ask=scheduler.ask(submission.job_name),
        newest=newest_restart,
        log=log_there,
    )
    said = shell.run(script, what=f"look after '{submission.identity}'")
    parts = dict.fromkeys(("history", "queue", "newest"), "")
    head, _, log = said.partition("%% log\n")
    for part in head.split("%% ")[1:]:
        name, _, content = part.partition("\n")
        parts[name] = content
    return Looked(
        list(map(_event, parts["history"].splitlines())),
        scheduler.read(parts["queue"]),
        parts["newest"].strip(),
        log,
    )


def _event(line: str) -> JobEvent:
    time, what, *more = line.split(" ", 2)
    return JobEvent(datetime.fromisoformat(time), what, *more)


def status_lines(submission: Submission, looked: Looked, site_kind: str) -> list[str]:
    """All that is known of a run, a line each."""
    state = looked.state
    last = looked.events[-1] if looked.events else None
    since = f", since {last.time:%Y-%m-%d %H:%M:%S}Z" if last and state == last.what else ""
    more = f" ({last.what} {last.more})" if last and last.more and state == last.what else ""
    ranks = f"{submission.ranks} rank{'s' * (submission.ranks > 1)}"
    rows = [
        ("job", submission.identity),
        ("case", f"{submission.case}, {submission.begins} to {submission.ends}, {ranks}"),
        ("site", f"{submission.site} ({site_kind}), {submission.folder}"),
        ("state", f"{meanings[state]}{more}{since}"),
    ]
    if looked.parts > 1:
        rows.append(("jobs", f"{looked.parts} so far, one after the other"))
    if looked.entry is not None:
        rows.append(("queue", looked.entry.said))
    if state == "complete":
        rows.append(("took", time_words(looked.seconds)))
    elif looked.reached[0]:
        date, pace = looked.reached
        rows.append(("reached", f"{date} of {submission.ends}, {pace}"))
    elif submission.expected and state in ("waiting", "running"):
        rows.append(("expected", f"{time_words(submission.expected)} of computing"))
    if state in ("failed", "lost") and looked.log.strip():
        rows.append(("said last", looked.log.strip().splitlines()[-1]))
    return [f"{name:<10}{words}" for name, words in rows]
