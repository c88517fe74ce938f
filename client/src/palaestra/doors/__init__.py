"""Doors: Palaestra under the interfaces of other frameworks, each module for its own optional extra.

Nothing of ``palaestra`` imports them. A door adds no rules: it opens, plays and closes episodes through
``palaestra.Env``, hands on a void verdict as no reward, and closes with ``model_error`` what the framework's
model could not answer.
"""
