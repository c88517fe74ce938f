"""Programming tasks: a text, a signature, the visible asserts, and a field for a whole program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.text import latex
from gymsite.arena import answer_interactions
from tasks_app.questions import Payload, QuestionKind, ToolCall, Visit, questions


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``text``, ``signature`` (``def`` lines or empty) and ``asserts``."""
    return {
        "blocks": latex.blocks_split(str(payload["text"]), text_format="plain"),
        "is_plain": True,
        "requirement": requirement(payload),
        "listing": listing(payload),
        "run": run_shown(payload, visit.call) if visit.call else None,
        "refusal": None,
    }


def run_shown(payload: Payload, call: ToolCall) -> dict[str, Any]:
    """Describe the last run for the template; its output is documented in ``trajectories.rollouts``."""
    passed: Sequence[bool] = call.output.get("passed", ())
    reasons: Sequence[str] = call.output.get("told", ())
    return {
        "call": call,
        "checks": [
            {"text": text, "is_passed": is_passed, "reason": reason}
            for text, is_passed, reason in zip(payload["asserts"], passed, reasons, strict=False)
        ],
        "passed": sum(passed),
        **{name: call.output.get(name, "") for name in ("problem", "printed", "is_cut")},
    }


def requirement(payload: Payload) -> str:
    """Return the requirement on the program, which is worded the same in every arm."""
    tests = "this test" if len(payload["asserts"]) == 1 else "these tests"
    signature = str(payload.get("signature", ""))
    if not signature:
        return f"Your program should pass {tests}:"
    functions = "this function" if signature.count("\n") == 0 else "these functions"
    return f"Your program should define {functions} and pass {tests}:"


def listing(payload: Payload) -> str:
    """Join signature and asserts in one block, because an outline keeps the spaces of a multi-line block."""
    asserts = "\n".join(payload["asserts"])
    signature = str(payload.get("signature", ""))
    return f"{signature}\n\n{asserts}" if signature else asserts


def text(payload: Payload, /) -> str:
    return f"{payload['text']}\n\n{requirement(payload)}\n\n```python\n{listing(payload)}\n```"


def axtree_text(payload: Payload, /) -> str:
    return f"{payload['text']} {requirement(payload)} {listing(payload)}"


questions.register(
    "code",
    QuestionKind(
        template="arena/code.html",
        form_template="arena/_code_form.html",
        render=render,
        text=text,
        axtree_text=axtree_text,
        transcript=axtree_text,
        moves=answer_interactions.moves_typed,
        more_moves=answer_interactions.more_moves,
        answer_form="program",
        instruction="code",
        tools=frozenset({"run"}),
    ),
)
