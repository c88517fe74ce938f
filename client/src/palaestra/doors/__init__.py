"""Doors: adapters that connect Palaestra to other frameworks, one module per framework and optional extra.

Nothing in ``palaestra`` imports them. A door adds no rules: it opens, plays and closes episodes through
``palaestra.Env``, reports a void verdict as a missing reward, and closes an episode as ``model_error`` if the
framework's model fails.
"""
