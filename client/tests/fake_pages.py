"""The pages of the fake arena."""

from __future__ import annotations

QUESTION = r"What is $\frac{1}{2}$ of 84?"
PAGE = r"""<!doctype html><html lang="en"><head><title>Question</title><link rel="icon" href="data:,">
<script src="/static/settle.js" defer></script></head><body><main><h1>Question</h1>
<p>What is <span role="math" aria-label="\frac{1}{2}"><span aria-hidden="true">1 2</span></span> of 84?</p>
<form method="post" action="submit"><label for="answer">Your answer</label>
<input id="answer" name="answer" type="text" maxlength="200" autocomplete="off" required>
<button>Submit answer</button></form>{extra}</main></body></html>"""
DONE = """<!doctype html><html lang="en" data-settled="true"><head><title>Done</title>
<link rel="icon" href="data:,"></head><body><h1>Answer recorded</h1></body></html>"""
SETTLE = """document.fonts.ready.then(() => { document.documentElement.dataset.settled = "true"; });"""
