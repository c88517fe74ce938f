"""A report as one self-contained HTML file: it fetches and runs nothing."""

from __future__ import annotations

from base64 import b64encode
from functools import cache

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import mark_safe

from trajectories.reports.pages.pages import ReportPage

SHEETS = ("base.css", "lab/tokens.css", "lab/base.css", "lab/report.css")
TYPEFACE = "vendor/inter/inter-latin.woff2"


def report_html(report_id: int) -> str:
    """Render the file; its links lead to the lab."""
    context = {
        "page": ReportPage(report_id),
        "styles": mark_safe(f"<style>{_styles()}</style>"),  # noqa: S308 (files of this project)
        "lab_url": settings.LAB_URL,
        "made_at": timezone.now(),
        "is_file": True,
    }
    return render_to_string("lab/reports/file.html", context)


@cache
def _styles() -> str:
    folder = settings.BASE_DIR / "static"
    sheets = [(folder / "css" / name).read_text(encoding="utf-8") for name in SHEETS]
    letters = b64encode((folder / TYPEFACE).read_bytes()).decode()
    source = f'url("data:font/woff2;base64,{letters}") format("woff2")'
    face = f'@font-face {{ font-family: "Inter"; font-weight: 100 900; src: {source}; }}'
    return "".join([face, *sheets])
