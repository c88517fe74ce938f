from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.judges.pages.page import JudgePage, JudgesPage
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def judge_list(request: LabRequest) -> HttpResponse:
    return render(request, "lab/judges/judges.html", {"here": "judges", "page": JudgesPage(request.GET)})


@lab_page
def judge_detail(request: LabRequest, judge_id: int) -> HttpResponse:
    """Show a judge: its rubric, the measurements of each criterion, its calls, and grades to read."""
    page = JudgePage(judge_id, request.GET)
    return render(request, "lab/judges/judge.html", {"here": "judges", "page": page})
