"""Forms as short text, for people who want to know how an answer was read."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from verifiers.mathtext.expressions import Apply, Number, Symbol
from verifiers.mathtext.forms import Scalar

INFIX = {"add": " + ", "mul": "*", "div": "/", "pow": "^"}


def written(value: object) -> str:
    """A form or expression on one line; brackets show how it was read."""
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
