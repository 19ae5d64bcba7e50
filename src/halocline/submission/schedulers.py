"""What starts runs at a site and says how they are: the system itself, Slurm or PBS."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from halocline.submission.job_script import JobWords, job_there
from halocline.submission.site_file import SiteOptions
from halocline.submission.site_shell import lines_of


@dataclass(frozen=True)
class QueueEntry:
    """A job as its system sees it: its name there, 'waiting', 'running' or 'ending', and more."""

    identity: str
    state: str
    said: str = ""


def _foremost(entries: Sequence[QueueEntry]) -> QueueEntry | None:
    """The entry that counts while one job of a run hands over to the next one."""
    order = ("waiting", "running", "ending")
    return min(entries, key=lambda entry: order.index(entry.state), default=None)


class NoQueue:
    """Runs are processes of the machine; `ask` finds the one of a folder."""

    def submit(self, site: SiteOptions, words: JobWords) -> Sequence[str]:
        """No command: the script starts itself in the background."""
        return ()

    def ask(self, name: str) -> str:
        """A script that prints a line if the process of the run is there."""
        return """
if read -r pid node 2>/dev/null < id; then
  if [ "$node" != "$(uname -n)" ]; then echo "$pid elsewhere $node"
  elif kill -0 "$pid" 2>/dev/null && { [ ! -d /proc/self ] || [ /proc/$pid/cwd -ef . ]; }
  then echo "$pid R"; fi
fi
"""

    def read(self, said: str) -> QueueEntry | None:
        """What the script has printed."""
        for pid, state, *more in lines_of(said):
            where = f" on {more[0]}, if that has not ended" if state == "elsewhere" else ""
            return QueueEntry(pid, "running", f"process {pid}{where}")
        return None

    def drop(self, identity: str) -> str:
        """Nothing waits."""
        return ":"

    def load(self, site: SiteOptions) -> str:
        """A script that tells how busy the machine is."""
        return "echo load $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo 0)"

    def trial(self, site: SiteOptions, words: JobWords) -> str:
        """Nothing to ask."""
        return ":"


class Slurm:
    """sbatch, squeue and scancel."""

    def submit(self, site: SiteOptions, words: JobWords) -> Sequence[str]:
        """The command that submits the script in its folder, and prints the job's number."""
        return [*self._command(site, words, "--parsable"), job_there]

    def _command(self, site: SiteOptions, words: JobWords, *first: str) -> list[str]:
        nodes = site.nodes_for(words.ranks)
        found = ["sbatch", *first, f"--job-name={words.name}", f"--ntasks={words.ranks}"]
        found += [f"--nodes={nodes}"] if site.cores else []
        found += [f"--time={_minutes(words.walltime)}"] if words.walltime else []
        found += [f"--partition={site.queue}"] if site.queue else []
        found += [f"--account={site.account}"] if site.account else []
        return [*found, "--output=scheduler.log", "--open-mode=append", *site.job_options]

    def ask(self, name: str) -> str:
        """A script that prints a line for each job of this name: number, state, start."""
        return f"squeue -h -n {name} -u \"$(id -un)\" -o '%i %T %S' || exit 1\n"

    def read(self, said: str) -> QueueEntry | None:
        """What squeue has printed."""
        words = {"PENDING": "waiting", "COMPLETING": "ending", "CONFIGURING": "waiting"}
        found = []
        for identity, state, *start in lines_of(said):
            when = start[0] if start and start[0] != "N/A" else ""
            told = f", expected to start {when}" if when and state == "PENDING" else ""
            word = f"job {identity} {state}{told}"
            found.append(QueueEntry(identity, words.get(state, "running"), word))
        return _foremost(found)

    def drop(self, identity: str) -> str:
        """A script that takes a job out of the queue."""
        return f"scancel {shlex.quote(identity)}"

    def load(self, site: SiteOptions) -> str:
        """A script that prints how many jobs wait."""
        where = f"-p {shlex.quote(site.queue)}" if site.queue else ""
        return f"n=$(squeue -h -t PENDING {where} -o %i | wc -l) && echo ahead $n || exit 1"

    def trial(self, site: SiteOptions, words: JobWords) -> str:
        """A script that prints when such a job would start; Slurm says it without submitting."""
        command = shlex.join(self._command(site, words, "--test-only"))
        return f"{command} --wrap=true 2>&1 </dev/null; date +now=%Y-%m-%dT%H:%M:%S"


class Pbs:
    """qsub, qstat, qselect and qdel, of PBS and of Torque."""

    def submit(self, site: SiteOptions, words: JobWords) -> Sequence[str]:
        """The command that submits the script in its folder, and prints the job's number."""
        nodes = site.nodes_for(words.ranks)
        each = -(-words.ranks // nodes)
        request = site.request.replace("{nodes}", str(nodes)).replace("{per_node}", str(each))
        request = request.replace("{ranks}", str(words.ranks))
        found = ["qsub", "-N", words.name, "-l", request]
        found += ["-l", f"walltime={_clock(words.walltime)}"] if words.walltime else []
        found += ["-q", site.queue] if site.queue else []
        found += ["-A", site.account] if site.account else []
        return [*found, "-j", "oe", "-o", "scheduler.log", *site.job_options, job_there]

    def ask(self, name: str) -> str:
        """A script that prints facts of each job of this name which has not ended."""
        found = f'jobs=$(qselect -N {name} -u "$(id -un)") || exit 1\n'
        return f'{found}for job in $jobs; do qstat -f "$job" 2>/dev/null; done\n'

    def read(self, said: str) -> QueueEntry | None:
        """What qstat has printed: Job Id, job_state, estimated.start_time."""
        words, found = {"R": "running", "E": "ending"}, []
        for part in re.split(r"^Job Id: *", said, flags=re.MULTILINE)[1:]:
            identity, _, rest = part.partition("\n")
            facts = dict(re.findall(r"^\s+([\w.]+) = (.*)$", rest, re.MULTILINE))
            state = facts.get("job_state", "?").strip()
            if state in ("C", "F", "X"):
                continue
            when = facts.get("estimated.start_time", "").strip()
            told = f", expected to start {when}" if when and state not in words else ""
            word = f"job {identity.strip()} {state}{told}"
            found.append(QueueEntry(identity.strip(), words.get(state, "waiting"), word))
        return _foremost(found)

    def drop(self, identity: str) -> str:
        """A script that takes a job out of the queue."""
        return f"qdel {shlex.quote(identity)}"

    def load(self, site: SiteOptions) -> str:
        """A script that prints how many jobs wait."""
        where = f"-q {shlex.quote(site.queue)}" if site.queue else ""
        return f"n=$(qselect -s Q {where} | wc -l) && echo ahead $n || exit 1"

    def trial(self, site: SiteOptions, words: JobWords) -> str:
        """PBS tells nothing of a job that it has not."""
        return ":"


Scheduler = NoQueue | Slurm | Pbs


def scheduler_of(site: SiteOptions) -> Scheduler:
    """Who starts runs at a site."""
    if site.kind == "slurm":
        return Slurm()
    return Pbs() if site.kind == "pbs" else NoQueue()


def slurm_start(said: str) -> float | None:
    """How long Slurm says that a job would wait [s]; None where it does not say.

    >>> slurm_start("sbatch: Job 3 to start at 2026-01-01T10:00:30 using 2 processors on nodes a\\n"
    ...     "now=2026-01-01T10:00:00")
    30.0
    """
    start = re.search(r"to start at (\d\S+)", said)
    now = re.search(r"^now=(\S+)", said, re.MULTILINE)
    if not (start and now):
        return None
    return max(0.0, (_time(start[1]) - _time(now[1])).total_seconds())


def _time(words: str) -> datetime:
    return datetime.fromisoformat(words)


def _minutes(seconds: float) -> str:
    """A wall time as Slurm reads it.

    >>> _minutes(90061.0)
    '1-01:01:01'
    """
    days, rest = divmod(int(seconds), 86400)
    return f"{days}-{_clock(rest)}" if days else _clock(rest)


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock(90061)
    '25:01:01'
    """
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
