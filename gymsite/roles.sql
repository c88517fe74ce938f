-- All privileges of the roles. They are revoked and granted anew after every migration, in one transaction.
-- A table that is not named here is closed to every role except the owner's.
-- The roles themselves, their passwords and the functions of the schema `sandbox` are created by `manage.py roles`
-- (gymsite/services/preparation.py).

REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, gym_arena, gym_lab, gym_worker, gym_sandbox, gym_metrics;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM PUBLIC, gym_arena, gym_lab, gym_worker, gym_sandbox, gym_metrics;
GRANT USAGE ON SCHEMA public TO gym_arena, gym_lab, gym_worker, gym_metrics;

-- The locks of a host that vanishes are freed within half a minute, rather than after the system's two hours.
DO $$
DECLARE role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['gym_arena', 'gym_lab', 'gym_worker', 'gym_sandbox'] LOOP
        EXECUTE format('ALTER ROLE %I SET tcp_keepalives_idle = 10', role);
        EXECUTE format('ALTER ROLE %I SET tcp_keepalives_interval = 5', role);
        EXECUTE format('ALTER ROLE %I SET tcp_keepalives_count = 3', role);
        EXECUTE format('ALTER ROLE %I SET tcp_user_timeout = 20000', role);
    END LOOP;
END $$;

-- The arena -------------------------------------------------------------------------------------------------
-- The arena has no privileges on golds, evidence, verdicts, keys, runs or accounts. It cannot read a task's benchmark or
-- key, so that no page can name them. A hung query must not occupy one of its few threads.
ALTER ROLE gym_arena SET statement_timeout = '5s';
ALTER ROLE gym_arena SET plan_cache_mode = 'force_generic_plan';
ALTER ROLE gym_arena SET idle_in_transaction_session_timeout = '10s';

GRANT SELECT (id, kind, payload) ON tasks_app_task TO gym_arena;
GRANT SELECT (id, task_id, arm, status, seed, presentation, variation, max_steps, person_steps, recording, answer_channel,
              answer_check, virtual_start, opened_at, finished_at, closed_at, parent_id, inherited_events,
              is_taken_over) ON trajectories_episode TO gym_arena;
GRANT UPDATE (status, answer_check) ON trajectories_episode TO gym_arena;
-- Takeovers by a person. The steps themselves are written by the function below, which records whose they are.
GRANT SELECT, UPDATE (link, segment, entry, as_of, acts, is_leading, last_at, ended_at, ended_as, detail)
    ON trajectories_takeover TO gym_arena;
GRANT SELECT (episode_id, answer), INSERT (episode_id, answer, channel) ON trajectories_submission TO gym_arena;
GRANT SELECT (episode_id, answer, received_at), INSERT (episode_id, answer, channel, site_events)
    ON trajectories_firstanswer TO gym_arena;
-- An INSERT that skips duplicates must read the key.
GRANT SELECT (episode_id, page, seq), INSERT ON trajectories_pageevent TO gym_arena;
GRANT SELECT, INSERT, UPDATE ON trajectories_pageeventtally TO gym_arena;
GRANT SELECT, INSERT ON trajectories_siteevent TO gym_arena;
-- Keys and hashes of recording chunks. There are no privileges on blobs, which are also in another storage.
GRANT SELECT (episode_id, page, seq, sha256),
      INSERT (episode_id, page, seq, step, sha256, size, events, first_ms, last_ms, has_snapshot)
      ON trajectories_recordingchunk TO gym_arena;
GRANT SELECT, INSERT, UPDATE ON trajectories_recordingtally TO gym_arena;
GRANT SELECT (episode_id, number, step, tool, input, status, output, created_at),
      INSERT (episode_id, number, step, tool, input) ON trajectories_toolcall TO gym_arena;

-- Stores a person's step with the owner's rights, since the arena can neither read steps nor write an agent's. Number,
-- actor and segment come from the lease, and the step does not use up the agent's budget. Returns 'same' if the step is
-- already stored.
CREATE OR REPLACE FUNCTION person_step(takeover bigint, idle float8, step jsonb) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH taken AS (
            SELECT t.id, t.episode_id, t.segment FROM trajectories_takeover t
            WHERE t.id = takeover AND t.ended_at IS NULL AND t.last_at > now() - idle * interval '1 s'
                AND t.as_of IS NULL AND t.last_index + 1 = (step->>'index')::int FOR UPDATE),
         alive AS (
            SELECT e.id FROM trajectories_episode e JOIN taken ON e.id = taken.episode_id
            WHERE e.status = 'open' FOR NO KEY UPDATE OF e),
         stored AS (
            INSERT INTO trajectories_step (episode_id, index, thought, raw, action, action_type, action_known,
                action_result, parse_error, observation_kind, observation_text, observation_sha256, screenshot, url,
                actor, segment, more, content_hash)
            SELECT taken.episode_id, (step->>'index')::int, '', step->>'raw', step->'action',
                step->'action'->>'type', true, 'ok', '', step->>'kind', step->>'text', '', '', step->>'url',
                'person', taken.segment, step->'more', decode(step->>'hash', 'hex')
            FROM taken JOIN alive ON alive.id = taken.episode_id
            ON CONFLICT (episode_id, index) DO NOTHING RETURNING episode_id),
         counted AS (
            UPDATE trajectories_episode e SET person_steps = e.person_steps + 1 FROM stored
            WHERE e.id = stored.episode_id),
         moved AS (
            UPDATE trajectories_takeover t SET last_index = (step->>'index')::int, last_at = now(),
                is_leading = (step->>'leads')::bool,
                element_ids = trim(t.element_ids || ' ' || coalesce(step->'more'->>'element_ids', ''))
            FROM taken JOIN stored ON stored.episode_id = taken.episode_id WHERE t.id = taken.id RETURNING t.id),
         -- If a step of the agent was still on its way, the person continues after it.
         behind AS (
            UPDATE trajectories_takeover t SET last_index = greatest(t.last_index, newest.index),
                begins_after = CASE WHEN t.begins_after = t.last_index THEN greatest(t.last_index, newest.index)
                    ELSE t.begins_after END
            FROM taken JOIN alive ON alive.id = taken.episode_id CROSS JOIN LATERAL (
                SELECT max(s.index) AS index FROM trajectories_step s WHERE s.episode_id = taken.episode_id) newest
            WHERE t.id = taken.id AND NOT EXISTS (SELECT FROM stored))
    SELECT CASE WHEN EXISTS (SELECT FROM moved) THEN 'stored'
        WHEN EXISTS (SELECT FROM trajectories_takeover t JOIN trajectories_step s ON s.episode_id = t.episode_id
            WHERE t.id = takeover AND s.index = (step->>'index')::int AND s.actor = 'person'
                AND s.content_hash = decode(step->>'hash', 'hex')) THEN 'same'
        ELSE 'refused' END $$;
REVOKE ALL ON FUNCTION person_step(bigint, float8, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION person_step(bigint, float8, jsonb) TO gym_arena;

-- Stores a panel tool's call with its result, which the arena computes. Results of programs are written by a worker.
CREATE OR REPLACE FUNCTION panel_call(episode bigint, number int, step int, tool text, input text, output jsonb) RETURNS int
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO trajectories_toolcall (episode_id, number, step, tool, input, status, output, finished_at)
    SELECT e.id, panel_call.number, panel_call.step, panel_call.tool, panel_call.input, 'done', panel_call.output, now()
    FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
    WHERE e.id = panel_call.episode AND e.status = 'open' AND t.payload->'tools' ? panel_call.tool
    ON CONFLICT DO NOTHING RETURNING number $$;
REVOKE ALL ON FUNCTION panel_call(bigint, int, int, text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION panel_call(bigint, int, int, text, text, jsonb) TO gym_arena;

-- The lab and live ------------------------------------------------------------------------------------------
ALTER ROLE gym_lab SET statement_timeout = '60s';
-- Only the hot statements (trajectories/record/hot_sql/) are prepared. They keep the plan of their first run.
ALTER ROLE gym_lab SET plan_cache_mode = 'force_generic_plan';
ALTER ROLE gym_lab SET idle_in_transaction_session_timeout = '120s';

GRANT SELECT ON tasks_app_benchmark, tasks_app_task, tasks_app_gold, tasks_app_questionpicture TO gym_lab;
-- A solution's steps are counted when its first prefix is given to an agent.
GRANT UPDATE (clean_steps) ON tasks_app_gold TO gym_lab;
GRANT SELECT, INSERT ON trajectories_guidancetext, trajectories_abstraction TO gym_lab;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    trajectories_report, trajectories_run, trajectories_policyversion, trajectories_runmetrics, trajectories_verdictcounter,
    trajectories_promptsize, trajectories_stepvalue, trajectories_export,
    trajectories_group, trajectories_episode, trajectories_step, trajectories_blob,
    trajectories_submission, trajectories_firstanswer, trajectories_verdict, trajectories_idempotentcall,
    trajectories_endingsum, trajectories_tasksum, trajectories_ratesum, trajectories_versionsum,
    trajectories_sampler, trajectories_samplertask, trajectories_samplerprefix, trajectories_samplerdraw
    TO gym_lab;
GRANT SELECT, INSERT, UPDATE ON trajectories_takeover TO gym_lab;
GRANT USAGE ON SEQUENCE trajectories_takeover_id_seq TO gym_lab;
GRANT SELECT ON trajectories_pageevent, trajectories_pageeventtally, trajectories_siteevent,
    trajectories_toolcall, trajectories_verdictevidence TO gym_lab;
GRANT SELECT ON trajectories_recordingchunk, trajectories_recordingtally, trajectories_picture,
    trajectories_pruning TO gym_lab;
-- The components of rewards are computed by workers, and reward profiles are written in the lab. Learned rewards are
-- fitted only by a command of the owner.
GRANT SELECT ON trajectories_rewardsource, trajectories_rewardcomponents, trajectories_rewardmodel TO gym_lab;
GRANT SELECT, INSERT ON trajectories_rewardprofile TO gym_lab;
-- Judges are created, run and measured by the operator's commands.
GRANT SELECT ON trajectories_judge, trajectories_judgeattack, trajectories_judgecall, trajectories_judgecertification,
    trajectories_judgesample TO gym_lab;
GRANT SELECT ON trajectories_stepfacts, trajectories_episodefacts TO gym_lab;
-- Annotators' labels are append-only.
GRANT SELECT, INSERT ON trajectories_codebookversion, trajectories_codebooknote, trajectories_label TO gym_lab;
GRANT SELECT, INSERT, UPDATE, DELETE ON trajectories_annotationproject, trajectories_annotator,
    trajectories_annotationunit, trajectories_annotationslot, trajectories_annotationjob, trajectories_stepmark
    TO gym_lab;
-- An intervention, from which a fork continues, is written only once.
GRANT SELECT, INSERT ON trajectories_intervention TO gym_lab;
-- A fork gets copies of its parent's site events and tool calls.
GRANT INSERT ON trajectories_siteevent, trajectories_toolcall TO gym_lab;
-- Opening a step in the lab requests its check.
GRANT SELECT, INSERT, UPDATE ON trajectories_fidelity TO gym_lab;
-- Closing an episode writes a verdict with the same statement as judging; opening episodes reserves their ids.
GRANT INSERT ON trajectories_verdictevidence TO gym_lab;
GRANT USAGE ON SEQUENCE trajectories_group_id_seq, trajectories_episode_id_seq TO gym_lab;
GRANT SELECT, INSERT, UPDATE ON trajectories_healthprobe TO gym_lab;
GRANT SELECT, INSERT ON trajectories_apikey, trajectories_keychange TO gym_lab;
GRANT UPDATE (used_at, revoked_at) ON trajectories_apikey TO gym_lab;
GRANT SELECT, UPDATE ON auth_user TO gym_lab;
GRANT SELECT ON auth_group, auth_permission, auth_user_groups, auth_user_user_permissions, auth_group_permissions,
    django_content_type TO gym_lab;
GRANT SELECT, INSERT, UPDATE, DELETE ON django_session TO gym_lab;

-- The workers and the sweeper -------------------------------------------------------------------------------
-- Everything in the verify queue is limited in time, including statements.
ALTER ROLE gym_worker SET statement_timeout = '30s';
ALTER ROLE gym_worker SET plan_cache_mode = 'force_generic_plan';
ALTER ROLE gym_worker SET idle_in_transaction_session_timeout = '60s';

GRANT SELECT ON tasks_app_benchmark, tasks_app_task, tasks_app_gold, tasks_app_questionpicture TO gym_worker;
GRANT SELECT ON trajectories_run, trajectories_group, trajectories_step, trajectories_blob, trajectories_firstanswer,
    trajectories_pageevent, trajectories_pageeventtally, trajectories_siteevent, trajectories_takeover TO gym_worker;
GRANT SELECT, UPDATE ON trajectories_episode, trajectories_toolcall TO gym_worker;
GRANT SELECT, INSERT, UPDATE ON trajectories_submission, trajectories_verdict, trajectories_verdictcounter,
    trajectories_verdictevidence, trajectories_endingsum, trajectories_tasksum, trajectories_ratesum,
    trajectories_versionsum TO gym_worker;
GRANT UPDATE (ended, completed_seq) ON trajectories_group TO gym_worker;
GRANT SELECT, DELETE ON trajectories_idempotentcall TO gym_worker;
GRANT SELECT, INSERT, UPDATE ON trajectories_walkplace TO gym_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON trajectories_watchmark TO gym_worker;
-- Reports are requested in the lab and computed here.
GRANT SELECT, UPDATE ON trajectories_report TO gym_worker;
-- So are exports. Labels are among their filters, and guidance is part of prompts.
GRANT SELECT ON trajectories_guidancetext TO gym_worker;
GRANT SELECT, UPDATE ON trajectories_export TO gym_worker;
GRANT SELECT ON trajectories_intervention TO gym_worker;
-- Results from screenshots, and from comparing replays with them.
GRANT SELECT ON trajectories_recordingchunk, trajectories_recordingtally TO gym_worker;
GRANT SELECT, INSERT, UPDATE ON trajectories_fidelity, trajectories_episodefidelity TO gym_worker;
-- Needed for steps that have been deleted.
GRANT DELETE ON trajectories_fidelity TO gym_worker;
GRANT SELECT, INSERT, UPDATE ON trajectories_picture TO gym_worker;
-- Labels are exported, imported, and created by models here.
GRANT SELECT, INSERT ON trajectories_codebookversion, trajectories_label TO gym_worker;
GRANT SELECT, INSERT, UPDATE ON trajectories_annotationproject, trajectories_annotator,
    trajectories_annotationunit, trajectories_annotationjob TO gym_worker;
-- Facts and rewards that are computed from finished episodes.
GRANT SELECT, INSERT, UPDATE ON trajectories_stepfacts, trajectories_episodefacts TO gym_worker;
GRANT SELECT, INSERT ON trajectories_rewardsource, trajectories_rewardcomponents TO gym_worker;
GRANT SELECT ON trajectories_policyversion, trajectories_rewardprofile, trajectories_rewardmodel TO gym_worker;
GRANT SELECT ON trajectories_judge TO gym_worker;
GRANT SELECT, INSERT ON trajectories_judgecall TO gym_worker;

-- The sandbox's worker, alongside which agents' programs run ----------------------------------------------------
-- It cannot read any table. It may only call functions (trajectories/rollouts/judging/sandbox_sql.py) that claim and
-- finish a submission that is judged by running it, or a call of a page's Run tool.
ALTER ROLE gym_sandbox SET statement_timeout = '30s';
ALTER ROLE gym_sandbox SET idle_in_transaction_session_timeout = '60s';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA sandbox FROM PUBLIC;
GRANT USAGE ON SCHEMA sandbox TO gym_sandbox;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sandbox TO gym_sandbox;

-- The metrics -------------------------------------------------------------------------------------------------
-- Only counts and times, never text. A scrape must not slow down the gym.
ALTER ROLE gym_metrics SET statement_timeout = '1s';
ALTER ROLE gym_metrics SET idle_in_transaction_session_timeout = '10s';

GRANT SELECT (episode_id, received_at, sent_at, claimed_at, judged_at) ON trajectories_submission TO gym_metrics;
GRANT SELECT (id, run_id, policy_version, task_id, verdict_id, finished_at) ON trajectories_episode TO gym_metrics;
GRANT SELECT (id, episode_id, outcome, reason, verifier, latency_ms, run_seq, created_at) ON trajectories_verdict TO gym_metrics;

-- Returns ages in seconds. It has the owner's rights, because few roles may see the times of other roles' sessions, and
-- they would also see the statements. Null if the owner may not see them either.
CREATE OR REPLACE FUNCTION oldest_sessions(OUT transaction float8, OUT snapshot float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT coalesce(max(age), 0), coalesce(max(age) FILTER (WHERE backend_xmin IS NOT NULL), 0)
    FROM (
        SELECT extract(epoch FROM clock_timestamp() - xact_start)::float8 AS age, backend_xmin
        FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS sessions
    HAVING pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') $$;
REVOKE ALL ON FUNCTION oldest_sessions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION oldest_sessions() TO gym_metrics;
