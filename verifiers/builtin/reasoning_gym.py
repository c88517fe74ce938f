"""An answer that is right by the rule of its puzzle's dataset (reasoning-gym).

An answer to which the package gives a score below 1.0 is incorrect. ``verifiers/puzzles/rules.py`` explains
what fools the package's scorers, which of them are run and which are replaced. Only those that are run need
the sandbox; the other rules parse the answer in a child process under a timeout.
"""

from __future__ import annotations

from verifiers.puzzles.package_scorers import PACKAGED
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict


@verifier(
    "reasoning_gym-v1",
    title="Right by the puzzle's own rule",
    needs_sandbox=True,
    sandbox_datasets=frozenset(PACKAGED),
)
def reasoning_gym(gold: Gold, evidence: Evidence) -> Verdict:
    """Judge by the rule for ``gold.extra["dataset"]``. Raises ``SandboxMissing`` and ``UnparsableGold``."""
    from verifiers.answer_text import make_verdict, unparsable
    from verifiers.puzzles.rule import Puzzle, clean_answer
    from verifiers.puzzles.rules import RULES

    name = str(gold.extra.get("dataset"))
    if name not in RULES:
        raise UnparsableGold(f"there is no rule for the dataset {name!r}")
    answer = clean_answer(evidence.answer) if isinstance(evidence.answer, str) else None
    if answer is None:
        return unparsable(gold=gold.answer)
    is_right = RULES[name](Puzzle(name, gold.answer.strip(), gold.extra.get("facts", {})), answer)
    if is_right is None:
        return unparsable(gold=gold.answer, answer=answer)
    return make_verdict(is_right, gold=gold.answer, answer=answer)
