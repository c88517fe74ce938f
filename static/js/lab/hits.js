/* Hits of a search: buttons (and their keys) lead from hit to hit and tick their episodes, what is ticked is counted, and
   whoever comes back stands where they left. Without this file hits are links and boxes like all others. */
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

  let stood = null;
  const tickOf = (hit) => hit?.closest("tr, .hit")?.querySelector(".tick");
  const ticks = () => [...document.querySelectorAll(".tick")];

  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.("[data-hit]")) stood = event.target;
  });

  const tell = () => {
    const said = document.querySelector("[data-ticked]");
    if (!said) return;
    const ticked = ticks().filter((one) => one.checked);
    const episodes = new Set(ticked.map((one) => one.value)).size;
    const more = ticked.length > episodes ? `: ${episodes} episode${episodes === 1 ? "" : "s"}` : "";
    said.textContent = ticked.length ? `${ticked.length} ticked${more}` : "";
  };

  /* Neither comparing nor taking away makes sense of nothing. */
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "compare" || ticks().some((one) => one.checked)) return;
    event.preventDefault();
    const said = document.querySelector("[data-ticked]");
    said.textContent = event.submitter?.hasAttribute("formaction") ? "Tick episodes first" : "Tick two to four episodes first";
    said.scrollIntoView({ block: "nearest" });
  });

  /* What is compared are episodes: of one with several hits all boxes are one. */
  document.addEventListener("change", (event) => {
    if (!event.target.matches?.(".tick")) return;
    const { value, checked } = event.target;
    for (const one of ticks()) if (one.value === value) one.checked = checked;
    tell();
  });
  /* Whoever comes back finds boxes ticked; other hits come without any. */
  addEventListener("pageshow", tell);
  document.addEventListener("htmx:afterSettle", tell);

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-hit-tick]")) tickOf(stood?.isConnected ? stood : hits()[0])?.click();
    const button = event.target.closest?.("[data-hit-move]");
    if (button) move(Number(button.dataset.hitMove));
    const hit = event.target.closest?.("[data-hit]");
    if (hit) history.replaceState({ ...history.state, hit: keyOf(hit) }, "");
  });

  const left = history.state?.hit;
  const hit = left && hits().find((one) => keyOf(one) === left);
  if (hit) go(hit);
})();
