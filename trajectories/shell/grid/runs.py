"""The columns of the list of runs.

In ``sort``, ``r`` is the run, ``n`` its ended and ``o`` its open episodes, ``s`` the sums of its rate and
``p`` the first of its arms and benchmarks, as in ``lab/runs/rows.py``. A cell's ``row`` is a ``RunRow``.
"""

from __future__ import annotations

from trajectories.shell.grid.columns import Column, Table

RUNS = Table(
    name="runs",
    page="runs",
    caption="Runs",
    sort="-number",
    views=(
        ("All", ""),
        ("Evaluation", "kind=eval"),
        ("Training", "kind=train"),
        ("Most accurate", "sort=-accuracy"),
        ("Most void", "sort=-void"),
    ),
    columns=(
        Column(
            id="run",
            title="Run",
            cell='{% include "lab/grid/_run_name.html" with run=row.run %}',
            sort="r.name",
            is_fixed=True,
            width="fill",
        ),
        Column(
            id="number",
            title="#",
            cell="{{ row.run.pk }}",
            sort="r.id",
            is_number=True,
            description="Number of the run; the newest has the greatest",
        ),
        Column(
            id="benchmark",
            title="Benchmark",
            cell='{% include "lab/grid/_benchmarks.html" %}',
            sort="coalesce(p.benchmark, '')",
            width="mid",
        ),
        Column(
            id="arm",
            title="Arm",
            cell='{% include "lab/grid/_arms.html" with arms=row.arms %}',
            sort="coalesce(p.arm, '')",
            width="mid",
        ),
        Column(
            id="model",
            title="Model",
            cell='<span class="untrusted" dir="auto">{{ row.run.model|default:"–"|untrusted }}</span>',
            sort="r.model",
            width="mid",
        ),
        Column(
            id="setup",
            title="Set-up",
            cell="{% setup_tags row.run %}",
            sort="r.observation || ' ' || r.grammar",
            width="wide",
            description="Observation, and what differs from the default",
        ),
        Column(id="kind", title="Kind", cell="{{ row.run.kind }}", sort="r.kind", is_default=False),
        Column(
            id="episodes",
            title="Episodes",
            cell='{% include "lab/grid/_run_episodes.html" %}',
            sort="coalesce(n.episodes, 0)",
            is_number=True,
            description="All episodes; sorted by those that have ended",
        ),
        Column(
            id="outcomes",
            title="Outcomes",
            cell="{% outcome_bar row.tally %}",
            is_default=False,
            width="wide",
        ),
        Column(
            id="open",
            title="Open",
            cell="{{ row.tally.open|count }}",
            sort="coalesce(o.episodes, 0)",
            is_number=True,
            is_default=False,
        ),
        Column(
            id="accuracy",
            title="Accuracy",
            cell="{% rate_line row.tally.rate %}",
            rate="s.correct::float / nullif(s.judged, 0)",
            is_number=True,
            description="Of judged episodes, with its 95% interval; void episodes are excluded",
        ),
        Column(
            id="void",
            title="Void",
            cell='{% include "lab/shared/_void.html" with tally=row.tally %}',
            sort="coalesce(n.void, 0)",
            is_number=True,
        ),
        Column(
            id="tags",
            title="Tags",
            cell='{% include "lab/shared/_tags.html" with tags=row.run.tags %}',
            is_default=False,
            width="wide",
        ),
        Column(
            id="created",
            title="Created",
            cell="{% when row.run.created_at %}",
            sort="r.created_at",
            is_newest_first=True,
        ),
    ),
)
