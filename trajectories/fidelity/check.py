"""Checks one step: its DOM replay is drawn and held against its screenshot, and what came of it is kept.

Postgres says what is left to do. A check that ends the process it runs in is tried ``TRIES`` times in all.
"""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass

from django.db.models import F
from django.db.models.functions import Now
from PIL import Image

from core import blobs, thumbnails
from trajectories.fidelity import comparison, pages, rendering
from trajectories.fidelity.enclosure import EnclosureMissing
from trajectories.fidelity.pages import Unpaged
from trajectories.fidelity.rendering import Undrawn
from trajectories.models import Fidelity, Step
from trajectories.models.fidelity import LEFT

logger = logging.getLogger(__name__)

# A new number whenever the same replay and screenshot may come out otherwise: all history is checked again.
VERSION = 2
TRIES = 3
QUALITY = 80
CLEAR, MARKED = [255, 255, 255], [214, 40, 57]
Reason = Fidelity.Reason
State = Fidelity.State


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a row says of a check; see ``Fidelity``."""

    state: Fidelity.State
    reason: str = ""
    changed_share: float | None = None
    phash_distance: int | None = None
    replay: str = ""
    difference: str = ""


def step_check(*, episode_id: int, index: int) -> bool:
    """Check a step that waits for it; False when it does not, or is no more."""
    mine = Fidelity.objects.filter(episode_id=episode_id, index=index, reason__in=LEFT)
    if not mine.filter(tries__lt=TRIES).update(tries=F("tries") + 1, checked_at=Now()):
        return False
    try:
        outcome = step_look(episode_id=episode_id, index=index)
    except Step.DoesNotExist:
        mine.delete()
        return False
    # Where nothing can be drawn nothing was tried: other workers may, or this one after an installation.
    spent = {"tries": F("tries") - 1} if outcome.reason in LEFT else {}
    return bool(mine.update(**vars(outcome), **spent, version=VERSION, checked_at=Now()))


def step_give_up(*, episode_id: int, index: int) -> None:
    """Note that a check took longer than its job may."""
    mine = Fidelity.objects.filter(episode_id=episode_id, index=index, reason__in=LEFT)
    mine.update(state=State.FAILED, reason=Reason.OUT_OF_TIME, version=VERSION, checked_at=Now())


def step_look(*, episode_id: int, index: int) -> Outcome:
    """Draw and compare, and write nothing but the pictures."""
    step = Step.objects.select_related("episode__task").get(episode_id=episode_id, index=index)
    screenshot = thumbnails.picture_read(step.screenshot) if step.screenshot else None
    if screenshot is None:
        return Outcome(state=State.NOT_CHECKED, reason=Reason.NO_SCREENSHOT)
    try:
        page = pages.page_of(step, size=screenshot.size)
        replay = rendering.page_draw(page)
    except Unpaged as unpaged:
        return Outcome(state=State.NOT_CHECKED, reason=unpaged.reason)
    except EnclosureMissing as missing:
        logger.warning("replays cannot be drawn here: %s", missing)
        return Outcome(state=State.NOT_CHECKED, reason=missing.reason)
    except Undrawn as undrawn:
        return Outcome(state=State.FAILED, reason=undrawn.reason)
    if not comparison.is_same_size(screenshot.size, replay.size):
        return Outcome(state=State.FAILED, reason=Reason.UNREADABLE, replay=_kept(replay))
    return _compared(screenshot, replay)


def _compared(screenshot: Image.Image, replay: Image.Image) -> Outcome:
    found = comparison.pictures_compare(screenshot, replay)
    return Outcome(
        state=State.FAITHFUL if found.is_faithful else State.UNFAITHFUL,
        changed_share=found.changed_share,
        phash_distance=found.phash_distance,
        replay=_kept(replay),
        difference=_kept_mask(found.difference) if found.changed_share else "",
    )


def _kept(picture: Image.Image) -> str:
    data = io.BytesIO()
    picture.save(data, "WEBP", quality=QUALITY)
    return blobs.blob_store(data.getvalue()).sha256


def _kept_mask(difference: Image.Image) -> str:
    """Red where they differ, else transparent: to be laid over the screenshot."""
    places = difference.point(lambda value: int(value > 0))
    mask = Image.frombytes("P", places.size, places.tobytes())
    mask.putpalette(CLEAR + MARKED)
    data = io.BytesIO()
    mask.save(data, "PNG", bits=1, transparency=0, optimize=True)
    return blobs.blob_store(data.getvalue()).sha256
