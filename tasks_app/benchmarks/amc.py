r"""AMC 12: contest problems of 2022 and 2023, rewritten to ask for a number instead of offering five choices.

The set is ``AI-MO/aimo-validation-amc``: JSON lines, or Parquet on the hub, with ``id``, ``problem``,
``answer`` (a float such as 142.0) and ``url``; copies call the problem ``question``. The check compares
numbers.
"""

from __future__ import annotations

from tasks_app import kinds
from tasks_app.benchmarks import _contest
from tasks_app.registry import benchmark_register
from tasks_app.solutions import sentences
from tasks_app.types import BenchmarkPlugin, HubSource


def accepted_answers(cell: int | float | str) -> list[str]:
    """Write 142.0 as ``142`` and 0.5 as ``0.5``. Raises ``ValueError`` unless the cell is a finite number."""
    try:
        number = float(_contest.bare(cell))
        whole = int(number)
    except (ValueError, OverflowError):
        raise ValueError(f"the answer {str(cell)[:80]!r} is not a number") from None
    return [str(whole) if number == whole else str(number)]


AMC = _contest.Contest("amc", last_number=25, answers_of=accepted_answers)

benchmark_register(
    BenchmarkPlugin(
        id="amc",
        title="AMC 12: contest problems answered by numbers",
        kind=kinds.FREE_ANSWER,
        license="Apache-2.0 (the set); the problems belong to the Mathematical Association of America",
        source="https://huggingface.co/datasets/AI-MO/aimo-validation-amc",
        verifier_official="numeric-v1",
        cut=sentences.cut,
        splits=("validation",),
        draft_of=AMC.draft_of,
        hub=HubSource(repo="AI-MO/aimo-validation-amc", files={"validation": ("data/*.parquet",)}),
    )
)
