"""``palaestra intervene``: put words into failed thoughts, and let the policy go on from there (InT)."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from palaestra.api import Client
from palaestra.commands import count, playing_add, server_add, stderr_print
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import ApiError
from palaestra.intervention_writer import InterventionWriter, Written
from palaestra.interventions import Intervention, OpenedIntervention
from palaestra.model_options import endpoint_add, endpoint_make, sampling_add, sampling_of
from palaestra.models.policy import ModelPolicy
from palaestra.paging import rows_read
from palaestra.protocol.outcomes import JUDGED
from palaestra.records import Opening, Run
from palaestra.rollout import Rollout
from palaestra.run_plan import episodes_list

# Those of the paper, for continuations: https://arxiv.org/abs/2601.14209
CONTINUATIONS, TEMPERATURE, TOP_P, TOP_K, MAX_TOKENS = 32, 0.7, 0.8, 20, 16_384
LEAK = "intervention_leaks"
# What the server refuses of one attempt, and not of the next.
REFUSED = (404, 409, 413, 422)
# A key may not open what goes on with guidance; what it may not write at all ends the command.
REFUSED_REFILL = (403, *REFUSED)


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "intervene", help="put words into failed thoughts, and go on from there", description=__doc__
    )
    server_add(parser)
    endpoint_add(parser)
    parser.add_argument("--model", required=True, help="the policy's id at its endpoint")
    parser.add_argument("--run", type=count, required=True, help="whose failed episodes are changed")
    parser.add_argument(
        "--written",
        action="store_true",
        help="go on from what was written by people in the lab, or earlier, and write nothing",
    )
    parser.add_argument("--writer", help="the model that writes, at the same endpoint; default: the policy")
    parser.add_argument(
        "--with-solutions",
        action="store_true",
        help="show the writer the solution that the task comes with; needs a key with the scope golds",
    )
    parser.add_argument("--limit", type=count, help="the first so many failed episodes; default: all")
    parser.add_argument("--count", type=count, default=CONTINUATIONS, help="continuations of each")
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
    """Print what came of each intervention; 1 if there was none to go on from."""
    return asyncio.run(_intervene(options))


async def _intervene(options: argparse.Namespace) -> int:
    async with Client(options.server, options.key) as client, endpoint_make(options) as endpoint:
        run = await client.run(options.run)
        policy = ModelPolicy(endpoint, client, model=options.model, sampling=sampling_of(options))
        stderr_print(f"Checking that {options.model} at {endpoint.address} can continue a message.")
        await policy.continuation_try()
        writer = InterventionWriter(
            client,
            endpoint,
            model=options.writer or options.model,
            sampling=sampling_of(options),
            with_solutions=options.with_solutions,
        )
        settings = {"config": config_of(run), "pages": options.pages, "time_limit_s": options.time_limit}
        async with Engine(client, **settings) as engine:
            interventions = Interventions(client, run, writer, continuations=options.count)
            opened = interventions.unplayed() if options.written else interventions.written(options.limit)
            played = 0
            async for one in opened:
                played += 1
                rollouts = await engine.continue_all(one, policy)
                print(_line(one.intervention, rollouts))
    print(_summary(interventions.counts, played))
    return 0 if played else 1


def config_of(run: Run) -> EpisodeConfig:
    """Return the settings by which a run shows its episodes and has them answered."""
    shown: dict[str, Any] = {"observation": run.observation} if run.observation else {}
    return EpisodeConfig(
        **shown,
        **run.observation_settings,
        grammar=run.grammar,
        history=run.history,
        actions_per_turn=run.actions_per_turn,
    )


class Interventions:
    """The interventions of a run whose continuations are to be played, opened one by one. ``counts`` says why
    there is none for some episodes."""

    def __init__(self, client: Client, run: Run, writer: InterventionWriter, *, continuations: int) -> None:
        self.client, self.run, self.writer = client, run, writer
        self.continuations = continuations
        self.counts: Counter[str] = Counter()

    async def unplayed(self) -> AsyncIterator[OpenedIntervention]:
        """Those that were written and from which nobody has gone on yet."""
        async for one in rows_read(self.client.interventions, run=self.run.id):
            if not one.continuations.opened and (opening := await self._refilled(one)) is not None:
                yield _joined(one, opening)

    async def written(self, limit: int | None) -> AsyncIterator[OpenedIntervention]:
        """New ones, one for each failed episode that its run played from its beginning."""
        states = await episodes_list(self.client, self.run.id)
        failed = [one for one in states if one.verdict and one.verdict.outcome == "incorrect"]
        for state in [one for one in failed if one.parent is None][:limit]:
            written = await self.writer.write(state.id)
            if isinstance(written, str):
                self.counts[written] += 1
                continue
            if (opened := await self._opened(state.id, written)) is not None:
                yield opened

    async def _refilled(self, one: Intervention) -> Opening | None:
        """None, counted, where the server refuses it."""
        try:
            return await self.client.group_refill(one.group, count=self.continuations)
        except ApiError as refused:
            if refused.status not in REFUSED_REFILL:
                raise
            self.counts["refused"] += 1
            stderr_print(f"Intervention {one.id}: {refused}")
            return None

    async def _opened(self, episode: int, written: Written) -> OpenedIntervention | None:
        """None, counted, where the server refuses it."""
        try:
            return await self.client.intervention_open(
                episode,
                step=written.place.step,
                substep=written.place.substep,
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


def _joined(intervention: Intervention, opening: Opening) -> OpenedIntervention:
    return OpenedIntervention(intervention=intervention, episodes=opening.episodes, messages=opening.messages)


def _line(intervention: Intervention, rollouts: list[Rollout]) -> str:
    outcomes = Counter(one.outcome for one in rollouts)
    place = f"episode {intervention.episode}, step {intervention.step}, substep {intervention.substep}"
    judged = sum(outcomes[name] for name in JUDGED)
    void = f", {outcomes['void']} void" if outcomes["void"] else ""
    return f"intervention {intervention.id} ({place}): {outcomes['correct']} of {judged} right{void}"


def _summary(counts: Counter[str], played: int) -> str:
    reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(counts.items()))
    number = f"{played} intervention{'' if played == 1 else 's'}"
    return f"{number}{f'; left out: {reasons}' if reasons else ''}."
