"""Preconditioners of the elliptic operator; none of them knows the decomposition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from halocline.numerics.block_factors import BlockFactors
from halocline.numerics.chebyshev_weights import Bounds, weights
from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.numerics.solver_options import SolverOptions
from halocline.runtime.fields import Field
from halocline.runtime.prepared import PreparedCall
from halocline.runtime.runner import Runner


class Preconditioner(ABC):
    """Brings `preconditioned` near the solution of A preconditioned = residual."""

    inverse_diagonal: Field | None = None
    """Where it only scales: by what, so that loops do it on their way [m-1]."""

    @abstractmethod
    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        """The call that computes `preconditioned` from `residual`."""


class Scaling(Preconditioner):
    """Division by the diagonal (`preconditioner = "diagonal"`), or nothing ("none")."""

    def __init__(self, operator: EllipticOperator, *, diagonal: bool = True) -> None:
        numbers = operator.numbers
        mean = float(numbers.diagonal[numbers.mask].mean())
        self.inverse_diagonal = operator.scaling(
            1.0 / numbers.diagonal if diagonal else np.full(numbers.mask.shape, 1.0 / mean)
        )

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        return PreparedCall(
            run,
            kernels["precondition_diagonal"],
            inverse_diagonal=self.inverse_diagonal,
            residual=residual,
            preconditioned=preconditioned,
        )


class Blocks(Preconditioner):
    """Exact solution on blocks of cells that are cut once from the global grid."""

    def __init__(self, operator: EllipticOperator, options: SolverOptions) -> None:
        # The pipelined method applies the preconditioner to vectors that it never forms: rounding
        # to float32 would make them drift apart.
        exact = options.method == "pipelined"
        precision = "float64" if exact else options.block_precision
        self.factors = BlockFactors(
            operator.numbers,
            operator.decomposition,
            rows=options.block_rows,
            columns=options.block_columns,
            dtype=np.dtype(np.float32 if operator.dtype == np.float32 else precision),
        )

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        depth = self.factors.depth
        kernel = kernels["precondition_blocks"]
        arguments = tuple(
            replace(a, reach=(-depth, depth, -depth, depth)) if a.name == "residual" else a
            for a in kernel.arguments
        )
        return PreparedCall(
            run,
            replace(kernel, arguments=arguments),
            self.factors,
            residual=residual,
            preconditioned=preconditioned,
        )


class Polynomial(Preconditioner):
    """A Chebyshev polynomial of the operator: some iterations from zero with the diagonal."""

    def __init__(self, operator: EllipticOperator, bounds: Bounds, degree: int) -> None:
        self.operator, self.scaling = operator, Scaling(operator)
        self.weights = weights(bounds, degree)
        self.correction = operator.field("correction")
        self.other = operator.field("solution")

    def prepare(self, run: Runner, residual: Field, preconditioned: Field) -> Callable[[], None]:
        # Two fields take turns; the last step must write `preconditioned`.
        turns = [preconditioned, self.other]
        steps = []
        for number, (weight, memory) in enumerate(self.weights):
            last = len(self.weights) - 1 - number
            new, old = turns[last % 2], turns[(last + 1) % 2]
            if number == 0:
                call = PreparedCall(
                    run,
                    kernels["chebyshev_start"],
                    inverse_diagonal=self.scaling.inverse_diagonal,
                    right_side=residual,
                    correction=self.correction,
                    new_solution=new,
                    weight=weight,
                )
            else:
                call = PreparedCall(
                    run,
                    kernels["chebyshev_step_diagonal"],
                    self.operator,
                    inverse_diagonal=self.scaling.inverse_diagonal,
                    right_side=residual,
                    solution=old,
                    correction=self.correction,
                    new_solution=new,
                    weight=weight,
                    memory=memory,
                )
            steps.append(call)

        def apply() -> None:
            for step in steps:
                step()

        return apply
