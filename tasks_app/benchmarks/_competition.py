"""Common code of the competition benchmarks: drafts, Asymptote figures, MATH's boxed answers and levels."""

from __future__ import annotations

import re

from tasks_app.types import GoldDraft, TaskDraft

BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])\s*")
ESCAPED_OR_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
BARE_ANSWER = re.compile(r"[^$\n]+")
LEVEL = re.compile(r"(?:Level )?([1-5])")
FIGURE = "[asy]"
FIGURE_REASON = "the text contains a figure as Asymptote code"
HIGHEST_LEVEL = 5


def boxed_answer(solution: str) -> str:
    r"""Return the content of the last ``\boxed{...}`` or ``\fbox{...}``, with nested braces.

    Some solutions have ``\boxed 5`` without braces; as in the official ``remove_boxed``, the answer then ends
    before the next dollar sign. Raises ``ValueError`` if there is no boxed answer or it is empty or unclosed.
    """
    boxes = list(BOX.finditer(solution))
    if not boxes:
        raise ValueError("the solution has no \\boxed{} answer")
    start = boxes[-1].end()
    if solution[start : start + 1] == "{":
        answer = solution[start + 1 : _closing_brace(solution, start)]
    else:
        bare = BARE_ANSWER.match(solution, start)
        answer = bare.group() if bare else ""
    if not answer.strip():
        raise ValueError("the \\boxed{} answer of the solution is empty")
    return answer.strip()


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for match in ESCAPED_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.start()
    raise ValueError("the last \\boxed{ of the solution is never closed")


def parse_level(text: str) -> int | None:
    """Parse a level from 1 to 5; "Level ?" gives None. Raises ``ValueError`` for anything else."""
    match = LEVEL.fullmatch(text)
    if match is None and text != "Level ?":
        raise ValueError(f"the level {text!r} is not one of Level 1 to Level 5")
    return int(match.group(1)) if match else None


def slug(subject: str) -> str:
    """Return the subject's folder name, such as ``counting_and_probability`` for "Counting & Probability"."""
    return subject.lower().replace("&", "and").replace(" ", "_")


def problem_draft(
    *,
    key: str,
    problem: str,
    gold: GoldDraft,
    tags: tuple[str, ...],
    difficulty: float | None,
    split: str | None = None,
    gap_reason: str = "",
) -> TaskDraft:
    """Build a competition problem's draft. Raises ``ValueError`` if the problem or its answer is empty."""
    text = problem.strip()
    if not text or not gold.answer:
        raise ValueError("the problem or its answer is empty")
    return TaskDraft(
        key=key,
        split=split,
        prompt=text,
        payload={"text": text, "format": "latex"},
        gold=gold,
        difficulty=difficulty,
        tags=tags,
        gap_reason=FIGURE_REASON if FIGURE in text else gap_reason,
    )


def task_draft(
    *, key: str, problem: str, answer: str, solution: str, subject: str, level: str, split: str | None = None
) -> TaskDraft:
    """Build a MATH problem's draft.

    Raises ``ValueError`` for an empty problem or answer or an unknown level.
    """
    number = parse_level(level)
    return problem_draft(
        key=key,
        split=split,
        problem=problem,
        gold=GoldDraft(answer=answer.strip(), solution=solution),
        difficulty=None if number is None else (number - 1) / (HIGHEST_LEVEL - 1),
        tags=(slug(subject),) if number is None else (slug(subject), f"level-{number}"),
    )
