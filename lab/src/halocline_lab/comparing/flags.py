"""`halocline lab flags CASE --flags '...'`: which flags of the compiler change or end a run.

The version that is checked out is built without more flags and with all of these, the case is run
with both builds, and the outputs are compared as by `lab compare`. Where they differ, or where the
run ends in failure, fewer flags are tried until the smallest sets are found that do it (Porter et
al. 2010 did so by hand). With --beyond differences count from a relative size on only. A flag with
a value of its own is one word in inner quotes: --flags "-O2 '--param max-unroll-times=4'".

exit codes: 0 none of the flags changes a thing; 1 some do, which are named; 2 it cannot be told
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline.core.errors import UserError
from halocline.experiment.building import build_component
from halocline.experiment.imagined import Imagined
from halocline.experiment.parser import add_settings
from halocline.experiment.run import as_members
from halocline.runtime.running.runner import Plan
from halocline_lab.comparing.compare import compare, is_same, summary
from halocline_lab.comparing.flag_search import Flags, culprits
from halocline_lab.evolution.history_rerun import built, environment_of, repository, resolved
from halocline_lab.evolution.provenance import digest, git

same, different, dead, unbuilt = "the same", "different", "ends in failure", "not built"
"""What can come of a build."""

keys = {
    "commit": "the version that was built",
    "case": "the case and its changed options",
    "beyond": "relative size (r.m.s.) from which on differences count; 0: every bit",
    "tried": "every build, in order",
    "tried.flags": "flags beside those of the version",
    "tried.outcome": f"'{same}', '{different}', '{dead}' or '{unbuilt}'",
    "tried.words": "what differs, or the last words of the failure",
    "culprits": "the smallest sets of flags that do it; without all of these results are the same",
}


@dataclass(frozen=True)
class Tried:
    """A build and what came of it; see `keys`."""

    flags: Flags
    outcome: str
    words: str = ""

    @property
    def told(self) -> str:
        """The outcome, and the last of its words."""
        return ": ".join([self.outcome, *self.words.splitlines()[-1:]])


class Builds:
    """Builds one version with any flags, runs a case with each, and compares with none added.

    `folder` holds builds and results; `rooms` are the modules that the case needs.
    """

    def __init__(
        self,
        commit: str,
        case: str,
        settings: Sequence[str],
        folder: Path,
        *,
        ranks: int | None = None,
        only: Sequence[str] = (),
        beyond: float = 0.0,
        tell: Callable[[str], None] = lambda words: print(words, file=sys.stderr, flush=True),
    ) -> None:
        self.root = repository("lab flags")
        self.commit = resolved(self.root, commit)
        self.case, self.settings, self.folder = _as_seen_from_anywhere(case), settings, folder
        self.ranks, self.only, self.beyond, self.tell = ranks, only, beyond, tell
        self.rooms = rooms_of(case, settings)
        self.tried: dict[Flags, Tried] = {}

    def checkout(self, flags: Flags) -> Path:
        """Where the build with some flags lies."""
        words = shlex.join(flags)
        return self.folder / (self.commit[:12] + (f"-{digest(words)}" if words else ""))

    def reference(self) -> None:
        """Build and run without more flags, which has to go well."""
        self.tell(f"building {self.commit[:12]} as it is")
        failure = self._run((), built(self.root, self.commit, self.checkout(()), rooms=self.rooms))
        if failure:
            raise UserError(f"The case fails without any of the flags:\n{failure}")

    def is_wrong(self, flags: Flags) -> bool:
        """Whether the case differs, or fails, with some flags; what cannot be built does not."""
        if flags not in self.tried:
            self.tell(f"building with {shlex.join(flags)}")
            self.tried[flags] = tried = self._try(flags)
            self.tell(f"  {tried.told}")
        return self.tried[flags].outcome in (different, dead)

    def _try(self, flags: Flags) -> Tried:
        words = shlex.join(flags)
        try:
            package = built(self.root, self.commit, self.checkout(flags), words, rooms=self.rooms)
        except UserError as error:
            return Tried(flags, unbuilt, str(error))
        failure = self._run(flags, package)
        if failure:
            return Tried(flags, dead, failure)
        tables = compare(self._results(()), self._results(flags), self.only)
        largest = max((row["relative"] for table in tables for row in table["rows"]), default=0.0)
        if is_same(tables) or (self.beyond and largest <= self.beyond):
            return Tried(flags, same)
        names = summary(tables, 0).removeprefix("different: ")
        words = f"{names}; by {largest:.2g} of the r.m.s. of one of them at most"
        return Tried(flags, different, words)

    def _results(self, flags: Flags) -> Path:
        return self.folder / "results" / self.checkout(flags).name

    def _run(self, flags: Flags, package: Path) -> str:
        """Run the case with a build; the last words of its failure, if it fails."""
        shutil.rmtree(self._results(flags), ignore_errors=True)  # of an earlier search
        some = [] if self.ranks is None else ["-n", str(self.ranks)]
        words = [word for setting in self.settings for word in ("--set", setting)]
        command = [sys.executable, "-m", "halocline", "run", self.case, "--quiet", *some, *words]
        done = subprocess.run(
            [*command, "--output", str(self._results(flags))],
            env=environment_of(package),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return ""
        said = (done.stderr or done.stdout).strip()[-2000:]
        return said or f"it ended with code {done.returncode}"


def _as_seen_from_anywhere(case: str) -> str:
    return str(Path(case).absolute()) if Path(case).exists() else case


def rooms_of(case: str, settings: Sequence[str]) -> list[str]:
    """Rooms of C++ that a case needs: those that are loaded once its components have been built.

    Those that a run loads besides are the same for all cases.
    """
    for member in as_members(case, settings).members.values():
        clock = member.case.time.clock()
        build_component(member.case, clock, Imagined(1), plan=Plan()).close()
    names = re.findall(r"^halocline\.(\w+)\._native$", "\n".join(sys.modules), re.MULTILINE)
    return sorted(names)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab flags`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("case", metavar="CASE", help="case file, its folder, or a shipped case")
    parser.add_argument(
        "--flags", metavar="FLAGS", required=True, help="flags of the compiler to choose from"
    )
    parser.add_argument("--commit", default="HEAD", help="the version that is built (HEAD)")
    add_settings(parser)
    parser.add_argument("-n", "--ranks", type=int, help="ranks of each run")
    parser.add_argument(
        "--only", metavar="NAMES", type=lambda words: words.split(","), default=[],
        help="compare these variables only",
    )  # fmt: skip
    parser.add_argument(
        "--beyond", metavar="SIZE", type=float, default=0.0,
        help="relative size (r.m.s.) of differences that count; every bit does without",
    )  # fmt: skip
    parser.add_argument(
        "--builds", metavar="FOLDER", help="where builds and results are kept; removed if not"
    )
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    flags = _flags(options.flags)
    if options.beyond < 0.0:
        raise UserError(f"--beyond {options.beyond:g}: must be 0 or more.")
    with ExitStack() as ending:
        if options.builds is None:
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        else:
            folder = Path(options.builds).absolute()
        builds = Builds(
            options.commit,
            options.case,
            options.settings,
            folder,
            ranks=options.ranks,
            only=options.only,
            beyond=options.beyond,
        )
        if options.builds is None:
            ending.callback(_remove, builds)
        builds.reference()
        found = culprits(flags, builds.is_wrong)
        tried = list(builds.tried.values())
        print(report(tried, found))
        if options.json:
            result = {
                "commit": builds.commit,
                "case": " ".join([options.case, *(f"--set {one}" for one in options.settings)]),
                "beyond": options.beyond,
                "tried": [asdict(one) for one in tried],
                "culprits": found,
                "keys": keys,
            }
            Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if tried[0].outcome == unbuilt:
        raise UserError(
            f"Nothing can be built with all flags together:\n{tried[0].words}\nLeave out those that"
            " the compiler refuses."
        )
    return 1 if found else 0


def _flags(words: str) -> Flags:
    try:
        flags = tuple(shlex.split(words))
    except ValueError as error:
        raise UserError(f"--flags {words}: {error}.") from None
    if not flags or len(set(flags)) < len(flags):
        raise UserError(f"--flags '{words}': give one flag or more, none of them twice.")
    return flags


def _remove(builds: Builds) -> None:
    for flags in [(), *builds.tried]:
        git(builds.root, "worktree", "remove", "--force", str(builds.checkout(flags)))


def report(tried: Sequence[Tried], found: Sequence[Flags]) -> str:
    """What was tried, and which flags do it."""
    width = max(len(one.outcome) for one in tried)
    lines = [f"{one.outcome:<{width}}  {shlex.join(one.flags)}" for one in tried]
    outcomes = {one.flags: one for one in tried}
    for flags in found:
        lines.append(f"{' together with '.join(flags)}: {outcomes[flags].told}")
    refused = [shlex.join(one.flags) for one in tried if one.outcome == unbuilt]
    if refused:
        lines.append(f"not built, so taken for harmless: {'; '.join(refused)}")
    elif not found:
        lines.append("none of these flags changes the results")
    return "\n".join(lines)
