"""The parser of the command line: words and options in any order, values that begin with -."""

from __future__ import annotations

import argparse
import re
from typing import Any

from halocline.core.errors import nearest


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that takes the words of a list also after options.

    Besides, what begins with a minus and a digit is a value, such as a region from 40 degrees west.

    >>> parser = Parser()
    >>> _ = parser.add_argument("names", nargs="*"), parser.add_argument("--region")
    >>> found = parser.parse_args(["height", "--region", "-40,10,35,65", "period"])
    >>> found.region, found.names
    ('-40,10,35,65', ['height', 'period'])
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._negative_number_matcher = re.compile(r"^-\.?\d")
        self._list = ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices, with the nearest of them."""
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action, f"'{value}' is none of: {', '.join(known)}.{nearest(str(value), known)}"
            )

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """Declare an argument, as usual; a parser may have one list of words."""
        if not names[0].startswith("-") and options.get("nargs") in ("*", "+"):
            self._list = names[0]
        return super().add_argument(*names, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What is known, and the rest, as usual, but for words of the list among the rest.

        An option that is unknown is refused with the nearest known name.
        """
        found, rest = super().parse_known_args(args, namespace)
        if self._list:
            words = [word for word in rest if not word.startswith("-")]
            setattr(found, self._list, [*(getattr(found, self._list) or []), *words])
            rest = [word for word in rest if word.startswith("-")]
        unknown = [word.partition("=")[0] for word in rest if word.startswith("--")]
        if unknown:
            known = [name for action in self._actions for name in action.option_strings]
            self.error(f"there is no option '{unknown[0]}'.{nearest(unknown[0], known)}")
        return found, rest


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The argument by which options of a case get other values: `settings`."""
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="give an option of the case another value, as time.length=6h (may be repeated)",
    )
