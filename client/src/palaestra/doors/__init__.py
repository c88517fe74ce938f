"""Doors: adapters of Palaestra to other frameworks, one module per framework and optional extra.

Nothing in ``palaestra`` imports them. A door adds no rules: it opens, plays and closes episodes through
``palaestra.Env``, passes on a void verdict as no reward, and closes an episode as ``model_error`` if the
framework's model fails.
"""
