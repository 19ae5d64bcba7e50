"""Every example in README.md and docs/ runs, page by page, in a folder of its own.

Python blocks of a page run one after the other in one process. Of blocks marked `console run`, the
lines that begin with `$ halocline` or `$ ./halo` run as commands; what follows them is output.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import halocline

root = Path(__file__).parents[2]
pages = sorted([root / "README.md", *(root / "docs").rglob("*.md")])
fence = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Kind and text of every fenced block of a page."""
    found = fence.finditer(page.read_text(encoding="utf-8"))
    return [(match["kind"].strip(), match["text"]) for match in found]


def commands(text: str) -> list[list[str]]:
    """The commands of a console block, as arguments of halocline."""
    lines = re.findall(r"^\$ (?:halocline|\./halo) (.*)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def execute(arguments: list[str], folder: Path) -> None:
    source = str(Path(halocline.__file__).parents[1])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]),
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"


def page_name(page: Path) -> str:
    return str(page.relative_to(root))


@pytest.mark.parametrize("page", pages, ids=page_name)
def test_python_examples_run(page, tmp_path):
    code = "\n\n".join(text for kind, text in blocks(page) if kind == "python")
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    execute(["-W", "error", "page.py"], tmp_path)


@pytest.mark.parametrize("page", pages, ids=page_name)
def test_commands_run(page, tmp_path):
    for kind, text in blocks(page):
        if kind == "console run":
            assert commands(text), f"a block to run without a command:\n{text}"
            for command in commands(text):
                execute(["-m", "halocline", *command], tmp_path)


def test_blocks_are_closed_and_of_known_kinds():
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text.count("\n```") + text.startswith("```") == 2 * len(blocks(page)), page
        known = {"python", "console", "console run", "toml", "text", "sh", "cpp", ""}
        assert {kind for kind, _ in blocks(page)} <= known, page


def test_the_wave_page_has_examples():
    kinds = [kind for kind, _ in blocks(root / "docs" / "waves.md")]
    assert kinds.count("python") >= 5
    assert "console run" in kinds
