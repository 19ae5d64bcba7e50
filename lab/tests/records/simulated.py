"""Runs of small programs on a simulated machine, as records whose times are known exactly.

A program is a generator function of (rank, size) that yields operations, the tuples made by the
functions below. Ranks compute undisturbed; a message takes an overhead at each end, a latency, and
time per byte; one above the eager limit is not sent before its receive has begun.
"""

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import Region, event_type
from halocline.runtime.record.run_record_tables import record_of_events


@dataclass(frozen=True)
class Network:
    """Overhead and latency [s], time per byte [s], and of data with gaps in addition."""

    overhead: float = 1e-6
    latency: float = 2e-6
    per_byte: float = 1e-9
    per_byte_of_gaps: float = 4e-9
    eager_limit: int = 4096


def compute(seconds, name="work", kind="kernel"):
    return ("compute", seconds, name, kind, 0)


def read(seconds, size, name="MPI_File_read"):
    return ("compute", seconds, name, "file", size)


def begin(name="step", kind="phase"):
    return ("begin", name, kind)


def end():
    return ("end",)


def send(partner, size, tag=0, name="MPI_Send"):
    return ("send", partner, size, tag, name)


def receive(partner, size, tag=0, name="MPI_Recv"):
    return ("receive", partner, size, tag, name)


def start_send(partner, size, tag=0, name="MPI_Isend"):
    return ("start send", partner, size, tag, name)


def start_receive(partner, size, tag=0, name="MPI_Irecv"):
    return ("start receive", partner, size, tag, name)


def wait_all(name="MPI_Waitall"):
    return ("wait", name)


def everyone(size=8, name="MPI_Allreduce", root=-1):
    return ("collective", size, name, root)


class Simulation:
    """All ranks of a program; `record()` runs it."""

    def __init__(self, size, program, network=None, about=None):
        self.size, self.net = size, network or Network()
        self.about = {"program": "simulated", **(about or {})}
        self.programs = [program(rank, size) for rank in range(size)]
        self.clock = [0.0] * size
        self.regions, self.rows = [], []
        self.sent, self.posted, self.entered = {}, {}, {}
        self.open_regions = [[] for _ in range(size)]
        self.open_requests = [[] for _ in range(size)]
        self.requests = [0] * size
        self.sends, self.receives, self.calls = {}, {}, [0] * size

    def record(self, step="step"):
        pending = [next(program, None) for program in self.programs]
        fresh = [True] * self.size
        while any(operation is not None for operation in pending):
            moved = False
            for rank in range(self.size):
                while pending[rank] is not None:
                    if fresh[rank]:
                        self.announce(rank, pending[rank])
                        fresh[rank] = False
                    if not self.do(rank, pending[rank]):
                        break
                    pending[rank], fresh[rank] = next(self.programs[rank], None), True
                    moved = True
            assert moved, "the program waits for ever"
        events = np.array(self.rows, event_type)
        return record_of_events(self.about, self.regions, events, self.size, step=step)

    @property
    def seconds(self):
        return max(self.clock)

    def announce(self, rank, operation):
        """Tell the others what this rank is about to do."""
        kind, now = operation[0], self.clock[rank]
        if kind in ("send", "start send"):
            key = (rank, operation[1], operation[3])
            self.sends[rank] = (key, len(self.sent.setdefault(key, [])))
            self.sent[key].append((now, operation[2], operation[4]))
        elif kind in ("receive", "start receive"):
            key = (operation[1], rank, operation[3])
            self.receives[rank] = (key, len(self.posted.setdefault(key, [])))
            self.posted[key].append(now)
        elif kind == "collective":
            self.entered.setdefault(self.calls[rank], {})[rank] = now

    def do(self, rank, operation):
        """Do it and say True, or say that it must wait."""
        return getattr(self, "do_" + operation[0].replace(" ", "_"))(rank, *operation[1:])

    def add(self, rank, first, last, name, kind, partner=-1, size=0, tag=0, request=0):
        region = Region(name, kind)
        if region not in self.regions:
            self.regions.append(region)
        number = self.regions.index(region)
        times = round(1e9 * first), round(1e9 * last)
        self.rows.append((*times, size, number, rank, partner, tag, request, 0, 0))
        self.clock[rank] = last

    def do_compute(self, rank, seconds, name, kind, size):
        now = self.clock[rank]
        if name:
            self.add(rank, now, now + seconds, name, kind, size=size)
        self.clock[rank] = now + seconds
        return True

    def do_begin(self, rank, name, kind):
        self.open_regions[rank].append((self.clock[rank], name, kind))
        return True

    def do_end(self, rank):
        first, name, kind = self.open_regions[rank].pop()
        self.add(rank, first, self.clock[rank], name, kind)
        return True

    def arrival(self, key, number):
        """When a message is in the receiver's memory; None: not known yet."""
        if number >= len(self.sent.get(key, ())):
            return None
        first, size, name = self.sent[key][number]
        if size > self.net.eager_limit:
            if number >= len(self.posted.get(key, ())):
                return None
            first = max(first, self.posted[key][number])
        return first + self.cost(size, name) + self.net.latency + self.net.per_byte * size

    def cost(self, size, name):
        gaps = name.endswith("derived type")
        return self.net.overhead + (self.net.per_byte_of_gaps * size if gaps else 0.0)

    def do_send(self, rank, partner, size, tag, name):
        now, (key, number) = self.clock[rank], self.sends[rank]
        done = now + self.cost(size, name)
        if size > self.net.eager_limit:
            done = self.arrival(key, number)
            if done is None:
                return False
        self.add(rank, now, done, name, "send", partner, size, tag)
        return True

    def do_receive(self, rank, partner, size, tag, name):
        now, arrived = self.clock[rank], self.arrival(*self.receives[rank])
        if arrived is None:
            return False
        done = max(now, arrived) + self.cost(size, name)
        self.add(rank, now, done, name, "receive", partner, size, tag)
        return True

    def do_start_send(self, rank, partner, size, tag, name):
        now, (key, number) = self.clock[rank], self.sends[rank]
        self.requests[rank] += 1
        request = self.requests[rank]
        self.open_requests[rank].append((request, "sent", key, number, partner, size, tag))
        self.add(
            rank, now, now + self.cost(size, name), name, "start send", partner, size, tag, request
        )
        return True

    def do_start_receive(self, rank, partner, size, tag, name):
        now, (key, number) = self.clock[rank], self.receives[rank]
        self.requests[rank] += 1
        request = self.requests[rank]
        self.open_requests[rank].append((request, "received", key, number, partner, size, tag))
        done = now + self.net.overhead
        self.add(rank, now, done, name, "start receive", partner, size, tag, request)
        return True

    def do_wait(self, rank, name):
        now = self.clock[rank]
        done = now + self.net.overhead
        for _, what, key, number, _, size, _ in self.open_requests[rank]:
            if what == "sent" and size <= self.net.eager_limit:
                continue
            arrived = self.arrival(key, number)
            if arrived is None:
                return False
            done = max(done, arrived + (self.net.overhead if what == "received" else 0.0))
        for request, _, _, _, partner, size, tag in self.open_requests[rank]:
            self.add(rank, done, done, "completion", "completion", partner, size, tag, request)
        self.open_requests[rank].clear()
        self.add(rank, now, done, name, "wait")
        return True

    def do_collective(self, rank, size, name, root):
        now, entered = self.clock[rank], self.entered[self.calls[rank]]
        if len(entered) < self.size:
            return False
        rounds = max(1, (self.size - 1).bit_length())
        cost = rounds * (self.net.latency + 2 * self.net.overhead)
        cost += size * self.net.per_byte * (self.size if root >= 0 else 1)
        self.calls[rank] += 1
        self.add(rank, now, max(entered.values()) + cost, name, "collective", root, size)
        return True
