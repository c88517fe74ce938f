from __future__ import annotations


class WebArenaInstance:
    """A name that AgentLab needs for the type annotation of a server, which is not started here."""
