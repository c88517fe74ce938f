"""A store as large as a lab gets: a million steps (or ``STORE_STEPS``) in 20,000 episodes.

One episode has ten thousand steps.

Rows are inserted with COPY. Thoughts are sentences from a vocabulary whose word frequencies are those of
natural language (Zipf), each with its own number, so that a search has frequent, rare and single hits.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import psycopg

from trajectories.behaviour.facts.behaviour import VERSION

SEED = 7
RUNS = 20
EPISODES = 20_000
STEPS = int(os.environ.get("STORE_STEPS", "1000000"))
LONG_STEPS = 10_000
SENTENCES = 20_000
WORDS_PER_SENTENCE = 13
SENTENCES_PER_THOUGHT = (3, 9)
VOCABULARY = 8_000
PAGES = 400
ACTIONS = ("click", "click", "click", "type", "type", "scroll", "press", "goto", "wait", "back")
ACTION_CHECKS = ("confirmed",) * 16 + ("unknown", "no_effect", "different_effect", "unexplained")
MOMENT = "2026-03-02 09:00:00+00"
# Words that a researcher searches for, by their rank in the order of frequency.
KNOWN = {3: "check", 40: "verify", 200: "telescopes", 2_000: "contradiction", 7_000: "narration"}


@dataclass(frozen=True)
class Store:
    """The ids of the rows that were made."""

    runs: list[int]
    first_episode: int
    episodes: int
    long_episode: int
    steps: int


@cache
def store_make(url: str) -> Store:
    """Fill the database at ``url`` (the owner's), which already has tasks, once for all measurements."""
    # One transaction, because the sweeper would otherwise begin to summarise the episodes that it sees.
    with psycopg.connect(url) as owner:
        owner.execute("SET LOCAL maintenance_work_mem = '256MB'")
        runs = [row[0] for row in owner.execute(_RUNS, [RUNS])]
        first = owner.execute(_EPISODES, {"runs": runs, "episodes": EPISODES}).fetchone()[0]
        made = Store(runs, first, EPISODES, first + EPISODES - 1, STEPS)
        with owner.cursor().copy(_STEPS) as copy:
            for block in _blocks(made):
                copy.write(block)
        owner.execute("DROP INDEX step_facts_words")
        owner.execute(_STEP_FACTS, [first])
        owner.execute("CREATE INDEX step_facts_words ON trajectories_stepfacts USING gin (words)")
        owner.execute(_EPISODE_FACTS, [first])
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
    return made


def events_make(url: str, *, first_episode: int, last_episode: int) -> None:
    """Insert two page events for each step of some episodes, so that there are events to match."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(_EVENTS, [first_episode, last_episode])
        owner.execute("ANALYZE trajectories_pageevent")


def _blocks(store: Store) -> Iterator[str]:
    """Yield text for COPY, one block per episode."""
    rng = random.Random(SEED)
    sentences = _sentences(rng)
    pages = [_page(rng, number) for number in range(PAGES)]
    short = (store.steps - LONG_STEPS) // (store.episodes - 1) if store.steps > LONG_STEPS * 2 else 0
    even = short or store.steps // store.episodes
    number = 0
    for place in range(store.episodes):
        episode = store.first_episode + place
        is_long = bool(short) and episode == store.long_episode
        # Lengths range from a tenth of the mean to nearly twice the mean, and add up to the total.
        wave = even // 10 + (place * 7919) % max(1, (even - even // 10) * 2 + 1)
        count = LONG_STEPS if is_long else max(1, wave)
        lines = []
        for index in range(1, count + 1):
            number += 1
            lines.append(_step(rng, episode, index, number, sentences, rng.choice(pages)))
        yield "".join(lines)


def _step(rng: random.Random, episode: int, index: int, number: int, sentences: list[str], page: str) -> str:
    thought = " ".join(rng.choices(sentences, k=rng.randint(*SENTENCES_PER_THOUGHT)))
    action = rng.choice(ACTIONS)
    raw = f'{{"type": "{action}", "target": "e3"}}'
    columns = (
        *(str(episode), str(index), f"{thought} Step {number} of all.", "", raw, action, "t", "ok", ""),
        *("axtree-v2", page, "", "", f"https://gym/stays/{rng.randint(1, 30)}", MOMENT),
        *(str(rng.randint(200, 4000)), "policy", "{}", r"\\x00", MOMENT),
    )
    return "\t".join(columns) + "\n"


def _sentences(rng: random.Random) -> list[str]:
    words = [_word(number) for number in range(VOCABULARY)]
    for place, word in KNOWN.items():
        words[place] = word
    frequencies = list(accumulate(1 / (place + 2) for place in range(VOCABULARY)))
    return [
        " ".join(rng.choices(words, cum_weights=frequencies, k=WORDS_PER_SENTENCE)).capitalize() + "."
        for _ in range(SENTENCES)
    ]


def _word(number: int) -> str:
    syllables = ("ka", "lo", "mi", "ne", "ru", "ta", "so", "vi", "de", "ban")
    return "".join(syllables[int(digit)] for digit in f"{number * 37:03d}")


def _page(rng: random.Random, number: int) -> str:
    lines = [
        f'page "Page {number}" https://gym/',
        '[e2] textbox "Your answer" value=""',
        '[e3] button "Submit"',
    ]
    lines += [f'[e{4 + item}] link "Offer {rng.randint(1, 999)}" -> https://gym/{item}' for item in range(14)]
    return "\\n".join(lines)


_RUNS = """
WITH made AS (
    INSERT INTO trajectories_run (name, kind, model, checkpoint, observation, grammar, history,
        actions_per_turn, observation_settings, affordances, settings, tags, simulated, created_at)
    SELECT 'store ' || n, 'eval', 'model-' || n %% 5, '', 'axtree-v2', 'json', 'full',
        1, '{}', '{}', '{}', '{}', true, now()
    FROM generate_series(1, %s) n RETURNING id
), counters AS (INSERT INTO trajectories_verdictcounter (run_id, count) SELECT id, 0 FROM made)
SELECT id FROM made ORDER BY id"""

# Episodes are assigned to runs in turn, and have one of three arms; a fifth are correct, some are void.
_EPISODES = """
WITH tasks AS (
    SELECT id AS task_id, row_number() OVER (ORDER BY id) - 1 AS place FROM tasks_app_task
), drafts AS MATERIALIZED (
    SELECT n, (%(runs)s::bigint[])[1 + n * 20 / %(episodes)s] AS run_id,
        ('{gym,gym_with_text,text_agent}'::text[])[1 + n %% 3] AS arm,
        task_id,
        nextval('trajectories_group_id_seq') AS group_id,
        nextval('trajectories_episode_id_seq') AS episode_id,
        nextval('trajectories_verdict_id_seq') AS verdict_id,
        (ARRAY['correct', 'incorrect', 'incorrect', 'incorrect', 'void'])[1 + n %% 5] AS outcome,
        now() - (%(episodes)s - n) * interval '1 minute' AS at
    FROM generate_series(0, %(episodes)s - 1) n
    JOIN tasks ON place = n / 4 %% (SELECT count(*) FROM tasks) ORDER BY n
), groups AS (
    INSERT INTO trajectories_group (id, run_id, task_id, arm, seed, settings, template, size, ended,
        completed_seq, created_at)
    SELECT group_id, run_id, task_id, arm, n, '{}', 'none', 1, 1, n + 1, at FROM drafts RETURNING id
), episodes AS (
    INSERT INTO trajectories_episode (id, run_id, group_id, task_id, arm, sample_index, policy_version,
        status, seed, presentation, presentation_hash, max_steps, recording, answer_channel, virtual_start,
        opened_at, finished_at, close_reason, close_detail, verdict_id)
    SELECT episode_id, run_id, group_id, task_id, arm, 0, n %% 10, 'finished', n, '{}', '', 100000, 'events',
        'page', at, at, at, '', '', verdict_id FROM drafts
), verdicts AS (
    INSERT INTO trajectories_verdict (id, episode_id, run_id, run_seq, outcome, reward, reason, terminated,
        truncated, metrics, verifier, created_at)
    SELECT verdict_id, episode_id, run_id, n + 1, outcome,
        CASE outcome WHEN 'correct' THEN 1.0 WHEN 'incorrect' THEN 0.0 END,
        CASE outcome WHEN 'void' THEN 'harness_error' WHEN 'incorrect' THEN
            (ARRAY['answer', 'step_budget'])[1 + n %% 2] ELSE 'answer' END,
        true, false, '{}', '', at FROM drafts
)
SELECT min(episode_id) FROM drafts"""

_STEPS = """
COPY trajectories_step (episode_id, index, thought, raw, action, action_type, action_known, action_result,
    parse_error, observation_kind, observation_text, observation_sha256, screenshot, url, started_at,
    duration_ms, actor, more, content_hash, created_at) FROM STDIN"""

_STEP_FACTS = f"""
INSERT INTO trajectories_stepfacts (episode_id, index, version, action_type, target, action_check,
    action_check_detail, place, is_page_change, is_backtrack, is_thought_hidden, is_invalid,
    checks_before_submit, thought_chars, thought_words, numbers, formulas, restates, words)
SELECT s.episode_id, s.index, {VERSION}, s.action_type, 'button “Submit”',
    (ARRAY{list(ACTION_CHECKS)})[1 + (s.episode_id * 31 + s.index * 17) % {len(ACTION_CHECKS)}], '',
    left(md5(s.observation_text), 16), false, s.action_type = 'back', false, false, false,
    length(s.thought), 80, 1, 0, 0.1, to_tsvector('simple', s.thought)
FROM trajectories_step s WHERE s.episode_id >= %s""".replace(" % ", " %% ")

_EPISODE_FACTS = f"""
INSERT INTO trajectories_episodefacts (episode_id, version, steps, duration_ms, action_types, no_effect,
    different_effect, unexplained, confirmed, unexplained_events, first_unexplained,
    loops, backtracks, page_changes, hidden_thoughts, invalid_actions, checks, thought_chars,
    thought_words, numbers, formulas, restates, seen_until, computed_at)
SELECT f.episode_id, {VERSION}, count(*), count(*) * 2000.0,
    (SELECT jsonb_object_agg(k.action_type, k.n) FROM (SELECT g.action_type, count(*) AS n
        FROM trajectories_stepfacts g WHERE g.episode_id = f.episode_id GROUP BY 1) k),
    count(*) FILTER (WHERE action_check = 'no_effect'),
    count(*) FILTER (WHERE action_check = 'different_effect'),
    count(*) FILTER (WHERE action_check = 'unexplained'),
    count(*) FILTER (WHERE action_check = 'confirmed'), 0, '[]',
    0, 0, 0, 0, 0, 0, avg(thought_chars), avg(thought_words), 1, 0, 0.1, now(), now()
FROM trajectories_stepfacts f WHERE f.episode_id >= %s GROUP BY f.episode_id"""

_EVENTS = """
INSERT INTO trajectories_pageevent (episode_id, page, seq, step, kind, at_ms, data, received_at)
SELECT s.episode_id, 'storepage', 2 * s.index + k.n, s.index, k.kind, 10.0,
    '{"role": "button", "name": "Submit", "x": 4, "y": 5, "trusted": true}', s.created_at
FROM trajectories_step s, (VALUES (0, 'focus'), (1, 'click')) AS k(n, kind)
WHERE s.episode_id BETWEEN %s AND %s"""
