"""Mathematics as people type it: LaTeX or plain, read by a small grammar and compared by value.

Nothing here evaluates text: an answer becomes a tree of known operations, and two trees are equal when
they have the same exact value, or, with variables, the same values at chosen points.
"""
