"""The fidelity check of one step, which renders its DOM replay and compares it with the screenshot.

Postgres stores the outcome and what is left to check. A check that kills its process is tried ``TRIES`` times
in all.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import F
from django.db.models.functions import Now
from PIL import Image

from core.storage import blobs, file_lock, thumbnails
from palaestra.protocol.observations import MARKED_FORMATS
from trajectories.behaviour.fidelity import comparison, pages, rendering
from trajectories.behaviour.fidelity.enclosure import EnclosureMissing
from trajectories.behaviour.fidelity.pages import Unpaged
from trajectories.behaviour.fidelity.rendering import Page, Undrawn
from trajectories.models import Episode, Fidelity, Step
from trajectories.models.fidelity import LEFT

logger = logging.getLogger(__name__)

# Raise this whenever the same replay and screenshot may give another outcome; all history is then checked
# again.
VERSION = 2
TRIES = 3
QUALITY = 80
Reason = Fidelity.Reason
State = Fidelity.State
CLEAR, MARKED = [255, 255, 255], [214, 40, 57]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a check, with the columns of ``Fidelity``, except that pictures are bytes here."""

    state: Fidelity.State
    reason: str = ""
    changed_share: float | None = None
    phash_distance: int | None = None
    replay: bytes = b""
    difference: bytes = b""


def step_check(*, episode_id: int, index: int) -> bool:
    """Check a waiting step and store the outcome; return False if it is not waiting or no longer exists."""
    mine = Fidelity.objects.filter(episode_id=episode_id, index=index, reason__in=LEFT)
    if not mine.filter(tries__lt=TRIES).update(tries=F("tries") + 1, checked_at=Now()):
        return False
    try:
        outcome = step_look(episode_id=episode_id, index=index)
    except Step.DoesNotExist:
        mine.delete()
        return False
    # A worker that cannot render does not use up a try, because other workers or a later installation may.
    spent = {"tries": F("tries") - 1} if outcome.reason in LEFT else {}
    with file_lock.hold_files():  # the pictures are stored before the row names them
        columns = {
            **vars(outcome),
            "replay": _stored(outcome.replay),
            "difference": _stored(outcome.difference),
        }
        return bool(mine.update(**columns, **spent, version=VERSION, checked_at=Now()))


def step_give_up(*, episode_id: int, index: int) -> None:
    """Record that a step's check failed because it exceeded the job's time limit."""
    mine = Fidelity.objects.filter(episode_id=episode_id, index=index, reason__in=LEFT)
    mine.update(state=State.FAILED, reason=Reason.OUT_OF_TIME, version=VERSION, checked_at=Now())


def step_look(*, episode_id: int, index: int) -> Outcome:
    """Render a step's replay and compare it with the screenshot, without storing anything."""
    step = Step.objects.select_related("episode__task").filter(episode_id=episode_id, index=index).first()
    if step is None:
        return action_look(episode_id=episode_id, number=index)
    # A replay never has the marks that are drawn on a marked screenshot.
    is_bare = step.observation_kind not in MARKED_FORMATS
    screenshot = thumbnails.picture_read(step.screenshot) if step.screenshot and is_bare else None
    if screenshot is None:
        return Outcome(state=State.NOT_CHECKED, reason=Reason.NO_SCREENSHOT)
    replay = _drawn(lambda: pages.page_of(step, size=screenshot.size))
    if isinstance(replay, Outcome):
        return replay
    if not comparison.is_same_size(screenshot.size, replay.size):
        return Outcome(state=State.FAILED, reason=Reason.UNREADABLE, replay=_encode_png(replay))
    return _compare(screenshot, replay)


def action_look(*, episode_id: int, number: int) -> Outcome:
    """Render the page before a page action of an episode without steps, which has no screenshot to compare.

    Raises ``Step.DoesNotExist`` if there is no such action, or if the episode has steps after all.
    """
    episode = Episode.objects.select_related("task").get(pk=episode_id)
    has_steps = Step.objects.filter(episode_id=episode_id).exists()
    replay = _drawn(lambda: None if has_steps else pages.page_of_action(episode, number))
    if isinstance(replay, Outcome):
        return replay
    return Outcome(state=State.NOT_CHECKED, reason=Reason.NO_SCREENSHOT, replay=_encode_png(replay))


def _drawn(read: Callable[[], Page | None]) -> Image.Image | Outcome:
    """Render the page that ``read`` returns.

    If it cannot be rendered, an outcome with the reason is returned instead. Raises ``Step.DoesNotExist`` if
    ``read`` returns None.
    """
    try:
        page = read()
        if page is None:
            raise Step.DoesNotExist
        return rendering.page_draw(page)
    except Unpaged as unpaged:
        return Outcome(state=State.NOT_CHECKED, reason=unpaged.reason)
    except EnclosureMissing as missing:
        logger.warning("replays cannot be rendered here: %s", missing)
        return Outcome(state=State.NOT_CHECKED, reason=missing.reason)
    except Undrawn as undrawn:
        return Outcome(state=State.FAILED, reason=undrawn.reason)


def _compare(screenshot: Image.Image, replay: Image.Image) -> Outcome:
    result = comparison.pictures_compare(screenshot, replay)
    return Outcome(
        state=State.FAITHFUL if result.is_faithful else State.UNFAITHFUL,
        changed_share=result.changed_share,
        phash_distance=result.phash_distance,
        replay=_encode_png(replay),
        difference=_encode_mask(result.difference) if result.changed_share else b"",
    )


def _stored(picture: bytes) -> str:
    return blobs.blob_store(picture).sha256 if picture else ""


def _encode_png(picture: Image.Image) -> bytes:
    data = io.BytesIO()
    picture.save(data, "WEBP", quality=QUALITY)
    return data.getvalue()


def _encode_mask(difference: Image.Image) -> bytes:
    """Encode an overlay for the screenshot that is red where the pictures differ, else transparent."""
    places = difference.point(lambda value: int(value > 0))
    mask = Image.frombytes("P", places.size, places.tobytes())
    mask.putpalette(CLEAR + MARKED)
    data = io.BytesIO()
    mask.save(data, "PNG", bits=1, transparency=0, optimize=True)
    return data.getvalue()
