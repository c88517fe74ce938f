from __future__ import annotations

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_large_tables_are_vacuumed_after_a_hundredth_has_changed() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, reloptions FROM pg_class WHERE reloptions IS NOT NULL")
        options = {table: dict(word.split("=") for word in words) for table, words in cursor.fetchall()}

    assert options["trajectories_step"]["autovacuum_analyze_scale_factor"] == "0.01"
    assert options["trajectories_pageevent"]["autovacuum_vacuum_insert_scale_factor"] == "0.01"
    for table in ("episode", "submission"):
        assert options[f"trajectories_{table}"]["autovacuum_vacuum_scale_factor"] == "0.01"
    assert options["trajectories_ratesum"]["autovacuum_vacuum_threshold"] == "1000"
