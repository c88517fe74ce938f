"""One published rule takes one answer out of a completion."""

from __future__ import annotations

import pytest

from validation.verifiers.extraction import extract

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
    ("The solutions are $x = 1$ and $x = 2$.", "x = 1, x = 2"),
    ("So we have $(1, 2)$, $(3, 4)$ or $(5, 6)$.", "(1, 2), (3, 4), (5, 6)"),
    ("With $a = 1$ and $b = 2$ we get $a + b = 3$.", "a + b = 3"),
    ("The area of $ABC$ and $DEF$ is $5$.", "5"),
    ("Hence $x = 3$ where $k$ is odd. It follows \\(\\frac{1}{2}\\).", "\\frac{1}{2}"),
    ("It follows that\n\\begin{equation}\nx = 7\n\\end{equation}", "x = 7"),
    ("It follows that\n\\begin{align*}\nx &= 3 + 4 \\\\ &= 7\n\\end{align*}", "x = 3 + 4 = 7"),
    ("We find $$x = 3 + 4 = 7.$$", "x = 3 + 4 = 7."),
    ("The minimum is $3$ and the maximum is $5$.", "5"),
    ("It isn't 10 but 12.", "12"),
    ("The distance between the points is 7.", "7"),
    ("So there are fewer than 72 ways.", None),
    ("The value is either 12 or 15.", None),
    ("It takes between 28 and 30 minutes.", None),
    ("It costs 36 dozen.", None),
    ("The answer cannot be $30$.", None),
    ("The square of the result is 30.", None),
    ("An angle of 75'.", None),
    ("I have no idea.", None),
    ("", None),
    ("\\boxed{" + "1+" * 200 + "1}", None),
]


@pytest.mark.parametrize(("completion", "answer"), CASES)
def test_the_rule_takes_the_last_stated_answer(completion: str, answer: str | None) -> None:
    assert extract(completion) == answer
