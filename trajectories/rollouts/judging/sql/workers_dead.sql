-- Workers that claims name, and whose lock nobody holds. Keys of two numbers have the sub-id 2.
SELECT DISTINCT s.claimed_by FROM trajectories_submission s
WHERE s.judged_at IS NULL AND s.claimed_by IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid::bigint = %(class)s
        AND l.objid::bigint = s.claimed_by
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
