"""What a model is shown of a page: ``axtree-v1`` text, a screenshot, or both, with the token nowhere in
it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Literal

from palaestra.fence import Fence
from palaestra.pages import PageView, WarmPage
from palaestra.records import ActionResult, Message

Kind = Literal["axtree", "screenshot", "both"]
RECORDED_KIND = {"axtree": "axtree-v1", "screenshot": "screenshot", "both": "both"}
STILL_LOADING = "(the page is still loading)"


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One look at an episode.

    ``text`` is the axtree-v1 text (empty with kind ``screenshot`` and in arms without a page), ``screenshot``
    PNG bytes or None, ``url`` the masked address, ``result`` and ``result_message`` what came of the action
    before, ``messages`` the whole conversation so far, ready for a chat model.
    """

    kind: str
    text: str = ""
    url: str = ""
    screenshot: bytes | None = None
    result: ActionResult | None = None
    result_message: str = ""
    messages: list[Message] = field(default_factory=list)


def page_text(view: PageView, fence: Fence) -> str:
    """The axtree-v1 text of a page: a line for the page, then its body."""
    head = f'page "{" ".join(view.title.split())}" {view.url}'
    lines = [head, view.text] if view.is_settled else [head, view.text, STILL_LOADING]
    return fence.mask("\n".join(lines))


async def page_observe(
    page: WarmPage, view: PageView, *, kind: Kind, with_picture: bool = False
) -> Observation:
    """The observation of a page as it is now; ``with_picture`` adds a screenshot for the record alone."""
    if page.fence is None:
        raise ValueError("The page has no episode: call begin first.")
    needs_picture = with_picture or kind != "axtree"
    return Observation(
        kind=RECORDED_KIND[kind],
        text="" if kind == "screenshot" else page_text(view, page.fence),
        url=page.fence.mask(view.url),
        screenshot=await page.screenshot() if needs_picture else None,
    )


def observation_message(observation: Observation) -> Message:
    """The chat message by which a model is told of an observation."""
    lines = []
    if observation.result is not None:
        told = f" {observation.result_message}" if observation.result_message else ""
        lines.append(f"Result of your action: {observation.result}.{told}")
    if observation.text:
        lines.append(f"Observation ({observation.kind}):\n{observation.text}")
    text = "\n\n".join(lines) or "Observation:"
    if observation.kind not in ("screenshot", "both") or observation.screenshot is None:
        return {"role": "user", "content": text}
    picture = "data:image/png;base64," + base64.b64encode(observation.screenshot).decode("ascii")
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": picture}}]
    return {"role": "user", "content": parts}
