"""Answers in free text; ``palaestra.extraction`` has the rule by which each form is read."""

from __future__ import annotations

from typing import Literal

AnswerForm = Literal["line", "block", "program", "values"]
"""The form of an answer where no page takes it: one line, a fenced block of lines, a fenced program, or
values with ``|`` between."""
