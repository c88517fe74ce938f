"""Elements and attributes that a replayed page may not have; all others are shown as recorded.

The frame of the replay runs no scripts, and its policy blocks requests; these tables are an additional
safeguard that removes what would try either.
"""

from __future__ import annotations

import re

# ---- elements: those that run, fetch or navigate become a box or are hidden
UNSEEN = "noscript"
BOX = "div"
SVG_UNSEEN = "desc"
ELEMENTS: dict[str, str] = {
    "script": UNSEEN,
    "base": UNSEEN,
    "applet": UNSEEN,
    "bgsound": UNSEEN,
    "param": UNSEEN,
    "track": UNSEEN,
    "constructor": BOX,  # rrweb looks names up in an object, where this one is taken
    "iframe": BOX,
    "frame": BOX,
    "frameset": BOX,
    "fencedframe": BOX,
    "portal": BOX,
    "object": BOX,
    "embed": BOX,
    "webview": BOX,
    "animate": SVG_UNSEEN,
    "animatecolor": SVG_UNSEEN,
    "animatemotion": SVG_UNSEEN,
    "animatetransform": SVG_UNSEEN,
    "set": SVG_UNSEEN,
    "discard": SVG_UNSEEN,
    "handler": SVG_UNSEEN,
    "listener": SVG_UNSEEN,
}
ELEMENT_NAME = re.compile(r"^[a-z][a-z0-9_-]{0,63}$")
STYLES = frozenset(("style", "link"))

# ---- attributes
ATTRIBUTE_NAME = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_.-]{0,99}$|^xlink:href$|^xml:(?:space|lang)$")
GONE = frozenset(
    [
        "action",
        "allow",
        "archive",
        "attributionsrc",
        "autofocus",
        "autoplay",
        "cite",
        "classid",
        "code",
        "codebase",
        "crossorigin",
        "csp",
        "data",
        "download",
        "dynsrc",
        "formaction",
        "formtarget",
        "http-equiv",
        "imagesizes",
        "imagesrcset",
        "integrity",
        "is",
        "loading",
        "longdesc",
        "lowsrc",
        "manifest",
        "nonce",
        "ping",
        "popovertarget",
        "commandfor",
        "profile",
        "referrerpolicy",
        "sandbox",
        "srcdoc",
        "target",
        "__proto__",
        "rr_src",
    ]
)
FETCHED = frozenset(("src", "poster", "background", "rr_dataurl"))
LINKED = frozenset(("href", "xlink:href"))
# These fetch their target; others only link to it, or refer to a part of the same page.
FETCHING_LINKS = frozenset(("image", "feimage"))
# A link without an address would look like plain text.
LINKS = frozenset(("a", "area"))
NOWHERE = "#"
CSS_TEXT = "_csstext"
# Like a style sheet, these may contain an address.
CSS_ATTRIBUTES = frozenset(
    [
        "style",
        "clip-path",
        "cursor",
        "fill",
        "filter",
        "marker",
        "marker-end",
        "marker-mid",
        "marker-start",
        "mask",
        "stroke",
        "mask-image",
        "background-image",
        "list-style-image",
        "content",
        "color-profile",
    ]
)
# The ``name`` of these elements would replace properties of the document that rrweb needs.
CLOBBERING = frozenset(("form", "img", "embed", "object", "iframe"))
SCHEMES = (
    "javascript:",
    "vbscript:",
    "livescript:",
    "mocha:",
    "data:text",
    "data:application",
    "blob:",
    "file:",
)
RECORDED = frozenset(("rr_width", "rr_height", "rr_scrollleft", "rr_scrolltop", "rr_open_mode", "rr_dataurl"))
