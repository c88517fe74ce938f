"""Failures of model calls: which are retried, and which end the episode."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
import openai

from palaestra.errors import ContextOverflow, ModelFailure, PromptFiltered
from palaestra.http.backoff import parse_retry_after

# Words in an error's code, type or message that mean the prompt is too long (OpenAI, vLLM, llama.cpp and
# others).
_TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
)
# Words that mean a content filter refused the prompt (Azure and Moonshot, OpenAI, Gemini, DashScope).
_FILTERED = (
    "content_filter",
    "content management policy",
    "content policy",
    "usage policy",
    "prohibited_content",
    "data_inspection_failed",
)
_OUT_OF_CREDIT = "insufficient_quota"
_RETRIED = frozenset({408, 409, 425, 429})
# The server is up but asks for patience: it limits the rate of calls, or is still loading its model.
_BUSY = frozenset({429, 503})


class StreamBroken(Exception):
    """Raised if a stream ended before the completion was finished, or contained none."""


# Statuses of a server without this route. A real endpoint adds a message, for example that there is no such
# model.
_ELSEWHERE = frozenset({404, 405, 501})
_ELSEWHERE_HINT = ". No chat completions are served at this URL; most end in /v1"

# An error inside a stream has no status: it is a bare ``openai.APIError``.
_PASSING = (openai.APIConnectionError, httpx.HTTPError, StreamBroken, ValueError)


def classify_failure(
    error: openai.OpenAIError | httpx.HTTPError | StreamBroken | ValueError, *, address: str = ""
) -> ModelFailure:
    """Convert the error of a call to a failure, with ``is_retried`` if the same call may succeed later.

    The failure's text begins with the ``address`` of the endpoint.
    """
    words = f"{getattr(error, 'code', '')} {getattr(error, 'type', '')} {error}".lower()
    status = error.status_code if isinstance(error, openai.APIStatusError) else None
    if status in (None, 400, 413, 422) and any(sign in words for sign in _TOO_LONG):
        return ContextOverflow(str(error))
    if status in (None, 400, 403, 422) and any(sign in words for sign in _FILTERED):
        return PromptFiltered(str(error))
    where = f"{address}: " if address else ""
    if not isinstance(error, openai.APIStatusError):
        cause = f" ({error.__cause__})" if error.__cause__ else ""
        failure = ModelFailure(f"{where}{type(error).__name__}: {error}{cause}")
        failure.is_retried = isinstance(error, _PASSING) or type(error) is openai.APIError
        return failure
    is_worded = isinstance(error.body, Mapping) and "message" in error.body
    is_elsewhere = error.status_code in _ELSEWHERE and not is_worded
    failure = ModelFailure(f"{where}{error.message}{_ELSEWHERE_HINT if is_elsewhere else ''}")
    is_passing = error.status_code >= 500 or error.status_code in _RETRIED
    failure.is_retried = is_passing and _OUT_OF_CREDIT not in words
    failure.is_busy = failure.is_retried and error.status_code in _BUSY
    failure.retry_after_s = parse_retry_after(error.response.headers)
    return failure
