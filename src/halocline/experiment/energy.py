"""Energy that the processors of this node have used, where Linux lets us read their counters."""

from __future__ import annotations

from pathlib import Path

counters = Path("/sys/class/powercap")


class Energy:
    """Joules since this was made, of all packages of the node; None where nobody may read them.

    The counters (Running Average Power Limit) are in microjoules and begin again at a maximum.
    """

    def __init__(self, folder: Path = counters) -> None:
        self._packages = [
            path for path in sorted(folder.glob("intel-rapl:*")) if path.name.count(":") == 1
        ]
        self._begin = self._read()

    def joules(self) -> float | None:
        """What has been used since [J]."""
        now = self._read()
        if now is None or self._begin is None:
            return None
        used = 0.0
        for path, first, last in zip(self._packages, self._begin, now, strict=True):
            most = int((path / "max_energy_range_uj").read_text())
            used += (last - first) % (most + 1)
        return used / 1e6

    def _read(self) -> list[int] | None:
        try:
            return [int((path / "energy_uj").read_text()) for path in self._packages] or None
        except (OSError, ValueError):
            return None
