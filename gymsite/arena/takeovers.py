"""Views for a person who has taken over: the bar, the frame below it, and calls from its script."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from msgspec import Meta, Struct

from core.errors import GymError
from core.text import json as json_text
from gymsite.arena import callers, episodes, forms, site_dispatch, views
from gymsite.arena.callers import Session
from palaestra.protocol.completions import RecordedCall, record_write
from tasks_app import kinds
from trajectories.actions.types import ACTIONS, get_type
from trajectories.models.takeover import is_below

SCRIPTS = Path(__file__).with_name("takeover_scripts")
OBSERVATION = "axtree-v2"
STEP_MAX_BYTES = 1024 * 1024
ENDED = {
    "handed_back": ("Handed back", "The agent continues from here. You can close this page."),
    "given_up": ("Given up", "This episode ends without an answer. You can close this page."),
    "diverged": (
        "This fork could not be restored",
        "Its page differs from the one the agent saw, so it does not count. Take over from another step.",
    ),
    "idle": (
        "This takeover has ended",
        "It was idle for too long, or continues in another tab. Your steps have been recorded.",
    ),
}
USED = "This link has been used, or its takeover has ended. Take over again in the lab for a new one."
TASKS = {kinds.SITE: "The task and its answer field are at the top of the page."}
ON_PAGE = "The task is on the page: read it and answer it there."

View = Callable[..., HttpResponseBase]
Text = Annotated[str, Meta(max_length=400_000)]


class PersonStep(Struct, forbid_unknown_fields=True):
    """A step as a page's script sends it.

    ``text`` is the page's outline before the act, and ``url`` its address, both without the token. ``leads``
    is true if the act, which is performed next, may open another page.
    """

    index: Annotated[int, Meta(ge=1)]
    action: dict[str, Any]
    text: Text = ""
    url: Annotated[str, Meta(max_length=4_000)] = ""
    element_ids: Annotated[str, Meta(max_length=100_000)] = ""
    target_path: Annotated[str, Meta(max_length=1_000)] = ""
    leads: bool = False


class Arrival(Struct, forbid_unknown_fields=True):
    """Report that a page has been loaded; ``address`` is relative to the episode's first page."""

    address: Annotated[str, Meta(max_length=4_000, pattern=r"^[^\x00\\]*$")]


class Restoration(Struct, forbid_unknown_fields=True):
    """Outline of a fork's page as of an event, after all acts up to it have been repeated.

    ``again`` is true if an earlier comparison failed.
    """

    as_of: int
    text: Text = ""
    again: bool = False


_decoder = msgspec.json.Decoder(PersonStep)


def for_person(*methods: str) -> Callable[[View], View]:
    """Restrict a view to the person of a takeover, and pass it the session. Others get ``Http404``."""

    def checked(view: View) -> View:
        @views.only(*methods)
        @wraps(view)
        def answered(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponseBase:
            takeover_id = callers.read_takeover_id(token)
            if takeover_id is None:
                raise Http404
            session = callers.session_open(request, token)
            if session is None:
                return _end_page(request, callers.read_ending(takeover_id), status=410)
            return view(request, session, **kwargs)

        return answered

    return checked


@views.only("GET")
def link(request: HttpRequest, code: str) -> HttpResponse:
    """Redirect the person to the takeover's page. The link works once."""
    takeover_id = callers.link_redeem(code)
    if takeover_id is None:
        return _message(request, title="This link is no longer valid", text=USED, status=410)
    return forms.SeeOther(f"{callers.build_root(takeover_id)}takeover/")


@for_person("GET")
def frame(request: HttpRequest, session: Session) -> HttpResponse:
    """Serve the bar with the episode's page in a frame below it. Raises ``Http404``."""
    episode = episodes.page_open(
        episode_id=session.episode_id, step=None, is_counted=False, takeover=session.id
    )
    if episode is None:
        raise Http404
    context = {
        "session": session,
        "task": TASKS.get(episode.kind, ON_PAGE),
        "is_open": episode.is_open,
        "is_restored": session.as_of is None,
        "steps": session.last_index - session.begins_after,
    }
    return render(request, "arena/takeover.html", context)


@for_person("GET")
def script(_request: HttpRequest, _session: Session, name: str) -> HttpResponse:
    text = _scripts().get(name)
    if text is None:
        raise Http404
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")


@cache
def _scripts() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in SCRIPTS.glob("*.js")}


@for_person("POST")
def arrive(request: HttpRequest, session: Session) -> HttpResponse:
    """Return the initial state of a page's script: next step number, element ids, and acts to repeat."""
    try:
        body = forms.body_read(request, limit=STEP_MAX_BYTES)
        address = msgspec.json.decode(body, type=Arrival).address
    except (msgspec.DecodeError, UnicodeDecodeError):
        return HttpResponse(status=400)
    # The address is later loaded in the frame, so it must be below the episode's.
    return _json(callers.state_arrive(session, address if is_below(address) else ""))


@for_person("POST")
def restored(request: HttpRequest, session: Session) -> HttpResponse:
    """Move a fork being restored on to its next page, or hand over the last page to the person.

    The last page must look as the agent saw it. If it differs, it is compared once more before the fork ends.
    """
    try:
        body = forms.body_read(request, limit=STEP_MAX_BYTES)
        restoration = msgspec.json.decode(body, type=Restoration)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return HttpResponse(status=400)
    if session.as_of is None or session.as_of != restoration.as_of:
        # The script repeats its call if the network lost the response.
        return _json({} if session.as_of is None else {"address": session.entry})
    if (address := callers.restoration_next(session)) is not None:
        return _json({"address": address})
    differing = compare_lines(callers.outline_expected(session), restoration.text)
    if not differing:
        callers.restoration_end(session)
        return _json({})
    if not restoration.again:
        return _json({"again": True})
    words = f"After step {session.begins_after} the page differs: {'; '.join(differing)}"
    callers.session_diverge(session, words.replace("\0", "\ufffd"))
    return _json({"problem": f"This fork could not be restored, and ends here. {words}"})


@for_person("POST")
def steps(request: HttpRequest, session: Session) -> HttpResponse:
    """Store one act of the person as a step."""
    try:
        step = step_read(forms.body_read(request, limit=STEP_MAX_BYTES))
    except GymError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    more = {name: value for name in ("element_ids", "target_path") if (value := getattr(step, name))}
    stored = callers.step_store(
        session,
        index=step.index,
        raw=write_raw(step.action, grammar=session.grammar, index=step.index),
        action=step.action,
        observation=(OBSERVATION if step.text else "", step.text, step.url),
        more=more,
        leads=step.leads,
    )
    if stored == "refused":
        message = "This is not the takeover's latest page, or the episode has ended."
        return HttpResponse(message, status=409, content_type="text/plain")
    return _json({"next": step.index + 1})


@for_person("POST")
def correct(request: HttpRequest, session: Session) -> HttpResponse:
    """Mark the person's further steps as a correction, that is, as what the agent could not do."""
    callers.segment_correct(session)
    return forms.SeeOther("./")


@for_person("POST")
def end(request: HttpRequest, session: Session) -> HttpResponse:
    """End the takeover at the person's request."""
    how: Literal["handed_back", "given_up"]
    how = "given_up" if forms.form_read(request).get("how") == "given_up" else "handed_back"
    callers.session_end(session, how)
    return _end_page(request, how)


def step_read(body: bytes) -> PersonStep:
    """Decode a step. Raises ``GymError`` ``bad_step`` (400) if it is malformed or its action is unknown."""
    try:
        step = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise GymError("bad_step", f"This is not a step: {error}") from error
    if get_type(step.action) not in ACTIONS:
        raise GymError("bad_step", "There is no such action.")
    if json_text.has_nul(msgspec.json.encode(step)):
        raise GymError("bad_step", "A step cannot hold NUL characters.")
    return step


def write_raw(action: dict[str, Any], *, grammar: str, index: int) -> str:
    """Write the completion that declares an action, as runs with this grammar record it."""
    if grammar == "functions":
        fields = {name: value for name, value in action.items() if name != "type"}
        call = RecordedCall(id=f"call_{index}", name=action["type"], arguments=_text(fields))
        return record_write("", [call])
    return f"Action: {_text(action)}"


def _text(value: Any) -> str:
    # Formatted like the client's text, including spaces.
    return json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(value), content_type="application/json")


def _end_page(request: HttpRequest, how: str, *, status: int = 200) -> HttpResponse:
    title, text = ENDED[how]
    return _message(request, title=title, text=text, status=status)


def _message(request: HttpRequest, *, title: str, text: str, status: int) -> HttpResponse:
    context = {**site_dispatch.OUTSIDE, "title": title, "text": text}
    return render(request, "arena/takeover_message.html", context, status=status)


LINES_MAX, LINE_CHARS = 6, 60
# Marks omitted lines in an outline that was cut, and the end of a text that was too long to be stored.
GAP = re.compile(
    r" *\.\.\. [\d,]+ more characters\b.*: read .* or scroll|\(cut here: \d+ characters in all\)"
)


def compare_lines(recorded: str, shown: str) -> list[str]:
    """List the first lines that differ: missing ones with "-", new ones with "+".

    ``recorded`` may have been cut: in place of its omitted lines, ``shown`` may have any lines. If it is
    empty, nothing is compared.
    """
    parts = _parts(recorded)
    lines = shown.split("\n")
    if not recorded or _holds(lines, parts):
        return []
    if len(parts) == 1:
        differing = difflib.unified_diff(parts[0], lines, lineterm="", n=0)
        new = [line for line in differing if not line.startswith(("---", "+++", "@@"))]
    else:
        new = [f"-{line}" for part in parts for line in part if line not in lines]
    return [line[:LINE_CHARS] for line in new][:LINES_MAX] or ["its lines are in a different order"]


def _parts(recorded: str) -> list[list[str]]:
    """Split an outline at the lines that mark omitted ones."""
    parts: list[list[str]] = [[]]
    for line in recorded.split("\n"):
        if GAP.fullmatch(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _holds(lines: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    """Return whether the lines consist of these parts in this order, with any lines between them."""
    first, *others = parts
    if len(parts) == 1:
        return list(lines) == list(first)
    if list(lines[: len(first)]) != list(first):
        return False
    at, end = len(first), len(lines) - len(others[-1])
    for part in others[:-1]:
        places = (place for place in range(at, end) if list(lines[place : place + len(part)]) == list(part))
        place = next(places, None)
        if place is None:
            return False
        at = place + len(part)
    return at <= end and list(lines[end:]) == list(others[-1])
