"""Passes every assert of the task (MBPP).

As google-research/mbpp scores: candidate, then ``test_setup_code``, then every assert of ``test_list``;
``challenge_test_list`` is not used. Values are compared outside the candidate's process, so that tricks which
fool Python's own ``==`` (an ``__eq__`` that returns True, a redefined builtin) fail here.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Example, Gold, Verdict


@verifier(
    "code-v1",
    title="Passes the task's asserts",
    needs_sandbox=True,
    examples=[
        Example(gold="assert add(1, 2) == 3", answer="def add(a, b):\n    return a + b", correct=True),
        Example(gold="assert sum(1, 2) == 3", answer="def sum(a, b):\r\n    return b + a", correct=True),
        Example(gold="assert math.isclose(half(1), 0.5)", answer="half = lambda x: x / 2", correct=True),
        Example(gold="assert add(1, 2) == 3", answer="def add(a, b):\n    return a - b", correct=False),
        Example(gold="assert add(1, 2) == 3", answer="def plus(a, b):\n    return a + b", correct=False),
        Example(gold="assert add(1, 2) == 3", answer="def add(a, b) return a + b", correct=False),
        Example(gold="assert add(1, 2) == 3", answer="raise SystemExit(0)", correct=False),
    ],
)
def code(gold: Gold, evidence: Evidence) -> Verdict:
    """Correct when every assert passes. Raises ``SandboxMissing``; a task's own bad code raises too."""
    from verifiers import programs

    return programs.program_judge(gold, evidence).official
