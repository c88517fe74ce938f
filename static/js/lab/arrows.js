/* The arrow keys go to the previous and next step. Not while something is typed, nor inside a box that scrolls. */
"use strict";

(() => {
  const RELATIONS = { ArrowLeft: "prev", ArrowRight: "next" };

  const scrollsSideways = (element) => element.scrollWidth > element.clientWidth;

  addEventListener("keydown", (event) => {
    const relation = RELATIONS[event.key];
    if (!relation || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = event.target;
    if (target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (target !== document.body && target.tabIndex === 0 && scrollsSideways(target)) return;
    const link = document.querySelector(`link[rel="${relation}"]`);
    if (link) location.assign(link.href);
  });
})();
