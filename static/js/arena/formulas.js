/* Draws each formula beside nothing: the element keeps role="math" and its LaTeX as name, the drawing is hidden
   from the accessibility tree. A formula that cannot be drawn keeps showing its source. */
"use strict";

(() => {
  const OPTIONS = { throwOnError: true, output: "html", strict: "ignore", trust: false, maxExpand: 1000, maxSize: 60 };
  /* What older sources write and KaTeX does not know. */
  const MACROS = {
    "\\overarc": "\\overgroup{#1}",
    "\\wideparen": "\\overgroup{#1}",
    "\\cis": "\\operatorname{cis}",
    "\\textdollar": "\\$",
  };

  const draw = (formula) => {
    const drawn = document.createElement("span");
    drawn.setAttribute("aria-hidden", "true");
    const displayMode = formula.classList.contains("is-display");
    try {
      katex.render(formula.getAttribute("aria-label"), drawn, { ...OPTIONS, macros: { ...MACROS }, displayMode });
    } catch {
      formula.setAttribute("data-undrawn", "");
      return;
    }
    formula.replaceChildren(drawn);
  };

  for (const formula of document.querySelectorAll(".formula")) draw(formula);
})();
