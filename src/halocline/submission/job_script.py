"""The scripts that lie in the folder of a run at its site: one runs the case, one submits it.

`job.sh` begins the run, or goes on with it where there is something to go on with, and submits
itself again until the run is complete. Where a part of the run leaves no newer restart than the
one before, it stops. It appends what happens to `history`, a line each.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from halocline.experiment.start import read_walltime
from halocline.submission.site_file import SiteOptions
from halocline.submission.staging import StagedFile

job_there, submit_there, log_there = "job.sh", "submit.sh", "output.log"

newest_restart = (
    r"ls results 2>/dev/null | sed -n 's/^restart_\([0-9]*T[0-9]*\)\..*safetensors$/\1/p'"
    " | sort | tail -n 1"
)
"""A command that prints the date in the name of the newest restart."""

_job = """\
#!/bin/sh
# Made by 'halocline submit': runs the case, and goes on with it until it is complete.
cd {folder} || exit 1
event() {{ printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" >> history; }}
newest() {{ {newest}; }}
began=$(date +%s)
{own_id}[ -e cancel ] && {{ event cancelled; exit 0; }}
{setup}
cd {folder} || exit 1
event "running $(uname -n)"
before=$(newest)
if [ -f results/halocline.toml ]; then set -- resume results
else set -- run case.toml --output results; fi
{limit}child=
told=
asked=
trap 'asked=yes; [ "$told" ] || {{ told=yes; kill -TERM "$child" 2>/dev/null; }}' TERM
{halocline} "$@" </dev/null >> {log} 2>&1 &
child=$!
( while sleep 1; do [ -e cancel ] && kill -TERM $$ && exit; done ) >/dev/null 2>&1 &
watcher=$!
wait "$child"
code=$?
while [ "$asked" ]; do asked=; wait "$child"; code=$?; done
kill "$watcher" 2>/dev/null
trap - TERM
if [ "$code" = 0 ]; then event complete; exit 0; fi
if [ -e cancel ]; then event cancelled; exit 0; fi
if [ "$code" != 3 ]; then event "failed $code"; exit 1; fi
if [ "$(newest)" = "$before" ]; then event stalled; exit 1; fi
event continued
{again}
"""

_limit = """\
left=$(({limit} - {spare} - $(date +%s) + began))
[ "$left" -gt 0 ] || {{ event stalled; exit 1; }}
set -- "$@" --walltime "$left"
"""


@dataclass(frozen=True)
class JobWords:
    """What the scripts of a run are made of: its folder at the site, name, ranks, wall time [s]."""

    folder: str
    name: str
    ranks: int
    walltime: float

    @property
    def spare(self) -> int:
        """Time of a job that is kept for its last restart and its end [s]."""
        return int(min(120.0, self.walltime / 5.0))


def scripts(site: SiteOptions, words: JobWords, submit: Sequence[str]) -> list[StagedFile]:
    """The two scripts; `submit` is the command of a batch system, empty where there is none."""
    limit = _limit.format(limit=int(words.walltime), spare=words.spare) if words.walltime else ""
    if site.launcher:
        ranks = site.launcher.replace("{ranks}", str(words.ranks))
        start = f"{ranks} {site.halocline}"
    else:
        start = site.halocline
        limit += f'set -- "$@" -n {words.ranks}\n'
    job = _job.format(
        folder=shlex.quote(words.folder),
        newest=newest_restart,
        own_id="" if submit else 'echo "$$ $(uname -n)" > id.part && mv -f id.part id\n',
        setup="\n".join(site.setup),
        limit=limit,
        halocline=start,
        log=log_there,
        again=f"sh ./{submit_there} || event 'stopped'"
        if submit
        else f"exec /bin/sh ./{job_there}",
    )
    return [
        StagedFile.of(job_there, job.encode()),
        StagedFile.of(submit_there, _submit(words.folder, submit).encode()),
    ]


def _submit(folder: str, command: Sequence[str]) -> str:
    """What starts `job.sh`, and leaves in `id` by what name the system knows it."""
    if command:
        start = f"id=$({shlex.join(command)} </dev/null) || exit 1\n"
    else:
        start = (
            f'nohup /bin/sh ./{job_there} </dev/null >>{log_there} 2>&1 &\nid="$! $(uname -n)"\n'
        )
    return (
        f"#!/bin/sh\ncd {shlex.quote(folder)} || exit 1\n{start}"
        'echo "$id" > id.new && mv -f id.new id && echo "$id"\n'
    )


def wall_seconds(words: str) -> float:
    """A limit of wall time [s]; 0 where none is given."""
    return read_walltime(words) if words else 0.0
