"""An endpoint that speaks OpenAI's chat completions, and one model behind it."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import openai
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage

from palaestra.backoff import pause_s
from palaestra.completion import Completion, ToolCall
from palaestra.errors import ModelFailure
from palaestra.models.failures import StreamBroken, failure_of
from palaestra.models.health import CONNECT_TIMEOUT_S, EndpointHealth
from palaestra.models.thoughts import thoughts_split
from palaestra.policies.clock import PolicyClock
from palaestra.records import Message, Usage

RETRIES = 6
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
# How long an endpoint may be silent: models that hide their thoughts send nothing while they think.
TIMEOUT_S = 300.0
CONCURRENCY = 16
# Where endpoints put thoughts: DeepSeek, vLLM, SGLang, llama.cpp; OpenRouter and newer vLLM.
REASONING_FIELDS = ("reasoning_content", "reasoning")
KEY_SETTING = "OPENAI_API_KEY"
# OpenAI's newer models refuse the older name, and other servers do not know the newer one.
MAX_TOKENS, NEW_MAX_TOKENS = "max_tokens", "max_completion_tokens"


class Endpoint:
    """A server of models. Without ``base_url`` and ``key``, ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` count.

    ``concurrency`` bounds the calls at once, ``timeout_s`` the seconds in which nothing arrives. Calls that
    may succeed later are repeated up to ``retries`` times, after what ``Retry-After`` says or growing pauses.
    ``is_streamed``: completions arrive as they are written, so that a slow model differs from a dead server.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        key: str | None = None,
        concurrency: int = CONCURRENCY,
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
        is_streamed: bool = True,
    ) -> None:
        # Servers of one's own need no key, and the package insists on one.
        self._api = openai.AsyncOpenAI(
            base_url=base_url or None,
            api_key=key or os.environ.get(KEY_SETTING) or "none",
            timeout=openai.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
            max_retries=0,
        )
        self._slots = asyncio.Semaphore(concurrency)
        self._retries = retries
        self._is_streamed = is_streamed
        self._max_tokens = MAX_TOKENS
        self.health = EndpointHealth()

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._api.close()

    @property
    def address(self) -> str:
        return str(self._api.base_url)

    async def models(self) -> list[str]:
        """The ids of the models that it offers. Raises ``ModelFailure``."""
        try:
            return sorted([model.id async for model in self._api.models.list()])
        except (openai.OpenAIError, ValueError) as error:
            raise failure_of(error) from error

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        model: str,
        clock: PolicyClock,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        sampling: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The model's reply. ``sampling`` are fields of the call; ``clock`` counts the call that succeeds.

        Raises ``ContextOverflow`` where the prompt is too long, and ``ModelFailure`` when no try succeeded.
        """
        fields = {"model": model, "messages": list(messages), **(sampling or {})}
        if tools:
            fields["tools"] = list(tools)
        if response_format:
            fields["response_format"] = dict(response_format)
        for attempt in itertools.count():
            try:
                with clock.refunded_on_failure():
                    completion = await self._slotted(fields, clock)
                self.health.answered()
                return replace(completion, sampling=dict(sampling or {}) or None)
            except (openai.OpenAIError, StreamBroken, ValueError) as error:
                if self._is_renamed(error):
                    continue
                failure = failure_of(error)
                self.health.failed(failure)
                if not failure.is_retried or attempt >= self._retries:
                    raise failure from error
            with clock.paused():
                pause = pause_s(attempt, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S)
                await asyncio.sleep(failure.retry_after_s if failure.retry_after_s is not None else pause)
        raise ModelFailure("unreachable")

    # ---- inside
    async def _slotted(self, fields: Mapping[str, Any], clock: PolicyClock) -> Completion:
        with clock.paused():
            await self._slots.acquire()
        named = {self._max_tokens if name == MAX_TOKENS else name: value for name, value in fields.items()}
        try:
            began = time.perf_counter()
            with self.health.call():
                answer = await self._call(named)
            model_ms = (time.perf_counter() - began) * 1000
        finally:
            self._slots.release()
        return replace(_completion(answer), model_ms=model_ms)

    async def _call(self, fields: dict[str, Any]) -> ChatCompletion:
        if not self._is_streamed:
            return await self._api.chat.completions.create(**fields)  # type: ignore[no-any-return]
        state: ChatCompletionStreamState[Any] = ChatCompletionStreamState()
        is_empty = True
        stream = await self._api.chat.completions.create(
            **fields, stream=True, stream_options={"include_usage": True}
        )
        async with stream:
            async for chunk in stream:
                is_empty = False
                state.handle_chunk(chunk)
        if is_empty:
            raise StreamBroken("The endpoint streamed nothing.")
        return state.current_completion_snapshot

    def _is_renamed(self, error: Exception) -> bool:
        """Whether the endpoint wants the limit of the output by its newer name, which it gets from now on."""
        if self._max_tokens == NEW_MAX_TOKENS or not isinstance(error, openai.BadRequestError):
            return False
        if NEW_MAX_TOKENS in error.message:
            self._max_tokens = NEW_MAX_TOKENS
            return True
        return False


def _completion(answer: ChatCompletion) -> Completion:
    """The completion of an answer. Raises ``StreamBroken`` where it holds none that came to its end."""
    choice = next(iter(answer.choices or ()), None)
    if choice is None or choice.message is None or not choice.finish_reason:
        raise StreamBroken("The endpoint's answer holds no completion, or one that broke off.")
    message = choice.message
    inline, text = thoughts_split(message.content or "")
    return Completion(
        text=text,
        reasoning="\n\n".join(filter(None, (_reasoning(message), inline))) or None,
        tool_calls=tuple(
            ToolCall(name=call.function.name or "", arguments=call.function.arguments or "", id=call.id or "")
            for call in message.tool_calls or ()
            if call.type == "function"
        ),
        usage=_usage(answer.usage) if answer.usage else None,
        finish_reason=choice.finish_reason,
        model=answer.model or None,
    )


def _reasoning(message: ChatCompletionMessage) -> str | None:
    extra = message.model_extra or {}
    return next((extra[name] for name in REASONING_FIELDS if isinstance(extra.get(name), str)), None)


def _usage(usage: CompletionUsage) -> Usage:
    written, read = usage.completion_tokens_details, usage.prompt_tokens_details
    return Usage(
        prompt=usage.prompt_tokens,
        completion=usage.completion_tokens,
        reasoning=written.reasoning_tokens if written else None,
        cached=read.cached_tokens if read else None,
    )
