"""A policy whose completions come from a model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from palaestra.api import Client
from palaestra.completion import Completion
from palaestra.errors import ContextOverflow, ModelFailure, PalaestraError, PromptFiltered
from palaestra.models.continuation import is_begun
from palaestra.models.health import EndpointHealth
from palaestra.observation import Observation
from palaestra.policies.base import TIME_LIMIT_S, EpisodeInfo, PolicyStopped
from palaestra.policies.clock import PolicyClock

if TYPE_CHECKING:
    from palaestra.models.endpoint import Endpoint

TRIAL = "Answer with one word: ready."


class ModelPolicy:
    """A policy that sends an episode's conversation to a model.

    ``sampling`` are extra fields of every call.
    """

    simulated = False

    def __init__(
        self, endpoint: Endpoint, client: Client, *, model: str, sampling: Mapping[str, Any] | None = None
    ) -> None:
        self.name = model
        self._endpoint = endpoint
        self._client = client
        self._sampling = dict(sampling or {})

    @property
    def health(self) -> EndpointHealth:
        """The health of the model's endpoint."""
        return self._endpoint.health

    async def try_once(self) -> None:
        """Make one call before any episode is opened.

        Raises ``PalaestraError`` if the model is unavailable.
        """
        try:
            await self._endpoint.complete(
                [{"role": "user", "content": TRIAL}],
                model=self.name,
                clock=PolicyClock(TIME_LIMIT_S),
                sampling=self._sampling,
                retries=1,
            )
        except ModelFailure as failure:
            message = f"The model does not answer: {str(failure).rstrip('.')}. Nothing was opened."
            raise PalaestraError(message) from failure

    async def continuation_try(self) -> None:
        """Test whether the model continues a message. Raises ``PalaestraError`` if it does not."""
        try:
            await self._endpoint.learn_form(self.name)
        except PalaestraError as refused:
            raise PalaestraError(f"{refused} Nothing was opened.") from refused

    async def act(self, observation: Observation, episode: EpisodeInfo) -> Completion:
        """Return the model's next completion, or the rest of it if the last message is its beginning.

        Raises ``PolicyStopped`` with the reason ``context_length`` if the conversation has grown too long for
        the model, and with ``content_filter`` if the endpoint refuses a conversation that contains the
        model's own words. Raises ``ModelFailure`` if the endpoint does not answer, or refuses the task at the
        first step.
        """
        messages = await self._client.messages_inline(observation.messages)
        try:
            completion = await self._endpoint.complete(
                messages,
                model=self.name,
                clock=episode.clock,
                tools=episode.tools,
                response_format=episode.response_format,
                sampling=self._sampling,
            )
        except ContextOverflow as overflow:
            raise PolicyStopped("context_length", str(overflow)) from overflow
        except PromptFiltered as refused:
            if episode.step == 1:
                raise
            raise PolicyStopped("content_filter", str(refused)) from refused
        # The prefill is recorded as part of the completion, so leave it out of the recorded prompt.
        sent = messages[:-1] if is_begun(messages) else messages
        digest = hashlib.sha256(msgspec.json.encode(sent)).hexdigest()
        return replace(completion, model=completion.model or self.name, prompt_sha256=digest)
