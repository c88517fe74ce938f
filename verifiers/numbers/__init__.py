"""Numbers as people write them: one parser for all verifiers that compare numbers.

``typography`` gives every way of typing a number one spelling, ``notation`` reads it, exactly and without
evaluating anything, and ``statement`` finds the one number that a short sentence states.
"""
