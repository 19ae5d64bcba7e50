"""Preconditioned conjugate gradients in three arrangements: two reductions, one, or one hidden."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Protocol

from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.numerics.kernel_sums import KernelSums
from halocline.numerics.preconditioners import Preconditioner
from halocline.runtime.fields.field import Field
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums

volume_rate = "m3 s-2"


class Judge(Protocol):
    """Says when an iteration ends."""

    def ended(self, iteration: int, square: float) -> bool:
        """Judge the squared norm of the residual after an iteration."""

    def broke_down(self) -> None:
        """Hear that the operator or the preconditioner is not positive definite."""

    def to_go(self, rate: float, together: int = 1) -> int:
        """Iterations until the next check, where the residual's logarithm falls by `rate`.

        Whole groups of `together` iterations, unless that would be more than are allowed.
        """


@dataclass(frozen=True)
class System:
    """Operator, preconditioner, and the fields of one system: A solution = right_side."""

    operator: EllipticOperator
    run: Runner
    preconditioner: Preconditioner
    right_side: Field
    solution: Field
    residual: Field


class Iteration(ABC):
    """What the arrangements share: fields by the names of the kernels' arguments.

    `iterate` starts from `residual`, which belongs to `right_side` and `solution`, and changes the
    last two. The steps taken are kept in `steps` as (alpha, beta): Lanczos' matrix follows.
    """

    def __init__(self, system: System) -> None:
        operator, preconditioner = system.operator, system.preconditioner
        self.system, self.operator, self.run = system, operator, system.run
        self.space = SimpleNamespace(
            diagonal=operator.diagonal,
            west=operator.west,
            south=operator.south,
            corner=operator.corner,
            inverse_diagonal=preconditioner.inverse_diagonal,
            right_side=system.right_side,
            solution=system.solution,
            residual=system.residual,
        )
        self.add("preconditioned", "direction")
        self.add("image", units=volume_rate)
        self.fused = preconditioner.inverse_diagonal is not None
        self.precondition = self.preconditioned(system.residual, self.space.preconditioned)
        self.steps: list[tuple[float, float]] = []

    @abstractmethod
    def iterate(self, judge: Judge) -> None:
        """Iterate until `judge` ends it."""

    @property
    def global_sums(self) -> dict[str, GlobalSums]:
        """Sums over ranks by the names of what is summed."""
        found = {name: v.sums for name, v in vars(self).items() if isinstance(v, KernelSums)}
        return {f"{type(self).__name__}: {name}": sums for name, sums in found.items()}

    def add(self, *names: str, units: str = "m2 s-2") -> None:
        for name in names:
            setattr(self.space, name, self.operator.field(name, units))

    def call(self, kernel: str, sums: KernelSums | None = None, **given: Field) -> BoundCall:
        parts = {} if sums is None else {"parts": sums.parts}
        return self.run.bind(kernels[kernel], self.space, **parts, **given)

    def preconditioned(self, given: Field, result: Field) -> Callable[[], None]:
        """The preconditioner, ready to be applied to a field."""
        return self.system.preconditioner.prepare(self.run, given, result)

    def clear(self, *names: str) -> None:
        """Begin anew with zero directions."""
        self.steps.clear()
        for name in names:
            getattr(self.space, name).fill(0.0)


class ConjugateGradient(Iteration):
    """The method of Hestenes & Stiefel (1952): two reductions and one halo per iteration."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.sums = KernelSums(self.operator.decomposition, 2)
        self.curvature = KernelSums(self.operator.decomposition, 1)
        self.products = self.call("two_products", self.sums)
        self.turn = self.call("new_direction")
        self.image = self.call("direction_image", self.curvature)
        self.step = (
            self.call("step_along_direction_diagonal", self.sums)
            if self.fused
            else self.call("step_along_direction")
        )
        self.sums.again, self.curvature.again = self.products, self.image

    def iterate(self, judge: Judge) -> None:
        self.clear("direction")
        self.precondition()
        self.sums.begin()
        self.products()
        product, square = self.sums.finish()
        beta = 0.0
        for iteration in count():
            if judge.ended(iteration, square):
                return
            self.turn(beta=beta)
            self.curvature.begin()
            self.image()
            (curvature,) = self.curvature.finish()
            if not (curvature > 0.0 and product > 0.0):
                return judge.broke_down()
            alpha, before = product / curvature, product
            self.steps.append((alpha, beta))
            self.sums.begin()
            self.step(alpha=alpha)
            if not self.fused:
                self.precondition()
                self.products()
            product, square = self.sums.finish()
            beta = product / before


class ChronopoulosGear(Iteration):
    """One reduction per iteration, of three sums (Chronopoulos & Gear 1989, J. Comput. Appl. Math.
    25, 153; arranged as in D'Azevedo, Eijkhout & Romine 1993), and one halo."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.add("preconditioned_image", units=volume_rate)
        self.sums = KernelSums(self.operator.decomposition, 3)
        self.products = self.sums.again = self.call("three_products", self.sums)
        self.step = self.call("chronopoulos_gear_step" + "_diagonal" * self.fused)

    def iterate(self, judge: Judge) -> None:
        self.clear("direction", "image")
        self.precondition()
        before = curvature = beta = 0.0
        for iteration in count():
            self.sums.begin()
            self.products()
            product, turned, square = self.sums.finish()
            if judge.ended(iteration, square):
                return
            if iteration:
                beta = product / before
            curvature = turned - beta * beta * curvature
            if not (curvature > 0.0 and product > 0.0):
                return judge.broke_down()
            alpha, before = product / curvature, product
            self.steps.append((alpha, beta))
            self.step(alpha=alpha, beta=beta)
            if not self.fused:
                self.precondition()


class Pipelined(Iteration):
    """One reduction per iteration, hidden behind the preconditioner and the operator (Ghysels &
    Vanroose 2014, Parallel Computing 40, 224). Its recurrences drift: what they stand for is
    computed anew now and then."""

    renewal = 50
    """Iterations after which the recurrences begin anew."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.add("turned", "turned_direction")
        self.add("preconditioned_image", "turned_image", "image_of_turned", units=volume_rate)
        space = self.space
        self.first_image = self.call(
            "apply_nine_point", direction=space.preconditioned, image=space.preconditioned_image
        )
        self.sums = KernelSums(self.operator.decomposition, 3)
        self.products = self.sums.again = self.call("pipelined_products", self.sums)
        self.precondition_image = self.preconditioned(space.preconditioned_image, space.turned)
        self.image = self.call("apply_nine_point", direction=space.turned, image=space.turned_image)
        self.step = self.call("pipelined_step", self.sums)
        self.square = KernelSums(self.operator.decomposition, 1)
        self.renew = (
            self.call("nine_point_residual", self.square),
            self.precondition,
            self.first_image,
            self.call("apply_nine_point"),
            self.preconditioned(space.image, space.turned_direction),
            self.call(
                "apply_nine_point", direction=space.turned_direction, image=space.image_of_turned
            ),
            self.products,
        )

    def iterate(self, judge: Judge) -> None:
        self.clear("direction", "image", "turned_direction", "image_of_turned")
        self.precondition()
        self.first_image()
        self.sums.begin()
        self.products()
        before = alpha = beta = 0.0
        for iteration in count():
            pending = self.sums.start()
            self.precondition_image()
            self.image()
            product, turned, square = pending.finish()
            if judge.ended(iteration, square):
                return
            curvature = turned
            if iteration:
                beta = product / before
                curvature = turned - beta * product / alpha
            if not (curvature > 0.0 and product > 0.0):
                return judge.broke_down()
            alpha, before = product / curvature, product
            self.steps.append((alpha, beta))
            self.sums.begin()
            self.step(alpha=alpha, beta=beta)
            if (iteration + 1) % self.renewal == 0:
                self.sums.begin()
                for call in self.renew:
                    call()
