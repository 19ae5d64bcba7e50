"""Small programs in the place of a batch system's: a queue of one folder, which one can hold.

A job is a file in the folder `queue`, named by its number: its name and state. Jobs start as they
come unless `queue/held` is there; what they were submitted with is in `words.NUMBER`.
"""

from pathlib import Path

_take = """
echo "$name|Q" > "$queue/$number"
{
  while [ -e "$queue/held" ]; do sleep 0.1; done
  [ -e "$queue/$number" ] || exit
  echo "$name|R" > "$queue/$number"
  sh ./job.sh >> scheduler.log 2>&1
  rm -f "$queue/$number"
} >/dev/null 2>&1 </dev/null &
"""

_number = """
[ -e "$queue/refuses" ] && { echo "$0: error: the queue takes nothing" >&2; exit 1; }
number=$(($(ls "$queue" | grep -c '^words') + 101))
printf '%s\\n' "$@" > "$queue/words.$number"
"""

srun = 'echo "srun $2"; shift 2; exec "$@"'

slurm = {
    "srun": srun,
    "sbatch": """
for word; do case $word in --test-only) [ -e "$queue/tells" ] && cat "$queue/tells" >&2; exit;;
--job-name=*) name=${word#*=};; esac; done
"""
    + _number
    + _take
    + "echo $number",
    "squeue": """
[ -e "$queue/down" ] && { echo 'slurm_load_jobs error: Unable to contact' >&2; exit 1; }
name=; while [ $# -gt 0 ]; do [ "$1" = -n ] && name=$2; [ "$1" = PENDING ] && waiting=1; shift; done
cd "$queue" || exit 1
for job in [0-9]*; do [ -e "$job" ] || continue
  IFS='|' read -r own state < "$job"
  [ -n "$name" ] && [ "$name" != "$own" ] && continue
  if [ "$state" = R ]; then [ "$waiting" ] || echo "$job RUNNING 2026-01-01T00:00:00"
  else echo "$job PENDING N/A"; fi
done""",
    "scancel": 'rm "$queue/$1"',
}

pbs = {
    "srun": srun,
    "qsub": """
all="$*"; while [ $# -gt 1 ]; do [ "$1" = -N ] && name=$2; shift; done; set -- $all
"""
    + _number
    + _take
    + 'echo "$number.server"',
    "qselect": """
[ -e "$queue/down" ] && { echo 'qselect: Unable to contact PBS controller' >&2; exit 1; }
name=; while [ $# -gt 0 ]; do [ "$1" = -N ] && name=$2; [ "$1" = -s ] && waiting=1; shift; done
cd "$queue" || exit 1
for job in [0-9]*; do [ -e "$job" ] || continue
  IFS='|' read -r own state < "$job"
  [ -n "$name" ] && [ "$name" != "$own" ] && continue
  [ "$waiting" ] && [ "$state" != Q ] && continue
  echo "$job.server"
done""",
    "qstat": """
job=${2%.server}; [ -e "$queue/$job" ] || { echo "qstat: Unknown Job Id $2" >&2; exit 153; }
IFS='|' read -r own state < "$queue/$job"
printf 'Job Id: %s\\n    Job_Name = %s\\n    Job_Owner = me@login\\n' "$2" "$own"
printf '    job_state = %s\\n' "$state"
[ "$state" = Q ] && printf '    estimated.start_time = Sat Nov 28 18:00:00 2026\\n'
printf '    Variable_List = A=b,\\n\\tC=d\\n\\n'""",
    "qdel": 'rm "$queue/${1%.server}"',
}


def install(programs: dict[str, str], folder: Path) -> Path:
    """Write the programs to a folder of PATH; returns the queue."""
    queue = folder / "queue"
    queue.mkdir(parents=True)
    for name, script in programs.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\nqueue='{queue}'\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
    return queue
