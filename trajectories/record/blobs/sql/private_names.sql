-- Every private file that a row names, with its size where the row has it: of jobs on labels, and of exports
-- that have not expired; in byte order.
SELECT n.sha256 COLLATE "C" AS sha256, max(n.size) AS size FROM (
    SELECT j.result->>'sha256', (j.result->>'bytes')::bigint FROM trajectories_annotationjob j
    UNION ALL SELECT sent.name, NULL FROM trajectories_annotationjob j
        CROSS JOIN LATERAL unnest(ARRAY[j.parameters->>'sha256', j.parameters->>'manifest']) AS sent(name)
    UNION ALL SELECT file.value->>'sha256', (file.value->>'bytes')::bigint FROM trajectories_export x
        CROSS JOIN LATERAL (SELECT jsonb_path_query(x.result, '$.files[*]')
            UNION ALL SELECT x.result->'manifest') AS file(value)
        WHERE x.expires_at IS NULL OR x.expires_at > now()) AS n(sha256, size)
WHERE n.sha256 IS NOT NULL GROUP BY 1 ORDER BY 1
