// Data that goes with a picture of the viewport: where its interactive elements are, and how far the page extends.
// Nothing is drawn here. Marks are painted onto the picture, so that neither the page nor its recorder sees them.
"use strict";
(() => {
  const LEAST_PX = 4; // of a side; what is smaller cannot be seen

  function boxOf(el) {
    const boxes = [...el.getClientRects()].filter((box) => box.width >= LEAST_PX && box.height >= LEAST_PX);
    const labels = boxes.length ? [] : [...(el.labels || [])];
    const box = boxes[0] || (labels[0] && labels[0].getBoundingClientRect());
    if (!box) return null;
    const left = Math.max(box.left, 0), top = Math.max(box.top, 0);
    const width = Math.min(box.right, innerWidth) - left, height = Math.min(box.bottom, innerHeight) - top;
    return width >= LEAST_PX && height >= LEAST_PX ? [left, top, width, height] : null;
  }
  // Returns whether a click in the middle of the box reaches the element.
  function isReached(el, [left, top, width, height]) {
    let hit = document.elementFromPoint(left + width / 2, top + height / 2);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(left + width / 2, top + height / 2);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit !== null && (el.contains(hit) || hit.contains(el) || (hit.closest("label") || {}).control === el);
  }
  function* elementsIn(root) {
    for (const el of root.querySelectorAll("*")) {
      yield el;
      if (el.shadowRoot) yield* elementsIn(el.shadowRoot);
    }
  }
  // Lists the interactive elements that can be seen and clicked, with id, box in viewport pixels, and outline line.
  function marks() {
    const out = [];
    for (const el of elementsIn(document.body || document)) {
      const role = palaestra.roleOf(el);
      if (!palaestra.isInteractive(el, role)) continue;
      const style = getComputedStyle(el), box = boxOf(el);
      if (!box || style.visibility !== "visible" || el.closest("[aria-hidden=true],[inert]") || !isReached(el, box)) continue;
      const line = palaestra.describe(el, role, false);
      out.push({ id: /^\[(e\d+)\]/.exec(line)[1], line, box });
    }
    return out;
  }
  // Measures how many pixels of the page are above, below, left and right of the viewport.
  function beyond() {
    const root = document.scrollingElement || document.documentElement;
    return { above: Math.round(root.scrollTop), below: Math.max(Math.round(root.scrollHeight - root.scrollTop - innerHeight), 0),
      left: Math.round(root.scrollLeft), right: Math.max(Math.round(root.scrollWidth - root.scrollLeft - innerWidth), 0) };
  }
  const picture = (withMarks) => ({ ...beyond(), marks: withMarks ? marks() : [], moment: palaestra.moment() });
  Object.assign(globalThis.palaestra, { picture, elementsIn });
})();
