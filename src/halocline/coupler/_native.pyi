"""The room's kernels; `contracts` says what each array argument is."""

from typing import Any

def __getattr__(name: str) -> Any: ...
