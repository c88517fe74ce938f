from __future__ import annotations

import pytest

from palaestra.extraction import answer_extract

PROGRAM = "def f(n):\n    return n + 1"


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("I think.\nAnswer: 42", "42"),
        ("**Answer:** 42", "42"),
        ("**Answer: 42**", "42"),
        ("Answer: 1\nNo.\nanswer: 2", "2"),
        ("Answer: a | b", "a | b"),
        ("Answer:", None),
        ("42", None),
    ],
)
def test_a_line_is_the_text_after_the_last_answer_colon(completion: str, answer: str | None) -> None:
    assert answer_extract(completion) == answer


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("Answer: Oslo", ["Oslo"]),
        ("Answer: a \\| b", ["a | b"]),
        ("Answer: Oslo | Bergen", ["Oslo", "Bergen"]),
        ("Answer: Oslo|Bergen |  | Voss", ["Oslo", "Bergen", "Voss"]),
        ("Answer: a \\| b | c", ["a | b", "c"]),
        ("Answer: |", None),
        ("Oslo | Bergen", None),
    ],
)
def test_values_are_split_at_bars(completion: str, answer: object) -> None:
    assert answer_extract(completion, form="values") == answer


@pytest.mark.parametrize(
    "completion",
    [
        f"Answer:\n```python\n{PROGRAM}\n```",
        f"Answer:\n\n```\n{PROGRAM}\n```\nThat is all.",
        f"First I tried\n```\nx = 1\n```\nAnswer:\n```py\n{PROGRAM}\n```",
        f"```python\nx = 1\n```\n```python\n{PROGRAM}\n```",
        f"```python\n{PROGRAM}\n```\nAnswer: see above",
        f"Answer:\n~~~\n{PROGRAM}\n~~~",
        f"Answer:\n```python\n{PROGRAM}",
        f"Answer:\n````\n{PROGRAM}\n````",
        f"Answer:\n```\n{PROGRAM}\n```\n```",
    ],
)
def test_a_program_is_the_last_fenced_block(completion: str) -> None:
    assert answer_extract(completion, form="program") == PROGRAM


USE = "print(f(3))"
TESTS = "def test_f():\n    assert f(3) == 4"


@pytest.mark.parametrize(
    "completion",
    [
        f"Answer:\n```python\n{PROGRAM}\n```\nIt is used so:\n```python\n{USE}\n```",
        f"Answer:\n```python\n{PROGRAM}\n```\nIt prints:\n```\n4\n```",
        f"Answer:\n```python\n{PROGRAM}\n```\n```python\n{USE}\n```\n```text\n4\n```",
        f"Answer:\n```python\n{PROGRAM}\n```\nTests:\n```python\n{TESTS}\n```",
        f"Answer:\n```python\n{PROGRAM}\n```\n```bash\npython f.py\n```",
        f"```python\n{PROGRAM}\n```\nAnswer:\n```python\n{USE}\n```",
        f"A draft:\n```python\ndef f(n):\n    return n\n```\nBetter:\n```python\n{PROGRAM}\n```\n```\n4\n```",
        f"Answer:\n```python\n{PROGRAM}\n```<|im_end|>",
        f"Answer:\n```python\n{PROGRAM}<|endoftext|>\n```",
        f"Answer:\n```python\n{PROGRAM}</s>",
        f"```python\n{PROGRAM}\n```\nAnswer:\n```python\n{TESTS}\n```",
        f"```python\n{PROGRAM}\n```\n```python\nimport unittest\nclass F(unittest.TestCase):\n    pass\n```",
    ],
)
def test_a_program_is_the_last_block_that_defines_something(completion: str) -> None:
    assert answer_extract(completion, form="program") == PROGRAM


@pytest.mark.parametrize("name", ["check_prime", "test_three_equal", "main"])
@pytest.mark.parametrize("use", ["print({}(3))", "def test_{0}():\n    assert {0}(3)"])
def test_a_program_may_have_the_name_of_a_test(name: str, use: str) -> None:
    program = f"def {name}(n):\n    return n > 2"
    shown = f"```python\n{program}\n```\nIt is used so:\n```python\n{use.format(name)}\n```"
    assert answer_extract(shown, form="program") == program
    better = program.replace("2", "1")
    assert answer_extract(f"{shown}\n```python\n{better}\n```", form="program") == better


def test_a_function_without_a_name_of_its_own_is_a_program() -> None:
    text = "```python\nf = lambda n: n + 1\n```\n```python\nprint(f(3))\n```"
    assert answer_extract(text, form="program") == "f = lambda n: n + 1"


@pytest.mark.parametrize("indentation", ["", "  ", "   ", "\t"])
def test_a_block_in_a_list_loses_the_indentation_of_its_fence(indentation: str) -> None:
    block = "\n".join(indentation + line for line in ["```python", *PROGRAM.split("\n"), "", "x = 1", "```"])
    assert answer_extract(f"1. So:\n\n{block}", form="program") == f"{PROGRAM}\n\nx = 1"


def test_without_a_definition_the_last_block_is_the_program() -> None:
    assert answer_extract("```\nx = 1\n```\n```\nf(\n```", form="program") == "f("
    assert answer_extract(f"```\n{PROGRAM}\n```\n```\n4\n```", form="block") == "4"


def test_a_longer_fence_holds_shorter_ones() -> None:
    inner = 'def f():\n    """\n    ```\n    x\n    ```\n    """'
    assert answer_extract(f"Answer:\n````python\n{inner}\n````", form="program") == inner


@pytest.mark.parametrize("completion", [f"Answer:\n{PROGRAM}", "Answer:\n```python\n```", ""])
def test_without_a_block_there_is_no_program(completion: str) -> None:
    assert answer_extract(completion, form="program") is None
