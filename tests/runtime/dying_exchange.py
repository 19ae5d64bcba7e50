"""Exchanges halos for ever in the way that the arguments name; rank 1 kills itself in the midst."""

import os
import signal
import sys

import numpy as np

from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import parse_choice
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Recorder


def exchange_until_death(text: str) -> None:
    communicator = world()
    mask = np.ones((12, 12), bool)
    decomposition = Decomposition(
        mask, Topology(12, 12, True, True), halo=2, communicator=communicator
    )
    field = Field("x", "1", decomposition, place=Place.center)
    exchange = HaloExchange(decomposition, Recorder())
    request, choice = (
        Request(field.storage(field.layout).flat, Place.center, all_around(2)),
        parse_choice(text),
    )
    for turn in range(1 << 62):
        pending = exchange.start(field.layout, [request], choice)
        if turn == 100 and communicator.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        pending.finish()


if __name__ == "__main__":
    exchange_until_death(" ".join(sys.argv[1:]))
