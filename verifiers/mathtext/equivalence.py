"""Verdict on one answer and one gold: both are parsed and compared, and the verdict shows both parses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass

from verifiers.answer_text import gold_answers, make_verdict, readable, short_answer, unparsable
from verifiers.mathtext.comparison import same_form
from verifiers.mathtext.declarations import are_of_other_sets, free_letters
from verifiers.mathtext.expressions import Apply, Number, Symbol
from verifiers.mathtext.forms import Form, Scalar
from verifiers.mathtext.normalization import clean
from verifiers.mathtext.parameters import unify_names
from verifiers.mathtext.readings import answer_forms, gold_forms
from verifiers.mathtext.strictness import is_finished
from verifiers.mathtext.symbolic import is_beyond_grammar, same_by_math_verify
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

INFIX = {"add": " + ", "mul": "*", "div": "/", "pow": "^"}
OTHER_MONEY = re.compile("[\u20ac\u00a3\u00a5\u20b9\u20bd]")
FREE_SPACE = re.compile(r"(?<![0-9A-Za-z])\s+|\s+(?![0-9A-Za-z])")


def judge(gold: Gold, evidence: Evidence, *, strict: bool) -> Verdict:
    """Judge a short mathematical answer; ``strict`` requires finished work too. Raises ``UnparsableGold``."""
    texts = [readable(answer) or "" for answer in gold_answers(gold)]
    golds = [(text, gold_forms(text)) for text in texts if text]
    if not golds or not clean(golds[0][0]):
        raise UnparsableGold(f"The gold {gold.answer[:80]!r} contains no answer.")
    shown_gold = _show(golds[0][0], golds[0][1])
    text = short_answer(evidence)
    if text is None or not clean(text):
        return unparsable(gold=shown_gold, answer=text or "")
    readings = answer_forms(text)
    shown_answer = _show(text, readings)
    if any(_is_same(gold_text, forms, text, readings, strict=strict) for gold_text, forms in golds):
        return make_verdict(True, gold=shown_gold, answer=shown_answer)
    if not readings and not is_beyond_grammar(clean(text) or ""):
        return unparsable(gold=shown_gold, answer=shown_answer)
    return make_verdict(False, gold=shown_gold, answer=shown_answer)


def _is_same(
    gold_text: str, gold: Sequence[Form], answer_text: str, answer: Sequence[Form], *, strict: bool
) -> bool:
    if _is_other_money(gold_text, answer_text, answer) or _is_other_money(answer_text, gold_text, gold):
        return False
    free = [free_letters(text) for text in (gold_text, answer_text)]
    if are_of_other_sets(*free):
        return False
    gold_clean, answer_clean = clean(gold_text) or "", clean(answer_text) or ""
    if _squeeze(gold_clean) == _squeeze(answer_clean):
        return True
    if gold and answer:
        return any(
            _is_equal(left, right, free[0] | free[1]) and (not strict or is_finished(left, right))
            for left in gold
            for right in answer
        )
    if strict or not _asks_math_verify(gold_clean, answer_clean):
        return False
    are_readable = (gold or is_beyond_grammar(gold_clean)) and (answer or is_beyond_grammar(answer_clean))
    return bool(are_readable) and same_by_math_verify(gold_clean, answer_clean)


def _is_equal(gold: Form, answer: Form, free: dict[str, str]) -> bool:
    """Return whether two forms are the same, whatever names their free parameters have."""
    if same_form(gold, answer):
        return True
    return any(same_form(*pair) for pair in unify_names(gold, answer, free))


def _is_other_money(dollars: str, text: str, forms: Sequence[Form]) -> bool:
    """Return whether ``dollars`` is an amount in dollars (``\\$``) and ``text`` one in another currency."""
    units = [form.unit for form in forms if isinstance(form, Scalar)]
    return "\\$" in dollars and (OTHER_MONEY.search(text) is not None or bool({*units} - {"", "dollar"}))


def _asks_math_verify(gold: str, answer: str) -> bool:
    """Return whether to spend sympy's time on this pair, which sums in the answer alone do not justify."""
    both_have_environments = "\\begin" in gold and "\\begin" in answer
    return is_beyond_grammar(gold) or (is_beyond_grammar(answer) and both_have_environments)


def _squeeze(text: str) -> str:
    """Remove spaces without meaning; ``1 2`` keeps its space."""
    return FREE_SPACE.sub("", text)


def _show(text: str, forms: Sequence[Form]) -> str:
    return written(forms[0]) if forms else (clean(text) or text)


def written(value: object) -> str:
    """Write a form or expression on one line, with brackets that show how it was parsed."""
    if isinstance(value, Number):
        return str(value.value)
    if isinstance(value, Symbol):
        return value.name
    if isinstance(value, Apply):
        return _expression(value)
    if isinstance(value, Scalar):
        signs = "%" * value.percent + "\u00b0" * value.degrees + (f" {value.unit}" if value.unit else "")
        return written(value.node) + signs
    if isinstance(value, tuple):
        return ", ".join(written(item) for item in value)
    if is_dataclass(value):
        inner = "; ".join(written(getattr(value, field.name)) for field in fields(value))
        return f"{type(value).__name__}({inner})"
    return str(value)


def _expression(node: Apply) -> str:
    arguments = [written(arg) for arg in node.args]
    if node.name == "neg":
        return f"-{arguments[0]}"
    if node.name in INFIX:
        return "(" + INFIX[node.name].join(arguments) + ")"
    return f"{node.name}({', '.join(arguments)})" if arguments else node.name
