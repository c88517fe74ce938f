"""A program that passes every assert of its task (MBPP).

Programs are run as google-research/mbpp runs them: the candidate, then ``test_setup_code``, then every assert
of ``test_list``; ``challenge_test_list`` is not used. Values are compared outside the candidate's process, so
tricks that fool Python's own ``==`` (an ``__eq__`` that returns True, a redefined builtin) do not work here.
"""

from __future__ import annotations

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("code-v1", title="Passes the task's asserts", needs_sandbox=True)
def code(gold: Gold, evidence: Evidence) -> Verdict:
    """Run every assert, all of which must pass.

    Raises ``SandboxMissing``, and whatever error faulty code in the task itself causes.
    """
    from verifiers import programs

    return programs.program_judge(gold, evidence).official
