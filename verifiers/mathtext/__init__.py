"""Mathematics as people type it, in LaTeX or plain text, parsed by a small grammar and compared by value.

No text is evaluated as code. An answer becomes a tree of known operations, and two trees are equal if they
have the same exact value or, with variables, the same values at chosen points.
"""
