"""A run at two sites: the same bits as in one job, on any ranks of either and over restarts.

Ranks: 1, 3 and 4 at one site, 1, 2 and 3 at the other, started here.
"""

import random
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from invariance.printed_bits import printed_bits
from link.sites import make_credentials


def free_ports(count: int = 16) -> int:
    """The first of some in a row that nobody has now, below those that connections are given."""
    while True:
        first = random.randrange(20000, 30000)
        with ExitStack() as tried:
            try:
                for port in range(first, first + count):
                    tried.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError:
                continue
        return first


@pytest.fixture(scope="module")
def credentials(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Certificates of both sites."""
    return str(make_credentials(tmp_path_factory.mktemp("sites"), "east", "west"))


def bits_of_both(
    ranks: tuple[int, int], *words: str, folders: tuple[str, ...] = ()
) -> frozenset[str]:
    """Those of the ponds at both sites, which run at the same time."""
    where = f"127.0.0.1:{free_ports()}"
    sites = (("east", "listen", 2), ("west", "connect", 1))
    with ThreadPoolExecutor() as pool:
        begun = [
            pool.submit(
                printed_bits,
                "ponds_at_sites.py",
                count,
                1,
                lines,
                site,
                end,
                where,
                *words,
                *folder,
            )
            for count, (site, end, lines), folder in zip(
                ranks, sites, [[some] for some in folders] or [[], []], strict=True
            )
        ]
        return frozenset().union(*(some.result() for some in begun))


def alone() -> frozenset[str]:
    return printed_bits("coupled_ponds.py", 1, 1, 3, "parallel", "apart")


@pytest.mark.parametrize(
    ("ranks", "linked"), [((1, 1), "first"), ((3, 2), "first"), ((1, 1), "all"), ((4, 3), "all")]
)
def test_two_jobs_compute_what_one_does(
    ranks: tuple[int, int], linked: str, credentials: str
) -> None:
    """By links of first ranks, and from rank to rank."""
    assert bits_of_both(ranks, credentials, "auto", linked) == alone()


def test_both_stop_and_go_on_together(tmp_path: Path, credentials: str) -> None:
    """One site is broken off again and again: the other stops at the same moments."""
    folders = str(tmp_path / "east"), str(tmp_path / "west")
    assert bits_of_both((1, 1), credentials, "parallel", "all", folders=folders) == alone()
