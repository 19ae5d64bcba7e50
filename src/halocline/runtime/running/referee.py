"""The referee: which ways to exchange halos and add sums a run takes, by measuring its own."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from halocline.core.options import Options, option
from halocline.runtime.halos.choices import contends, parse_choice, simplest
from halocline.runtime.halos.exchange import HaloExchange
from halocline.runtime.halos.traffic import Signature
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.record.recorder import Counter, Recorder
from halocline.runtime.running.contest import Standing, Trial, contest
from halocline.runtime.sums.choice import SumChoice, require
from halocline.runtime.sums.choice import choices as sum_choices
from halocline.runtime.sums.choice import contenders as sum_contenders
from halocline.runtime.sums.reductions import GlobalSums
from halocline.runtime.sums.variants import Reduction, reduction

worth_measuring = 0.01  # of the time of a step
worth_seconds = 0.1  # an exchange that will cost less in the rest of the run is left as it is
first_check = 2  # steps
check_factor = 4  # between the steps at which shares are looked at
drift = 1.5  # an exchange that has become so much slower is judged again


@dataclass(frozen=True, kw_only=True)
class CommunicationOptions(Options):
    """How ranks exchange halos and add sums; no choice changes a bit of the results."""

    halos: str = option(
        "auto",
        "",
        "'auto': exchanges that cost more than 1 % of a step are measured at the start in all ways"
        " that suit, large messages in segments too, the fastest is taken and the log says why; or"
        " one way for all, as 'messages aggregated', 'messages segments:262144' (bytes; rows of one"
        " field), 'persistent mixed:262144' (of several fields) or 'shared-put'"
        " ('halocline lab communication' lists them)."
        " The environment's HALOCLINE_HALOS goes before it",
    )
    sums: str = option(
        "auto",
        "",
        "the same for sums over ranks, as 'all-reduce' or 'tree:4 shared'; the environment's"
        " HALOCLINE_SUMS goes before it",
    )
    overlap: bool = option(
        False,
        "",
        "compute the inner cells of a block while its halos are on their way, the rim after",
    )
    recompute: bool = option(
        False,
        "",
        "exchange halos of fields on cells as deep as they are and recompute rims in them instead"
        " of exchanging results",
    )
    budget: float = option(
        1.0, "s", "time for measuring at the start of a run, in total", at_least=0.0
    )
    remember: bool = option(
        True,
        "",
        "keep what was measured for later runs on the same machine, library and pattern"
        " (in the user's cache folder)",
    )


@dataclass(frozen=True)
class Verdict:
    """The way that one exchange takes, and why."""

    exchange: str
    chosen: str
    reason: str
    rivals: tuple[tuple[str, float], ...] = ()  # ratio of time to the chosen one's
    seconds: float = 0.0  # of one exchange, measured; 0 where it was not
    tied: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """One line for the log."""
        words = f"{self.exchange}: {self.chosen} ({self.reason})"
        if self.rivals:
            shown = ", ".join(f"{name} {ratio:.2f}x" for name, ratio in self.rivals[:4])
            more = len(self.rivals) - 4
            words += f"; rivals: {shown}" + (f" and {more} more" if more > 0 else "")
        return words


class Subject(Protocol):
    """Something that ranks do together in one of many ways; all calls are for all ranks."""

    name: str
    spent: Counter

    def known(self) -> Sequence[str]:
        """Ways that suit."""

    def candidates(self) -> Sequence[str]:
        """Those of them that are worth a try, the simplest first."""

    def trial(self, way: str) -> Trial:
        """One of it, done in one way. It changes nothing that anybody reads."""

    def use(self, way: str) -> None:
        """Do it so from now on, and free what other ways hold."""

    def pattern(self) -> str:
        """What this rank exchanges with whom, as far as times depend on it."""


class Halos:
    """One halo exchange: certain fields of a layout, to certain depths."""

    def __init__(self, exchange: HaloExchange, signature: Signature) -> None:
        self.exchange, self.signature = exchange, signature
        self.name = f"halos of {signature}"
        self.spent = exchange.spent[signature]
        self.layout, self.requests = exchange.seen[signature]
        self.uncounted = Recorder()

    def known(self) -> list[str]:
        return [str(choice) for choice in self.exchange.choices(self.layout, self.requests)]

    def candidates(self) -> list[str]:
        return [way for way in self.known() if contends(parse_choice(way))]

    def trial(self, way: str) -> Trial:
        choice = parse_choice(way)

        def run() -> None:
            counted, self.exchange.recorder = self.exchange.recorder, self.uncounted
            try:
                self.exchange(self.layout, self.requests, choice)
            finally:
                self.exchange.recorder = counted

        return run

    def use(self, way: str) -> None:
        for other in self.candidates():
            if other != way:
                self.exchange.forget(self.signature, parse_choice(other))
        self.exchange.use(self.signature, parse_choice(way))

    def pattern(self) -> str:
        route = self.exchange.route(self.layout, self.signature, simplest)
        sent = route.partners.sent
        return f"{sent.size} messages, {sent.sum()} bytes"


class Sums:
    """Sums over all ranks that are made again and again."""

    def __init__(self, sums: GlobalSums, name: str) -> None:
        self.sums, self.name = sums, f"sums of {name}"
        self.spent = sums.spent
        self.tried: dict[str, Reduction] = {}

    def known(self) -> list[str]:
        return [str(choice) for choice in sum_choices(self.sums.communicator)]

    def candidates(self) -> list[str]:
        return [way for way in self.known() if way in sum_contenders]

    def trial(self, way: str) -> Trial:
        made = reduction(self.sums.communicator, SumChoice.parse(way), self.sums.words_in_all)
        self.tried[way] = made
        words = np.zeros(self.sums.words_in_all)

        def add() -> None:
            made.add(words)

        return add

    def use(self, way: str) -> None:
        for made in self.tried.values():
            made.free()
        self.tried.clear()
        self.sums.use(SumChoice.parse(way))

    def pattern(self) -> str:
        return f"{self.sums.words_in_all} numbers"


@dataclass
class Judged:
    """What the referee knows of one subject it has judged."""

    subject: Subject
    calls: int = 0  # at the last look
    seconds: float = 0.0
    usual: float = 0.0  # seconds of one exchange after it was chosen


class KeptVerdicts:
    """Verdicts of earlier runs: one small file per machine, library and pattern."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def path(self, facts: Sequence[str]) -> Path:
        assert self.folder is not None
        digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:24]
        return self.folder / f"way-{digest}.json"

    def read(self, facts: Sequence[str]) -> Verdict | None:
        """The verdict kept for these facts; None where there is none that can be read."""
        if self.folder is None:
            return None
        try:
            table = json.loads(self.path(facts).read_text(encoding="utf-8"))
            rivals = tuple((str(name), float(ratio)) for name, ratio in table["rivals"])
            return Verdict(
                str(table["exchange"]),
                str(table["chosen"]),
                "measured by an earlier run",
                rivals,
                float(table["seconds"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, facts: Sequence[str], verdict: Verdict) -> None:
        """Keep a verdict; a folder that cannot be written is no reason to stop."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=self.folder, delete=False, encoding="utf-8"
            ) as file:
                json.dump({"facts": list(facts), **asdict(verdict)}, file, indent=1)
            os.replace(file.name, self.path(facts))
        except OSError:
            pass


def cache_folder() -> Path:
    """Where what was measured is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "halocline"


@dataclass
class Referee:
    """Chooses how the exchanges and sums of one run are done; all calls are for all ranks.

    The first steps go by the rule (the simplest way). Then what costs more than 1 % of a step is
    measured on the real fields, in turns, within the budget; the rest keeps to the rule. Shares and
    times are looked at again later, ever more seldom. Without `watch` all goes by rule.
    """

    exchange: HaloExchange
    options: CommunicationOptions = CommunicationOptions()
    tell: Callable[[str], None] = print
    folder: Path | None = None
    steps: int = 0  # of the whole run; 0 where that is not known
    watch: bool = True
    sums: Mapping[str, GlobalSums] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.communicator: Communicator = self.exchange.decomposition.communicator
        self.memory = KeptVerdicts(self.folder if self.options.remember else None)
        self.judged: dict[str, Judged] = {}
        self.left = self.options.budget
        self.next_check, self.done = first_check, 0
        several = self.watch and isinstance(self.communicator, Ranks)
        self.open_halos = not self._fix_halos() and several
        self.open_sums = not self._fix_sums() and several

    def goes_on(self, exchange: HaloExchange, sums: Mapping[str, GlobalSums]) -> None:
        """Judge other exchanges and sums from now on, in place of those that are no more."""
        self.exchange, self.sums = exchange, sums
        self.judged = {}
        self._fix_halos()
        self._fix_sums()

    def _fix_halos(self) -> bool:
        """Take the way that the case or the environment names, if one does."""
        way = os.environ.get("HALOCLINE_HALOS", self.options.halos)
        if way == "auto":
            return False
        choice = parse_choice(way)
        self.exchange.choose = lambda _: choice
        self.tell(f"halos: {choice} for all exchanges (fixed)")
        return True

    def _fix_sums(self) -> bool:
        way = os.environ.get("HALOCLINE_SUMS", self.options.sums)
        if way == "auto":
            return False
        choice = SumChoice.parse(way)
        require(choice, self.communicator)
        for sums in self.sums.values():
            sums.use(choice)
        self.tell(f"sums: {choice} for all sums (fixed)")
        return True

    def after_step(self, step_seconds: float) -> None:
        """Look at what exchanges cost when it is time to; `step_seconds` since the run's begin."""
        self.done += 1
        if self.done < self.next_check or not (self.open_halos or self.open_sums):
            return
        self.next_check *= check_factor
        subjects = self._subjects()
        own = [subject.spent.seconds for subject in subjects]
        *spent, step = self.communicator.maximum(np.array([*own, step_seconds]))
        new: list[tuple[float, Subject]] = []
        for subject, seconds in zip(subjects, spent, strict=True):
            share = seconds / max(step, 1e-9)
            if subject.name in self.judged:
                self._look_again(subject, float(seconds), share)
                continue
            to_come = seconds * (self.steps / self.done - 1) if self.steps else np.inf
            if share > worth_measuring and to_come > worth_seconds:
                new.append((share, subject))
                self.judged[subject.name] = Judged(subject, subject.spent.calls, float(seconds))
        for at, (share, subject) in enumerate(new):
            self._judge(subject, share, self.left / (len(new) - at))

    def _subjects(self) -> list[Subject]:
        found: list[Subject] = []
        if self.open_halos:
            found += [Halos(self.exchange, signature) for signature in self.exchange.spent]
        if self.open_sums:
            found += [Sums(sums, name) for name, sums in self.sums.items()]
        return found

    def _look_again(self, subject: Subject, seconds: float, share: float) -> None:
        """Judge again what has become much slower than it was after the choice."""
        known, calls = self.judged[subject.name], subject.spent.calls
        if calls == known.calls:
            return
        mean = (seconds - known.seconds) / (calls - known.calls)
        if not known.usual:
            known.usual = mean
        elif mean > drift * known.usual:
            self.left = max(self.left, 0.5 * self.options.budget)
            self._judge(subject, share, self.left, again=True)
            known.usual = 0.0
        known.calls, known.seconds = calls, seconds

    def _judge(self, subject: Subject, share: float, budget: float, *, again: bool = False) -> None:
        candidates = subject.candidates()
        facts = self._facts(subject)
        kept = None if again else self.communicator.broadcast(self.memory.read(facts))
        if kept is not None and kept.chosen in subject.known():
            verdict = kept
        elif len(candidates) < 2:
            verdict = Verdict(subject.name, candidates[0], "the only way")
        elif budget <= 0.0:
            verdict = self._by_likeness(subject, candidates)
        else:
            verdict = self._measure(subject, candidates, share, budget, again)
            if self.communicator.rank == 0:
                self.memory.write(facts, verdict)
        subject.use(verdict.chosen)
        self.verdicts.append(verdict)
        self.tell(verdict.line)

    def _by_likeness(self, subject: Subject, candidates: Sequence[str]) -> Verdict:
        """Without time to measure: the way that won last, where it suits."""
        known = [verdict for verdict in self.verdicts if verdict.chosen in candidates]
        if not known:
            return Verdict(subject.name, candidates[0], "no time for measuring")
        reason = f"no time left for measuring; as {known[-1].exchange}"
        return Verdict(subject.name, known[-1].chosen, reason)

    def _measure(
        self,
        subject: Subject,
        candidates: Sequence[str],
        share: float,
        budget: float,
        again: bool,
    ) -> Verdict:
        """Hold the contest on the real neighbours and fields."""
        trials = [subject.trial(way) for way in candidates]
        standing = contest(self.communicator, trials, budget)
        self.left -= standing.seconds
        verdict = verdict_of(subject.name, candidates, standing)
        how = "measured again: it had become slower" if again else "measured"
        tied = len(standing.tied)
        how += f", simplest of {tied} that cannot be told apart" if tied > 1 else ""
        reason = f"{how}; {100 * share:.1f} % of a step, {1e6 * verdict.seconds:.0f} us each"
        return replace(verdict, reason=reason)

    def _facts(self, subject: Subject) -> list[str]:
        """What a verdict depends on: the machine, the library, who exchanges what with whom."""
        everyone = self.communicator.gather(f"{_machine()}, {subject.pattern()}")
        return [_library(), subject.name, f"{self.communicator.size} ranks", *(everyone or [])]


def verdict_of(name: str, candidates: Sequence[str], standing: Standing) -> Verdict:
    """What a contest says."""
    winner = standing.scores[standing.winner].seconds
    ratios = {candidates[at]: score.seconds / winner for at, score in standing.scores.items()}
    chosen = candidates[standing.winner]
    rivals = sorted((ratio, way) for way, ratio in ratios.items() if way != chosen)
    return Verdict(
        name,
        chosen,
        "measured",
        tuple((way, ratio) for ratio, way in rivals),
        winner,
        tuple(candidates[at] for at in standing.tied),
    )


def _machine() -> str:
    threads = os.environ.get("OMP_NUM_THREADS", "")
    return f"{platform.node()} {len(os.sched_getaffinity(0))} of {os.cpu_count()} {threads}"


def _library() -> str:
    from mpi4py import MPI

    version: Any = MPI.Get_library_version()
    return str(version).split("\0")[0].strip()
