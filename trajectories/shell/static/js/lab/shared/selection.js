/* Rows of a list: keys move from row to row and select rows, one by one or as ranges. The selection is counted, and
   readers who come back find the row that they left. Without this file, rows are plain links and boxes. */

const hits = () => [...document.querySelectorAll("[data-hit]")];
/** @param {Element} hit */
const keyOf = (hit) => hit.getAttribute("href");

/** @param {HTMLElement} hit */
const go = (hit) => {
  hit.focus({ preventScroll: true });
  // A browser may not draw the outline unless a key was pressed on the element.
  hit.scrollIntoView({ block: "nearest" });
};

/** @type {HTMLElement | null} */
let current = null; /* The row that last had the focus. */
/** @type {(by: number, isExtending: boolean) => void} */
const move = (by, isExtending) => {
  const all = hits();
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const at = all.indexOf(focused.matches("[data-hit]") ? focused : current);
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
  if (isExtending) setAll([at, next].filter((place) => all[place]).map((place) => boxOf(all[place])), true);
  if (all[next]) go(all[next]);
};

/** @type {(hit?: Element) => HTMLInputElement | undefined} */
const boxOf = (hit) => hit?.closest("tr")?.querySelector(".select-box");
/** @type {() => HTMLInputElement[]} */
const boxes = () => Array.from(document.querySelectorAll(".select-box"));

document.addEventListener("focusin", (event) => {
  if (event.target.matches?.("[data-hit]")) current = /** @type {HTMLElement} */ (event.target);
});

/** @type {() => HTMLInputElement[]} */
const rowBoxes = () => Array.from(document.querySelectorAll("tr .select-box"));

/* Selection applies to episodes, so the boxes of all rows of an episode change together. */
/** @type {(some: HTMLInputElement[], checked: boolean) => void} */
const setAll = (some, checked) => {
  const values = new Set(some.filter(Boolean).map((one) => one.value));
  for (const one of boxes()) if (values.has(one.value)) one.checked = checked;
  delete outputOf()?.dataset.hint;
  update();
};

const outputOf = () => document.querySelector("[data-selection]");

const update = () => {
  const output = outputOf();
  if (!output) return;
  const selected = boxes().filter((one) => one.checked);
  const episodes = [...new Set(selected.map((one) => one.value))];
  const more = selected.length > episodes.length ? `: ${episodes.length} episode${episodes.length === 1 ? "" : "s"}` : "";
  const text = selected.length ? `${selected.length} selected${more}` : (output.dataset.hint ?? "");
  output.dataset.episodes = episodes.join(" ");
  /** @type {HTMLInputElement} */
  const all = document.querySelector("[data-select-all]");
  if (all) {
    all.checked = selected.length > 0 && selected.length === rowBoxes().length;
    all.indeterminate = selected.length > 0 && !all.checked;
  }
  if (output.textContent !== text) output.textContent = text; /* Screen readers would announce even an unchanged text. */
};

/** @param {string} value */
const boxFor = (value) => {
  const label = document.createElement("label");
  const box = document.createElement("input");
  Object.assign(box, { className: "select-box", type: "checkbox", name: "episodes", value, checked: true });
  box.setAttribute("form", "compare");
  label.append(box, ` ${value}`);
  return label;
};

/* A renewed list shows the newest episodes; selected episodes that are no longer in it stay selected. New search results
   come with a new output element, which has no selection. */
const renewed = () => {
  const selected = outputOf()?.dataset.episodes?.split(" ").filter(Boolean) ?? [];
  const shown = new Set(boxes().map((one) => one.value));
  const left = selected.filter((value) => !shown.has(value));
  document.querySelector("[data-selection-left]")?.append(...left.map(boxFor));
  update();
};

/* If nothing is selected, a hint is shown instead of comparing or exporting. */
document.addEventListener("submit", (event) => {
  if (/** @type {Element} */ (event.target).id !== "compare" || boxes().some((one) => one.checked)) return;
  event.preventDefault();
  const output = outputOf();
  output.dataset.hint = event.submitter?.hasAttribute("formaction") ? "Select episodes first" : output.dataset.first ?? "Select two to four episodes first";
  update();
  output.scrollIntoView({ block: "nearest" });
});

/* The box at which a range begins; a shift-click ends the range. */
/** @type {HTMLInputElement | null} */
let anchor = null;
let isRange = false;
document.addEventListener("click", (event) => {
  if (event.target.matches?.(".select-box")) isRange = event.shiftKey;
}, true);
document.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.matches?.("[data-select-all]")) setAll(rowBoxes(), target.checked);
  if (!target.matches?.(".select-box")) return;
  const all = rowBoxes();
  const ends = [all.indexOf(anchor), all.indexOf(target)];
  const isWhole = isRange && !ends.includes(-1);
  setAll(isWhole ? all.slice(Math.min(...ends), Math.max(...ends) + 1) : [target], target.checked);
  anchor = target;
  isRange = false;
});
/* Going back restores selected boxes; new results have none. */
addEventListener("pageshow", update);
document.addEventListener("htmx:afterSettle", renewed);

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-hit-select]")) boxOf(current ?? hits()[0])?.click(); /* Nothing happens if the row is no longer in the list. */
  const button = event.target.closest?.("[data-hit-move]");
  if (button) move(Number(button.dataset.hitMove), button.hasAttribute("data-hit-extend"));
  const hit = event.target.closest?.("[data-hit]");
  if (hit) history.replaceState({ ...history.state, hit: keyOf(hit) }, "");
});

const left = history.state?.hit;
const hit = left && hits().find((one) => keyOf(one) === left);
if (hit) go(hit);
