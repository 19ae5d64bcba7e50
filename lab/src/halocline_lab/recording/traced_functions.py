"""Lists of functions that are to be traced: proposed from samples, edited, made flags of GCC.

As the Automatic Profiling Analysis of Cray's tools does (Porter et al. 2010, section 5.1), whose
list leaves the initialisation out.
"""

from __future__ import annotations

from pathlib import Path

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.recording.sampled_functions import Function

least_share = 0.01
"""Of the samples after the start, from which on a function is worth tracing."""

start_share = 0.9
"""Of a function's own samples, from which on it is part of the start."""

head = """\
# What to trace of {program}: {steady} samples after its start, {start} in it.
# '+' traces a function, '-' leaves it out: edit as you like. Then compile the program with GCC
# (gcc, g++, gfortran) and the flags that this prints, and record it again:
#   halocline lab record --flags FILE
# What is not listed took less than one sample and is traced too. Leave out what is tiny and called
# very often: a call costs some 0.2 us more. Shares are of the samples after the start.
"""


def proposal(record: RunRecord) -> str:
    """The list for a record that was sampled."""
    functions = [Function(**one) for one in record.about["samples"]]
    steady, start = sum(one.steady for one in functions), sum(one.start for one in functions)
    program = record.about.get("program") or "the program"
    lines = [head.format(program=program, steady=steady, start=start)]
    for one in functions:
        sign, words = decision(one, steady)
        share = 100.0 * one.steady / max(1, steady)
        why = f"  # {words}" if words else ""
        lines.append(f"{sign} {share:5.1f} %  {one.name}  [{one.file}]{why}\n")
    return "".join(lines)


def decision(one: Function, steady: int) -> tuple[str, str]:
    """Whether a function is worth tracing, and why not.

    >>> decision(Function("relax", "a.c", 0, 40, True), 100), decision(
    ...     Function("make_tables", "a.c", 95, 5, True), 100
    ... )
    (('+', ''), ('-', 'start: 95 of its 100 samples'))
    """
    all_ = one.start + one.steady
    if not one.own:
        return "-", "not of the program's own source"
    if one.start >= start_share * all_:
        return "-", f"start: {one.start} of its {all_} samples"
    if one.steady < least_share * steady:
        return "-", "little"
    return "+", ""


def compiler_flags(path: Path) -> str:
    """The flags of GCC with which a program tells of the functions of an edited list.

    GCC leaves out all functions whose names hold one of the words that it is given.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"Cannot read the list of functions '{path}': {error}.") from None
    signs = [line for line in lines if line.strip() and not line.startswith("#")]
    wrong = next((line for line in signs if line[0] not in "+-" or line.count("%") != 1), None)
    if wrong is not None or not signs:
        raise UserError(
            f"'{path}' is no list of functions of 'halocline lab record --sample': the line"
            f" '{(wrong or '')[:80]}' has no + or - before a share and a name."
        )
    found = {}
    for line in signs:
        name = line.partition("%")[2].partition("#")[0].rpartition("[")[0].strip()
        found[name.rpartition("::")[2].partition("<")[0]] = line[0] == "+"
    kept = [name for name, traced in found.items() if traced]
    if not kept:
        raise UserError(f"'{path}' traces nothing: put a + before some of its functions.")
    left = [
        name
        for name, traced in found.items()
        if not traced and name.isidentifier() and not any(name in one for one in kept)
    ]
    words = "-finstrument-functions"
    if left:
        words += f" -finstrument-functions-exclude-function-list={','.join(left)}"
    return words
