"""Planted faults as programs of the simulated machine: faulty, and the same mended.

All of them step 20 times; neighbours on a ring exchange halos, and a reduction ends each step.
"""

from dataclasses import dataclass, field

import numpy as np

from halocline.runtime.record.run_record import for_others
from records.simulated import (
    Network,
    Simulation,
    begin,
    compute,
    end,
    everyone,
    read,
    receive,
    send,
    start_receive,
    start_send,
    wait_all,
)

steps = 20
work = 1e-3


@dataclass
class Planted:
    """A fault: its program and the mended one, of which other things may be known."""

    faulty: object
    mended: object
    size: int = 4
    about: dict = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    mended_about: dict = field(default_factory=dict)

    def mended_run(self):
        """The mended program, before its run."""
        about = {**self.about, **self.mended_about}
        return Simulation(self.size, self.mended, self.network, about)

    def runs(self):
        """Record of the faulty program, and seconds of both."""
        first = Simulation(self.size, self.faulty, self.network, self.about)
        record = first.record()
        second = self.mended_run()
        second.record()
        return record, first.seconds, second.seconds


def halo(rank, size, count=1, length=1000):
    """Exchange with both neighbours, `count` messages to each."""
    for partner, tag in (((rank - 1) % size, 0), ((rank + 1) % size, 1000)):
        for n in range(count):
            yield start_receive(partner, length, 1000 - tag + n)
    for partner, tag in (((rank - 1) % size, 0), ((rank + 1) % size, 1000)):
        for n in range(count):
            yield start_send(partner, length, tag + n)
    yield wait_all()


def model(seconds_of, exchange=halo):
    """A program whose rank computes seconds_of(rank, step) in each step."""

    def program(rank, size):
        for step in range(steps):
            yield begin()
            yield compute(seconds_of(rank, step))
            yield from exchange(rank, size)
            yield everyone()
            yield end()

    return program


healthy = model(lambda rank, step: work)


def two_places(seconds_of):
    """A program that computes seconds_of(rank, part) before and after its halo exchange."""

    def program(rank, size):
        for _ in range(steps):
            yield begin()
            yield compute(seconds_of(rank, 0), "dynamics")
            yield from halo(rank, size)
            yield compute(seconds_of(rank, 1), "physics")
            yield everyone()
            yield end()

    return program


def imbalanced():
    shares = (1.6, 0.8, 0.8, 0.8)
    about = {"points_of_ranks": [1600, 800, 800, 800]}
    return Planted(model(lambda rank, step: work * shares[rank]), healthy, about=about)


def slow_rank():
    pace = (1.0, 1.0, 1.5, 1.0)
    about = {"points_of_ranks": [1000] * 4, "hosts": ["n1"]}
    return Planted(two_places(lambda rank, part: 0.5 * work * pace[rank]), healthy, about=about)


def noise():
    random = np.random.default_rng(5)
    excess = np.where(random.random((4, steps)) < 0.15, 2.0, 0.0)
    return Planted(model(lambda rank, step: work * (1 + excess[rank, step])), healthy)


def late_sender():
    """The first half of the work makes the message; the second does not need its answer."""

    def program(early):
        def ranks(rank, size):
            for _ in range(steps):
                yield begin()
                if rank % 2 == 0:
                    yield compute(work)
                    yield everyone()
                    if not early:
                        yield compute(work, "interior")
                    yield start_send(rank + 1, 2000)
                    if early:
                        yield compute(work, "interior")
                    yield wait_all()
                else:
                    yield compute(work)
                    yield everyone()
                    yield receive(rank - 1, 2000)
                    yield compute(work, "interior")
                yield everyone()
                yield end()

        return ranks

    return Planted(program(False), program(True))


def per_variable():
    def exchange(count, length):
        return lambda rank, size: halo(rank, size, count, length)

    network = Network(overhead=5e-6, latency=2e-6, per_byte=1e-9)
    faulty = model(lambda rank, step: work, exchange(51, 100))
    mended = model(lambda rank, step: work, exchange(1, 5100))
    return Planted(faulty, mended, network=network)


def derived_types():
    def exchange(name, pack):
        def both(rank, size):
            partners = (rank - 1) % size, (rank + 1) % size
            yield start_receive(partners[0], 40000, 1)
            yield start_receive(partners[1], 40000, 2, "MPI_Irecv" + name)
            yield start_send(partners[1], 40000, 1)
            if pack:
                yield compute(40000 / 4e9, "pack")
            yield start_send(partners[0], 40000, 2, "MPI_Isend" + name)
            yield wait_all()
            if pack:
                yield compute(40000 / 4e9, "unpack")

        return both

    return Planted(
        model(lambda rank, step: 0.2 * work, exchange(" of derived type", False)),
        model(lambda rank, step: 0.2 * work, exchange("", True)),
    )


def all_to_one():
    count, length = 100, 200

    def program(collect):
        def ranks(rank, size):
            for _ in range(steps):
                yield begin()
                yield compute(work)
                yield from halo(rank, size)
                if collect:
                    yield everyone(count * length, "MPI_Gather", root=0)
                elif rank == 0:
                    for partner in range(1, size):
                        for _ in range(count):
                            yield receive(partner, length)
                else:
                    for _ in range(count):
                        yield send(0, length)
                yield everyone()
                yield end()

        return ranks

    return Planted(program(False), program(True), network=Network(overhead=2e-6))


def many_collectives(name="MPI_Scatter", root=0, reading=0.0):
    """A field point by point; mended, in one call. The root may read before each."""
    count, length = 100, 200

    def program(combined):
        def ranks(rank, size):
            for _ in range(steps):
                yield begin()
                yield compute(work)
                yield from halo(rank, size)
                if combined and rank == root and reading:
                    yield compute(count * reading, "")
                for _ in range(1 if combined else count):
                    if rank == root and reading and not combined:
                        yield compute(reading, "")
                    yield everyone(count * length if combined else length, name, root)
                yield end()

        return ranks

    return Planted(program(False), program(True))


def barriers():
    """Who has more work before one barrier has less before the next."""

    def program(free):
        def ranks(rank, size):
            for _ in range(steps):
                yield begin()
                for part in range(2):
                    yield compute(work * (1.3 if (rank + part) % 2 else 0.7))
                    if not free:
                        yield everyone(0, "MPI_Barrier")
                yield from halo(rank, size)
                yield everyone()
                yield end()

        return ranks

    return Planted(program(False), program(True))


def input_by_all():
    """A disk that serves one rank at a time, so that the last one waits for all others."""
    size = 4_000_000

    def program(all_read):
        def ranks(rank, count):
            for n in range(5):
                if all_read:
                    yield read(2e-3 * (rank + 1 if n == 0 else count), size)
                elif rank == 0:
                    yield read(2e-3, size)
                if not all_read:
                    yield everyone(size, "MPI_Bcast", root=0)
            yield from healthy(rank, count)

        return ranks

    return Planted(program(True), program(False), network=Network(per_byte=1e-10))


def output_in_the_way():
    """Each fifth step writes 2 ms; mended, a copy of the data is left to a thread."""

    def program(behind):
        def ranks(rank, size):
            for step in range(steps):
                yield begin()
                yield compute(work)
                yield from halo(rank, size)
                yield everyone()
                yield end()
                if step % 5 == 4:
                    yield compute(1e-4 if behind else 2e-3, "maps", "output")

        return ranks

    return Planted(program(False), program(True))


def unequal_members():
    """The heavy member has two thirds of the work, and one of three ranks; mended, two."""

    def program(heavy):
        def ranks(rank, size):
            name, count = ("heavy", heavy) if rank < heavy else ("light", size - heavy)
            for _ in range(steps):
                yield begin()
                yield compute((4 if name == "heavy" else 2) * work / count, f"{name}: work")
                yield everyone(name=for_others)
                yield end()

        return ranks

    def about(heavy):
        ranks = {"heavy": range(heavy), "light": range(heavy, 3)}
        return {
            "members": {
                name: {"component": name, "ranks": list(some), "steps": steps}
                for name, some in ranks.items()
            }
        }

    return Planted(program(1), program(2), 3, about(1), mended_about=about(2))


planted = {
    "imbalanced decomposition": imbalanced,
    "slow rank": slow_rank,
    "noise": noise,
    "late sender": late_sender,
    "per-variable messages": per_variable,
    "derived types": derived_types,
    "blocking all-to-one": all_to_one,
    "many small collectives": many_collectives,
    "barriers in every step": barriers,
    "input by every rank": input_by_all,
    "output in the way": output_in_the_way,
    "unequal members": unequal_members,
}
