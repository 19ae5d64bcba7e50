"""One step of a parallel program, free of its number of ranks: from a record, or from a name.

A pattern is a list of parts that each rank does: computation, exchanges with neighbours on a plane
of ranks, and collectives. Made for another number of ranks, computation that is the grid's is
divided among them, halos shrink with the edges of the blocks, and collectives keep their bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from halocline.core.errors import UserError, nearest
from halocline.runtime.record.run_record import RunRecord, nobody
from halocline_lab.diagnosis.timeline import compute_ranks
from halocline_lab.prediction.program_patterns import (
    add_halo,
    add_to_servers,
    grid_of,
    neighbour,
    work,
)
from halocline_lab.prediction.programs import (
    Program,
    ProgramBuilder,
    collective_kinds,
    operation_kinds,
)
from halocline_lab.prediction.recorded_program import programs_of_spans


@dataclass(frozen=True)
class Compute:
    """Seconds of a rank at the pattern's own number of ranks: the grid's part, and the rest."""

    shared: float
    fixed: float = 0.0


@dataclass(frozen=True)
class Exchange:
    """A halo: bytes that a rank sends in all, in so many messages, to so many ranks.

    `packing` is what the processor does for it [s].
    """

    size: float
    messages: int = 4
    partners: int = 4
    packing: float = 0.0


@dataclass(frozen=True)
class Together:
    """A collective of all ranks: what each contributes [byte]."""

    which: str
    size: float


@dataclass(frozen=True)
class Front:
    """A wavefront over the plane of ranks: a message of `size` bytes to the next ones."""

    size: float
    seconds: float


@dataclass(frozen=True)
class ToOne:
    """Every rank sends `size` bytes to the first, or gets them from it."""

    size: float
    from_root: bool = False


Part = Compute | Exchange | Together | Front | ToOne


@dataclass(frozen=True)
class Frames:
    """Output: a frame of `size` bytes every `every` steps, with so many bytes per second."""

    size: float
    every: int = 10
    writing: float = 1e9


@dataclass(frozen=True)
class StepPattern:
    """What ranks do in a step, at `ranks` ranks; `dimensions` is that of their grid."""

    name: str
    ranks: int
    parts: tuple[Part, ...]
    imbalance: float = 0.0
    dimensions: int = 2
    domain: tuple[int, ...] = ()
    frames: Frames | None = None
    half_length: float = 0.0
    assumptions: tuple[str, ...] = field(default_factory=tuple)

    @property
    def computing(self) -> float:
        """Seconds of computation of a step on the mean rank."""
        seconds = [p.shared + p.fixed for p in self.parts if isinstance(p, Compute)]
        seconds += [p.packing for p in self.parts if isinstance(p, Exchange)]
        return sum(seconds) + sum(p.seconds for p in self.parts if isinstance(p, Front))


iterations, levels, tracers = 60, 40, 4
"""Of the pattern "ocean", a step like POP's (Worley & Levesque 2004): three-dimensional work and
halos of all levels, then iterations of a solver on the surface."""


def named_pattern(
    name: str, *, ranks: int, seconds: float, size: float, imbalance: float = 0.0
) -> StepPattern:
    """A pattern by its name: `size` is what a rank sends to one other, or contributes [byte]."""
    compute = Compute(seconds)
    halo = Exchange(4 * size)
    known: dict[str, tuple[Part, ...]] = {
        "halo1d": (compute, Exchange(2 * size, 2, 2)),
        "halo2d": (compute, halo),
        "halo3d": (compute, Exchange(6 * size, 6, 6)),
        "allreduce": (compute, Together("all reduce", size)),
        "alltoall": (compute, Together("all to all", size)),
        "alltoone": (compute, ToOne(size)),
        "onetoall": (compute, ToOne(size, from_root=True)),
        "wavefront": (Front(size, seconds),),
        "solver": (
            Compute(seconds / 2),
            halo,
            Compute(seconds / 4),
            Together("all reduce", 8.0),
            Compute(seconds / 4),
            Together("all reduce", 8.0),
        ),
    }
    iteration = (Compute(0.2 * seconds / iterations), halo, Together("all reduce", 16.0))
    baroclinic = (Compute(0.8 * seconds), Exchange(4 * size * levels * tracers))
    known["ocean"] = (*baroclinic, *iteration * iterations)
    if name not in known:
        raise UserError(
            f"'{name}' is neither a record nor a pattern.{nearest(name, list(known))} Patterns:"
            f" {', '.join(known)}."
        )
    dimensions = {"halo1d": 1, "halo3d": 3}.get(name, 2)
    return StepPattern(name, ranks, known[name], imbalance, dimensions)


# ---- from a record ----


def pattern_of_record(record: RunRecord) -> StepPattern:
    """The step of a record: that of the kept ones which computes the median.

    Ranks count as alike but for an imbalance of computation, that of all kept steps together: parts
    are the means over the ranks that have the same parts as most.
    """
    programs = programs_of_spans(record, skew=False)
    stepping = [one for one in programs if _has_step(one)] or programs
    order = sorted(range(len(stepping)), key=lambda n: float(stepping[n].computing.max()))
    chosen = _median_step(stepping[order[len(order) // 2]])
    sequences = [_sequence(chosen, rank) for rank in range(chosen.size)]
    shapes = [tuple(_shape_of(part) for part in parts) for parts in sequences]
    common = max(sorted(set(shapes), key=len), key=shapes.count)
    alike = [p for p, shape in zip(sequences, shapes, strict=True) if shape == common]
    steps = max(1, _steps_in(chosen))
    parts = tuple(_mean([parts[n] for parts in alike]) for n in range(len(common)))
    busy = np.array([shape == common for shape in shapes])
    computing = np.sum([one.computing for one in stepping], axis=0)[busy]
    imbalance = float(computing.max() / computing.mean() - 1.0) if computing.any() else 0.0
    words = [*chosen.assumptions]
    if len(alike) < chosen.size:
        words.append(f"{chosen.size - len(alike)} ranks that do other things are left out")
    if steps > 1:
        words.append(f"the part of the record that is taken holds {steps} steps")
    if not any(isinstance(p, Compute) and p.fixed for p in parts):
        words.append("all computation is divided among the ranks")
    else:
        words.append("computation outside of kernels takes each rank as long on any number")
    name = " ".join(str(record.about.get(k, "")) for k in ("program", "title")).strip() or "record"
    ranks = len(compute_ranks(record))
    return StepPattern(name, ranks, parts, imbalance, assumptions=tuple(words))


def _has_step(program: Program) -> bool:
    return any(r.name == "step" and r.kind == "phase" for r in program.regions) and bool(
        _steps_in(program)
    )


def _steps_in(program: Program) -> int:
    return max(len(_step_slices(program, rank)) for rank in range(program.size))


def _step_slices(program: Program, rank: int) -> list[slice]:
    """Where the steps of a rank are among its operations."""
    steps = [n for n, r in enumerate(program.regions) if (r.name, r.kind) == ("step", "phase")]
    mine = program.of_rank(rank)
    inside = np.isin(mine["region"], steps)
    enters = np.flatnonzero(inside & (mine["kind"] == operation_kinds.index("enter")))
    leaves = np.flatnonzero(inside & (mine["kind"] == operation_kinds.index("leave")))
    return [slice(a, b + 1) for a, b in zip(enters, leaves, strict=True)]


def _median_step(program: Program) -> Program:
    """The step alone in which the mean rank computes the median of the steps.

    Ranks that do no steps, such as servers, do nothing in it.
    """
    slices = [_step_slices(program, rank) for rank in range(program.size)]
    counts = {len(some) for some in slices} - {0}
    if len(counts) != 1 or max(counts) < 2:
        return program
    mine = [program.of_rank(rank) for rank in range(program.size)]
    totals = [
        sum(rows["seconds"][some[n]].sum() for rows, some in zip(mine, slices, strict=True) if some)
        for n in range(max(counts))
    ]
    step = int(np.argsort(totals, kind="stable")[len(totals) // 2])
    tables = [
        rows[some[step]] if some else rows[:0] for rows, some in zip(mine, slices, strict=True)
    ]
    first = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
    return replace(program, operations=np.concatenate(tables), first=first)


def _sequence(program: Program, rank: int) -> list[Part]:
    """The parts that one rank does; messages between two computations are one exchange."""
    has_kernels = any(region.kind == "kernel" for region in program.regions)
    parts: list[Part] = []
    shared = fixed = sent = packing = 0.0
    messages = 0
    partners: set[int] = set()

    def flush(*, computing: bool) -> None:
        nonlocal shared, fixed, sent, messages, packing
        if computing and shared + fixed > 0.0:
            parts.append(Compute(shared, fixed))
            shared = fixed = 0.0
        if not computing and messages:
            parts.append(Exchange(sent, messages, len(partners), packing))
            sent, packing, messages = 0.0, 0.0, 0
            partners.clear()

    kinds = [region.kind for region in program.regions]
    waited = False
    for row in program.of_rank(rank):
        kind = operation_kinds[row["kind"]]
        if kind == "compute" and kinds[row["region"]] in ("halo", "completion"):
            packing += float(row["seconds"])
        elif kind == "compute":
            if messages and waited:
                flush(computing=False)
            if has_kernels and kinds[row["region"]] != "kernel":
                fixed += row["seconds"]
            else:
                shared += row["seconds"]
        elif "send" in kind or "receive" in kind:
            if messages and waited:
                flush(computing=False)
            if not messages:
                flush(computing=True)
            waited = kind in ("send", "receive")
            if "send" in kind:
                sent, messages = sent + float(row["bytes"]), messages + 1
                partners.add(int(row["partner"]))
        elif kind == "wait":
            waited = True
        elif "collective" in kind:
            flush(computing=False)
            flush(computing=True)
            parts.append(Together(collective_kinds[row["tag"]], float(row["bytes"])))
    flush(computing=False)
    flush(computing=True)
    return parts


def _shape_of(part: Part) -> tuple[str, str]:
    return type(part).__name__, part.which if isinstance(part, Together) else ""


def _mean(parts: Sequence[Part]) -> Part:
    one = parts[0]
    if isinstance(one, Compute):
        some = [p for p in parts if isinstance(p, Compute)]
        return Compute(
            float(np.mean([p.shared for p in some])), float(np.mean([p.fixed for p in some]))
        )
    if isinstance(one, Exchange):
        mine = [p for p in parts if isinstance(p, Exchange)]
        return Exchange(
            float(np.mean([p.size for p in mine])),
            round(float(np.mean([p.messages for p in mine]))),
            round(float(np.mean([p.partners for p in mine]))),
            float(np.mean([p.packing for p in mine])),
        )
    return one


# ---- to a program ----


def program_of_pattern(
    pattern: StepPattern,
    ranks: int,
    *,
    grid: Sequence[int] | None = None,
    weak: bool = False,
    servers: int = 0,
    steps: int = 1,
) -> Program:
    """A program of `steps` steps on `ranks` ranks, of which the last ones serve output.

    With `weak` the grid grows with the ranks, otherwise it is the same on any number.
    """
    workers = ranks - servers
    if workers < 1:
        raise UserError(f"{servers} servers of {ranks} ranks leave nobody to compute. Use fewer.")
    shape = tuple(grid) if grid is not None else grid_of(workers, pattern.dimensions)
    if math.prod(shape) != workers:
        words = "x".join(map(str, shape))
        raise UserError(f"The process grid {words} has not the {workers} ranks that compute.")
    every = pattern.frames.every if pattern.frames else 1
    build = ProgramBuilder(ranks, assumptions=list(pattern.assumptions))
    mine = np.arange(workers, dtype=np.int32)
    build.communicators.append(mine)
    build.enter("step")
    for _ in range(every):
        for part in pattern.parts:
            _add_part(build, pattern, part, shape, weak)
    if pattern.frames:
        _add_frame(build, pattern.frames, workers, servers)
    build.leave("step")
    return build.program(max(1, steps // every))


def _add_part(
    build: ProgramBuilder, pattern: StepPattern, part: Part, shape: tuple[int, ...], weak: bool
) -> None:
    workers = math.prod(shape)
    mine = np.arange(workers)
    if isinstance(part, Compute):
        seconds = part.shared * _share(pattern, shape, weak) + part.fixed
        build.compute(work(seconds, workers, pattern.imbalance), mine, name="computation")
    elif isinstance(part, Exchange):
        sizes = halo_sizes(pattern, part, shape, weak)
        if part.packing:
            own = halo_sizes(pattern, part, grid_of(pattern.ranks, len(shape)), weak=True)
            build.compute(part.packing * sum(sizes) / max(1, sum(own)), mine, name="packing")
        add_halo(build, shape, sizes, mine)
    elif isinstance(part, Together):
        rooted = part.which in ("broadcast", "reduce", "gather", "scatter")
        size = part.size
        if part.which in ("all to all", "scatter") and not weak:
            size *= pattern.ranks / workers
        build.collective(part.which, size, mine, root=0 if rooted else nobody, communicator=1)
    elif isinstance(part, Front):
        _add_front(build, pattern, part, shape, weak)
    else:
        others = np.arange(1, workers)
        roots = np.zeros(workers - 1, int)
        first, second = (roots, others) if part.from_root else (others, roots)
        build.message("receive", first, part.size, second)
        build.message("send", second, part.size, first)


def _share(pattern: StepPattern, shape: tuple[int, ...], weak: bool) -> float:
    """Computation of a rank relative to the pattern's own number of ranks.

    A row of a block costs as much as `half_length` points more (Hockney 1982): long rows are
    better.
    """
    workers = math.prod(shape)
    share = 1.0 if weak else pattern.ranks / workers
    if pattern.half_length and pattern.domain:
        own = grid_of(pattern.ranks, len(shape))
        row, before = pattern.domain[0] / shape[-1], pattern.domain[0] / own[-1]
        share *= (1.0 + pattern.half_length / row) / (1.0 + pattern.half_length / before)
    return share


def halo_sizes(
    pattern: StepPattern, part: Exchange, shape: tuple[int, ...], weak: bool
) -> list[int]:
    """Bytes to each neighbour along each axis: in proportion to the face between the blocks.

    The faces of the pattern's own grid of ranks share its bytes. Without a `domain`, blocks of that
    grid count as cubes.
    """
    own = grid_of(pattern.ranks, len(shape))
    domain = pattern.domain[::-1] or own  # like the axes of ranks: the fastest last
    faces = [math.prod(d / o for d, o in _others(domain, own, axis)) for axis in range(len(own))]
    used = [2 * face * (n > 1) for face, n in zip(faces, own, strict=True)]
    if sum(used) == 0.0 or part.partners >= 2 * len(own):
        used = [2 * face for face in faces]
    per_face = part.size / sum(used)
    if weak:
        return [round(per_face * face) for face in faces]
    grown = [math.prod(d / s for d, s in _others(domain, shape, axis)) for axis in range(len(own))]
    return [round(per_face * face) for face in grown]


def _others(domain: Sequence[float], shape: Sequence[int], axis: int) -> list[tuple[float, int]]:
    return [(d, n) for at, (d, n) in enumerate(zip(domain, shape, strict=True)) if at != axis]


def _add_front(
    build: ProgramBuilder,
    pattern: StepPattern,
    part: Front,
    shape: tuple[int, ...],
    weak: bool,
) -> None:
    mine = np.arange(math.prod(shape))
    size = part.size if weak else part.size * math.sqrt(pattern.ranks / len(mine))
    for axis in range(len(shape)):
        below = neighbour(shape, axis, -1, periodic=False)
        build.message("receive", below, round(size), mine, tag=axis)
    seconds = part.seconds * (1.0 if weak else pattern.ranks / len(mine))
    build.compute(work(seconds, len(mine), pattern.imbalance), mine, name="computation")
    for axis in range(len(shape)):
        above = neighbour(shape, axis, 1, periodic=False)
        build.message("send", above, round(size), mine, tag=axis)


def _add_frame(build: ProgramBuilder, frames: Frames, workers: int, servers: int) -> None:
    share = int(frames.size / workers)
    if servers:
        add_to_servers(build, workers, servers, share, frames.size / frames.writing)
        return
    mine = np.arange(workers)
    build.collective("gather", share, mine, root=0, communicator=1)
    build.compute(frames.size / frames.writing, [0], name="write")
    build.collective("barrier", 0, mine, communicator=1)


def with_options(pattern: StepPattern, **changes: object) -> StepPattern:
    """The pattern with what is not None changed."""
    return replace(pattern, **{k: v for k, v in changes.items() if v is not None})  # type: ignore[arg-type]
