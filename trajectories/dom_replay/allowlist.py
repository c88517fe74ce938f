"""What a replayed page may be made of. Whatever is not named here is shown as it was recorded.

The frame that shows it runs no scripts and its policy lets nothing out; these tables keep what would try from
ever getting there.
"""

from __future__ import annotations

import re

# ---- elements: what runs, fetches or leads elsewhere becomes a box, or nothing that is seen
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
    "constructor": BOX,  # rrweb looks names up in an object, which has something under this one
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
# These fetch what they are linked to; others only lead there, or name a part of the same page.
FETCHING_LINKS = frozenset(("image", "feimage"))
# A link without an address would look like plain text.
LINKS = frozenset(("a", "area"))
NOWHERE = "#"
CSS_TEXT = "_csstext"
# As in a style sheet, these may name an address.
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
# Their names replace properties of the document, which rrweb needs.
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
