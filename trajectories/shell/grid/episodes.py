"""The columns of lists of episodes.

In ``sort``, ``e`` is the episode, ``r`` its run, ``t`` its task, ``v`` its verdict, ``a`` its facts and
``answer`` its submission, as in ``lab/search/conditions.toml``. A cell's ``row`` is an ``EpisodeRow``.
"""

from __future__ import annotations

from trajectories.behaviour.facts.measures import MEASURES
from trajectories.shell.grid.columns import Column, Table

MEASURE_COLUMNS = tuple(
    Column(
        id=measure.total_column,
        title=measure.title,
        cell=f"{{% measure_of row.facts.{measure.total_column} is_share={measure.is_share} %}}",
        sort=f"coalesce(a.{measure.total_column}, -1)",
        is_number=True,
        is_default=False,
        description=measure.explanation,
    )
    for measure in MEASURES
    if measure.title
)

# What stands first where words were searched: each row is a step, and the thought is what matched.
MATCH_COLUMNS = ("episode", "thought", "task", "arm", "outcome", "steps", "run", "opened")

EPISODES = Table(
    name="episodes",
    page="search",
    caption="Episodes",
    sort="-episode",
    views=(
        ("All", ""),
        ("Wrong", "outcome=incorrect"),
        ("Void", "outcome=void"),
        ("Open", "status=open"),
        ("Action without effect", "action_check=no_effect"),
        ("Forked", "origin=forked"),
        ("Taken over", "origin=taken_over"),
        ("Longest", "sort=-steps"),
    ),
    columns=(
        Column(
            id="episode",
            title="Episode",
            cell='{% include "lab/grid/_episode_link.html" with episode=row.episode %}',
            sort="e.id",
            is_fixed=True,
            is_newest_first=True,
        ),
        Column(
            id="task",
            title="Task",
            cell='{% include "lab/grid/_question.html" with task=row.episode.task excerpt=row.excerpt %}',
            sort="e.task_id",
            width="fill",
        ),
        Column(
            id="benchmark",
            title="Benchmark",
            cell="{{ row.episode.task.benchmark_id }}",
            sort="t.benchmark_id",
        ),
        Column(
            id="key",
            title="Task key",
            cell='{% include "lab/shared/_task_link.html" with task=row.episode.task %}',
            sort="t.key",
            is_default=False,
            width="wide",
        ),
        Column(id="arm", title="Arm", cell="{% label_of row.episode.arm %}", sort="e.arm", width="mid"),
        Column(
            id="outcome",
            title="Outcome",
            cell='{% include "lab/grid/_outcome.html" with episode=row.episode %}',
            sort="coalesce(v.outcome, e.status)",
            width="wide",
        ),
        Column(
            id="parent",
            title="Forked from",
            cell='{% include "lab/grid/_parent.html" with episode=row.episode %}',
            sort="coalesce(e.parent_id, 0)",
            is_number=True,
            is_default=False,
            description="The episode, and the step after which the fork begins",
        ),
        Column(
            id="reason",
            title="End reason",
            cell="{% if row.episode.verdict %}{% label_of row.episode.verdict.reason %}{% endif %}",
            sort="coalesce(v.reason, '')",
            is_default=False,
            width="wide",
        ),
        Column(
            id="answer",
            title="Answer",
            cell='{% include "lab/grid/_answer.html" %}',
            sort="left(coalesce(answer.answer #>> '{}', ''), 100)",
            width="mid",
            description="What the episode submitted",
        ),
        Column(
            id="thought",
            title="Thought",
            cell='{% include "lab/grid/_thought.html" %}',
            width="fill",
            description="Of the step that matches, otherwise of the last step",
        ),
        Column(
            id="action",
            title="Action",
            cell='{% include "lab/grid/_action.html" %}',
            is_default=False,
            description="Of the step that matches, otherwise of the last step",
        ),
        Column(
            id="picture",
            title="Screenshot",
            cell='{% include "lab/grid/_picture.html" with sha256=row.screenshot label="The page" %}',
            is_default=False,
            description="The screenshot of the step that matches, otherwise of the last step",
        ),
        Column(
            id="steps",
            title="Steps",
            cell='{% include "lab/grid/_steps.html" with episode=row.episode %}',
            sort="coalesce(a.steps, 0)",
            is_number=True,
            description="Recorded steps of those allowed; sorted by the steps of episodes that have ended",
        ),
        Column(
            id="duration",
            title="Duration",
            cell="{{ row.facts.duration_ms|milliseconds }}",
            sort="coalesce(a.duration_ms, -1)",
            is_number=True,
            is_default=False,
            description="Of all steps together",
        ),
        Column(
            id="policy",
            title="Policy",
            cell="{{ row.episode.policy_version|default_if_none:'' }}",
            sort="coalesce(e.policy_version, -1)",
            is_number=True,
            is_default=False,
            description="Policy version",
        ),
        Column(
            id="sample",
            title="Sample",
            cell="{{ row.episode.sample_index }}",
            sort="e.sample_index",
            is_number=True,
            is_default=False,
        ),
        Column(
            id="score",
            title="Score",
            cell="{{ row.episode.verdict.score|floatformat:2 }}",
            sort="coalesce(v.score, -1)",
            is_number=True,
            is_default=False,
            description="Diagnostic only",
        ),
        Column(
            id="run",
            title="Run",
            cell='{% include "lab/grid/_run.html" with run=row.episode.run %}',
            sort="r.name",
            width="mid",
        ),
        Column(
            id="model",
            title="Model",
            cell='<span class="untrusted" dir="auto">{{ row.episode.run.model|untrusted }}</span>',
            sort="r.model",
            is_default=False,
            width="wide",
        ),
        Column(
            id="opened",
            title="Opened",
            cell="{% when row.episode.opened_at %}",
            sort="e.opened_at",
            is_newest_first=True,
        ),
        Column(
            id="ended",
            title="Ended",
            cell="{% when row.episode.finished_at %}",
            sort="coalesce(e.finished_at, 'infinity')",
            is_newest_first=True,
            is_default=False,
        ),
        *MEASURE_COLUMNS,
    ),
)
