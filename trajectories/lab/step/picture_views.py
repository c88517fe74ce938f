from __future__ import annotations

import hashlib
import io
from http import HTTPStatus

from django.http import Http404, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase

from trajectories.capture.captions import captioned
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.queries import episodes, steps
from trajectories.lab.screenshots.caption import caption_of
from trajectories.lab.screenshots.drawing import step_draw
from trajectories.lab.screenshots.marks import StepMarks, step_marks
from trajectories.lab.text.untrusted import cut, visible
from trajectories.models import Step

# A new number whenever pictures are drawn otherwise.
VERSION = 2
KEPT_S = 60
SMALL = "small"
# A printed page shows twice as much as a screen.
SCALES = {"1": 1, "2": 2}
OFFERED = {"size": (SMALL,), "scale": tuple(SCALES), "caption": ("0", "1")}
TOLD_CHARS = 40
FORMATS: dict[str, tuple[str, dict[str, int]]] = {
    "webp": ("image/webp", {"quality": 85, "method": 2}),
    "png": ("image/png", {"compress_level": 6}),
}


@lab_page
def step_picture(request: LabRequest, episode_id: int, index: int, kind: str) -> HttpResponseBase:
    """A step's screenshot with its marks, for papers and slides.

    ``?size=small`` is a thumbnail, ``?scale=2`` twice as large; ``?caption=1`` says below it what is shown.
    400 for other values: a picture in a paper is none that nobody asked for.
    """
    if problems := _problems(request):
        said = "\n".join([*problems, ""])
        return HttpResponse(said, status=HTTPStatus.BAD_REQUEST, content_type="text/plain; charset=utf-8")
    episode = episodes.episode_get(episode_id)
    step = steps.step_get(episode=episode, index=index)
    is_small = request.GET.get("size") == SMALL
    scale = 1 if is_small else SCALES.get(request.GET.get("scale", ""), 1)
    found = step_marks(step)
    caption = caption_of(episode, step) if request.GET.get("caption") == "1" else None
    tag = _tag(step, found, kind, is_small, scale, caption)
    response: HttpResponseBase = HttpResponseNotModified()
    if request.headers.get("If-None-Match") != tag:
        content_type, options = FORMATS[kind]
        data = io.BytesIO()
        picture = step_draw(step, found, is_small=is_small, enlarged=scale)
        if picture is None:
            raise Http404(f"Step {step.index} has no screenshot that can be shown.")
        if caption is not None:
            picture = captioned(picture, caption)
        picture.save(data, kind.upper(), **options)
        response = HttpResponse(data.getvalue(), content_type=content_type)
        name = f"episode-{episode_id}-step-{index}.{kind}"
        response["Content-Disposition"] = f'inline; filename="{name}"'
    response["ETag"] = tag
    # What its page saw may still come in.
    response["Cache-Control"] = f"private, max-age={KEPT_S}"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _problems(request: LabRequest) -> list[str]:
    return [
        f"{name}: “{cut(visible(value), TOLD_CHARS)}” is not among the choices: {', '.join(choices)}."
        for name, choices in OFFERED.items()
        if (value := request.GET.get(name, "")) and value not in choices
    ]


def _tag(step: Step, found: StepMarks, *how: object) -> str:
    what = f"{VERSION} {step.screenshot} {found} {how}"
    return f'"{hashlib.sha256(what.encode(errors="replace")).hexdigest()}"'
