/* Keyboard shortcuts. Each key in data-keys clicks its element, or focuses it if it is a field, but not while the reader
   is typing, and not with modifier keys. "?" lists the keys. */

import { create } from "./elements.js";

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: "←", ArrowRight: "→", Space: "space" };
/** @type {Record<string, number>} */
const FASTER = { "<": -1, ">": 1 };
const FIELD = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const CONTROL = "a[href], button, input, summary, select";
const sheet = /** @type {HTMLDialogElement} */ (document.getElementById("keys"));

let shownAt = 0;

const holders = () => Array.from(document.querySelectorAll("[data-keys]")).filter((one) => !one.closest("[inert]"));
/* A page's own key takes precedence over the same key of the rail. */
/** @param {string} key */
const holderOf = (key) => {
  const all = holders().filter((one) => one.dataset.keys.split(" ").includes(key));
  return all.find((one) => one.closest("main")) ?? all[0];
};
/** @param {Element} element */
const scrollsSideways = (element) => element.scrollWidth > element.clientWidth + 1;

/* Returns true for keys that the focused element needs itself: arrows for sliders and tabs, space for buttons. */
/** @type {(target: HTMLElement, key: string) => boolean} */
const belongs = (target, key) => {
  if (target === document.body) return false;
  if (key === "Space") return Boolean(target.closest(CONTROL)) && !target.matches("[data-hit]");
  if (!/^(Arrow.*|Home|End)$/.test(key)) return false;
  const isBox = target.tabIndex === 0 && !target.matches(CONTROL);
  return Boolean(target.closest("[role=tab], input")) || (isBox && (key.length < 5 || scrollsSideways(target)));
};

/** @param {any} element */
const act = (element) => {
  if (element.matches(FIELD)) {
    element.focus();
    element.select?.();
    return;
  }
  element.click();
  /* Unfolded content may be below the viewport. */
  if (element.matches("summary")) element.parentElement.scrollIntoView({ block: "nearest" });
};

/** @type {(row: [string[], string]) => HTMLElement} */
const rowOf = ([keys, label]) => {
  const row = create("div");
  const name = create("dt");
  name.append(...keys.map((key) => create("kbd", "", SIGNS[key] ?? key)));
  row.append(name, create("dd", "", label));
  return row;
};

/** @param {HTMLElement} holder */
const isReachable = (holder) => holder.dataset.keys.split(" ").some((key) => holderOf(key) === holder);

/* All tabs are listed in one row, because each tab shows its own number. */
const list = () => {
  const all = holders().filter(isReachable);
  const tabs = all.filter((one) => one.matches("[data-tab]"));
  /** @type {[string[], string][]} */
  const rows = all.filter((one) => !tabs.includes(one)).map((one) => [one.dataset.keys.split(" "), one.dataset.keyLabel]);
  /* These are keys for which a page has its own listener. */
  for (const one of document.querySelectorAll("[data-keys-own]")) rows.push([[one.dataset.keysOwn], one.dataset.keyLabel]);
  if (tabs.length) rows.push([["0–9"], "open the tab with that number"]);
  if (document.querySelector("[data-speed]")) rows.push([Object.keys(FASTER), "slower, faster"]);
  sheet.querySelector("[data-keys-list]").replaceChildren(...rows.map(rowOf));
};

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const key = event.key === " " ? "Space" : event.key;
  /* A dialog that has just been closed leaves the focus on its hidden field until the next frame. */
  const target = event.target.checkVisibility?.() ? /** @type {HTMLElement} */ (event.target) : document.body;
  if (target.closest(FIELD) || belongs(target, key)) return;
  if (document.querySelector("dialog[open]")) return;
  if (key in FASTER) {
    document.dispatchEvent(new CustomEvent("replay:faster", { detail: FASTER[key] }));
    return;
  }
  const holder = holderOf(key);
  if (!holder) return;
  event.preventDefault();
  /* A key that was pressed before this part of the page was shown was meant for the previous content. */
  if (event.timeStamp < shownAt && holder.closest("form, [data-bookmark]")) return;
  act(holder);
});

for (const name of ["replay:swapped", "gym:content"]) {
  document.addEventListener(name, () => {
    shownAt = performance.now();
  });
}
document.addEventListener("click", (event) => {
  if (!sheet || !event.target.closest?.("[data-keys-open]")) return;
  list();
  sheet.showModal();
});
