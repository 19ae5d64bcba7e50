"""A browser without a window, where the machine has one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from named_programs import where_installed

names = ("chromium", "chromium-browser", "google-chrome", "chrome")


def program() -> str | None:
    """The path of a browser, or None."""
    return next(filter(None, map(where_installed, names)), None)


def rendered(page: Path, folder: Path, fragment: str = "", width: int = 1200) -> str:
    """The page's text after its scripts ran."""
    found = program()
    assert found is not None
    command = [
        found,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},1600",
        "--virtual-time-budget=10000",
        "--dump-dom",
        f"{page.resolve().as_uri()}{fragment}",
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def faults(dom: str) -> str:
    """Errors of the page's scripts."""
    found = re.search(r'data-faults="([^"]*)"', dom[:2000])
    return found[1] if found else ""
