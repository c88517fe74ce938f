"""Steps as callers send them: their validation, and their conversion to rows."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from django.conf import settings
from msgspec import Meta, Struct

from core.api import responses as api
from core.database.integers import INT_MAX
from core.errors import GymError, too_large
from core.structs.bodies import build_refusal
from core.structs.schema import limit
from palaestra.protocol.action_results import ActionResult
from trajectories.actions.types import ACTIONS, get_type
from trajectories.models import Step

HASH_BYTES = 16
Actor = Literal["policy", "human", "oracle", "router"]
"""Actors that a caller may name. Only the arena names ``person``, during a takeover."""
TYPE_CHARS = 32
MESSAGE_CHARS, TARGET_PATH_CHARS, ELEMENT_IDS_CHARS = 10_000, 1_000, 100_000
FIRST_YEAR, LAST_YEAR = 1970, 9000

Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
ShortText = Annotated[str, Meta(max_length=200)]
ResultMessage = Annotated[
    str,
    Meta(
        max_length=MESSAGE_CHARS,
        description="What the model read about the result, without the result's code.",
    ),
]
TargetPath = Annotated[
    str,
    Meta(
        max_length=TARGET_PATH_CHARS,
        description="Path in the document to the element that was acted on. For each ancestor below the "
        "root, and for the element itself, it gives the index among the siblings, from 0, joined by `/`: "
        "`1/0/3`.",
    ),
]
ElementIds = Annotated[
    str,
    Meta(
        max_length=ELEMENT_IDS_CHARS,
        description="Keys, separated by spaces, of the element ids given out since the previous step, "
        "including those of this step's observation, in the order of the ids' numbers. The first key of an "
        "episode is that of `e1`.",
    ),
]
Thought = Annotated[str, limit("THOUGHT_MAX_CHARS")]
Text = Annotated[str, limit("STEP_MAX_BYTES")]
Object = Annotated[dict[str, Any], limit("STEP_MAX_BYTES")]
Settled = Annotated[
    bool,
    Meta(
        description="Whether the page that the model was shown had finished loading, and its picture and "
        "its description were taken at the same moment."
    ),
]
PrefillChars = Annotated[
    int,
    Meta(
        ge=1,
        le=INT_MAX,
        description="Number of characters at the beginning of the message in `raw` that the model was given "
        "to continue and did not write in this step.",
    ),
]
PositiveInt = Annotated[int, Meta(ge=1, le=INT_MAX)]
Count = Annotated[int, Meta(ge=0, le=INT_MAX)]
MS_MAX = 1e12
# An endpoint or a clock measured these numbers and may be wrong. Numbers that make no sense are stored as
# null, because they must not cost the step, the end of its episode or the verdict.
MeasuredCount = Annotated[
    Any, Meta(description="A count of tokens; anything else is stored as null."), limit("STEP_MAX_BYTES")
]
MeasuredMs = Annotated[
    Any,
    Meta(description="Milliseconds, at least 0; anything else is stored as null."),
    limit("STEP_MAX_BYTES"),
]


def action_description() -> str:
    """Describe the fields of an action, for the API's documentation."""
    types = [
        f"`{name}` ({', '.join(f'`{field.name}`' for field in kind.spec.fields)})"
        if kind.spec.fields
        else f"`{name}`"
        for name, kind in ACTIONS.items()
    ]
    return (
        f"An object with a `type` and the fields of that type: {', '.join(types)}. "
        "`target` is an element by its number in the observation, such as `e7`. `x` and `y` are pixels of "
        "the picture sent; `dx` and `dy` are pixels of the page, with `dy` positive downwards; `ms` are "
        "milliseconds. `clear` empties the field first. The `text` of an `answer` may be a list. `fields` is "
        "a list of objects `{target, text | value | checked}`, and `actions` is a list of actions. Other "
        "types and fields are stored as well; unknown types are marked."
    )


class Observation(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The observation sent to the model: its text, or the blob that holds it."""

    kind: ShortText
    text: Text | None = None
    sha256: Sha256 | None = None


def _measured(value: Any, maximum: float) -> int | float | None:
    """Return a measured number, or None for anything that cannot be one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if 0 <= value <= maximum else None


class Usage(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Token counts of one completion. Numbers that make no sense are stored as null."""

    prompt: MeasuredCount = None
    completion: MeasuredCount = None
    reasoning: MeasuredCount = None
    cached: MeasuredCount = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            count = _measured(getattr(self, name), INT_MAX)
            setattr(self, name, int(count) if count is not None and count == int(count) else None)


class StepIn(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A step as posted. Everything but ``index`` is optional."""

    index: PositiveInt
    thought: Thought | None = None
    thought_hidden: (
        Annotated[bool, Meta(description="The model reasoned but hid its reasoning, so `thought` lacks it.")]
        | None
    ) = None
    raw: Thought | None = None
    prefill_chars: PrefillChars | None = None
    action: Annotated[Object | None, Meta(description=action_description())] = None
    parsed: Annotated[Any, limit("STEP_MAX_BYTES")] = None
    parse_error: Text | None = None
    action_result: ActionResult | None = None
    result_message: ResultMessage | None = None
    target_path: TargetPath | None = None
    settled: Settled | None = None
    element_ids: ElementIds | None = None
    observation: Observation | None = None
    screenshot: Sha256 | None = None
    url: Text | None = None
    started_at: Annotated[datetime, Meta(extra_json_schema={"format": "date-time"})] | None = None
    duration_ms: MeasuredMs = None
    model_ms: MeasuredMs = None
    env_ms: MeasuredMs = None
    usage: Usage | None = None
    finish_reason: ShortText | None = None
    policy_version: Count | None = None
    actor: Actor | None = None
    model: ShortText | None = None
    sampling: Object | None = None
    prompt_sha256: Sha256 | None = None
    tokens_blob: Sha256 | None = None
    rewards: Annotated[dict[str, float], limit("STEP_MAX_BYTES")] | None = None

    def __post_init__(self) -> None:
        for name in ("duration_ms", "model_ms", "env_ms"):
            setattr(self, name, _measured(getattr(self, name), MS_MAX))


class StepsIn(Struct, forbid_unknown_fields=True):
    steps: Annotated[list[StepIn], Meta(min_length=1), limit("STEPS_PER_CALL_MAX")]


# Fields that have no column of their own are stored in the column ``more``.
COLUMNS = frozenset(field.name for field in Step._meta.concrete_fields)
MORE_FIELDS = tuple(name for name in StepIn.__struct_fields__ if name not in {*COLUMNS, "observation"})

_decoder = msgspec.json.Decoder(StepsIn)
_encode = msgspec.json.Encoder(order="deterministic").encode


def steps_read(body: bytes) -> list[StepIn]:
    """Parse the steps of a request body.

    Raises ``GymError`` (400, 413) with a message that names the problem and its place.
    """
    api.check_body_size(len(body))
    try:
        steps = _decoder.decode(body).steps
    except msgspec.ValidationError as error:
        raise build_refusal(error, model=StepsIn) from None
    except api.DECODE_ERRORS as error:
        raise GymError("malformed_json", f"The body is not valid JSON: {error}") from None
    if b"\\u0000" in body:
        api.parse_json(body)  # Refuse NUL characters, which can only be written as escapes.
    _check_limits(steps)
    return steps


def _check_limits(steps: list[StepIn]) -> None:
    if len(steps) > settings.STEPS_PER_CALL_MAX:
        limit = settings.STEPS_PER_CALL_MAX
        message = (
            f"{len(steps):,} steps in one call are too many; the limit is {limit:,} "
            "(setting STEPS_PER_CALL_MAX)."
        )
        raise GymError("too_many_steps", message, status=413)
    if len({step.index for step in steps}) < len(steps):
        raise GymError("repeated_index", "The call contains the same step index twice.")
    for step in steps:
        # Stay far from the ends of Python's calendar, because a change of time zone could cross them.
        if step.started_at is not None and not FIRST_YEAR <= step.started_at.year <= LAST_YEAR:
            message = f"started_at of step {step.index} is outside the years {FIRST_YEAR} to {LAST_YEAR}."
            raise GymError("invalid", message, fields={"steps": [message]})
        for name in ("thought", "raw"):
            length = len(getattr(step, name) or "")
            if length > settings.THOUGHT_MAX_CHARS:
                limit = settings.THOUGHT_MAX_CHARS
                message = (
                    f"The {name} of step {step.index} has {length:,} characters;"
                    f" the limit is {limit:,} (setting THOUGHT_MAX_CHARS)."
                )
                raise GymError("step_too_large", message, status=413)


def _in_utc(time: datetime | None) -> datetime | None:
    """Convert a time to UTC, and read a time without a zone as UTC.

    Postgres accepts only offsets below 16 hours, while RFC 3339 allows offsets below 24.
    """
    if time is None:
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def step_row(step: StepIn) -> dict[str, Any]:
    """Build a step's row for ``hot_sql.steps_write``. ``hash`` covers everything sent, in a fixed order.

    Raises ``GymError`` 413 ``step_too_large``.
    """
    canonical = _encode(step)
    if len(canonical) > settings.STEP_MAX_BYTES:
        raise too_large(
            "step_too_large", f"step {step.index}", len(canonical), settings.STEP_MAX_BYTES, "STEP_MAX_BYTES"
        )
    # An action without a type is stored and marked as unknown, never rejected.
    action_type = get_type(step.action)[:TYPE_CHARS]
    observation = step.observation
    return {
        "index": step.index,
        "thought": step.thought or "",
        "raw": step.raw or "",
        "action": step.action,
        "action_type": action_type,
        "action_known": step.action is None or action_type in ACTIONS,
        "action_result": step.action_result or "",
        "parse_error": step.parse_error or "",
        "observation_kind": observation.kind if observation else "",
        "observation_text": (observation.text if observation else None) or "",
        "observation_sha256": (observation.sha256 if observation else None) or "",
        "screenshot": step.screenshot or "",
        "url": step.url or "",
        "started_at": _in_utc(step.started_at),
        "duration_ms": step.duration_ms,
        "policy_version": step.policy_version,
        "actor": step.actor or Step.Actor.POLICY,
        "more": {name: value for name in MORE_FIELDS if (value := getattr(step, name)) is not None},
        "hash": hashlib.blake2b(canonical, digest_size=HASH_BYTES).hexdigest(),
    }
