"""The chat message that shows a model an observation."""

from __future__ import annotations

import base64
from typing import Any

from palaestra.observation.base import Observation
from palaestra.protocol.observations import has_picture
from palaestra.records import Message


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
