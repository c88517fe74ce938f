from __future__ import annotations

from tests.mutation import MUTANTS, ROOT, mutants_load


def test_every_fault_can_be_put_into_the_code_and_names_tests_that_exist() -> None:
    for mutant in mutants_load(MUTANTS):
        assert mutant.text(ROOT)
        assert mutant.tests
        assert [test for test in mutant.tests if not (ROOT / test.partition("::")[0]).exists()] == []
