"""A program that passes every assert of its task (MBPP).

As google-research/mbpp scores: candidate, then ``test_setup_code``, then every assert of ``test_list``;
``challenge_test_list`` is not used. Values are compared outside the candidate's process, so that tricks which
fool Python's own ``==`` (an ``__eq__`` that returns True, a redefined builtin) fail here.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("code-v1", title="Passes the task's asserts", needs_sandbox=True)
def code(gold: Gold, evidence: Evidence) -> Verdict:
    """Run every assert; all must pass. Raises ``SandboxMissing``; a task's own bad code raises too."""
    from verifiers import programs

    return programs.program_judge(gold, evidence).official
