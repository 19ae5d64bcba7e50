"""Preconditioners of the elliptic operator; none of them knows the decomposition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from halocline.numerics.block_factors import BlockFactors
from halocline.numerics.chebyshev_steps import DiagonalSteps
from halocline.numerics.chebyshev_weights import Bounds, weights
from halocline.numerics.dissection import WholeFactors
from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.numerics.solver_options import SolverOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.running.runner import Runner


class Preconditioner(ABC):
    """Brings `preconditioned` near the solution of A preconditioned = residual."""

    inverse_diagonal: Field | None = None
    """Where it only scales: by what, so that loops do it on their way [m-1]."""

    @abstractmethod
    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        """The call that computes `preconditioned` from `residual`."""


def precision_of(operator: EllipticOperator, options: SolverOptions) -> str:
    """The precision of a preconditioner.

    The pipelined method applies it to vectors that it never forms: rounding to float32 would make
    them drift apart.
    """
    if options.method == "pipelined":
        return str(operator.dtype)
    return min(str(operator.dtype), options.precision)


class Scaling(Preconditioner):
    """Division by the diagonal (`preconditioner = "diagonal"`), or nothing ("none")."""

    inverse_diagonal: Field

    def __init__(self, operator: EllipticOperator, *, diagonal: bool = True) -> None:
        numbers = operator.numbers
        mean = float(numbers.diagonal[numbers.counted].mean())
        self.inverse_diagonal = operator.scaling(
            1.0 / numbers.diagonal if diagonal else np.full(numbers.mask.shape, 1.0 / mean)
        )

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        return run.bind(
            kernels["precondition_diagonal"],
            inverse_diagonal=self.inverse_diagonal,
            residual=residual,
            preconditioned=preconditioned,
        )


class Blocks(Preconditioner):
    """Exact solution on blocks of cells that are cut once from the global grid."""

    def __init__(self, operator: EllipticOperator, options: SolverOptions) -> None:
        self.factors = BlockFactors(
            operator.numbers,
            operator.decomposition,
            rows=options.block_rows,
            columns=options.block_columns,
            dtype=np.dtype(precision_of(operator, options)),
        )

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        depth = self.factors.depth
        kernel = kernels["precondition_blocks"]
        arguments = tuple(
            replace(a, reach=(-depth, depth, -depth, depth)) if a.name == "residual" else a
            for a in kernel.arguments
        )
        return run.bind(
            replace(kernel, arguments=arguments),
            self.factors,
            residual=residual,
            preconditioned=preconditioned,
        )


class Whole(Preconditioner):
    """Exact solution on the whole grid, to the precision of the factors."""

    bounds = Bounds(1.0, 1.0)
    """Of the preconditioned operator: with these the Chebyshev iteration refines a solution."""

    def __init__(self, operator: EllipticOperator, run: Runner, options: SolverOptions) -> None:
        self.factors = WholeFactors(operator, run, np.dtype(precision_of(operator, options)))

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        return self.factors.prepare(residual, preconditioned)


class Polynomial(Preconditioner):
    """A Chebyshev polynomial of the operator: some iterations from zero with the diagonal.

    In float32 it takes half the time and is still the same fixed operator to seven digits.
    """

    def __init__(self, operator: EllipticOperator, bounds: Bounds, options: SolverOptions) -> None:
        self.outer = operator
        precision = np.dtype(precision_of(operator, options))
        self.same = precision == operator.dtype
        self.operator = (
            operator
            if self.same
            else EllipticOperator(operator.numbers, operator.decomposition, precision)
        )
        self.scaling = Scaling(self.operator)
        self.weights = weights(bounds, options.degree)

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        first, *rest = self.weights
        given, found = residual, preconditioned
        if not self.same:
            given = self.operator.field("right_side", "m3 s-2")
            found = self.operator.field("solution")
        steps = DiagonalSteps(self.operator, run, self.scaling.inverse_diagonal, given, found)
        take = run.bind(kernels["copy_values"], source=residual, copy=given)
        give = run.bind(kernels["copy_values"], source=found, copy=preconditioned)

        def apply() -> None:
            if not self.same:
                take()
            steps.start(first[0])
            steps.advance(rest)
            steps.settle()
            if not self.same:
                give()

        return apply
