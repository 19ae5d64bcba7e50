"""Scripts of sh that run at a site, here or over ssh, with bytes that go in and come out.

The script goes through standard input, so that no list of processes shows what is in it, whatever
the login shell of the site is. What the site's start files print comes before a mark, and counts
for nothing. The other machine needs sh, head, tail, cat, sha256sum and other basic programs only.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import IO

from halocline.core.errors import UserError
from halocline.core.programs import find_program
from halocline.submission.site_file import SiteOptions

mark = b"halocline begins here\n"

handed_on = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "SLURM_CONF", "PBS_CONF_FILE")
"""What a script on this machine sees of the environment."""

for_ssh = ("SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "DISPLAY", "KRB5CCNAME")
"""What the program ssh sees besides; it sends none of it."""

full = ("No space left on device", "Disk quota exceeded", "File too large")
"""What programs say where a disk takes no more."""


class SiteShell:
    """Runs scripts at one site; connections over ssh are shared until it is closed."""

    def __init__(self, name: str, site: SiteOptions) -> None:
        self.name, self.site = name, site
        self._sockets: Path | None = None

    def __enter__(self) -> SiteShell:
        return self

    def __exit__(self, *ending: object) -> None:
        self.close()

    def close(self) -> None:
        """End the shared connection."""
        if self._sockets is None:
            return
        if any(self._sockets.iterdir()):
            command = [*self._ssh(), "-O", "exit", "--", self.site.host]
            subprocess.run(command, env=self._environment(), capture_output=True)
        shutil.rmtree(self._sockets, ignore_errors=True)
        self._sockets = None

    def run(
        self,
        script: str,
        *,
        what: str,
        feed: Callable[[IO[bytes]], None] | None = None,
        take: Callable[[IO[bytes]], None] | None = None,
    ) -> str:
        """What a script prints; `feed` writes what it reads, or `take` reads what it prints.

        Where it fails a UserError says `what` could not be done, and why.
        """
        body = f"printf '%s' {shlex.quote(mark.decode())}\n{script}".encode()
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                self._command(len(body)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._environment(),
            )
            assert process.stdin is not None and process.stdout is not None
            failures: list[BaseException] = []
            writer = Thread(target=_write, args=(process.stdin, body, feed, failures), daemon=True)
            writer.start()
            try:
                said = _after_mark(process.stdout, take)
            except BaseException:
                process.kill()
                raise
            finally:
                process.stdout.close()
                code = process.wait()
            writer.join()
            errors.seek(0)
            words = errors.read().decode(errors="replace")
        if failures:
            raise failures[0]
        if code:
            raise self._failure(code, words, what)
        return said

    def _failure(self, code: int, words: str, what: str) -> UserError:
        """Why a script failed."""
        lines = [line.strip() for line in words.splitlines() if line.strip()]
        last = lines[-1][:300] if lines else f"it ended with code {code}"
        if any(sign in words for sign in full):
            return UserError(
                f"The disk of the site '{self.name}' is full: {last}. Make room in"
                f" '{self.site.folder}' there, then give the same command again: it goes on where"
                " it was."
            )
        if self.site.host and code == 255:
            return UserError(
                f"Cannot reach the site '{self.name}' by ssh ('{self.site.host}'): {last}. Try"
                f" 'ssh {self.site.host}'; when that works, give the same command again."
            )
        return UserError(f"Cannot {what} at the site '{self.name}': {last}")

    def _command(self, length: int) -> list[str]:
        """What starts a shell that takes its script from standard input."""
        start = f'eval "$(head -c {length})"'
        if not self.site.host:
            return ["/bin/sh", "-c", start]
        return [*self._ssh(), "-T", "--", self.site.host, f"exec /bin/sh -c '{start}'"]

    def _ssh(self) -> list[str]:
        program = find_program("ssh", own_first=False)
        if program is None:
            raise UserError(
                f"The site '{self.name}' is reached by ssh, and there is no program 'ssh' here."
                " Install one (on Debian: openssh-client)."
            )
        if self._sockets is None:
            self._sockets = Path(tempfile.mkdtemp(prefix="halocline-"))
        ask = "no" if sys.stdin is not None and sys.stdin.isatty() else "yes"
        options = {
            "BatchMode": ask,
            "ConnectTimeout": "20",
            "ServerAliveInterval": "15",
            "ServerAliveCountMax": "4",
            "ControlMaster": "auto",
            "ControlPath": f"{self._sockets}/%C",
            "ControlPersist": "30",
            "ForwardAgent": "no",
            "ForwardX11": "no",
            "PermitLocalCommand": "no",
            "ClearAllForwardings": "yes",
        }
        words = [word for item in options.items() for word in ("-o", "=".join(item))]
        return [program, *self.site.ssh_options, *words]

    def _environment(self) -> dict[str, str]:
        names = handed_on + (for_ssh if self.site.host else ())
        return {name: os.environ[name] for name in names if name in os.environ}


def _write(
    pipe: IO[bytes],
    body: bytes,
    feed: Callable[[IO[bytes]], None] | None,
    failures: list[BaseException],
) -> None:
    """Give a shell its script, then what the script reads; a shell that has ended tells why."""
    try:
        with contextlib.suppress(BrokenPipeError), pipe:
            pipe.write(body)
            pipe.flush()
            if feed is not None:
                feed(pipe)
    except BaseException as error:  # raised by whoever waits for the script
        failures.append(error)


def _after_mark(pipe: IO[bytes], take: Callable[[IO[bytes]], None] | None) -> str:
    """What comes after the mark, or what is left of it by `take`."""
    seen = b""
    while not seen.endswith(mark):
        line = pipe.readline()
        if not line:
            return ""
        seen = line
    if take is not None:
        take(pipe)
        return ""
    return pipe.read().decode(errors="replace")


def lines_of(text: str) -> Iterator[list[str]]:
    """The words of each line of what a script has printed."""
    for line in text.splitlines():
        if line.strip():
            yield line.split()
