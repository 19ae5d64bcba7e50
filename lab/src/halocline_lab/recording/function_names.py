"""Names of functions as their authors wrote them: without what compilers of Fortran and C++ add."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable

from halocline.core.programs import find_program

fortran_forms = (
    re.compile(r"^__(?P<module>[a-z]\w*?)_MOD_(?P<name>\w+)$"),  # GNU
    re.compile(r"^(?P<module>[a-z]\w*?)_mp_(?P<name>\w+?)_?$"),  # Intel
    re.compile(r"^_QM(?P<module>[a-z0-9_]+)P(?P<name>[a-z0-9_]+)$"),  # LLVM
    re.compile(r"^_QP(?P<name>[a-z0-9_]+)$"),
)
main_programs = ("MAIN__", "_QQmain")


def fortran_name(symbol: str, *, fortran: bool = False) -> str:
    """The name of a procedure of Fortran; other names as they are.

    `fortran`: the symbol is known to be one of Fortran.

    >>> fortran_name("__w3initmd_MOD_w3init"), fortran_name("ring_", fortran=True)
    ('w3initmd::w3init', 'ring')
    >>> fortran_name("MAIN__"), fortran_name("inner.3912"), fortran_name("w3initmd_mp_w3init_")
    ('main program', 'inner', 'w3initmd::w3init')
    >>> fortran_name("_QMringPshift"), fortran_name("my_function"), fortran_name("_start")
    ('ring::shift', 'my_function', '_start')
    """
    symbol = re.sub(r"\.(\d+|part\.\d+|constprop\.\d+|isra\.\d+|cold)(\.\d+)*$", "", symbol)
    if symbol in main_programs:
        return "main program"
    for form in fortran_forms:
        if found := form.match(symbol):
            parts = found.groupdict()
            return "::".join(filter(None, (parts.get("module"), parts["name"])))
    # Nobody else ends names so, in lower case.
    if fortran or re.match(r"^[a-z][a-z0-9_]*_$", symbol):
        return symbol.rstrip("_") or symbol
    return symbol


def cpp_name(signature: str) -> str:
    """The name in a signature of C++, without parameters and what templates are of.

    >>> cpp_name("grid::exchange<double, 3>(std::vector<int> const&) const")
    'grid::exchange<...>'
    >>> cpp_name("main::{lambda(int)#1}::operator()(int) const")
    'main::{lambda}::operator()'
    >>> cpp_name("main"), cpp_name("void run<int>(int)")
    ('main', 'run<...>')
    """
    words = re.sub(r"\{lambda\([^{}]*\)#\d+\}", "{lambda}", signature)
    words = words.replace("operator()", "operator@").replace("(anonymous namespace)", "{unnamed}")
    while (shorter := re.sub(r"<[^<>]+>", "\u27e8\u27e9", words)) != words:
        words = shorter.replace("\u27e8\u27e9\u27e8\u27e9", "\u27e8\u27e9")
    words = words.partition("(")[0].strip()
    words = words.rpartition(" ")[2] if "operator" not in words else words
    return words.replace("\u27e8\u27e9", "<...>").replace("operator@", "operator()")


def demangled(symbols: Iterable[str]) -> dict[str, str]:
    """Signatures of those symbols that are names of C++, where the machine has c++filt."""
    mangled = sorted({one for one in symbols if one.startswith("_Z")})
    tool = find_program("c++filt")
    if not mangled or tool is None:
        return {}
    done = subprocess.run(
        [tool], input="\n".join(mangled), capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    return dict(zip(mangled, lines, strict=True)) if len(lines) == len(mangled) else {}
