"""How elliptic equations are solved, and what a solution has reached."""

from __future__ import annotations

import math
from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option

methods = ("conjugate_gradient", "chronopoulos_gear", "pipelined", "chebyshev")
preconditioners = ("none", "diagonal", "blocks", "polynomial", "whole")


@dataclass(frozen=True, kw_only=True)
class SolverOptions(Options):
    """The iterative solver of the elliptic equation; no choice depends on the decomposition."""

    method: str = option(
        "chronopoulos_gear",
        "",
        "conjugate gradients with two reductions per iteration, rearranged to one, or pipelined to"
        " hide it; Chebyshev iteration without any between checks",
        choices=methods,
        source="Chronopoulos & Gear (1989); Ghysels & Vanroose (2014); Hu et al. (2015), P-CSI",
    )
    preconditioner: str = option(
        "polynomial",
        "",
        "none, the diagonal, exact solution on blocks of cells, a Chebyshev polynomial of the"
        " operator, or exact solution on the whole grid by the first rank",
        choices=preconditioners,
    )
    tolerance: float = option(
        1e-12, "1", "largest norm of the residual over that of the right side", at_least=0.0
    )
    absolute_tolerance: float = option(
        0.0,
        "m s-2",
        "largest residual per area (root mean square, weighted by squared area) that is enough",
        at_least=0.0,
    )
    iterations: int = option(2000, "1", "most iterations", at_least=1)
    check_interval: int = option(
        50,
        "1",
        "most iterations of the Chebyshev method between checks, which follow the observed rate",
        at_least=1,
    )
    stagnation: int = option(
        400,
        "1",
        "iterations in which the residual must halve, else it is said to stagnate",
        at_least=1,
    )
    divergence: float = option(
        1e6,
        "1",
        "growth of the residual's norm above its first value that ends the iteration",
        at_least=1.0,
    )
    block_columns: int = option(
        16, "1", "cells of a block along x: 8, 16 or 32", at_least=8, at_most=32
    )
    block_rows: int = option(
        0, "1", "cells of a block along y; 0: all rows of the grid", at_least=0
    )
    precision: str = option(
        "float32",
        "",
        "precision of blocks, polynomials and the whole; the pipelined method takes that of the"
        " solution",
        choices=("float32", "float64"),
    )
    degree: int = option(
        33,
        "1",
        "iterations that make the polynomial; one more than a multiple of 8 is fastest",
        at_least=1,
    )
    bound_tolerance: float = option(
        0.02,
        "1",
        "change of the eigenvalue bounds in ten Lanczos steps that is small enough",
        at_least=1e-6,
        source="as in P-CSI, Hu et al. (2015)",
    )

    @property
    def sweeps(self) -> bool:
        """Whether iterations are done several at a time, where halos are deep enough for it."""
        scaled = self.method == "chebyshev" and self.preconditioner in ("none", "diagonal")
        return scaled or self.preconditioner == "polynomial"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.block_columns not in (8, 16, 32):
            raise UserError(
                f"Blocks of {self.block_columns} columns are not built in. Give block_columns 8,"
                " 16 or 32."
            )


@dataclass(frozen=True)
class Convergence:
    """How an iteration ended.

    `reached` is "tolerance", "stagnation", "divergence", "breakdown" (not positive
    definite), "not finite" or "iteration limit".
    """

    reached: str
    iterations: int
    relative_residual: float  # norm of the residual over that of the right side [1]
    residual: float  # root mean square of the residual per area, weighted by squared area [m s-2]
    first_residual: float  # the same before the first iteration [m s-2]

    @property
    def converged(self) -> bool:
        return self.reached == "tolerance"

    def require(self) -> Convergence:
        """Raise a UserError unless the tolerance was reached."""
        if not self.converged:
            raise UserError(
                f"The elliptic solver ended by {self.reached} after {self.iterations} iterations:"
                f" residual {self.residual:.3g} m s-2, {self.relative_residual:.3g} of the right"
                f" side, from {self.first_residual:.3g} m s-2. Check the right side and the time"
                " step, or give another method, a larger tolerance or more iterations."
            )
        return self


class Watch:
    """Follows the residual of an iteration and says when, and why, to end it."""

    def __init__(self, options: SolverOptions, right_square: float, area_norm: float) -> None:
        self.options, self.area_norm = options, area_norm
        self.right_norm = right_square**0.5
        self.target = max(
            options.tolerance * self.right_norm, options.absolute_tolerance * area_norm
        )
        self.first = self.norm = -1.0
        self.last: tuple[int, float] | None = None
        self.halved = (0, float("inf"))  # when the least residual last halved, and to what
        self.reached = ""
        self.iterations = 0

    def ended(self, iteration: int, square: float) -> bool:
        """Judge the squared norm of the residual after an iteration."""
        self.last = None if self.first < 0.0 else (self.iterations, self.norm)
        self.iterations, self.norm = iteration, max(square, 0.0) ** 0.5
        if self.first < 0.0:
            self.first = self.norm
        if self.norm <= 0.5 * self.halved[1]:
            self.halved = (iteration, self.norm)
        if self.norm <= self.target:
            self.reached = "tolerance"
        elif self.norm > self.options.divergence * self.first:
            self.reached = "divergence"
        elif iteration - self.halved[0] >= self.options.stagnation:
            self.reached = "stagnation"
        elif iteration >= self.options.iterations:
            self.reached = "iteration limit"
        return bool(self.reached)

    def broken(self) -> None:
        """Say that a sum was not finite."""
        self.reached, self.norm = "not finite", float("nan")

    def broke_down(self) -> None:
        """Hear that the operator or the preconditioner is not positive definite."""
        self.reached = "breakdown"

    def to_go(self, rate: float, together: int = 1) -> int:
        """Iterations until the next check: somewhat fewer than are missing.

        They are predicted from `rate`, by which theory says that the logarithm of the residual
        falls in an iteration, or from the last two checks where that is faster. They are whole
        groups of `together` iterations, unless that would be more than are allowed.
        """
        if self.last is not None and 0.0 < self.norm < self.last[1]:
            seen = math.log(self.last[1] / self.norm) / (self.iterations - self.last[0])
            rate = max(rate, seen)
        missing = math.log(self.norm / self.target) / rate if self.target > 0.0 else math.inf
        wanted = max(1, int(min(0.9 * missing, self.options.check_interval)))
        groups = -(-wanted // together) * together
        return min(groups, self.options.iterations - self.iterations)

    def convergence(self) -> Convergence:
        scale = self.right_norm if self.right_norm > 0.0 else 1.0
        return Convergence(
            self.reached,
            self.iterations,
            self.norm / scale,
            self.norm / self.area_norm,
            max(self.first, 0.0) / self.area_norm,
        )
