"""One side of a measurement: `python -m halocline_lab.sites.one_side SETTINGS.json ANSWER.json`.

It opens its link, exchanges fields, times transfers, and leaves what it found in ANSWER.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.command_line import guarded
from halocline.link.connection import Link
from halocline.link.options import LinkOptions
from halocline_lab.sites import field_exchange, namespaces, transfer_times


def measure_side(
    link: Link, side: str, *, pause: float, look_at_windows: bool, fit: bool
) -> dict[str, Any]:
    """All of one side, from meeting the other to its end; plain values."""
    asked = {
        "protocol": 1, "pause": pause, "sizes": field_exchange.sizes, "fit": fit,
        "streams": link.options.streams, "side": side,
    }  # fmt: skip
    theirs = json.loads(link.open(json.dumps(asked).encode()))
    _refuse_unlike(asked, theirs)
    clocks, found = field_exchange.exchange_fields(
        link, side, pause=pause, look_at_windows=look_at_windows
    )
    there: list[tuple[int, float]] = []
    if fit:
        there = transfer_times.time_transfers(link, asks=side == "air")
        there += transfer_times.time_transfers(link, asks=side == "ocean")
    counts = link.counts.as_table()
    link.close()
    return {
        "side": side,
        "clock": [clocks.seconds, clocks.uncertainty],
        "exchanges": field_exchange.as_table(found),
        "transfers": there,
        "connections": counts["connections"],
        "round_trip": counts["shortest_round_trip"],
    }


def _refuse_unlike(own: dict[str, Any], theirs: dict[str, Any]) -> None:
    if theirs.get("side") == own["side"]:
        raise UserError(
            f"Both sites are the side '{own['side']}'. Say --side air at one and --side ocean at"
            " the other."
        )
    for name in ("protocol", "pause", "sizes", "fit", "streams"):
        if theirs.get(name) != own[name]:
            raise UserError(
                f"The other site has {name} = {theirs.get(name)}, this one {own[name]}. Start both"
                " with the same options and the same version."
            )


def _in_namespace(settings: dict[str, Any]) -> None:
    """Leave this machine's network for a device that the parent has the other end of."""
    channel = settings["channel"]
    try:
        namespaces.enter()
        device = namespaces.open_device(int(settings["side"] == "ocean"))
        namespaces.set_kernel(
            restart_after_idle=settings["restart_after_idle"], congestion=settings["congestion"]
        )
    except namespaces.NoNamespaces as why:
        namespaces.tell_failure(why, channel)
        raise UserError(str(why)) from None
    namespaces.hand_over(device, channel)


def _act() -> int:
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    side = settings["side"]
    if settings.get("channel") is not None:
        _in_namespace(settings)
    other = "ocean" if side == "air" else "air"
    link = Link(LinkOptions(**settings["link"]), here=side, there=other)
    if settings["link"].get("listen"):
        link.listen()
        print(link.port, flush=True)
    found = measure_side(
        link,
        side,
        pause=settings["pause"],
        look_at_windows=settings["look_at_windows"],
        fit=settings["fit"],
    )
    Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(guarded(_act))
