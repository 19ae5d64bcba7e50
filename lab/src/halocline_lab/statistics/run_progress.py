"""How far a series of runs is, and how long it will still take."""

from __future__ import annotations

from halocline.experiment.progress import ProgressBar, time_words


class RunProgress(ProgressBar):
    """How far a series of runs is, in rounds in which each is done once.

    `weights` are the expected costs of the runs of a round, in any unit; they make the time left
    right though runs of few ranks take longer than those of many.
    """

    def __init__(self, rounds: int, weights: dict[str, float]) -> None:
        super().__init__()
        self.rounds, self.weights = rounds, dict(weights)
        self.seconds: dict[str, list[float]] = {name: [] for name in weights}

    def done(self, name: str, seconds: float) -> None:
        """One run of this name took so long in all [s]."""
        self.seconds[name].append(seconds)
        count, total = self.count, self.rounds * len(self.weights)
        words = f"{time_words(self.left)} left" if count < total else "done"
        self.tell(f"run {count} of {total}, {name}", self.share, words)

    @property
    def count(self) -> int:
        """Runs done."""
        return sum(map(len, self.seconds.values()))

    @property
    def spent(self) -> float:
        """Seconds of the runs done."""
        return sum(map(sum, self.seconds.values()))

    @property
    def left(self) -> float:
        """Expected seconds of the runs that are left."""
        done = {name: times for name, times in self.seconds.items() if times}
        known = sum(self.weights[name] for name in done)
        each = {name: sum(times) / len(times) for name, times in done.items()}
        pace = sum(each.values()) / known if known else 0.0
        return sum(
            (self.rounds - len(self.seconds[name])) * each.get(name, pace * weight)
            for name, weight in self.weights.items()
        )

    @property
    def share(self) -> float:
        """Part of the whole time that is over."""
        return self.spent / max(self.spent + self.left, 1e-9)
