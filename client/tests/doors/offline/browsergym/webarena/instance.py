from __future__ import annotations


class WebArenaInstance:
    """AgentLab names it in the annotation of a server that is not started here."""
