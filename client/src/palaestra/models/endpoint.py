"""An endpoint that speaks OpenAI's chat completions, with its retries, streaming and health."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx
import openai

from palaestra.completion import Completion
from palaestra.errors import ModelFailure, PalaestraError
from palaestra.http.backoff import compute_pause_s
from palaestra.models.continuation import (
    FORMS,
    TRIAL,
    WHO,
    Form,
    describe_failure,
    is_begun,
    is_continued,
    strip_beginning,
)
from palaestra.models.failures import StreamBroken, classify_failure
from palaestra.models.health import CONNECT_TIMEOUT_S, EndpointHealth
from palaestra.models.refusals import Refusals
from palaestra.models.replies import Reply, list_model_ids
from palaestra.policies.base import TIME_LIMIT_S
from palaestra.policies.clock import PolicyClock
from palaestra.records import Message
from palaestra.thoughts import Tags, thoughts_separate

RETRIES = 6
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
# How long an endpoint may be silent: models that hide their thoughts send nothing while they think.
TIMEOUT_S = 300.0
CONCURRENCY = 16
ADDRESS_SETTING, KEY_SETTING = "OPENAI_BASE_URL", "OPENAI_API_KEY"
# Without a URL, the openai package would send the tasks to OpenAI, although nobody asked for that.
NO_ADDRESS = (
    f"Name the endpoint of the model: --base-url http://host:port/v1, or ${ADDRESS_SETTING}. OpenAI's own is "
    "https://api.openai.com/v1."
)
# A continuation is tested with greedy sampling, so that the result is stable.
TRIAL_SAMPLING = {"max_tokens": 16, "temperature": 0}
PATH, MODELS_PATH = "/chat/completions", "/models"
STREAM = {"stream": True, "stream_options": {"include_usage": True}}
ERRORS = (openai.OpenAIError, httpx.HTTPError, StreamBroken, ValueError)


class Endpoint:
    """A server of models.

    ``base_url`` and ``key`` default to ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``. Raises ``PalaestraError``
    if there is no URL. ``concurrency`` limits the number of simultaneous calls, ``timeout_s`` the seconds
    without any data. Calls that may succeed later are retried up to ``retries`` times, after ``Retry-After``
    or with growing pauses. With ``is_streamed`` completions are streamed, so that a slow model is not
    mistaken for a dead server. ``thought_tags`` are pairs of marks around a model's thoughts, in addition to
    the usual ones.
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
        thought_tags: Sequence[Tags] = (),
    ) -> None:
        base_url = base_url or os.environ.get(ADDRESS_SETTING)
        if not base_url:
            raise PalaestraError(NO_ADDRESS)
        # Self-hosted servers need no key, but the openai package insists on one.
        self._api = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=key or os.environ.get(KEY_SETTING) or "none",
            timeout=openai.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
            max_retries=0,
        )
        self._slots = asyncio.Semaphore(concurrency)
        self._retries = retries
        self._is_streamed = is_streamed
        self._thought_tags = thought_tags
        self._refusals: dict[str, Refusals] = {}
        self._forms: dict[str, Form] = {}
        self._learning = asyncio.Lock()
        self.health = EndpointHealth()

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._api.close()

    @property
    def address(self) -> str:
        return str(self._api.base_url)

    async def models(self) -> list[str]:
        """Return the ids of the models that the endpoint offers. Raises ``ModelFailure``."""
        try:
            return list_model_ids(await self._api.get(MODELS_PATH, cast_to=object))
        except ERRORS as error:
            raise classify_failure(error, address=self.address) from error

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        model: str,
        clock: PolicyClock,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        sampling: Mapping[str, Any] | None = None,
        retries: int | None = None,
    ) -> Completion:
        """Return the model's reply.

        ``sampling`` are extra fields of the call; ``clock`` counts only the time of the call that succeeds.
        ``retries`` overrides the endpoint's setting, except while the server reports that it is busy. If the
        last of ``messages`` is the model's own, the reply is its continuation, including any thoughts.

        Raises ``ContextOverflow`` if the prompt is too long, ``ModelFailure`` if no attempt succeeds, and
        ``PalaestraError`` if the model does not continue messages.
        """
        grammar = {"tools": list(tools or ()), "response_format": dict(response_format or {})}
        call = {"model": model, "messages": list(messages), **(sampling or {})}
        call |= {name: value for name, value in grammar.items() if value}
        if not is_begun(messages):
            completion = await self._call_with_retries(call, clock, sampling=sampling, retries=retries)
            return thoughts_separate(completion, tags=self._thought_tags)
        call = (await self.learn_form(model)).apply(call)
        completion = await self._call_with_retries(call, clock, sampling=sampling, retries=retries)
        return replace(completion, text=strip_beginning(completion, str(messages[-1]["content"])))

    async def learn_form(self, model: str) -> Form:
        """Return the form of request with which a model continues a message, tested once per model.

        Raises ``PalaestraError`` if no form works.
        """
        async with self._learning:
            if model not in self._forms:
                self._forms[model] = await self._form_find(model)
            return self._forms[model]

    # ---- inside
    async def _form_find(self, model: str) -> Form:
        problem = ""
        for form in FORMS:
            call = form.apply({"model": model, "messages": list(TRIAL), **TRIAL_SAMPLING})
            try:
                completion = await self._call_with_retries(
                    call, PolicyClock(TIME_LIMIT_S), sampling={}, retries=1
                )
            except ModelFailure as failure:
                problem = str(failure)
                continue
            if is_continued(completion):
                return form
            problem = f"it {describe_failure(completion)}"
        raise PalaestraError(
            f"{self.address}: {model} does not continue a message that was begun for it: {problem}. {WHO}"
        )

    async def _call_with_retries(
        self,
        call: Mapping[str, Any],
        clock: PolicyClock,
        *,
        sampling: Mapping[str, Any] | None,
        retries: int | None,
    ) -> Completion:
        fields = {**call, **(STREAM if self._is_streamed else {})}
        model = str(call["model"])
        refusals = self._refusals.setdefault(model, Refusals(self.address))
        for attempt in itertools.count():
            sent = refusals.filter_fields(fields)
            try:
                with clock.refunded_on_failure():
                    completion = await self._call_in_slot(sent, clock)
                self.health.note_answer()
                return replace(completion, sampling=refusals.filter_fields(sampling or {}) or None)
            except ERRORS as error:
                if refusals.learn(error, sent):
                    continue
                failure = classify_failure(error, address=self.address)
                self.health.note_failure(failure)
                tries = self._retries if retries is None or failure.is_busy else retries
                if not failure.is_retried or attempt >= tries:
                    raise failure from error
            with clock.paused():
                pause = compute_pause_s(attempt, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S)
                await asyncio.sleep(failure.retry_after_s if failure.retry_after_s is not None else pause)
        raise ModelFailure("unreachable")

    async def _call_in_slot(self, fields: Mapping[str, Any], clock: PolicyClock) -> Completion:
        with clock.paused():
            await self._slots.acquire()
        try:
            began = time.perf_counter()
            with self.health.call():
                completion = await self._call(fields)
            model_ms = (time.perf_counter() - began) * 1000
        finally:
            self._slots.release()
        return replace(completion, model_ms=model_ms)

    async def _call(self, fields: Mapping[str, Any]) -> Completion:
        """Make one call without the openai package's types, because they accept only one shape of reply."""
        is_streamed = bool(fields.get("stream"))
        reply = Reply(is_streamed=is_streamed, is_rest=is_begun(fields["messages"]))
        body = {name: value for name, value in fields.items() if name != "extra_body"}
        body |= fields.get("extra_body") or {}
        if not is_streamed:
            reply.add(await self._api.post(PATH, cast_to=object, body=body))
            return reply.completion()
        stream = await self._api.post(
            PATH, cast_to=object, body=body, stream=True, stream_cls=openai.AsyncStream[object]
        )
        async with stream:
            if "json" in stream.response.headers.get("content-type", ""):
                # The endpoint does not stream, so request whole replies from now on.
                self._is_streamed = False
                whole = {name: fields[name] for name in fields if name not in STREAM}
                return await self._call(whole)
            async for part in stream:
                reply.add(part)
        return reply.completion()
