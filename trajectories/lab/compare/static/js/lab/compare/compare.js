/* Episodes side by side: the thoughts of a row scroll together, and buttons (and their keys) move between differences.
   Without this script there are links, and every thought scrolls separately. */

import "../shared/copy_link.js";

let isFollowing = false;
/** @param {Element} box */
const share = (box) => box.scrollTop / Math.max(1, box.scrollHeight - box.clientHeight);

document.addEventListener(
  "scroll",
  (event) => {
    const target = /** @type {Element} */ (event.target);
    if (isFollowing || !target.classList?.contains("compare-thought")) return;
    const row = target.closest(".compare-row");
    if (!row) return;
    isFollowing = true;
    for (const box of row.querySelectorAll(".compare-thought")) {
      if (box !== target) box.scrollTop = share(target) * (box.scrollHeight - box.clientHeight);
    }
    // Boxes that this script scrolled fire their scroll events in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => { isFollowing = false; }));
  },
  true,
);

/** @param {Element} row */
const numberOf = (row) => Number(row.id.slice(4));
const differences = () => [...document.querySelectorAll(".compare-row.is-differs[id]")];

/** @param {HTMLElement} row */
const go = (row) => {
  if (!row) return;
  row.scrollIntoView({ block: "start" });
  row.focus({ preventScroll: true });
};

/* The row that had the focus before a button took it. */
let place = 0;
document.addEventListener("focusin", ({ target }) => {
  const row = target.closest(".compare-row[id]");
  if (row) place = numberOf(row);
});

const openFold = () => {
  const row = document.getElementById(location.hash.slice(1));
  const fold = row?.closest("details");
  if (fold) fold.open = true;
};

const earlier = () => go(differences().findLast((row) => numberOf(row) < place));
const later = () => go(differences().find((row) => numberOf(row) > place));
const folds = () => {
  /** @type {HTMLDetailsElement[]} */
  const all = Array.from(document.querySelectorAll(".compare-fold"));
  const isOpen = all.some((fold) => !fold.open);
  for (const fold of all) fold.open = isOpen;
};
/** @type {Record<string, () => void>} */
const MOVES = { earlier, later, folds };

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-compare]");
  if (button) MOVES[button.dataset.compare]();
  /* The first divergence may be on another page. */
  const first = document.querySelector(".compare-row.is-first");
  if (!first || !event.target.closest?.("#to-divergence")) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; /* The link may open in another tab or window. */
  event.preventDefault();
  go(first);
});

/* If no episode is selected, a hint is shown instead of loading the same page again. */
const choices = document.querySelector("[data-choices]");
choices?.addEventListener("submit", (event) => {
  if (choices.querySelector("[type=checkbox]:checked")) return;
  event.preventDefault();
  choices.querySelector("[data-hint]").textContent = "Select an episode first";
});
choices?.addEventListener("change", () => {
  choices.querySelector("[data-hint]").textContent = "";
});

document.addEventListener("replay:announce", ({ detail }) => {
  document.querySelector("[data-status]").textContent = detail;
});
/* The choice to show golds next to answers is remembered, so that readers of many pairs decide only once. */
/** @type {HTMLDetailsElement} */
const gold = document.querySelector("details[data-remembered]");
if (gold) {
  const key = gold.dataset.remembered;
  try {
    gold.open = localStorage.getItem(key) === "shown";
    gold.addEventListener("toggle", () => localStorage.setItem(key, gold.open ? "shown" : ""));
  } catch {
    /* Without storage, the choice only applies to this page. */
  }
}

addEventListener("hashchange", openFold);
openFold();
