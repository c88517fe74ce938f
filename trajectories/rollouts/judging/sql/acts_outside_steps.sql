-- What was done on the pages of episode e without a harness: pages opened and gestures, which open most of them, and
-- fields changed. The first page is opened for everybody. A request may name any step of the episode: beyond a few for
-- each of them, those that do count too.
(SELECT greatest(opened.unnumbered - 1 + greatest(opened.numbered - %(per_step)s * (e.max_steps + e.person_steps), 0), coalesce(t.gestures, 0))
    + coalesce(t.fields, 0)
FROM (SELECT count(*) FILTER (WHERE v.step IS NULL) AS unnumbered, count(v.step) AS numbered
      FROM trajectories_siteevent v
      WHERE v.episode_id = e.id AND v.kind = %(page_served)s AND v.data ? 'path') opened
LEFT JOIN trajectories_pageeventtally t ON t.episode_id = e.id)
