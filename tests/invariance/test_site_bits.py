"""A run at two sites: the same bits as in one job, on any ranks of either and over restarts.

Ranks: 1 and 3 at one site, 1 and 2 at the other, started here.
"""

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from invariance.printed_bits import printed_bits
from link.sites import make_credentials


def free_port() -> int:
    """A port that nobody has now."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


@pytest.fixture(scope="module")
def credentials(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Certificates of both sites."""
    return str(make_credentials(tmp_path_factory.mktemp("sites"), "east", "west"))


def bits_of_both(
    ranks: tuple[int, int], *words: str, folders: tuple[str, ...] = ()
) -> frozenset[str]:
    """Those of the ponds at both sites, which run at the same time."""
    where = f"127.0.0.1:{free_port()}"
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


@pytest.mark.parametrize("ranks", [(1, 1), (3, 2)])
def test_two_jobs_compute_what_one_does(ranks: tuple[int, int], credentials: str) -> None:
    assert bits_of_both(ranks, credentials, "auto") == alone()


def test_both_stop_and_go_on_together(tmp_path: Path, credentials: str) -> None:
    """One site is broken off again and again: the other stops at the same moments."""
    folders = str(tmp_path / "east"), str(tmp_path / "west")
    assert bits_of_both((1, 1), credentials, "parallel", folders=folders) == alone()
