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

  const saidOf = () => document.querySelector("[data-ticked]");

  const tell = () => {
    const said = saidOf();
    if (!said) return;
    const ticked = ticks().filter((one) => one.checked);
    const episodes = [...new Set(ticked.map((one) => one.value))];
    const more = ticked.length > episodes.length ? `: ${episodes.length} episode${episodes.length === 1 ? "" : "s"}` : "";
    const text = ticked.length ? `${ticked.length} selected${more}` : (said.dataset.hint ?? "");
    said.dataset.episodes = episodes.join(" ");
    if (said.textContent !== text) said.textContent = text; /* What is written is read out. */
  };

  const boxFor = (value) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { className: "tick", type: "checkbox", name: "episodes", value, checked: true });
    box.setAttribute("form", "compare");
    label.append(box, ` ${value}`);
    return label;
  };

  /* A list that is renewed shows its newest episodes: what is ticked stays so when it has left the list. Of other hits
     what is said is new as well, and knows of none. */
  const renewed = () => {
    const ticked = saidOf()?.dataset.episodes?.split(" ").filter(Boolean) ?? [];
    const shown = new Set(ticks().map((one) => one.value));
    const left = ticked.filter((value) => !shown.has(value));
    document.querySelector("[data-ticked-left]")?.append(...left.map(boxFor));
    tell();
  };

  /* Nothing selected: nothing to compare or export. */
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "compare" || ticks().some((one) => one.checked)) return;
    event.preventDefault();
    const said = saidOf();
    said.dataset.hint = event.submitter?.hasAttribute("formaction") ? "Select episodes first" : "Select two to four episodes first";
    tell();
    said.scrollIntoView({ block: "nearest" });
  });

  /* Episodes are selected, so the boxes of all hits of one episode change together. */
  document.addEventListener("change", (event) => {
    if (!event.target.matches?.(".tick")) return;
    const { value, checked } = event.target;
    for (const one of ticks()) if (one.value === value) one.checked = checked;
    delete saidOf()?.dataset.hint;
    tell();
  });
  /* Going back restores boxes; new results have none selected. */
  addEventListener("pageshow", tell);
  document.addEventListener("htmx:afterSettle", renewed);

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
