"""Turns of a policy in an episode that is played here or by a stage."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from palaestra.completion import Completion
from palaestra.episode import Episode
from palaestra.errors import PalaestraError
from palaestra.policies.base import EpisodeInfo, Policy, PolicyStopped
from palaestra.policies.clock import OutOfTime, PolicyClock
from palaestra.protocol.end_reasons import CloseReason
from palaestra.remote import RemoteEpisode

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class End:
    """The reason why a policy takes no further turn."""

    reason: CloseReason
    detail: str = ""


class Turns:
    """The turns of a policy in one episode, with ``limit_s`` seconds of thinking in all."""

    def __init__(self, policy: Policy, *, limit_s: float) -> None:
        self._policy = policy
        self._memory: dict[str, Any] = {}
        self._clock = PolicyClock(limit_s)

    async def take(self, episode: Episode | RemoteEpisode) -> str | Completion | End:
        """Return the policy's next completion, or the end; a policy that raises ends as ``model_error``."""
        number = episode.opened.id
        try:
            # Only the policy's own time counts: a slow arena or browser is not its fault.
            completion = await self._clock.bound(
                self._policy.act(episode.observation, self._build_info(episode))
            )
        except OutOfTime:
            return End("time_budget", f"longer than {self._clock.limit_s:.0f} s")
        except PolicyStopped as stopped:
            return End(stopped.reason, str(stopped))
        except Exception as failure:
            is_expected = isinstance(failure, PalaestraError)
            logger.warning("episode %s: %r", number, failure, exc_info=not is_expected)
            return End("model_error", repr(failure))
        return End("agent_stopped") if completion is None else completion

    def _build_info(self, episode: Episode | RemoteEpisode) -> EpisodeInfo:
        opened = episode.opened
        return EpisodeInfo(
            id=opened.id,
            task=opened.task,
            arm=opened.arm,
            step=episode.steps + 1,
            max_steps=opened.max_steps,
            sample_index=opened.sample_index,
            memory=self._memory,
            answer_form=opened.answer_form,
            clock=self._clock,
            tools=episode.tools,
            response_format=episode.response_format,
        )
