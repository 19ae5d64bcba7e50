"""Iterations of Chebyshev's method with the diagonal preconditioner, several in one pass."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np

from halocline.numerics import _native
from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner


@cache
def sweep_steps() -> int:
    """Iterations of a sweep: one exchange of a halo that deep, one pass over the memory."""
    return int(_native.sweep_steps)


Weights = list[tuple[float, float]]


class DiagonalSteps:
    """Advances `solution` towards A solution = right_side.

    Steps come in sweeps where the halo is deep enough, else one by one, with the same bits; one by
    one on grids with a fold, beyond which cells are counted the other way and round otherwise. The
    newest values lie in `solution` and `correction`, or in fields of the same kind that take turns
    with them.
    """

    def __init__(
        self,
        operator: EllipticOperator,
        run: Runner,
        inverse_diagonal: Field,
        right_side: Field,
        solution: Field,
    ) -> None:
        self.solutions = (solution, operator.field("solution"))
        self.corrections = (operator.field("correction"), operator.field("correction"))
        self.turn = self.memory_turn = 0
        world = operator.decomposition.world
        self.deep = world.halo >= sweep_steps() and not world.topology.fold
        self.weights = Field(
            "weights",
            "1",
            operator.decomposition,
            axes=(sweep_steps(), 2),
            place=Place.none,
            dtype=np.float64,
        )
        static: dict[str, Any] = {"inverse_diagonal": inverse_diagonal, "right_side": right_side}
        self._singles, self._sweeps = {}, {}
        for turn, memory_turn in product((0, 1), (0, 1)):
            static["solution"] = self.solutions[turn]
            static["new_solution"] = self.solutions[1 - turn]
            static["correction"] = self.corrections[memory_turn]
            self._singles[turn, memory_turn] = run.bind(
                kernels["chebyshev_step_diagonal"], operator, **static
            )
            if self.deep:
                self._sweeps[turn, memory_turn] = run.bind(
                    kernels["chebyshev_sweep"],
                    operator,
                    **static,
                    new_correction=self.corrections[1 - memory_turn],
                    weights=self.weights,
                )
        self._start = run.bind(
            kernels["chebyshev_start"],
            inverse_diagonal=inverse_diagonal,
            right_side=right_side,
            correction=self.corrections[0],
            new_solution=solution,
        )

    def clear(self) -> None:
        """Begin at `solution` without memory."""
        self.turn = self.memory_turn = 0
        self.corrections[0].fill(0.0)

    def start(self, weight: float) -> None:
        """The first step from zero."""
        self.turn = self.memory_turn = 0
        self._start(weight=weight)

    def advance(self, weights: Weights) -> None:
        """Take one step for every pair of weights."""
        done = 0
        while self.deep and done + sweep_steps() <= len(weights):
            self.weights.set_global(np.asarray(weights[done : done + sweep_steps()]))
            self._sweeps[self.turn, self.memory_turn]()
            self.turn, self.memory_turn = 1 - self.turn, 1 - self.memory_turn
            done += sweep_steps()
        for weight, memory in weights[done:]:
            self._singles[self.turn, self.memory_turn](weight=weight, memory=memory)
            self.turn = 1 - self.turn

    def settle(self) -> None:
        """Bring the newest values to `solution`."""
        if self.turn:
            self.solutions[0].copy(self.solutions[1])
            self.turn = 0
