"""Annotation projects over the large store: one to be labelled, and one that two people have labelled.

`python -m tests.bench.annotation_fill UNITS PEOPLE LABELLED` prints a JSON object with the projects, the
seconds that it took to open the first one, each annotator's cookie, and a researcher's cookie.
"""

from __future__ import annotations

import json
import os
import sys
import time

import django

# Labels by two people, who agree on six of seven units; on the others, each has a different answer.
_LABELS = """
INSERT INTO trajectories_label (unit_id, annotator_id, codebook_id, layer, is_repeat, view, is_swapped,
    version, state, values, spans, links, note, is_unsure, reason, key)
SELECT u.id, a.id, %(codebook)s, 'blind', false, 'full', false, 1, 'done', jsonb_build_object(
        'type', (ARRAY['reasoning', 'narration', 'mixed'])[1 + d.type],
        'target', (ARRAY['problem', 'interface', 'both'])[1 + d.target],
        'behaviours', CASE WHEN d.target = 0 THEN '["plan"]' WHEN d.type = 0 THEN '["plan", "verify"]'
            ELSE '[]' END::jsonb,
        'contradiction', CASE WHEN d.type = 2 THEN 'action' ELSE 'none' END),
    '[]', '{}', '', false, '', gen_random_uuid()
FROM trajectories_annotationunit u JOIN trajectories_annotator a USING (project_id)
CROSS JOIN LATERAL (SELECT CASE WHEN u.id %% 7 = 0 THEN a.id ELSE 0 END AS own) o
CROSS JOIN LATERAL (SELECT (u.id / 3 + o.own) %% 3 AS type, (u.id / 11 + o.own) %% 3 AS target) d
WHERE u.project_id = %(project)s"""


def main(units: int, people: int, labelled: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from django.contrib.auth.models import User
    from django.db import connection

    from tests.bench.loads import session_make
    from trajectories.annotation.projects.services import Plan, project_create
    from trajectories.models import AnnotationProject, Episode

    users = [User.objects.get_or_create(username=f"annotator {number}")[0] for number in range(people)]
    episodes = list(Episode.objects.filter(run__name__startswith="store ").values_list("pk", flat=True))

    def project(name: str, steps: int, users: list[User], **plan: float) -> AnnotationProject:
        made = Plan(name=name, source="/search", episodes=episodes, steps=steps, seed=1, **plan)  # type: ignore[arg-type]
        return project_create(made, people=users, creator=None)

    begun = time.perf_counter()
    open_ = project("To label", units, users, overlap_share=0.0)
    opened_s = time.perf_counter() - begun
    done = project("Labelled", labelled, users[:2])
    with connection.cursor() as cursor:
        cursor.execute(_LABELS, {"project": done.pk, "codebook": done.codebook_id})
        cursor.execute("ANALYZE")
    made = {"open": open_.pk, "done": done.pk, "opened_s": opened_s, "units": open_.units.count()}
    sessions = [session_make(user) for user in users]
    print(
        json.dumps({**made, "labels": done.units.count() * 2, "sessions": sessions, "cookie": session_make()})
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
