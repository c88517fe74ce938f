"""A chart as PDF or PNG, with its fonts in it."""

from __future__ import annotations

PNG_SCALE = 3.0


def pdf_of(svg: str) -> bytes:
    # The library is 30 MB, and only those who export charts need it.
    import vl_convert

    return vl_convert.svg_to_pdf(svg)


def png_of(svg: str) -> bytes:
    """A picture of three pixels to one of the page: 300 dpi in a column of a paper."""
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=PNG_SCALE)
