"""The command that writes the codebook into ``docs/annotation.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from trajectories.annotation.codebook.registry import Publication, build_codebook, load_publications
from trajectories.annotation.codebook.types import Field, Option

PAGE = Path(__file__).resolve().parents[3] / "docs" / "annotation.md"
TITLES = {"step": "Of a thought", "trajectory": "Of a whole trajectory", "pair": "Of a pair"}
BEGIN, END = "<!-- The codebook, by manage.py write_codebook -->\n", "<!-- End of the codebook -->\n"


def page_with_codebook() -> str:
    """Return the text of ``docs/annotation.md`` with the current codebook filled in."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{render_codebook()}\n{END}{after}"


def render_codebook() -> str:
    levels = "\n".join(_level_text(level, title) for level, title in TITLES.items())
    return f"{levels}\n{_sources_text()}"


def _level_text(level: str, title: str) -> str:
    codebook = build_codebook(level)
    fields = "\n".join(_field_text(field) for field in codebook.fields)
    return f"### {title}\n\nVersion `{codebook.version}`. {codebook.unit}\n\n{fields}"


def _field_text(field: Field) -> str:
    test = f" *{field.test}*" if field.test else ""
    rows = "\n".join(_option_row(option) for option in field.options)
    return (
        f"#### {field.title}\n\n{field.question}{test}\n\n"
        f"| key | answer | definition | such as | not | from |\n|---|---|---|---|---|---|\n{rows}\n"
    )


def _option_row(option: Option) -> str:
    sources = "; ".join(
        f"{_short(load_publications()[source.id])}{f': {source.note}' if source.note else ''}"
        for source in option.sources
    )
    cells = (
        f"`{option.key}`",
        option.title,
        option.definition,
        "<br>".join(option.positive),
        "<br>".join(option.negative),
        sources or "–",
    )
    return f"| {' | '.join(cell.replace('|', '∣') for cell in cells)} |"


def _sources_text() -> str:
    rows = "\n".join(
        f"- {_short(one)}: [{one.title}]({one.address})" for _, one in sorted(load_publications().items())
    )
    return f"### Sources\n\n{rows}\n"


def _short(one: Publication) -> str:
    return f"{one.authors.partition(',')[0]} {one.year}"


class Command(BaseCommand):
    help = "Write the annotation codebook into docs/annotation.md, where people read it."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        PAGE.write_text(page_with_codebook(), encoding="utf-8")
