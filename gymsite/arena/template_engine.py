"""Templates of the arena's pages: Jinja2's, which takes a third of the time of Django's own engine."""

from __future__ import annotations

from functools import cache

from django.template import engines
from django.templatetags.static import static
from django.utils.text import capfirst
from jinja2 import BaseLoader, Environment, PrefixLoader, StrictUndefined

PREFIX = "arena"
"""Prefix of these templates' names; any other name is one of Django's templates."""
NO_LIMIT = -1


def environment(*, loader: BaseLoader, auto_reload: bool, **_options: object) -> Environment:
    """Configure Jinja2 for Django's backend, whose options these are (``TEMPLATES`` in the settings).

    A name that a template uses and a page lacks is an error, and never an empty text.
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
    """Compile all templates; call it before the first page is drawn."""
    pages: Environment = engines["jinja2"].env  # type: ignore[attr-defined]
    for name in pages.list_templates():
        pages.get_template(name)
