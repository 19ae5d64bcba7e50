"""The solver of elliptic equations: operator, preconditioner and method put together."""

from __future__ import annotations

from collections.abc import Callable

from halocline.numerics.chebyshev import Chebyshev, ChebyshevSweeps, spectrum_bounds
from halocline.numerics.chebyshev_weights import Bounds
from halocline.numerics.conjugate_gradient import (
    ChronopoulosGear,
    ConjugateGradient,
    Iteration,
    Pipelined,
    System,
)
from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.numerics.kernel_sums import KernelSums
from halocline.numerics.preconditioners import Blocks, Polynomial, Preconditioner, Scaling, Whole
from halocline.numerics.solver_options import Convergence, SolverOptions, Watch
from halocline.runtime.fields.field import Field
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums


class EllipticSolver:
    """Solves A solution = right_side again and again with one operator.

    Factors and bounds of the spectrum are made once, here. A call for all ranks, like `solve`.
    Where the runner only plans, nothing is made and a solution is one line of the plan.
    """

    def __init__(
        self, operator: EllipticOperator, run: Runner, options: SolverOptions | None = None
    ) -> None:
        self.operator, self.run, self.options = operator, run, options or SolverOptions()
        self._bounds: Bounds | None = None
        if run.plan is not None:
            return
        self.preconditioner = self._make_preconditioner()
        self._right_side = operator.field("right_side", "m3 s-2")
        self._solution = operator.field("solution")
        residual = operator.field("residual", "m3 s-2")
        self._counted = operator.counted()
        self._square = KernelSums(operator.decomposition, 1)
        self._start = self._square.again = run.bind(
            kernels["nine_point_residual"],
            operator,
            right_side=self._right_side,
            solution=self._solution,
            residual=residual,
            parts=self._square.parts,
        )
        self._norm = KernelSums(operator.decomposition, 2)
        self._measure = self._norm.again = run.bind(
            kernels["two_products"],
            residual=self._right_side,
            preconditioned=operator.field("nothing"),
            parts=self._norm.parts,
        )
        fields = (self._right_side, self._solution, residual)
        system = System(operator, run, self.preconditioner, *fields)
        method = self.options.method
        if method == "chebyshev":
            self._bounds = self._find_bounds()
            scales = self.preconditioner.inverse_diagonal is not None
            kind = ChebyshevSweeps if scales else Chebyshev
            self.iteration: Iteration = kind(system, self._bounds)
        else:
            kinds: dict[str, Callable[[System], Iteration]] = {
                "conjugate_gradient": ConjugateGradient,
                "chronopoulos_gear": ChronopoulosGear,
                "pipelined": Pipelined,
            }
            self.iteration = kinds[method](system)

    def _make_preconditioner(self) -> Preconditioner:
        options = self.options
        if options.preconditioner == "blocks":
            return Blocks(self.operator, options)
        if options.preconditioner == "polynomial":
            scaling = Scaling(self.operator)
            bounds = spectrum_bounds(self.operator, self.run, scaling, options.bound_tolerance)
            return Polynomial(self.operator, bounds, options)
        if options.preconditioner == "whole":
            return Whole(self.operator, self.run, options)
        return Scaling(self.operator, diagonal=options.preconditioner == "diagonal")

    def _find_bounds(self) -> Bounds:
        if isinstance(self.preconditioner, Whole):
            return self.preconditioner.bounds
        tolerance = self.options.bound_tolerance
        return spectrum_bounds(self.operator, self.run, self.preconditioner, tolerance)

    @property
    def bounds(self) -> Bounds | None:
        """Bounds of the preconditioned operator's spectrum, where the method needs them."""
        return self._bounds

    @property
    def sums(self) -> dict[str, GlobalSums]:
        """The sums over ranks of every iteration, for a referee to choose how they are done."""
        return self.iteration.global_sums

    def _take(self, values: Field, mine: Field) -> None:
        """Copy values of sea cells, zero on land and where another one stands for the point."""
        self.run(kernels["copy_counted"], source=values, counted=self._counted, copy=mine)

    def solve(self, right_side: Field, solution: Field) -> Convergence:
        """Improve `solution` [m2 s-2], the first guess, until it fits `right_side` [m3 s-2].

        Values on land are taken as zero. Check what is returned, or call its `require()`.
        """
        plan, options = self.run.plan, self.options
        if plan is not None:
            how = f"{options.method}, {options.preconditioner}; halos and sums in every iteration"
            plan.lines.append(f"solve      {right_side.name} -> {solution.name} ({how})")
            solution.written()
            return Convergence("tolerance", 0, 0.0, 0.0, 0.0)
        with self.run.recorder.time("solver"):
            return self._solved(right_side, solution)

    def _solved(self, right_side: Field, solution: Field) -> Convergence:
        options = self.options
        self._take(right_side, self._right_side)
        self._take(solution, self._solution)
        watch: Watch | None = None
        try:
            self._norm.begin()
            self._measure()
            watch = Watch(options, self._norm.finish()[1], self.operator.norm_of_area)
            self._square.begin()
            self._start()
            self.iteration.iterate(watch)
        except FloatingPointError:
            watch = watch or Watch(options, 0.0, self.operator.norm_of_area)
            watch.broken()
        solution.copy(self._solution)
        return watch.convergence()
