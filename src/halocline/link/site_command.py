"""`halocline site`: certificates of the sites of a run, and the relay between them."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path

from halocline.core.errors import UserError

words = "make certificates for the sites of a run, or run a relay between sites"
example = "site certificate east --authority my-authority --days 365"

authority_variable = "HALOCLINE_AUTHORITY_PASSPHRASE"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline site`."""
    actions = parser.add_subparsers(dest="site_action", metavar="ACTION", required=True)

    authority = actions.add_parser("authority", help="found an authority of your own")
    authority.add_argument("folder", metavar="FOLDER", type=Path, help="new folder")
    _secret_arguments(authority)

    certificate = actions.add_parser("certificate", help="a certificate for one site")
    certificate.add_argument("name", metavar="NAME", help="name of the site, as in the case")
    certificate.add_argument("--days", type=float, default=365, help="how long it holds (365)")
    certificate.add_argument("-o", "--output", type=Path, help="new folder; NAME if not given")
    _authority_argument(certificate)
    _secret_arguments(certificate)
    certificate.add_argument(
        "--key-passphrase-file", metavar="FILE", default="", help="passphrase of the site's key"
    )

    revoke = actions.add_parser("revoke", help="end all certificates of a site")
    revoke.add_argument("name", metavar="NAME", help="name of the site")
    _authority_argument(revoke)
    _secret_arguments(revoke)

    relay = actions.add_parser("relay", help="bring two sites together that both connect outward")
    relay.add_argument("listen", metavar="HOST:PORT", help="where it listens")
    relay.add_argument("sites", metavar="SITE", nargs=2, help="the two sites that may meet here")


def _authority_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--authority", metavar="FOLDER", type=Path, default=Path("authority"), help="authority"
    )


def _secret_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--passphrase-file", metavar="FILE", default="", help="passphrase of the authority's key")
    add("--no-passphrase", action="store_true", help="keys without passphrases")


def main(options: argparse.Namespace) -> int:
    """Do what is asked; the exit code."""
    actions = {
        "authority": _authority,
        "certificate": _certificate,
        "revoke": _revoke,
        "relay": _relay,
    }
    return actions[options.site_action](options)


def _authority(options: argparse.Namespace) -> int:
    from halocline.link.authority import found_authority

    found_authority(options.folder, _passphrase(options, new=True))
    print(f"{options.folder}: an authority. Keep authority.key where no run and no other can be.")
    return 0


def _certificate(options: argparse.Namespace) -> int:
    from halocline.link.authority import check_name, issue
    from halocline.link.credentials import passphrase_variable

    check_name(options.name)
    passphrase = _passphrase(options)
    key_passphrase = _asked(
        options.key_passphrase_file,
        passphrase_variable,
        f"key of '{options.name}'",
        "--key-passphrase-file",
        options.no_passphrase,
        new=True,
    )
    folder = issue(
        options.authority,
        options.name,
        options.output or Path(options.name),
        days=options.days,
        passphrase=passphrase,
        key_passphrase=key_passphrase,
    )
    print(f"{folder}: bring this folder to the site '{options.name}' (link.credentials).")
    return 0


def _revoke(options: argparse.Namespace) -> int:
    from halocline.link.authority import revoke

    count = revoke(options.authority, options.name, _passphrase(options))
    more = "1 more certificate is" if count == 1 else f"{count} more certificates are"
    print(
        f"{options.authority / 'revoked.pem'}: {more} revoked. Bring this file to all sites; it"
        " holds from their next connection on."
    )
    return 0


def _relay(options: argparse.Namespace) -> int:
    from halocline.link.relay import Relay

    relay = Relay(options.listen, tuple(options.sites), log=print)
    print(f"relay for {' and '.join(options.sites)} at port {relay.port}", flush=True)
    try:
        relay.serve()
    except KeyboardInterrupt:
        return 0
    finally:
        relay.close()
    return 0


def _passphrase(options: argparse.Namespace, *, new: bool = False) -> str | None:
    return _asked(
        options.passphrase_file,
        authority_variable,
        "key of the authority",
        "--passphrase-file",
        options.no_passphrase,
        new=new,
    )


def _asked(
    file: str, variable: str, what: str, option: str, none: bool, *, new: bool = False
) -> str | None:
    """A passphrase from a file, the environment or the terminal; never from the command line."""
    from halocline.link.credentials import passphrase_from

    if none:
        return None
    given = passphrase_from(file, variable)
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise UserError(
            f"The {what} has no passphrase. Give it in {variable} or by {option}, or say"
            " --no-passphrase."
        )
    first = getpass.getpass(f"Passphrase of the {what}: ")
    if new and getpass.getpass("Once more: ") != first:
        raise UserError("The two passphrases differ. Nothing was made.")
    return first
