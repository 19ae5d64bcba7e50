"""Who one is and whom one trusts: TLS 1.3 only, certificates on both sides, all of it checked."""

from __future__ import annotations

import getpass
import os
import ssl
import sys
from pathlib import Path

from halocline.core.errors import UserError
from halocline.link.options import LinkOptions

passphrase_variable = "HALOCLINE_KEY_PASSPHRASE"


def passphrase_from(file: str | Path, variable: str) -> str | None:
    """A passphrase from a file, else from the environment; None if neither has one."""
    if file:
        path = Path(file)
        only_owner(path)
        try:
            return path.read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeError) as error:
            raise UserError(f"Cannot read the passphrase in '{path}': {error}") from None
    return os.environ.get(variable)


def only_owner(path: Path) -> None:
    """Refuse a secret that others can read."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        hint = " 'halocline site certificate' makes it." if path.suffix == ".pem" else ""
        raise UserError(f"Cannot read '{path}': {error.strerror}.{hint}") from None
    if mode & 0o077:
        raise UserError(
            f"'{path}' can be read by others (mode {mode & 0o777:o}). Make it yours alone:"
            f" chmod 600 '{path}'."
        )


class Credentials:
    """What one side shows and asks of the other; makes TLS contexts."""

    def __init__(self, options: LinkOptions, folder: Path) -> None:
        self._certificate = options.path("certificate", folder)
        self._key = options.path("key", folder)
        self._authority = options.path("authority", folder)
        self._revoked = options.path("revoked", folder)
        file = folder / options.passphrase_file if options.passphrase_file else ""
        self._passphrase = passphrase_from(file, passphrase_variable)
        self._asked = False
        only_owner(self._key)
        self._made: tuple[int, dict[bool, ssl.SSLContext]] = (-1, {})
        self.context(server=True)

    def context(self, *, server: bool) -> ssl.SSLContext:
        """The TLS context of one role; made anew when the list of revoked certificates changed."""
        try:
            changed = self._revoked.stat().st_mtime_ns
        except OSError as error:
            raise UserError(f"Cannot read '{self._revoked}': {error.strerror}.") from None
        if changed != self._made[0]:
            self._made = (changed, {role: self._new_context(role) for role in (False, True)})
        return self._made[1][server]

    def _new_context(self, server: bool) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # `name_matches` does: sites have names, not addresses
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF | ssl.VERIFY_X509_STRICT
        if server:
            context.num_tickets = 0  # every connection shows its certificate
        self._load(context, self._authority, "certificate of an authority")
        self._load(context, self._revoked, "list of revoked certificates")
        try:
            context.load_cert_chain(self._certificate, self._key, self._ask)
        except UserError:
            raise
        except (OSError, ssl.SSLError, ValueError) as error:
            why = "the passphrase is wrong" if self._asked else _reason(error)
            raise UserError(
                f"The certificate '{self._certificate}' and the key '{self._key}' cannot be used:"
                f" {why}."
            ) from None
        return context

    def _load(self, context: ssl.SSLContext, path: Path, what: str) -> None:
        try:
            context.load_verify_locations(path)
        except (OSError, ssl.SSLError) as error:
            raise UserError(f"'{path}' is no {what} that can be read: {_reason(error)}.") from None

    def _ask(self) -> str:
        """OpenSSL asks for this if the key is encrypted."""
        self._asked = True
        if self._passphrase is None:
            if not sys.stdin.isatty():
                raise UserError(
                    f"The key '{self._key}' has a passphrase. Give it in the environment"
                    f" ({passphrase_variable}) or by link.passphrase_file."
                )
            self._passphrase = getpass.getpass(f"Passphrase of {self._key}: ")
        return self._passphrase


def _reason(error: Exception) -> str:
    """What is wrong, in OpenSSL's words or the system's."""
    if isinstance(error, ssl.SSLError):
        return str(error.reason or error.args[-1]).lower().replace("_", " ")
    return getattr(error, "strerror", None) or str(error)


def name_matches(certificate: object, name: str) -> bool:
    """Whether a certificate that was verified (`getpeercert()`) is that of the site `name`."""
    if not isinstance(certificate, dict):
        return False
    return ("DNS", name) in certificate.get("subjectAltName", ())
