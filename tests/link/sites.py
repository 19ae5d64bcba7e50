"""Two sites on this machine, with certificates of an authority of their own."""

import threading
from pathlib import Path

from halocline.link.authority import found_authority, issue
from halocline.link.connection import Link
from halocline.link.options import LinkOptions


def make_credentials(folder: Path, *names: str) -> Path:
    """An authority, and certificates of sites beside it."""
    authority = found_authority(folder / "authority", None)
    for name in names:
        issue(authority, name, folder / name, days=1, passphrase=None, key_passphrase=None)
    return folder


def both(first, second):
    """Do two things at the same time; the results, or the first mistake."""
    results = [None, None]

    def one(at, what):
        try:
            results[at] = what()
        except BaseException as error:  # raised below
            results[at] = error

    threads = [
        threading.Thread(target=one, args=(at, what)) for at, what in enumerate((first, second))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "it hangs"
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def pair(folder: Path, *, through=None, log=None, **options):
    """Two links that know each other: `east` listens, `west` connects; not yet open.

    through: gives the port to connect to, from the port where east listens.
    """
    facts = {"patience": 20.0, "meet_within": 20.0, **options}
    log = log or (lambda line: None)
    east = Link(
        LinkOptions(listen="127.0.0.1:0", credentials="east", **facts),
        here="east",
        there="west",
        folder=folder,
        log=log,
    )
    east.listen()
    port = through(east.port) if through else east.port
    west = Link(
        LinkOptions(connect=f"127.0.0.1:{port}", credentials="west", **facts),
        here="west",
        there="east",
        folder=folder,
        log=log,
    )
    return east, west


def opened(east, west):
    """Both open."""
    assert both(lambda: east.open(b"from east"), lambda: west.open(b"from west")) == [
        b"from west",
        b"from east",
    ]
    return east, west


def closed(east, west):
    """Both closed."""
    both(east.close, west.close)
