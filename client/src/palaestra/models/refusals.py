"""Parameters that an endpoint refuses by name; later calls omit them, and the log reports it once.

OpenAI, Azure, Groq, Databricks, Mistral, Bedrock, Gemini, xAI, LiteLLM and vLLM all word such refusals
differently. What their messages have in common is a word of refusal and the name of a parameter that was
sent.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

import openai

logger = logging.getLogger(__name__)

# OpenAI's newer models refuse the older name, and other servers do not know the newer one.
MAX_TOKENS, NEW_MAX_TOKENS = "max_tokens", "max_completion_tokens"
_OTHER_NAME = {MAX_TOKENS: NEW_MAX_TOKENS, NEW_MAX_TOKENS: MAX_TOKENS}
_NEEDED = frozenset({"model", "messages", "tools"})
# Keys within tools and schemas that only some endpoints know.
_WITHIN = ("strict", "additionalProperties")
# Parameters that the client adds without being asked. The reply is the same without them.
_CONTINUED = ("continue_final_message", "add_generation_prompt")  # tested when the policy starts
_OURS = frozenset({"stream", "stream_options", *_CONTINUED, *_WITHIN})
_REFUSED = re.compile(
    r"unsupported|unrecogni[sz]ed|unknown|"
    r"not (?:be |been |yet |currently )?(?:support|permitted|allowed|accepted|available|recogni[sz]ed|"
    r"implemented|enabled|found|valid)|not an? (?:valid |known |supported )?(?:param|arg|field|option|prop)|"
    r"disallow|unexpected|extraneous|"
    r"extra[ _](?:inputs|forbidden|fields)|"
    r"cannot (?:both|be|find)|can't|only (?:the default|supports?|allowed|available)|may only|"
    r"a valid field|"
    r"deprecated|no longer|incompatible|must not|invalid (?:argument|parameter|field|name)",
    re.IGNORECASE,
)
_NEVER = frozenset({401, 402, 403, 408, 409, 413, 425, 429})
_BEFORE = (
    r"(?:parameters?|arguments?|property|fields?|names?|keys?|options?|supplied|supports?|for|request)[:\s]+"
)
_AFTER = r"\s*(?::|\b(?:is|are|was|may|must|does|cannot|can|has|not)\b)"


class Refusals:
    """The parameters that one model of an endpoint has refused so far."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._names: dict[str, str] = {}
        self._dropped: set[str] = set()

    def filter_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return a call's fields without the refused ones; renamed fields get the name that is accepted."""
        dropped = self._dropped | ({"stream_options"} if "stream" in self._dropped else set())
        within = dropped.intersection(_WITHIN)
        sent = {}
        for name, value in fields.items():
            if name in dropped:
                continue
            if name == "extra_body" and isinstance(value, Mapping):
                sent[name] = {key: own for key, own in value.items() if key not in dropped}
                continue
            is_schema = within and name in ("tools", "response_format")
            sent[self._names.get(name, name)] = _without(value, within) if is_schema else value
        return sent

    def learn(self, error: Exception, sent: Mapping[str, Any]) -> bool:
        """Omit from now on the field that ``error`` refuses; return False if it refuses no ``sent`` field."""
        name = find_refused(error, sent)
        if name is None:
            return False
        if name in self._dropped or name in self._names:
            return True  # a concurrent call was refused for the same field
        original = next((own for own, used in self._names.items() if used == name), name)
        if original == name and name in _OTHER_NAME:
            self._names[name] = _OTHER_NAME[name]
            logger.info("%s calls the parameter %s %s.", self._address, name, _OTHER_NAME[name])
            return True
        self._dropped.add(original)
        if name in _OURS:
            logger.info("%s refuses %s; calls continue without it.", self._address, name)
        else:
            logger.warning(
                "%s REFUSES %s, which was requested. Calls continue without it, which changes what is "
                "measured; each step records what was sent. The endpoint's message: %s",
                self._address,
                original,
                _read_message(error)[:300],
            )
        return True


def find_refused(error: Exception, sent: Mapping[str, Any]) -> str | None:
    """Return the field of a call that ``error`` refuses; None if the error has another cause."""
    if not isinstance(error, openai.APIError):
        return None
    status = error.status_code if isinstance(error, openai.APIStatusError) else 400
    message = _read_message(error)
    if status in _NEVER or not _REFUSED.search(message):
        return None
    matched = {name: _find_position(name, message, str(error.param or "")) for name in _list_optional(sent)}
    positions = {name: position for name, position in matched.items() if position is not None}
    if not positions:
        return None
    within = [name for name in positions if name in _WITHIN]
    # If two parameters exclude each other, omit the one that is named second.
    choose = max if "both" in message else min
    return choose(within or positions, key=positions.__getitem__)


def _read_message(error: Exception) -> str:
    """Return an error's whole text, including the body: some endpoints put their explanation only there."""
    body = getattr(error, "body", None)
    return f"{error} {body if body is not None else ''}"


def _list_optional(sent: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the fields that could be omitted from a call."""
    extra = sent.get("extra_body")
    yield from (name for name in sent if name not in _NEEDED and name != "extra_body")
    yield from (name for name in (extra if isinstance(extra, Mapping) else ()) if name not in _NEEDED)
    schemas = (sent.get("tools"), sent.get("response_format"))
    yield from (name for name in _WITHIN if any(_holds(schema, name) for schema in schemas))


def _find_position(name: str, message: str, param: str) -> int | None:
    """Return the position at which a message names a field; -1 if the error's ``param`` names it."""
    if re.split(r"[.\[]", param)[0] == name or param.endswith(f".{name}"):
        return -1
    camel = re.sub(r"_([a-z])", lambda match: match[1].upper(), name)
    word = rf"(?:{re.escape(name)}|{re.escape(camel)})" + ("(?:ing)?" if name == "stream" else "")
    quoted = rf"(?<=['\"`.(\[]){word}(?=['\"`.)\]\\])"
    phrase = rf"(?:{word}|{re.escape(name.replace('_', ' '))})"
    spoken = rf"\b(?:{_BEFORE}{phrase}\b|{phrase}{_AFTER})"
    plain = rf"|\b{word}\b" if "_" in name else ""
    match = re.search(rf"{quoted}|{spoken}{plain}", message, re.IGNORECASE)
    return match.start() if match else None


def _holds(value: object, name: str) -> bool:
    if isinstance(value, Mapping):
        return name in value or any(_holds(own, name) for own in value.values())
    return isinstance(value, list) and any(_holds(own, name) for own in value)


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(own, names) for key, own in value.items() if key not in names}
    return [_without(own, names) for own in value] if isinstance(value, list) else value
