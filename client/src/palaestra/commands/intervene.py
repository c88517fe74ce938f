"""``palaestra intervene``: insert text into failed thoughts and let the policy continue from there (InT)."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from palaestra.api import Client
from palaestra.api.calls import rows_read
from palaestra.api.interventions import Intervention, OpenedIntervention
from palaestra.commands import count, playing_add, server_add, stderr_print
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import ApiError
from palaestra.interventions import InterventionWriter, Written
from palaestra.models.options import build_sampling, endpoint_add, endpoint_make, sampling_add
from palaestra.models.policy import ModelPolicy
from palaestra.protocol.outcomes import JUDGED
from palaestra.records import Opening, Run
from palaestra.rollouts import Rollout
from palaestra.run.plan import episodes_list

# The paper's values for continuations: https://arxiv.org/abs/2601.14209
CONTINUATIONS, TEMPERATURE, TOP_P, TOP_K, MAX_TOKENS = 32, 0.7, 0.8, 20, 16_384
LEAK = "intervention_leaks"
# Statuses that refuse a single intervention, but not the following ones.
REFUSED = (404, 409, 413, 422)
# Some keys may not open groups with guidance (403). A key that may not write at all ends the command.
REFUSED_REFILL = (403, *REFUSED)


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "intervene", help="insert text into failed thoughts, and continue from there", description=__doc__
    )
    server_add(parser)
    endpoint_add(parser)
    parser.add_argument("--model", required=True, help="the policy's id at its endpoint")
    parser.add_argument("--run", type=count, required=True, help="the run whose failed episodes are edited")
    parser.add_argument(
        "--written",
        action="store_true",
        help="write none, but continue from interventions written earlier or by people in the lab",
    )
    parser.add_argument(
        "--writer", help="the model that writes interventions, at the same endpoint; default: the policy"
    )
    parser.add_argument(
        "--with-solutions",
        action="store_true",
        help="show the writer the task's solution; needs a key with the scope golds",
    )
    parser.add_argument("--limit", type=count, help="number of failed episodes, from the first; default: all")
    parser.add_argument(
        "--count", type=count, default=CONTINUATIONS, help="continuations of each intervention"
    )
    sampling_add(parser)
    playing_add(parser)
    parser.set_defaults(
        command=command,
        title="The interventions",
        temperature=TEMPERATURE,
        top_p=TOP_P,
        max_tokens=MAX_TOKENS,
        extra={"top_k": TOP_K},
    )


def command(options: argparse.Namespace) -> int:
    """Print the outcome of each intervention; return 1 if there was none to continue from."""
    return asyncio.run(_intervene(options))


async def _intervene(options: argparse.Namespace) -> int:
    async with Client(options.server, options.key) as client, endpoint_make(options) as endpoint:
        run = await client.run(options.run)
        policy = ModelPolicy(endpoint, client, model=options.model, sampling=build_sampling(options))
        stderr_print(f"Checking that {options.model} at {endpoint.address} can continue a message.")
        await policy.continuation_try()
        writer = InterventionWriter(
            client,
            endpoint,
            model=options.writer or options.model,
            sampling=build_sampling(options),
            with_solutions=options.with_solutions,
        )
        settings = {"config": build_config(run), "pages": options.pages, "time_limit_s": options.time_limit}
        async with Engine(client, **settings) as engine:
            interventions = Interventions(client, run, writer, continuations=options.count)
            opened = (
                interventions.find_unplayed() if options.written else interventions.write_new(options.limit)
            )
            played = 0
            async for intervention in opened:
                played += 1
                rollouts = await engine.continue_all(intervention, policy)
                print(_format_line(intervention.intervention, rollouts))
    print(_format_summary(interventions.counts, played))
    return 0 if played else 1


def build_config(run: Run) -> EpisodeConfig:
    """Return the episode settings of a run, for observing pages and parsing actions."""
    observation: dict[str, Any] = {"observation": run.observation} if run.observation else {}
    return EpisodeConfig(
        **observation,
        **run.observation_settings,
        grammar=run.grammar,
        history=run.history,
        actions_per_turn=run.actions_per_turn,
    )


class Interventions:
    """A run's interventions whose continuations are to be played, opened one by one.

    ``counts`` has the reasons why episodes were left out, with the number of episodes for each.
    """

    def __init__(self, client: Client, run: Run, writer: InterventionWriter, *, continuations: int) -> None:
        self.client, self.run, self.writer = client, run, writer
        self.continuations = continuations
        self.counts: Counter[str] = Counter()

    async def find_unplayed(self) -> AsyncIterator[OpenedIntervention]:
        """Yield interventions that were written but have no continuation yet."""
        async for intervention in rows_read(self.client.interventions, run=self.run.id):
            if intervention.continuations.opened:
                continue
            if (opening := await self._refill(intervention)) is not None:
                yield _join(intervention, opening)

    async def write_new(self, limit: int | None) -> AsyncIterator[OpenedIntervention]:
        """Write and yield interventions, one for each failed episode that was played from its beginning."""
        states = await episodes_list(self.client, self.run.id)
        failed = [state for state in states if state.verdict and state.verdict.outcome == "incorrect"]
        for state in [state for state in failed if state.parent is None][:limit]:
            written = await self.writer.write(state.id)
            if isinstance(written, str):
                self.counts[written] += 1
                continue
            if (opened := await self._open(state.id, written)) is not None:
                yield opened

    async def _refill(self, intervention: Intervention) -> Opening | None:
        """Open the continuations; if the server refuses, count that and return None."""
        try:
            return await self.client.group_refill(intervention.group, count=self.continuations)
        except ApiError as refused:
            if refused.status not in REFUSED_REFILL:
                raise
            self.counts["refused"] += 1
            stderr_print(f"Intervention {intervention.id}: {refused}")
            return None

    async def _open(self, episode: int, written: Written) -> OpenedIntervention | None:
        """Open the continuations; if the server refuses, count that and return None."""
        try:
            return await self.client.intervention_open(
                episode,
                step=written.replaced.step,
                substep=written.replaced.substep,
                text=written.content,
                author=self.writer.model[:200],
                count=self.continuations,
            )
        except ApiError as refused:
            if refused.status not in REFUSED:
                raise
            self.counts["leaked" if refused.code == LEAK else "refused"] += 1
            stderr_print(f"Episode {episode}: {refused}")
            return None


def _join(intervention: Intervention, opening: Opening) -> OpenedIntervention:
    return OpenedIntervention(intervention=intervention, episodes=opening.episodes, messages=opening.messages)


def _format_line(intervention: Intervention, rollouts: list[Rollout]) -> str:
    outcomes = Counter(rollout.outcome for rollout in rollouts)
    origin = f"episode {intervention.episode}, step {intervention.step}, substep {intervention.substep}"
    judged = sum(outcomes[name] for name in JUDGED)
    void = f", {outcomes['void']} void" if outcomes["void"] else ""
    return f"intervention {intervention.id} ({origin}): {outcomes['correct']} of {judged} right{void}"


def _format_summary(counts: Counter[str], played: int) -> str:
    reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(counts.items()))
    number = f"{played} intervention{'' if played == 1 else 's'}"
    return f"{number}{f'; left out: {reasons}' if reasons else ''}."
