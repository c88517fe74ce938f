"""A program that passes its task's asserts and agrees with the reference on inputs that were never shown.

MBPP grades a program only by asserts that it also shows, so a program could simply list their answers. Here
the program must also pass ``gold.extra["pairs"]``: calls mutated from the asserts, with the values that the
reference program returns (``verifiers/mutation.py`` makes them). Floats are compared within a relative 1e-6.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


def with_official(gold: Gold, evidence: Evidence) -> dict[str, Verdict]:
    """Return this verifier's verdict and the verdict of ``code-v1``, both from one run of the program."""
    from verifiers import programs

    pairs = [(str(call), value) for call, value in gold.extra.get("pairs", ())]
    both = programs.program_judge(gold, evidence, pairs=pairs)
    return {"code-v1": both.official, "code_strict-v1": both.strict}


@verifier(
    "code_strict-v1", title="Passes asserts and held-back inputs", needs_sandbox=True, joint=with_official
)
def code_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """Run every assert and every held-back call, all of which must pass. Raises ``SandboxMissing``."""
    return with_official(gold, evidence)["code_strict-v1"]
