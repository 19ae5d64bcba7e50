"""`halocline lab platform [NAME]`: machines for predictions: shipped ones, files, and this one.

Without a name all shipped platforms are listed; with one, it is shown as the replay sees it.
--measure FILE measures this machine with its MPI and writes its file.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from halocline_lab.prediction.platform_model import Platform, Protocol, read_platform, shipped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab platform`."""
    parser.add_argument("name", nargs="?", help="a file, or the name of a shipped platform")
    parser.add_argument("--measure", type=Path, metavar="FILE", help="describe this machine")
    parser.add_argument("--rounds", type=int, default=15, help="measurements of each size (15)")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.measure is not None:
        from halocline_lab.prediction.platform_measure import measured_platform, write_platform

        platform = measured_platform(options.rounds)
        write_platform(options.measure, platform)
        print("\n".join([*described(platform), "", f"Written to {options.measure}"]))
    elif options.name is not None:
        print("\n".join(described(read_platform(options.name))))
    else:
        for name in shipped():
            print(f"{name:<18}{read_platform(name).about}")
    return 0


def described(platform: Platform) -> list[str]:
    """A platform in words, with the sources of its numbers."""
    nodes = f"{platform.nodes} nodes" if platform.nodes else "nodes"
    lines = [
        f"{platform.name}: {platform.about}",
        f"{nodes} of {platform.processors} processors, {platform.wiring}",
    ]
    if math.isfinite(platform.flops):
        lines.append(
            f"{platform.flops / 1e9:.3g} Gflop/s per processor,"
            f" {platform.memory_bandwidth / 1e9:.3g} GB/s per node"
        )
    for where, rows in (("inside a node", platform.inside), ("between nodes", platform.between)):
        lines.append(f"messages {where}:")
        lines += [f"  {_message_words(row)}" for row in rows]
    if platform.sources:
        lines.append("sources:")
        lines += [f"  {key}: {words}" for key, words in platform.sources.items()]
    return lines


def _message_words(row: Protocol) -> str:
    size = f"up to {row.up_to:,.0f} bytes" if math.isfinite(row.up_to) else "larger"
    rate = f"{row.bandwidth / 1e9:.3g} GB/s" if math.isfinite(row.bandwidth) else "no time per byte"
    way = "eager" if row.handshake < 0.0 else "rendezvous"
    overhead = row.send_overhead + row.receive_overhead
    return (
        f"{size}: latency {1e6 * row.latency:.3g} us, overheads {1e6 * overhead:.3g} us,"
        f" {rate}, {way}"
    )
