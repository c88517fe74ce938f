// Scrolls the page or a part of it, wherever the mouse is. The mouse wheel is not used, because it would scroll what is
// under the mouse and change the number in a focused field.
"use strict";
(() => {
  const FRAME_LIMIT_MS = 100; // a page that draws nothing has no frames
  const AXES = {
    x: { at: "scrollLeft", shown: "clientWidth", whole: "scrollWidth", overflow: "overflowX", chain: "overscrollBehaviorX", to: "left" },
    y: { at: "scrollTop", shown: "clientHeight", whole: "scrollHeight", overflow: "overflowY", chain: "overscrollBehaviorY", to: "top" },
  };
  const pageOf = () => document.scrollingElement || document.documentElement;
  const overflowOf = (el, axis) => getComputedStyle(el)[axis.overflow];
  // The root element's overflow applies to the window; if it sets none, the body's does.
  function windowOverflow(axis) {
    const root = overflowOf(document.documentElement, axis);
    return root === "visible" && document.body ? overflowOf(document.body, axis) : root;
  }
  function canScroll(el, axis) {
    if (el[axis.whole] <= el[axis.shown]) return false;
    return el === pageOf() ? !/hidden|clip/.test(windowOverflow(axis)) : /auto|scroll/.test(overflowOf(el, axis));
  }
  const hasRoom = (el, axis, by) => by > 0 ? el[axis.at] + el[axis.shown] < el[axis.whole] - 1 : el[axis.at] > 0;
  const around = (el) => el.assignedSlot || el.parentElement || el.getRootNode().host || null;

  // The part to scroll for an element: the innermost one around it that has room, unless a part contains its scrolling.
  function partOf(el, axis, by) {
    for (let at = el; at && at !== pageOf(); at = around(at)) {
      if (!canScroll(at, axis)) continue;
      if (hasRoom(at, axis, by)) return at;
      if (/contain|none/.test(getComputedStyle(at)[axis.chain])) return null;
    }
    return pageOf();
  }
  function areaInView(el) {
    const box = el.getBoundingClientRect();
    const wide = Math.min(box.right, innerWidth) - Math.max(box.left, 0), high = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    return Math.max(wide, 0) * Math.max(high, 0);
  }
  // The page itself, which seldom scrolls sideways; if it cannot scroll, the largest part in view that can.
  function mainPart(axis, by) {
    const page = pageOf();
    if (canScroll(page, axis) && (axis === AXES.y || hasRoom(page, axis, by))) return page;
    let main = null, most = 0;
    for (const el of palaestra.elementsIn(document.body || document)) {
      if (el === page || !canScroll(el, axis) || !hasRoom(el, axis, by)) continue;
      const area = areaInView(el);
      if (area > most) { main = el; most = area; }
    }
    return main;
  }
  // Scroll events are sent before the next frame is drawn, so by then their handlers have run.
  function nextFrame() {
    return new Promise((resolve) => { requestAnimationFrame(() => resolve()); setTimeout(resolve, FRAME_LIMIT_MS); });
  }
  async function scroll(aim, dx, dy) {
    const isNamed = aim.id !== undefined || aim.x !== undefined;
    const target = isNamed ? palaestra.aimed(aim) : {};
    const isInView = target.el && (aim.id === undefined || palaestra.freePoint(target.el));
    const place = isNamed && !isInView ? palaestra.locate(aim) : { element: target.el ? palaestra.pathOf(target.el) : "" };
    if (place.problem) return place;
    let hasMoved = false;
    for (const [axis, by] of [[AXES.x, dx], [AXES.y, dy]]) {
      const part = by && (isNamed ? partOf(target.el, axis, by) : mainPart(axis, by));
      if (!part) continue;
      part.scrollBy({ [axis.to]: by, behavior: "instant" });
      hasMoved = true;
    }
    if (!hasMoved && dx && !dy && !isNamed) return { problem: "nothing in view moves that way" };
    await nextFrame();
    return { element: place.element };
  }
  Object.assign(globalThis.palaestra, { scroll });
})();
