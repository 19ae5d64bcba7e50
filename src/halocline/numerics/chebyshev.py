"""The Chebyshev iteration (P-CSI): no sums between checks, bounds of the spectrum from Lanczos."""

from __future__ import annotations

from itertools import count, islice

import numpy as np

from halocline.numerics.chebyshev_steps import DiagonalSteps, sweep_steps
from halocline.numerics.chebyshev_weights import Bounds, weights_without_end
from halocline.numerics.conjugate_gradient import ChronopoulosGear, Iteration, Judge, System
from halocline.numerics.elliptic import EllipticOperator
from halocline.numerics.kernel_sums import KernelSums
from halocline.numerics.preconditioners import Preconditioner
from halocline.runtime.running.runner import Runner

margin = 0.05
"""By how much the interval is widened [1]: Lanczos' values lie inside the spectrum."""


class Chebyshev(Iteration):
    """Stiefel's iteration with any preconditioner; one halo per iteration (Hu, Huang, Baker, Tseng,
    Bryan, Dennis & Yang 2015, Geosci. Model Dev. 8: P-CSI)."""

    def __init__(self, system: System, bounds: Bounds) -> None:
        super().__init__(system)
        self.bounds = bounds
        self.add("correction")
        self.sums, self.first = (KernelSums(self.operator.decomposition, 1) for _ in range(2))
        for sums in (self.sums, self.first):  # the first residual is of another size
            sums.again = self.call("nine_point_residual", sums)
        self.update = self.call("chebyshev_update")

    def iterate(self, judge: Judge) -> None:
        self.clear("correction")
        coefficients = weights_without_end(self.bounds)
        check = 0
        for iteration in count():
            sums = self.sums if iteration else self.first
            sums.begin()
            sums.again()
            if iteration == check:
                (square,) = sums.finish()
                if judge.ended(iteration, square):
                    return
                check = iteration + judge.to_go(self.bounds.rate)
            weight, memory = next(coefficients)
            self.precondition()
            self.update(weight=weight, memory=memory)


class ChebyshevSweeps(Iteration):
    """The same with a preconditioner that only scales: several iterations in a pass over the memory
    and for one exchange."""

    def __init__(self, system: System, bounds: Bounds) -> None:
        super().__init__(system)
        self.bounds = bounds
        scale = system.preconditioner.inverse_diagonal
        assert scale is not None
        self.steps_taken = DiagonalSteps(
            self.operator, self.run, scale, system.right_side, system.solution
        )
        self.sums = KernelSums(self.operator.decomposition, 1)
        self.residuals = [
            self.call("nine_point_residual", self.sums, solution=values)
            for values in self.steps_taken.solutions
        ]

    def iterate(self, judge: Judge) -> None:
        advancing = self.steps_taken
        advancing.clear()
        coefficients = weights_without_end(self.bounds)
        iteration = 0
        while True:
            residual = self.sums.again = self.residuals[advancing.turn]
            self.sums.begin()
            residual()
            (square,) = self.sums.finish()
            if judge.ended(iteration, square):
                return advancing.settle()
            steps = judge.to_go(self.bounds.rate, sweep_steps())
            advancing.advance(list(islice(coefficients, steps)))
            iteration += steps


class SpectrumWatch:
    """Ends conjugate gradients when the extreme eigenvalues they know have settled.

    Or when the square of the residual is nothing beside the first: they know all then.
    """

    interval = 10
    nothing = 1e-60

    def __init__(self, steps: list[tuple[float, float]], tolerance: float, most: int) -> None:
        self.steps, self.tolerance, self.most = steps, tolerance, most
        self.bounds = Bounds(1.0, 1.0)
        self.known = False
        self.first = 0.0

    def ended(self, iteration: int, square: float) -> bool:
        self.first = self.first or square
        if square <= self.nothing * self.first or iteration >= self.most:
            return True
        if not iteration or iteration % self.interval:
            return False
        before, self.bounds = self.bounds, ritz_bounds(self.steps)
        change = max(
            before.least / self.bounds.least - 1.0, self.bounds.greatest / before.greatest - 1.0
        )
        settled = self.known and change < self.tolerance
        self.known = True
        return settled

    def to_go(self, rate: float, together: int = 1) -> int:
        return together

    def broke_down(self) -> None:
        raise ValueError("The elliptic operator or its preconditioner is not positive definite.")


def ritz_bounds(steps: list[tuple[float, float]]) -> Bounds:
    """Extreme eigenvalues of the Lanczos matrix that belongs to steps of conjugate gradients.

    Golub & Van Loan, "Matrix computations", section on Lanczos and conjugate gradients.
    """
    alpha, beta = np.array(steps).T
    diagonal = 1.0 / alpha
    diagonal[1:] += beta[1:] / alpha[:-1]
    side = np.sqrt(beta[1:]) / alpha[:-1]
    values = np.linalg.eigvalsh(np.diag(diagonal) + np.diag(side, 1) + np.diag(side, -1))
    return Bounds(float(values[0]), float(values[-1]))


def spectrum_bounds(
    operator: EllipticOperator,
    run: Runner,
    preconditioner: Preconditioner,
    tolerance: float,
    most: int = 500,
) -> Bounds:
    """Bounds of the preconditioned operator's spectrum [1], the same bits on all ranks.

    Conjugate gradients from a random residual stop when ten steps change no bound by more than
    `tolerance`.
    """
    solution, residual = operator.field("solution"), operator.field("residual", "m3 s-2")
    noise = np.random.default_rng(0).standard_normal(operator.numbers.mask.shape)
    residual.set_global(noise * operator.numbers.diagonal * operator.numbers.mask)
    system = System(operator, run, preconditioner, residual, solution, residual)
    iteration = ChronopoulosGear(system)
    watch = SpectrumWatch(iteration.steps, tolerance, most)
    iteration.iterate(watch)
    found = ritz_bounds(iteration.steps)
    found = operator.decomposition.communicator.broadcast(found)
    return Bounds(found.least * (1.0 - margin), found.greatest * (1.0 + margin))
