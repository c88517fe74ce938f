-- An observation may have a megabyte, and a part 200 of them: only those whose words are measured leave the
-- database whole. For the others, the hash shows whether the page changed (``behaviour.place_of``), and the
-- line of the target what the action named (``elements.target_of``).
CROSS JOIN LATERAL (SELECT left(s.observation_text, %(observation_chars)s) AS o,
    substring(s.action->>'target' FROM '^{element_id}$') AS e OFFSET 0) a
CROSS JOIN LATERAL (SELECT CASE WHEN a.o <> ''
        THEN coalesce(md5(nullif(regexp_replace(a.o, '{reference}', '', 'g'), '')), '')
        END AS hash,
    coalesce(split_part(substr(a.o, nullif(strpos(a.o, '[' || a.e || ']'), 0)), E'\n', 1), '')
        AS line) b
