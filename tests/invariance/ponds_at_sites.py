"""Those of `coupled_ponds` at two sites: a and b at one, on ranks of their own where there are
several, c at the other; hashes of those here.

Words: the site, its end of the link (`listen` or `connect`), where both meet, the folder with
credentials of the sites, the path, which ranks have links (`first` or `all`), and optionally a
folder in which the run is broken off after every interval and resumed.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from experiment.ponds import together
from halocline.experiment.run import run
from halocline.link.options import LinkOptions
from halocline.runtime.ranks.communicator import world
from invariance.coupled_ponds import members, show_bits, table


def at_site(site, end, where, credentials, path, ranks):
    """The members of a run as one of two sites has them."""
    cases = {name: member.case for name, member in members(path, "apart").members.items()}
    seats = {
        "a": {"site": "east"},
        "b": {"site": "east"} | ({"on_ranks_of": "a"} if world().size == 1 else {}),
        "c": {"site": "west"},
    }
    link = LinkOptions(
        **{end: where}, ranks=ranks, streams=2, credentials=f"{credentials}/{site}", patience=30.0
    )
    return together(cases, exchanges=table(path), seats=seats, site=site, link=link)


if __name__ == "__main__":
    found = at_site(*sys.argv[1:7])
    if sys.argv[7:]:
        times, resume = 0, False
        folder, limit = Path(sys.argv[7]), 1e-3 if sys.argv[1] == "east" else None
        while run(found, output=folder, walltime=limit, resume=resume).stopped_by:
            times, resume = times + 1, True
        assert times >= 5, times
    else:
        run(found)
    show_bits()
