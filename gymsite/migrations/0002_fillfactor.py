from __future__ import annotations

from django.db import migrations

# Rows that change after they are written. A new version that fits on the same page writes no index
# (tests/record/hot_sql/test_indexes.py); the versions before it are cleared as the page is read, so a fifth suffices.
TABLES = ("episode", "group", "tasksum", "versionsum", "pageeventtally", "recordingtally")
SHARE = 80


class Migration(migrations.Migration):
    dependencies = [("gymsite", "0001_autovacuum")]
    operations = [
        migrations.RunSQL(
            f"ALTER TABLE trajectories_{table} SET (fillfactor = {SHARE})",
            f"ALTER TABLE trajectories_{table} RESET (fillfactor)",
        )
        for table in TABLES
    ]
