-- Rows that somebody holds are about to change.
WITH made AS (
    SELECT * FROM json_to_recordset(%(rows)s::json) AS m(id bigint, changes bigint, sums float8[])
), free AS MATERIALIZED (
    SELECT id FROM trajectories_versionsum WHERE id IN (SELECT id FROM made) FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE trajectories_versionsum s SET sums = made.sums, summed_changes = made.changes
FROM made JOIN free USING (id) WHERE s.id = made.id
