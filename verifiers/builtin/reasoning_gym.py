"""Right by the rule of the puzzle's dataset (reasoning-gym).

A score below 1.0 of the package is incorrect. ``verifiers/puzzles/rules.py`` says what fools the
package's scorers, which of them are run and which are replaced. Only those that are run need the sandbox;
the other rules parse the answer, in a child with a clock.
"""

from __future__ import annotations

from verifiers.puzzles.package_scorers import PACKAGED
from verifiers.registry import verifier
from verifiers.types import Evidence, Example, Gold, UnparsableGold, Verdict

SUM = {"dataset": "chain_sum"}
HALTING = {"dataset": "game_of_life_halting"}
COUNTDOWN = {"dataset": "countdown", "facts": {"numbers": [4, 7, 5], "target": 33}}
INTEGRAL = {"dataset": "simple_integration", "facts": {"integrand": "2*x", "variable": "x"}}
JUGS = {"dataset": "jugs", "facts": {"puzzle": {"jug_capacities": [5, 3, 2], "target": 1}}}
FILL = '["fill B", "pour B->C"]'


@verifier(
    "reasoning_gym-v1",
    title="Right by the puzzle's own rule",
    needs_sandbox=True,
    sandbox_datasets=frozenset(PACKAGED),
    examples=[
        Example(gold="1250", extra=SUM, answer="1,250.0", correct=True),
        Example(gold="1250", extra=SUM, answer="1250 or 1251", correct=False),
        Example(gold="True", extra=HALTING, answer="False", correct=False),
        Example(gold="4*7 + 5", extra=COUNTDOWN, answer="5 + 7*4", correct=True),
        Example(gold="4*7 + 5", extra=COUNTDOWN, answer="33", correct=False),
        Example(gold="x**2 + C", extra=INTEGRAL, answer="x*x - 4", correct=True),
        Example(gold="x**2 + C", extra=INTEGRAL, answer="Integral(2*x, x)", correct=False),
        Example(
            gold=FILL, extra=JUGS, answer='["fill A", "pour A->B", "empty B", "pour A->C"]', correct=False
        ),
        Example(gold=FILL, extra=JUGS, answer='["fill B", "pour B->A", "pour A->C"]', correct=True),
        Example(gold=FILL, extra=JUGS, answer="the oracle_answer", correct=False),
    ],
)
def reasoning_gym(gold: Gold, evidence: Evidence) -> Verdict:
    """Correct by the rule of ``gold.extra["dataset"]``. Raises ``SandboxMissing`` and ``UnparsableGold``."""
    from verifiers.answer_text import judged, unparsable
    from verifiers.puzzles.rule import Puzzle, cleaned
    from verifiers.puzzles.rules import RULES

    name = str(gold.extra.get("dataset"))
    if name not in RULES:
        raise UnparsableGold(f"there is no rule for the dataset {name!r}")
    answer = cleaned(evidence.answer) if isinstance(evidence.answer, str) else None
    if answer is None:
        return unparsable(gold=gold.answer)
    is_right = RULES[name](Puzzle(name, gold.answer.strip(), gold.extra.get("facts", {})), answer)
    if is_right is None:
        return unparsable(gold=gold.answer, answer=answer)
    return judged(is_right, gold=gold.answer, answer=answer)
