"""Halocline: waves, ocean, life in it and air above, and the runtime that makes models fast."""

from halocline.core.checkout import compile_when_used

__version__ = "0.1.0"

compile_when_used()


def __getattr__(name: str) -> object:
    """`halocline.run` and its like, loaded when first used."""
    if name in ("run", "Result"):
        from halocline.experiment import run as running

        return getattr(running, name)
    if name == "Bmi":
        from halocline.experiment.bmi import Bmi

        return Bmi
    if name == "join":
        from halocline.experiment.joining import join

        return join
    if name == "OwnStream":
        from halocline.component.streams.own_stream import OwnStream

        return OwnStream
    raise AttributeError(f"module 'halocline' has no attribute {name!r}")
