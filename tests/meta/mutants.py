"""Single changes of a source: one operator or one constant at a time.

A mutant that no test notices shows a line that no test watches. Sources are formatted by machines,
so that binary operators stand between blanks; comments, strings and contracts are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

others = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "//": "*", "**": "*",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "&": "|", "and": "or", "or": "and",
}  # fmt: skip
words = {
    "maximum": "minimum", "minimum": "maximum", "max": "min", "min": "max",
    "floor": "ceil", "ceil": "floor", "sin": "cos", "cos": "sin",
}  # fmt: skip

number = r"(?:\d[\d']*\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)"
symbols = "|".join(re.escape(symbol) for symbol in sorted(others, key=len, reverse=True))
changes = re.compile(
    rf"(?<= )(?P<binary>{symbols})(?= )"
    rf"|\b(?P<word>{'|'.join(words)})(?=[(<])"
    rf"|(?<![\w.])(?P<number>{number})(?![\w.])"
    r"|(?<=[(\[ ])(?P<minus>-)(?=[\w(])|(?P<negation>(?<=[( ])!(?=[\w(])|\bnot (?!in\b))"
)

left_alone = {
    ".hpp": re.compile(
        r'//[^\n]*|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*'
        r"|static_assert\([^;]*;|inline constexpr Contract<.*?\}\};|<[\w:, ]*\d[\w:, ]*>"
        r"|^constexpr Contract<.*?^\}|^inline constexpr auto \w+_contract =.*?;"
        r"|(?<=; )\w+ [+*]= [\w ]+\)"  # a loop that steps otherwise may never end
        r"|\b(?:__builtin_)?prefetch(?:<\d>)?\([^;]*;",  # a hint to the cache
        re.DOTALL | re.MULTILINE,
    ),
    ".py": re.compile(
        r'"""(?:\\.|.)*?"""|#[^\n]*|[rfb]*"(?:\\.|[^"\\\n])*"|^@dataclass[^\n]*|^def[^\n]*->[^\n]*'
        r"|reshape\(-1|\(0, 0, 0, 0, ",
        re.DOTALL | re.MULTILINE,
    ),
}


@dataclass(frozen=True)
class Mutant:
    """A source with `old` at character `at` replaced by `new`."""

    source: str
    at: int
    old: str
    new: str

    @property
    def text(self) -> str:
        """The changed source."""
        return self.source[: self.at] + self.new + self.source[self.at + len(self.old) :]

    @property
    def line(self) -> int:
        """Number of the changed line, from 1."""
        return self.source.count("\n", 0, self.at) + 1

    @property
    def was(self) -> str:
        return self.source.split("\n")[self.line - 1].strip()

    @property
    def becomes(self) -> str:
        """The changed line."""
        return self.text.split("\n")[self.line - 1].strip()


def mutants_of(source: str, suffix: str) -> list[Mutant]:
    """All single changes of a source in C++ (".hpp") or Python (".py").

    >>> [m.becomes for m in mutants_of("x = max(a - 2, b)  # or 3", ".py")]
    ['x = min(a - 2, b)  # or 3', 'x = max(a + 2, b)  # or 3', 'x = max(a - 3, b)  # or 3']
    """
    hidden = left_alone[suffix].sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), source)
    return [Mutant(source, *change) for change in _changes(hidden)]


def _changes(text: str) -> Iterator[tuple[int, str, str]]:
    for found in changes.finditer(text):
        kind, old = str(found.lastgroup), found[0]
        if kind == "number":
            new = other_number(old)
        elif kind in ("binary", "word"):
            new = others[old] if kind == "binary" else words[old]
        else:
            new = ""
        yield found.start(), old, new


def other_number(text: str) -> str:
    """A number that is not the same: the next whole one, or 5 % more.

    >>> other_number("1"), other_number("0.5"), other_number("0.0"), other_number("1e-12")
    ('2', '0.525', '1.0', '1.05e-12')
    """
    plain = text.replace("'", "")
    if plain.isdigit():
        return str(int(plain) + 1)
    return repr(float(plain) * 1.05) if float(plain) else "1.0"
