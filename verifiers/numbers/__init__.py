"""Numbers as people write them: one parser for all verifiers that compare numbers.

``typography`` converts the many ways to type a number to one spelling, ``notation`` parses it to an exact
value without evaluating any code, and ``statement`` finds the single number that a short sentence states.
"""
