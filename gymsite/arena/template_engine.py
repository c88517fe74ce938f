"""Template engine of the arena's pages: Jinja2, which takes a third of the time of Django's own."""

from __future__ import annotations

from functools import cache

from django.template import engines
from django.templatetags.static import static
from django.utils.text import capfirst
from jinja2 import BaseLoader, Environment, PrefixLoader, StrictUndefined

PREFIX = "arena"
"""Prefix of the names of Jinja2 templates; all other names are Django templates."""
NO_LIMIT = -1


def environment(*, loader: BaseLoader, auto_reload: bool, **_options: object) -> Environment:
    """Configure Jinja2 with the options of Django's backend (``TEMPLATES`` in the settings).

    A name that a template uses but the context lacks is an error rather than an empty string.
    """
    jinja = Environment(
        loader=PrefixLoader({PREFIX: loader}),
        autoescape=True,
        auto_reload=auto_reload,
        undefined=StrictUndefined,
        cache_size=NO_LIMIT,
        keep_trailing_newline=True,
    )
    jinja.globals["static"] = cache(static)
    jinja.filters["capfirst"] = capfirst
    return jinja


def templates_prepare() -> None:
    """Compile all templates; call it before the first page is rendered."""
    pages: Environment = engines["jinja2"].env  # type: ignore[attr-defined]
    for name in pages.list_templates():
        pages.get_template(name)
