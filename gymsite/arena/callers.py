"""The arena's callers, and the step that a request belongs to.

A caller is an agent, or the person who has taken over from it. The SQL is for the arena's role.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest
from msgspec import Struct

from core.database.sql import hot_cursor
from core.episodes.tokens import code_digest, person_token_make, person_token_open
from palaestra.protocol.pages import AS_OF_HEADER, STEP_HEADER
from trajectories.models.takeover import IS_TAKEN, TAKEN

STEP = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)
DESTINATION, DOCUMENTS = "Sec-Fetch-Dest", ("document", "iframe")
ATTRIBUTE = "gym_session"
HASH_BYTES = 16

# Condition on an episode `e`: the caller may act in it. During a takeover that is the person, else the agent.
MAY_ACT = f"(%(takeover)s::bigint IS NOT NULL OR NOT {IS_TAKEN})"


def holder(takeover: int | None) -> dict[str, Any]:
    """Return the parameters of the condition ``MAY_ACT``."""
    return {"takeover": takeover, "idle": settings.TAKEOVER_IDLE_S}


# Each request is a sign that the person is still there.
_SESSION = f"""
UPDATE trajectories_takeover t SET last_at = now() WHERE t.id = %(takeover)s AND {TAKEN}
RETURNING t.id, t.episode_id, t.segment, t.begins_after, t.last_index, t.is_leading, t.as_of, t.entry,
    t.grammar"""  # noqa: S608
_ENDED = "SELECT t.ended_as FROM trajectories_takeover t WHERE t.id = %(takeover)s"
_REDEEM = f"""
UPDATE trajectories_takeover t SET link = '', last_at = now() WHERE t.link = %(link)s AND {TAKEN}
RETURNING t.id"""  # noqa: S608
_TAKEN = f"SELECT e.id FROM trajectories_episode e WHERE e.id = %(episode)s AND {IS_TAKEN}"  # noqa: S608
# Acts to be repeated are handed out only once. One may open another document, which would repeat it forever.
_ARRIVE = """
WITH old AS (
    SELECT t.id, coalesce(t.acts->0->'acts', '[]') AS acts FROM trajectories_takeover t
    WHERE t.id = %(takeover)s FOR UPDATE)
UPDATE trajectories_takeover t SET is_leading = false, entry = %(address)s,
    acts = CASE WHEN t.acts = '[]' THEN t.acts ELSE jsonb_set(t.acts, '{0,acts}', '[]') END
FROM old WHERE t.id = old.id RETURNING t.last_index + 1, t.element_ids, old.acts::text"""
# The next document to be opened while a fork is restored.
_GO_ON = """
UPDATE trajectories_takeover t
SET acts = t.acts - 0, entry = t.acts->1->>'address', as_of = (t.acts->1->>'as_of')::int
WHERE t.id = %(takeover)s AND t.as_of = %(as_of)s AND jsonb_array_length(t.acts) > 1 RETURNING t.entry"""
_EXPECTED = "SELECT t.expected FROM trajectories_takeover t WHERE t.id = %(takeover)s"
_RESTORE = "UPDATE trajectories_takeover t SET as_of = NULL, acts = '[]' WHERE t.id = %(takeover)s"
_DIVERGE = f"""
UPDATE trajectories_takeover t SET ended_at = now(), ended_as = 'diverged', detail = %(detail)s
WHERE t.id = %(takeover)s AND {TAKEN}"""  # noqa: S608
_CORRECT = "UPDATE trajectories_takeover t SET segment = 'correction' WHERE t.id = %(takeover)s"
_END = f"""
UPDATE trajectories_takeover t SET ended_at = now(), ended_as = %(how)s
WHERE t.id = %(takeover)s AND {TAKEN}"""  # noqa: S608

# This function has the owner's rights and sets the step's actor and segment (gymsite/roles.sql).
_STEP = "SELECT person_step(%(takeover)s::bigint, %(idle)s::float8, %(step)s::jsonb)"

Stored = Literal["stored", "same", "refused"]


class Session(Struct, frozen=True, kw_only=True):
    """A person's takeover of an episode. ``as_of`` is set as long as the fork is being restored."""

    id: int
    episode_id: int
    segment: str
    begins_after: int
    last_index: int
    is_leading: bool
    as_of: int | None
    entry: str
    grammar: str

    @property
    def root(self) -> str:
        return build_root(self.id)

    @property
    def step(self) -> int | None:
        """The number of the last step, to which requests from a page's scripts belong."""
        return self.last_index or None

    @property
    def document_step(self) -> int | None:
        """The step in which a document is served: the last one if it announced this, else the next one."""
        return self.last_index + (not self.is_leading) or None


class State(Struct, frozen=True, kw_only=True):
    """State for a page's script: the ``next`` step's number, the agent's last step, and all element ids.

    While a fork is restored, ``restoring`` is the site event at which its page is shown, and ``acts`` lists
    what the script must repeat.
    """

    next: int
    begun: int
    restoring: int | None
    ids: str
    acts: Sequence[Mapping[str, Any]]


def get_session(request: HttpRequest) -> Session | None:
    """Return the session that ``session_open`` opened for this request, or None if an agent sent it."""
    return getattr(request, ATTRIBUTE, None)


def read_step(request: HttpRequest) -> int | None:
    """Return the request's step from a person's session or the harness's header; None if malformed."""
    if (session := get_session(request)) is not None:
        return session.document_step if is_document(request) else session.step
    header = request.headers.get(STEP_HEADER, "")
    return int(header) if STEP.fullmatch(header) else None


def read_as_of(request: HttpRequest) -> int | None:
    """Return the inherited site event at which to show a fork being restored. Raises ``Http404``."""
    if (session := get_session(request)) is not None:
        return session.as_of
    header = request.headers.get(AS_OF_HEADER)
    if header is None:
        return None
    # If the header were ignored, the fork would be shown as it is now, and the page view would be stored.
    if not STEP.fullmatch(header):
        raise Http404
    return int(header)


def is_document(request: HttpRequest) -> bool:
    """Return whether a page was opened rather than fetched by a script, which cannot set this header."""
    return request.method in ("GET", "HEAD") and request.headers.get(DESTINATION, "document") in DOCUMENTS


def get_takeover(request: HttpRequest) -> int | None:
    session = get_session(request)
    return session.id if session else None


def build_root(takeover_id: int) -> str:
    """Return the path under which a person's pages are served."""
    return f"/e/{person_token_make(takeover_id=takeover_id, key=settings.TOKEN_KEY)}/"


def read_takeover_id(token: str) -> int | None:
    return person_token_open(token=token, key=settings.TOKEN_KEY)


def session_open(request: HttpRequest, token: str) -> Session | None:
    """Return the session that a token names; None if the takeover has ended or the token is not for one."""
    if (known := get_session(request)) is not None:
        return known
    takeover_id = read_takeover_id(token)
    row = None if takeover_id is None else _row(_SESSION, takeover=takeover_id)
    if row is None:
        return None
    session = Session(**dict(zip(Session.__struct_fields__, row, strict=True)))
    setattr(request, ATTRIBUTE, session)
    return session


def read_ending(takeover_id: int) -> str:
    """Return how a takeover has ended: ``idle`` if no end has been recorded."""
    row = _row(_ENDED, takeover=takeover_id)
    return (row[0] if row else "") or "idle"


def is_taken(episode_id: int) -> bool:
    """Return whether a person has taken over the episode at the moment."""
    return _row(_TAKEN, episode=episode_id) is not None


def link_redeem(code: str) -> int | None:
    """Mark a link as used and return its takeover, or None if it has been used before."""
    row = _row(_REDEEM, link=code_digest(code))
    return None if row is None else int(row[0])


def state_arrive(session: Session, address: str) -> State:
    """Record that the expected document has been loaded, with its address, and return its script's state."""
    row = _row(_ARRIVE, takeover=session.id, address=address) or (session.last_index + 1, "", "[]")
    acts = msgspec.json.decode(row[2]) if session.as_of is not None else ()
    return State(next=row[0], begun=session.begins_after, restoring=session.as_of, ids=row[1], acts=acts)


def restoration_next(session: Session) -> str | None:
    """Move on to the next document of a fork being restored; return its address, None after the last."""
    row = _row(_GO_ON, takeover=session.id, as_of=session.as_of)
    return None if row is None else str(row[0])


def outline_expected(session: Session) -> str:
    """Return the outline that the parent's agent saw where the fork begins; "" if nothing is compared."""
    row = _row(_EXPECTED, takeover=session.id)
    return str(row[0]) if row else ""


def restoration_end(session: Session) -> None:
    """Mark the fork as restored."""
    _run(_RESTORE, takeover=session.id)


def session_diverge(session: Session, detail: str) -> None:
    """End a takeover, and with it the fork, because its page differs from its parent's."""
    _run(_DIVERGE, takeover=session.id, detail=detail)


def segment_correct(session: Session) -> None:
    """Mark the person's further steps as a correction, that is, as what the agent could not do."""
    _run(_CORRECT, takeover=session.id)


def session_end(session: Session, how: Literal["handed_back", "given_up"]) -> None:
    """End the takeover and record how it ended."""
    _run(_END, takeover=session.id, how=how)


def step_store(
    session: Session,
    *,
    index: int,
    raw: str,
    action: Mapping[str, Any],
    observation: tuple[str, str, str],
    more: Mapping[str, Any],
    leads: bool,
) -> Stored:
    """Store a person's step in one statement. ``observation`` is its format, text and address.

    Return ``same`` if this step is already stored, and ``refused`` if it is not the next step or the episode
    has ended.
    """
    kind, text, url = observation
    step: dict[str, Any] = {"index": index, "raw": raw, "action": action, "more": more}
    step |= {"kind": kind, "text": text, "url": url}
    encoded = msgspec.json.encode(step, order="deterministic")
    step |= {"leads": leads, "hash": hashlib.blake2b(encoded, digest_size=HASH_BYTES).hexdigest()}
    row = _row(_STEP, takeover=session.id, step=msgspec.json.encode(step).decode())
    stored: Stored = row[0] if row else "refused"
    return stored


def _row(statement: str, **params: Any) -> tuple[Any, ...] | None:
    with hot_cursor() as cursor:
        cursor.execute(statement, {"idle": settings.TAKEOVER_IDLE_S, **params})
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _run(statement: str, **params: Any) -> None:
    with hot_cursor() as cursor:
        cursor.execute(statement, {"idle": settings.TAKEOVER_IDLE_S, **params})
