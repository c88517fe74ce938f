"""Autovacuum of the tables that grow with every step.

Postgres' default waits until a fifth of a table has changed: on ten million steps that is two million rows,
and the planner's statistics are as old. These tables are visited after 20,000 changed rows and one percent.
Tables in which the same few rows change with every verdict are visited after a thousand.

It is no migration of `trajectories`, whose initial one is regenerated after each change of a model.
"""

from django.db import migrations

APPENDED = ("step", "pageevent", "siteevent", "stepfacts", "verdict")
UPDATED = ("episode", "submission", "group")
COUNTED = ("verdictcounter", "ratesum", "tasksum", "endingsum", "versionsum")

SETTINGS = {
    APPENDED: {
        "autovacuum_vacuum_insert_threshold": 20000,
        "autovacuum_vacuum_insert_scale_factor": 0.01,
        "autovacuum_analyze_threshold": 20000,
        "autovacuum_analyze_scale_factor": 0.01,
    },
    UPDATED: {
        "autovacuum_vacuum_threshold": 20000,
        "autovacuum_vacuum_scale_factor": 0.01,
        "autovacuum_analyze_threshold": 20000,
        "autovacuum_analyze_scale_factor": 0.01,
    },
    COUNTED: {"autovacuum_vacuum_threshold": 1000, "autovacuum_vacuum_scale_factor": 0},
}


def _set(table, settings):
    chosen = ", ".join(f"{name} = {value}" for name, value in settings.items())
    return migrations.RunSQL(
        f"ALTER TABLE trajectories_{table} SET ({chosen})",
        f"ALTER TABLE trajectories_{table} RESET ({', '.join(settings)})",
    )


class Migration(migrations.Migration):
    dependencies = [("trajectories", "__first__")]
    operations = [_set(table, settings) for tables, settings in SETTINGS.items() for table in tables]
