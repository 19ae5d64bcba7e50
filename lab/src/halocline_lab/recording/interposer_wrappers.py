"""Writes the wrappers of the interposer, in C++, for the calls that a library's mpi.h declares.

Every call gets a wrapper of its C symbol and of three Fortran symbols: `mpi_x_` (mpif.h and the
module mpi), `mpi_x_f08_` (module mpi_f08) and `mpi_x_f08ts_` (mpi_f08 of MPICH: buffers come as
descriptors). A wrapper has the type of the call, but a C++ name of its own, and gets the symbol of
the call as its assembler name: so nothing is declared twice, whatever the header says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from halocline_lab.recording.interposer_calls import calls
from halocline_lab.recording.interposer_pattern import Pattern

roles = {
    "buffer": "void*",
    "pointer": "void*",
    "string": "const char*",
    "strings": "void*",
    "count": "Count",
    "counts": "const Count*",
    "type": "MPI_Datatype",
    "types": "const MPI_Datatype*",
    "op": "MPI_Op",
    "to": "int",
    "from": "int",
    "root": "int",
    "target": "int",
    "tag": "int",
    "integer": "int",
    "index": "int*",
    "indices": "int*",
    "done": "int*",
    "flag": "int*",
    "comm": "MPI_Comm",
    "created": "MPI_Comm*",
    "freed": "MPI_Comm*",
    "group": "MPI_Group",
    "info": "MPI_Info",
    "errhandler": "MPI_Errhandler",
    "session": "MPI_Session*",
    "win": "MPI_Win",
    "window": "MPI_Win*",
    "file": "MPI_File",
    "offset": "MPI_Offset",
    "displacement": "MPI_Aint",
    "address": "MPI_Aint",
    "request": "MPI_Request*",
    "requests": "MPI_Request*",
    "message": "MPI_Message*",
    "status": "MPI_Status*",
    "statuses": "MPI_Status*",
}
"""The C type of an argument, by its role."""

by_pointer_alike = ("void*", "int*", "const char*")
wide = {"MPI_Offset", "MPI_Aint"}


def declared_calls(header: str) -> set[str]:
    """The names, without MPI_, of what a preprocessed mpi.h declares.

    >>> sorted(declared_calls("int MPI_Send(int); extern int PMPI_Send(int); int MPI_Wait (int);"))
    ['Send', 'Wait']
    """
    return set(re.findall(r"\bMPI_(\w+)\s*\(", header))


def role(argument: str) -> str:
    """What an argument is.

    >>> role("send_displacements_pointer"), role("integer2")
    ('pointer', 'integer')
    """
    return argument.rsplit("_", 1)[-1].rstrip("0123456789")


def _c_type(argument: str, count: str) -> str:
    return roles[role(argument)].replace("Count", count)


def _fortran_type(argument: str) -> str:
    kind = roles[role(argument)]
    if kind in by_pointer_alike:
        return kind
    return f"{kind}*" if kind in wide else "MPI_Fint*"


def _parameters(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{kind} {name}" for kind, name in pairs)


def _call(pattern: Pattern, arguments: Iterable[str], language: str) -> str:
    """The expression that records a call: its template, the call itself, what is seen of it."""
    seen = pattern.seen.split()
    status = next((one for one in seen if role(one) in ("status", "statuses")), "")
    forward = f"[&](auto* {status})" if status else "[&]"
    inner = f"real({', '.join(arguments)})"
    body = f"{{ return {inner}; }}" if language == "C" else f"{{ {inner}; return 0; }}"
    if pattern.bytes:
        seen.insert(0, f"[&] {{ return std::int64_t{{{pattern.bytes}}}; }}")
    passed = ", ".join(["function", "from_where", f"{forward} {body}", *seen])
    return f"{pattern.template}<L>({passed})"


def c_wrapper(name: str, pattern: Pattern, large: bool = False) -> str:
    """The wrapper of a C function, or of its form for large counts."""
    symbol = f"MPI_{name}_c" if large else f"MPI_{name}"
    words = pattern.arguments.split()
    kinds = [_c_type(word, "MPI_Count" if large else "int") for word in words]
    parameters = _parameters(zip(kinds, words, strict=True))
    own = f"c_{name}_c" if large else f"c_{name}"
    return f"""
extern "C" HALOCLINE_SHOWN int {own}({parameters}) __asm__("{symbol}");
int {own}({parameters}) {{
  using L = C;
  static const Function function{{"{symbol}", "{pattern.kind}"}};
  static Real<int({", ".join(kinds)})> real{{"{symbol}"}};
  const void* const from_where = HERE;
  real.find(from_where);
  return {_call(pattern, words, "C")};
}}
"""


def fortran_wrappers(name: str, pattern: Pattern, descriptors: bool) -> str:
    """The wrappers of the Fortran symbols of a function, which share what they do."""
    listed = pattern.arguments if pattern.fortran is None else pattern.fortran
    words = listed.split()
    kinds = [_fortran_type(word) for word in words]
    lengths = [f"{word}_length" for word in words if role(word) in ("string", "strings")]
    words += ["error", *lengths]
    kinds += ["MPI_Fint*", *["std::size_t"] * len(lengths)]
    parameters = _parameters(zip(kinds, words, strict=True))
    real = f"Real<void({', '.join(kinds)})>"
    text = f"""
template <class L>
void fortran_{name}({real}& real, const void* from_where, {parameters}) {{
  static const Function function{{"MPI_{name}", "{pattern.kind}"}};
  real.find(from_where);
  {_call(pattern, words, "Fortran")};
}}
"""
    endings = {"": "Fortran", "f08_": "Fortran", "f08ts_": "Descriptors"}
    for ending in [*endings][: 3 if descriptors else 2]:
        symbol, own = f"mpi_{name.lower()}_{ending}", f"fortran_{name}_{ending}"
        text += f"""
extern "C" HALOCLINE_SHOWN void {own}({parameters}) __asm__("{symbol}");
void {own}({parameters}) {{
  static {real} real{{"{symbol}"}};
  fortran_{name}<{endings[ending]}>(real, HERE, {", ".join(words)});
}}
"""
    return text


def wrappers(header: str) -> str:
    """All wrappers for a library, from its preprocessed mpi.h."""
    declared = declared_calls(header)
    descriptors = "ompi_communicator_t" not in header  # all but Open MPI
    parts = ["// Written by interposer_wrappers.py from interposer_calls.py.\n"]
    for name, pattern in calls().items():
        if name not in declared:
            continue
        parts.append(c_wrapper(name, pattern))
        if f"{name}_c" in declared:
            parts.append(c_wrapper(name, pattern, large=True))
        parts.append(fortran_wrappers(name, pattern, descriptors))
    return "".join(parts)
