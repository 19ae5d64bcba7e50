"""Single changes of the numerics are noticed by their tests; those that are not are listed.

./halo test tests/meta/test_mutations.py --all
"""

import sys
from pathlib import Path

import pytest

from meta.mutants import mutants_of
from meta.mutation_run import drawn, equivalent, summary, targets, top, trial

quarter_of_an_hour = 780.0  # seconds, with room for the last change


def test_one_operator_or_constant_is_changed_and_nothing_else():
    source = """// 1 + 2
inline constexpr Contract<1> some_contract{"some", {{{"x", Access::read, {-1, 0, 0, 0}}}}};
#define N 3
const T a = x + T(0.5) * y;  // 4
if (!ready || d < 1) return std::max(a, -b);
View2<const T> text = f("5 - 6");
"""
    found = [(mutant.line, mutant.old, mutant.new) for mutant in mutants_of(source, ".hpp")]
    assert found == [
        (4, "+", "-"), (4, "0.5", "0.525"), (4, "*", "/"),
        (5, "!", ""), (5, "||", "&&"), (5, "<", "<="), (5, "1", "2"), (5, "max", "min"),
        (5, "-", ""),
    ]  # fmt: skip
    for mutant in mutants_of(source, ".hpp"):
        assert len(mutant.text) == len(source) + len(mutant.new) - len(mutant.old)
        assert mutant.was != mutant.becomes


def test_what_is_changed_and_tested_exists():
    for one in targets:
        for path in one.sources:
            assert mutants_of((top / path).read_text(), Path(path).suffix), path
        assert all((top / test).is_file() for test in one.tests)


def test_equivalent_changes_are_changes_of_what_is_there():
    for path, lines in equivalent().items():
        found = {m.becomes for m in mutants_of((top / path).read_text(), Path(path).suffix)}
        assert set(lines) <= found, path
        assert all(lines.values()), "each has its reason"


def test_the_same_seed_draws_the_same_changes():
    first, again = (drawn(1, 200, "") for _ in range(2))
    assert first == again and len(set(first)) == 200
    assert len({case.path for case in first}) == sum(len(one.sources) for one in targets)
    assert drawn(2, 200, "") != first


@pytest.mark.slow
def test_few_changes_survive(tmp_path, capsys):
    found = trial(drawn(1, 100, ""), tmp_path, quarter_of_an_hour)
    with capsys.disabled():
        sys.stdout.write(f"\n{summary(found)}\n")
    verdicts = [verdict for _, verdict in found]
    assert verdicts.count("killed") >= 4 * verdicts.count("survived")
