"""The sites file: the machines where runs can be sent, and what each of them has."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.experiment.start import read_walltime

kinds = ("local", "ssh", "slurm", "pbs")


@dataclass(frozen=True, kw_only=True)
class SiteOptions(Options):
    """A machine, or a cluster with its queue, where runs can be sent."""

    kind: str = option(
        "local",
        "",
        "who starts runs there: this machine, another one by ssh, or a batch system",
        choices=kinds,
    )
    host: str = option(
        "",
        "",
        "the machine for ssh, as 'user@host' or a name of ~/.ssh/config; of a batch system its"
        " login node; empty: this machine",
    )
    ssh_options: list[str] = option([], "", "words for ssh before the host, as ['-p', '2222']")
    folder: str = option(
        "halocline-runs", "", "folder there for input and runs; below the home folder if relative"
    )
    halocline: str = option("halocline", "", "how halocline is called there, as its shell reads it")
    setup: list[str] = option(
        [], "", "lines of shell before that, as 'module load openmpi', where a job begins"
    )
    launcher: str = option(
        "",
        "",
        "what starts the ranks, as 'srun' or 'mpiexec -n {ranks}'; empty: halocline starts them",
    )
    nodes: int = option(1, "1", "most nodes that one run may have", at_least=1)
    cores: int = option(0, "1", "cores of a node; 0: not said", at_least=0)
    memory: float = option(0.0, "GB", "memory of a node; 0: not said", at_least=0)
    queue: str = option("", "", "queue or partition; empty: the default one")
    account: str = option("", "", "account that pays; empty: the default one")
    job_options: list[str] = option([], "", "further words for sbatch or qsub")
    request: str = option(
        "select={nodes}:ncpus={per_node}:mpiprocs={per_node}",
        "",
        "what 'qsub -l' asks for; for Torque 'nodes={nodes}:ppn={per_node}'",
    )
    longest: str = option("", "", "longest wall time of a job, HH:MM:SS; empty: not limited")
    speed: float = option(
        1.0, "1", "speed of a core there, in those of this machine", at_least=0.001
    )
    wait_per_job: float = option(
        600.0,
        "s",
        "how long each job ahead in the queue is taken to delay ours, where the scheduler tells no"
        " time",
        at_least=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "ssh" and not self.host:
            raise UserError("A site of kind 'ssh' needs its host, for example 'user@host'.")
        if self.kind == "local" and self.host:
            raise UserError(f"kind = 'local' has no host, got '{self.host}'. Take kind = 'ssh'.")
        if self.host.startswith("-") or not self.host.isprintable():
            raise UserError(f"host = '{self.host}' is no name of a machine.")
        if not self.folder.isprintable() or not self.folder.strip():
            raise UserError(f"folder = {self.folder!r} is no name of a folder.")
        if self.longest:
            try:
                read_walltime(self.longest)
            except UserError:
                raise UserError(
                    f"longest = '{self.longest}': write HH:MM:SS, for example 24:00:00."
                ) from None

    @property
    def batch(self) -> bool:
        """Whether runs wait in a queue."""
        return self.kind in ("slurm", "pbs")

    @property
    def most_ranks(self) -> int:
        """Ranks for which there are cores; 0: not said."""
        return self.nodes * self.cores

    @property
    def longest_seconds(self) -> float:
        """Longest wall time of a job [s]; 0: not limited."""
        return read_walltime(self.longest) if self.longest else 0.0

    def nodes_for(self, ranks: int) -> int:
        """Nodes that so many ranks need."""
        return -(-ranks // self.cores) if self.cores else 1


def default_file() -> Path:
    """Where the sites file lies if nothing is said."""
    own = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(own) if own else Path.home() / ".config") / "halocline" / "sites.toml"


def read_sites(file: Path | None) -> dict[str, SiteOptions]:
    """All sites of a file, by name; of the default file where none is named."""
    path = file or default_file()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"There is no sites file '{path}'. Write one, a table [NAME] for each site (see"
            " docs/submitting.md), or name it with --sites."
        ) from None
    except (OSError, ValueError) as error:
        raise UserError(f"Cannot read the sites file '{path}': {error}") from None
    if not table:
        raise UserError(f"The sites file '{path}' names no site. Add a table [NAME] for each.")
    found = {}
    for name, some in table.items():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}", name):
            raise UserError(
                f"{path}: '{name[:60]}' is no name of a site. Use letters, digits, '_', '.', '-'."
            )
        if not isinstance(some, dict):
            raise UserError(
                f"{path}: '{name}' is a value, and a site is a table: write [{name}] above it."
            )
        try:
            found[name] = SiteOptions.from_table(some, name)
        except UserError as error:
            raise UserError(f"{path}: {error}") from None
    return found


def find_site(name: str, sites: dict[str, SiteOptions], file: Path | None) -> SiteOptions:
    """One site by its name."""
    if name not in sites:
        raise UserError(
            f"There is no site '{name}' in '{file or default_file()}'.{nearest(name, sites)}"
            f" Sites: {', '.join(sites)}."
        )
    return sites[name]
