"""The columns of the list of tasks.

In ``sort`` and ``rate``, ``t`` is the task, ``c`` the sums of its verdicts, ``c_<arm>`` those of an arm
and ``n`` its episodes, as in ``lab/queries/tasks.py``. A cell's ``row`` is a ``TaskRow``.
"""

from __future__ import annotations

from palaestra.protocol.arms import ARMS
from trajectories.shell.grid.columns import Column, Table

ARMS_FIRST = ("text_zero_shot", "text_agent", "gym")
ARM_COLUMNS = tuple(
    Column(
        id=f"arm_{arm.id}",
        title=arm.label,
        cell=f'{{% include "lab/grid/_share.html" with share=row.arms.{arm.id} %}}',
        rate=f"c_{arm.id}.correct::float / nullif(c_{arm.id}.judged, 0)",
        is_number=True,
        is_default=arm.id in ARMS_FIRST,
        description=f"Accuracy of judged episodes, {arm.label}: {arm.description}",
    )
    for arm in ARMS.values()
)

TASKS = Table(
    name="tasks",
    page="tasks",
    caption="Tasks",
    sort="number",
    views=(
        ("All", ""),
        ("Hardest for policies", "sort=accuracy"),
        ("Most attempts", "sort=-episodes"),
        ("Left out of the gap", "gap=left_out"),
    ),
    columns=(
        Column(
            id="task",
            title="Task",
            cell='{% include "lab/grid/_task_name.html" with task=row.task %}',
            is_fixed=True,
            width="fill",
        ),
        Column(
            id="number",
            title="#",
            cell="{{ row.task.pk }}",
            sort="t.id",
            is_number=True,
            is_default=False,
            description="Number of the task",
        ),
        Column(id="benchmark", title="Benchmark", cell="{{ row.task.benchmark_id }}", sort="t.benchmark_id"),
        Column(
            id="split",
            title="Split",
            cell='<span class="untrusted">{{ row.task.split|untrusted }}</span>',
            sort="t.split",
            is_default=False,
            width="mid",
        ),
        Column(
            id="key",
            title="Key",
            cell='<span class="untrusted muted" dir="auto">{{ row.task.key|untrusted }}</span>',
            sort="t.key",
            width="mid",
        ),
        Column(id="kind", title="Kind", cell="{{ row.task.kind|kind_name }}", sort="t.kind"),
        Column(
            id="tags",
            title="Tags",
            cell='{% include "lab/shared/_tags.html" with tags=row.task.tags %}',
            is_default=False,
            width="wide",
        ),
        Column(
            id="difficulty",
            title="Difficulty",
            cell='{{ row.task.difficulty|floatformat:2|default:"–" }}',
            sort="coalesce(t.difficulty, -1)",
            is_number=True,
            is_default=False,
        ),
        Column(
            id="guess_rate",
            title="Guess rate",
            cell="{{ row.task.guess_rate|percent }}",
            sort="t.guess_rate",
            is_number=True,
        ),
        Column(
            id="episodes",
            title="Episodes",
            cell='{% include "lab/grid/_tries.html" with task=row.task tries=row.tries %}',
            sort="coalesce(n.episodes, 0)",
            is_number=True,
        ),
        Column(
            id="accuracy",
            title="Accuracy",
            cell='{% include "lab/grid/_share.html" with share=row.total %}',
            rate="c.correct::float / nullif(c.judged, 0)",
            is_number=True,
            description="Of judged episodes of all arms and runs; forked, guided and void ones are left out",
        ),
        *ARM_COLUMNS,
    ),
)
