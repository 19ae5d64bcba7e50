"""Options of a link between two sites: where they meet, whom they trust, how long they wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class LinkOptions(Options):
    """The link to the other site of a run: who connects, certificates, streams, patience."""

    connect: str = option("", "", "'host:port' of the other site; this one opens the connection")
    listen: str = option("", "", "'host:port' here where the other site connects; port 0: any")
    relay: str = option("", "", "'host:port' of a relay to which both sites connect")
    credentials: str = option(
        "",
        "",
        "folder with certificate.pem, key.pem, authority.pem and revoked.pem, as"
        " 'halocline site certificate' makes it; from the folder of the case",
    )
    certificate: str = option("", "", "certificate of this site (PEM), in place of the folder's")
    key: str = option("", "", "its key (PEM, readable by its owner only)")
    authority: str = option("", "", "certificate of the authority that both sites trust (PEM)")
    revoked: str = option("", "", "its list of revoked certificates (PEM); read again when changed")
    passphrase_file: str = option(
        "",
        "",
        "file with the passphrase of the key, readable by its owner only; else it is"
        " HALOCLINE_KEY_PASSPHRASE of the environment, or asked for",
    )
    certificate_name: str = option(
        "", "", "name in the other site's certificate; default: the name of the site"
    )
    streams: int = option(
        16,
        "1",
        "connections that share every message: each begins slowly after a pause, all do not",
        at_least=1,
        at_most=64,
    )
    ranks: str = option(
        "first",
        "",
        "of each crew of members that have a link: the first, or all, with one for each rank at the"
        " other site whose points they have, at ports one after the other",
        choices=("first", "all"),
    )
    compression: str = option(
        "none",
        "",
        "of messages, without loss: zlib, after sorting the bytes of numbers by their place",
        choices=("none", "zlib"),
    )
    buffer: int = option(
        64,
        "MB",
        "messages on their way, at each side; who sends more waits",
        at_least=1,
        at_most=4096,
    )
    largest_message: int = option(1024, "MB", "no message is larger", at_least=1, at_most=16384)
    keep_alive: float = option(
        1,
        "s",
        "a quiet stream carries a few bytes this often, so that nothing on the way forgets it",
        at_least=0.01,
        at_most=60,
    )
    patience: float = option(
        120, "s", "without any connection for so long, the run ends at both sites", at_least=0.5
    )
    meet_within: float = option(
        3600, "s", "how long the first site waits for the other one at the start", at_least=0.5
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        ways = [name for name in ("connect", "listen", "relay") if getattr(self, name)]
        if len(ways) != 1:
            raise UserError(
                f"A link has {' and '.join(ways) or 'no way to the other site'}. Give one of"
                " link.connect, link.listen and link.relay, as 'host:port'."
            )
        address(self.connect or self.listen or self.relay)

    def beside(self, folder: Path) -> LinkOptions:
        """The same with files found from a folder, wherever a run goes on."""
        names = ("credentials", "certificate", "key", "authority", "revoked", "passphrase_file")
        found: dict[str, Any] = {
            name: str((folder / some).absolute()) for name in names if (some := getattr(self, name))
        }
        return replace(self, **found)

    def numbered(self, number: int) -> LinkOptions:
        """Those of a further link of the same sites: its port is the first one's plus `number`."""

        def moved(words: str) -> str:
            host, _, port = words.rpartition(":")
            return f"{host}:{int(port) + number}"

        if self.relay:
            return self
        if address(self.listen or self.connect)[1] == 0:
            raise UserError(
                f"The link listens at {self.listen}, at any port, and these sites need {number + 1}"
                " links, at ports one after the other. Give link.listen a port."
            )
        name = "listen" if self.listen else "connect"
        changed: dict[str, Any] = {name: moved(getattr(self, name))}
        return replace(self, **changed)

    def path(self, name: str, folder: Path) -> Path:
        """Where the file of one credential lies; paths are taken from `folder`."""
        own = getattr(self, name)
        if own:
            return folder / own
        if not self.credentials:
            raise UserError(
                f"A link has no {name}. Give link.credentials, a folder that 'halocline site"
                f" certificate' made, or link.{name}."
            )
        return folder / self.credentials / f"{name}.pem"


def address(words: str) -> tuple[str, int]:
    """Host and port of 'host:port'.

    >>> address("ocean.example:7000"), address("[::1]:7000")
    (('ocean.example', 7000), ('::1', 7000))
    """
    host, colon, port = words.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise UserError(f"'{words}' is no address. Write 'host:port', as in 'ocean.example:7000'.")
    return host.strip("[]"), int(port)
