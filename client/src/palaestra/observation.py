"""What a model is shown of a page: text, a screenshot, or both, with the token nowhere in it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Literal

from palaestra.navigation import EpisodeBounds
from palaestra.pages import PageView, WarmPage
from palaestra.records import ActionResult, Message

Kind = Literal["axtree", "screenshot", "both"]
STILL_LOADING = "(the page is still loading)"


@dataclass(frozen=True, kw_only=True)
class ObservationFormat:
    """One way of showing a page. ``id`` is the server's name for it, with a version where there is one."""

    id: str
    has_text: bool = False
    has_screenshot: bool = False


# A new format is one entry here and one in ``Kind``: keyed by what ``Env(observation=...)`` takes.
FORMATS: dict[Kind, ObservationFormat] = {
    "axtree": ObservationFormat(id="axtree-v1", has_text=True),
    "screenshot": ObservationFormat(id="screenshot", has_screenshot=True),
    "both": ObservationFormat(id="both", has_text=True, has_screenshot=True),
}


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One look at an episode.

    ``text`` is the axtree-v1 text (empty with kind ``screenshot`` and in arms without a page), ``screenshot``
    PNG bytes or None, ``url`` the masked address, ``result`` and ``result_message`` the outcome of the
    previous action, ``messages`` the whole conversation so far, ready for a chat model.
    """

    kind: str
    text: str = ""
    url: str = ""
    screenshot: bytes | None = None
    result: ActionResult | None = None
    result_message: str = ""
    messages: list[Message] = field(default_factory=list)


def has_picture(kind: str) -> bool:
    """Whether a model is shown the screenshot of an observation of this kind."""
    return any(form.id == kind and form.has_screenshot for form in FORMATS.values())


def page_text(view: PageView, bounds: EpisodeBounds) -> str:
    """The axtree-v1 text of a page: a line for the page, then its body."""
    head = f'page "{" ".join(view.title.split())}" {view.url}'
    lines = [head, view.text] if view.is_settled else [head, view.text, STILL_LOADING]
    return bounds.mask("\n".join(lines))


async def page_observe(
    page: WarmPage, view: PageView, *, form: ObservationFormat, with_picture: bool = False
) -> Observation:
    """The observation of a page as it is now; ``with_picture`` adds a screenshot for the record alone."""
    if page.bounds is None:
        raise ValueError("The page has no episode: call begin first.")
    return Observation(
        kind=form.id,
        text=page_text(view, page.bounds) if form.has_text else "",
        url=page.bounds.mask(view.url),
        screenshot=await page.screenshot() if with_picture or form.has_screenshot else None,
    )


def observation_message(observation: Observation) -> Message:
    """The chat message that shows a model an observation."""
    lines = []
    if observation.result is not None:
        detail = f" {observation.result_message}" if observation.result_message else ""
        lines.append(f"Result of your action: {observation.result}.{detail}")
    if observation.text:
        lines.append(f"Observation ({observation.kind}):\n{observation.text}")
    text = "\n\n".join(lines) or "Observation:"
    if not has_picture(observation.kind) or observation.screenshot is None:
        return {"role": "user", "content": text}
    picture = "data:image/png;base64," + base64.b64encode(observation.screenshot).decode("ascii")
    content: list[dict[str, Any]] = [
        {"type": "text", "text": text},
        {"type": "image_url", "image_url": {"url": picture}},
    ]
    return {"role": "user", "content": content}
