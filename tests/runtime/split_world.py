"""A program for some ranks: splits its world and prints what every rank was told.

Arguments: servers, groups, placement.
"""

import json
import sys

import numpy as np

from halocline.core.errors import UserError
from halocline.experiment.ending import end_all_ranks
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.roles import split


def main() -> int:
    servers, groups, words = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    placement = words if words.isalpha() else json.loads(words)
    everyone = world()
    try:
        model, roles = split(everyone, servers, groups=groups, placement=placement)
    except UserError as error:
        return end_all_ranks(f"halocline: {error}", 2)
    told = None
    if model is not None:
        total = model.sum(np.array([float(everyone.rank)]))  # of the model's ranks only
        told = model.rank, model.size, total[0]
    gathered = everyone.gather((everyone.rank, told, roles.model, roles.groups, roles.nodes))
    if everyone.rank == 0:
        print(json.dumps({"same": model is everyone, "ranks": gathered}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
