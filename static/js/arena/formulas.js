/* Renders each formula in place. The element keeps role="math" and its LaTeX as its name, and the rendering is hidden
   from the accessibility tree. A formula that cannot be rendered keeps showing its source. */

const OPTIONS = { throwOnError: true, strict: "ignore", trust: false, maxExpand: 1000, maxSize: 60 };
/* Commands that occur in older sources and that KaTeX does not know. */
const MACROS = {
  "\\mbox": "\\text{#1}",
  "\\overarc": "\\overgroup{#1}",
  "\\wideparen": "\\overgroup{#1}",
  "\\cis": "\\operatorname{cis}",
  "\\textdollar": "\\$",
};

/* KaTeX sets the width of a few pictures, such as the arrow of \vec, in a style attribute. The page's policy forbids
   style attributes, but allows the same style to be set as a property. */
const STYLE = "data-style";
/** @param {any} node */
const setStylesAside = (node) => {
  if (node.attributes?.style) {
    node.attributes[STYLE] = node.attributes.style;
    delete node.attributes.style;
  }
  for (const child of node.children ?? []) setStylesAside(child);
  return node;
};
/** @template {Element} E @param {E} element */
const giveStylesBack = (element) => {
  for (const styled of element.querySelectorAll(`[${STYLE}]`)) {
    styled.style.cssText = styled.getAttribute(STYLE);
    styled.removeAttribute(STYLE);
  }
  return element;
};

/** @param {HTMLElement} formula */
const draw = (formula) => {
  const displayMode = formula.classList.contains("is-display");
  const options = { ...OPTIONS, macros: { ...MACROS }, displayMode };
  const drawn = document.createElement("span");
  drawn.setAttribute("aria-hidden", "true");
  try {
    const tree = katex.__renderToHTMLTree(formula.getAttribute("aria-label"), options);
    drawn.append(giveStylesBack(setStylesAside(tree).toNode()));
  } catch {
    formula.setAttribute("data-undrawn", "");
    return;
  }
  formula.replaceChildren(drawn);
};

/** @param {Document | Element} place */
const drawAll = (place) => { for (const formula of place.querySelectorAll(".formula")) draw(formula); };
drawAll(document);
/* Sent by scripts that have added content to the page. */
document.addEventListener("gym:content", (event) => drawAll(/** @type {Element} */ (event.target)));
