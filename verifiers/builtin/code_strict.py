"""A program that passes its task's asserts and agrees with the reference on inputs never shown.

The shown asserts of MBPP are its whole official grade, so a program may just list their answers. Here
``gold.extra["pairs"]`` also counts: calls mutated from the asserts, with the values of the reference
program (``verifiers/mutation.py`` makes them), floats compared within a relative 1e-6.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


def with_official(gold: Gold, evidence: Evidence) -> dict[str, Verdict]:
    """Return this verdict and that of ``code-v1``, which uses the asserts of the same run."""
    from verifiers import programs

    pairs = [(str(call), value) for call, value in gold.extra.get("pairs", ())]
    both = programs.program_judge(gold, evidence, pairs=pairs)
    return {"code-v1": both.official, "code_strict-v1": both.strict}


@verifier(
    "code_strict-v1", title="Passes asserts and held-back inputs", needs_sandbox=True, joint=with_official
)
def code_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """Run every assert and every held-back call; all must pass. Raises ``SandboxMissing``."""
    return with_official(gold, evidence)["code_strict-v1"]
