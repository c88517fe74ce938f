"""An origin is the same for the ORM and in SQL, and every episode has exactly one."""

from __future__ import annotations

from itertools import product

import pytest
from django.db import connection

from tests import factories
from trajectories.models import Episode
from trajectories.models.origins import CONDITIONS, ORIGIN_SQL, Origin, is_of

pytestmark = pytest.mark.django_db


def test_conditions_and_sql_name_the_same_origin_of_every_kind_of_episode() -> None:
    parent = factories.episode()
    kinds = list(product((False, True), (None, {"kind": "hint"}), (None, parent)))
    for is_taken_over, guidance, of in kinds:
        factories.episode(is_taken_over=is_taken_over, guidance=guidance, parent=of)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT e.id, {ORIGIN_SQL} FROM trajectories_episode e")
        in_sql = dict(cursor.fetchall())
    assert len(in_sql) == 1 + len(kinds)
    for origin in Origin:
        by_sql = {episode for episode, named in in_sql.items() if named == origin.value}
        assert by_sql
        assert set(Episode.objects.filter(is_of([origin])).values_list("pk", flat=True)) == by_sql
    assert set(CONDITIONS) == set(Origin)
