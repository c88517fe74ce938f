/* Hits of a search: buttons (and their keys) lead from hit to hit, and whoever comes back stands where they left.
   Without this file hits are links like all others. */
"use strict";

(() => {
  const hits = () => [...document.querySelectorAll("[data-hit]")];
  const keyOf = (hit) => hit.getAttribute("href");

  const go = (hit) => {
    hit.focus({ preventScroll: true });
    // Without a key pressed on it a browser may not draw the outline.
    hit.scrollIntoView({ block: "nearest" });
  };

  const move = (by) => {
    const all = hits();
    const at = all.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    if (all[next]) go(all[next]);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-hit-move]");
    if (button) move(Number(button.dataset.hitMove));
    const hit = event.target.closest?.("[data-hit]");
    if (hit) history.replaceState({ ...history.state, hit: keyOf(hit) }, "");
  });

  const left = history.state?.hit;
  const hit = left && hits().find((one) => keyOf(one) === left);
  if (hit) go(hit);
})();
