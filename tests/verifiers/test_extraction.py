"""One published rule takes one answer out of a completion."""

from __future__ import annotations

import pytest

from verifiers.extraction import extract

CASES = [
    ("We get $x = 4$. Thus $\\boxed{\\frac{1}{2}}$.", "\\frac{1}{2}"),
    ("First \\boxed{3}, that is wrong. So it must be \\boxed{4}.", "4"),
    ("The roots are \\boxed{-2} and \\boxed{1}.", "-2, 1"),
    ("<think>\\boxed{9}</think> It is \\boxed{7}.", "7"),
    ("Let me see.\nAnswer: 42", "42"),
    ("**Answer:** $12$\n", "$12$"),
    ("So the answer is 0", "0"),
    ("Final Answer: The final answer is $28 \\%$. I hope it is correct.", "$28 \\%$"),
    ("Final Answer: The volume of $ABCD$ is 120. I hope it is correct.", "120"),
    ("3 + 4 = <<3+4=7>>7\n#### 7", "7"),
    ("Therefore $x < 5$ is the solution.", "x < 5"),
    ("It costs 10 but then it is 1,000.99m", "1,000.99"),
    ("I have no idea.", None),
    ("", None),
    ("\\boxed{" + "1+" * 200 + "1}", None),
]


@pytest.mark.parametrize(("completion", "answer"), CASES)
def test_the_rule_takes_the_last_stated_answer(completion: str, answer: str | None) -> None:
    assert extract(completion) == answer
