"""Records small enough to be reckoned by hand."""

import numpy as np

from halocline.runtime.record.run_record import Region, event_type
from halocline.runtime.record.run_record_tables import record_of_events


class Events:
    """Events collected one by one; times in microseconds."""

    def __init__(self, size, about=None):
        self.size, self.about = size, about or {}
        self.regions, self.rows = [], []

    def region(self, name, kind, site=""):
        region = Region(name, kind, site)
        if region not in self.regions:
            self.regions.append(region)
        return self.regions.index(region)

    def add(self, rank, begin, end, name, kind, *, partner=-1, size=0, tag=0, request=0, thread=0):
        number = self.region(name, kind)
        times = round(1000 * begin), round(1000 * end)
        self.rows.append((*times, size, number, rank, partner, tag, request, 0, thread))

    def record(self, step="step"):
        events = np.array(self.rows, event_type)
        return record_of_events(self.about, self.regions, events, self.size, step=step)


def two_ranks():
    """Two ranks, two steps of 100 us: work, a message to rank 1, a reduction.

    Rank 0 works 60, sends from 60 to 62; rank 1 works 40, receives from 40 to 63 (20 of it before
    the send began). Both enter the reduction when they are done (62, 63) and leave at 70; the rest
    of the step is without a name.
    """
    found = Events(2)
    for step in range(2):
        at = 100.0 * step
        for rank in range(2):
            found.add(rank, at, at + 100, "step", "phase")
            found.add(rank, at, at + (60, 40)[rank], "work", "kernel")
            enter = at + (62, 63)[rank]
            found.add(rank, enter, at + 70, "MPI_Allreduce", "collective", size=8)
        found.add(0, at + 60, at + 62, "MPI_Send", "send", partner=1, size=1000)
        found.add(1, at + 40, at + 63, "MPI_Recv", "receive", partner=0, size=1000)
    return found.record()
