"""The command `halocline`."""

from __future__ import annotations

import argparse

import halocline


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="halocline", description=halocline.__doc__)
    parser.add_argument("--version", action="version", version=f"halocline {halocline.__version__}")
    parser.parse_args(arguments)
    return 0
