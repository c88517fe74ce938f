/* The sections of a step in the drawer, as tabs (the ARIA pattern of tabs that follow the focus). At first, the server
   decides which tab is open. A chosen tab stays open from step to step and is part of the address. The content of some
   tabs has its own address and is fetched when the tab is opened. If the searched text is in only one tab, that tab is
   open unless the reader has chosen another one since the search. The address then contains no tab, so that it leads to
   the match again, and the history keeps the choice. */

import { fillPart } from "./fill.js";
import * as replay from "./viewer.js";

const DOM = "dom";
/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
const currentFind = () => replay.findIn(location.search);
/* The address may also name a replay in place of the picture ("dom"). */
const names = () => location.hash.slice(1).split("+");
const named = () => names().find((name) => name && name !== DOM) ?? "";
const saved = history.state?.tab;
let open = named() || saved?.open || "";
let chosenFor = saved ? saved.chosenFor : open ? currentFind() : null; /* The searched text at the time when the tab was chosen. */
let hasMoved = false;

const tabs = () => Array.from(replay.article().querySelectorAll("[data-tab]"));
/** @type {(name: string) => HTMLElement} */
const panelOf = (name) => replay.article().querySelector(`[data-panel="${CSS.escape(name)}"]`);

/** @type {(tab: HTMLElement, isOpen: boolean) => void} */
const drawTab = (tab, isOpen) => {
  const panel = panelOf(tab.dataset.tab);
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-selected", String(isOpen));
  tab.setAttribute("aria-controls", tab.dataset.tab);
  tab.tabIndex = isOpen ? 0 : -1;
  panel.setAttribute("role", "tabpanel");
  panel.classList.toggle("is-open", isOpen);
  if (isOpen) void fillPart(panel);
};

/* Scrolls the open tab into view if not all tabs fit in the row. */
/** @param {HTMLElement} tab */
const reveal = (tab) => {
  const row = tab.parentElement;
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
};

/** @param {HTMLElement[]} all */
const choiceOf = (all) => {
  const chosen = all.find((tab) => tab.dataset.tab === open);
  const resting = chosen ?? all.find((tab) => "tabFirst" in tab.dataset);
  const holding = all.filter((tab) => "tabMatches" in tab.dataset);
  const isInSight = "matchInView" in replay.article().dataset || holding.includes(resting);
  const isOwnChoice = isInSight || (chosen && chosenFor === currentFind()) || holding.length === 0;
  return { shown: (isOwnChoice ? resting : holding[0])?.dataset.tab, isOwnChoice };
};

/** @param {boolean} isOwnChoice */
const updateAddress = (isOwnChoice) => {
  const parts = [...(names().includes(DOM) ? [DOM] : []), ...(isOwnChoice && open ? [open] : [])];
  const hash = parts.length ? `#${parts.join("+")}` : "";
  const state = { ...history.state, tab: { open, chosenFor } };
  history.replaceState(state, "", location.pathname + location.search + hash);
};

const draw = () => {
  const all = tabs();
  const { shown } = choiceOf(all);
  all[0]?.parentElement.setAttribute("role", "tablist");
  for (const tab of all) drawTab(tab, tab.dataset.tab === shown);
  const opened = all.find((tab) => tab.dataset.tab === shown);
  if (opened) requestAnimationFrame(() => reveal(opened)); /* This is done just before a frame, so that the layout is computed only once. */
};

/** @param {HTMLElement} tab */
const choose = (tab) => {
  open = tab.dataset.tab;
  chosenFor = currentFind();
  updateAddress(true);
  draw();
};

document.addEventListener("click", (event) => {
  const tab = event.target.closest?.("[data-tab]");
  if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(tab);
});

/** @type {(key: string, place: number, count: number) => number | null} */
const goalOf = (key, place, count) => {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key === " ") return place;
  return key in MOVES ? (place + MOVES[key] + count) % count : null;
};

document.addEventListener("keydown", (event) => {
  const tab = event.target.closest?.("[data-tab]");
  if (!tab || event.altKey || event.ctrlKey || event.metaKey) return;
  const all = tabs();
  const goal = goalOf(event.key, all.indexOf(tab), all.length);
  if (goal === null) return;
  event.preventDefault();
  choose(all[goal]);
  all[goal].focus();
});

/* The address of the shown step was changed to another tab, by typing or by going back. */
addEventListener("hashchange", () => {
  const tab = tabs().find((one) => one.dataset.tab === named());
  if (tab && named() !== open) choose(tab);
});

document.addEventListener("replay:swapped", () => {
  hasMoved = true;
  draw();
});
/* The address is already the step's. */
document.addEventListener("replay:shown", () => {
  if (hasMoved) updateAddress(choiceOf(tabs()).isOwnChoice);
  hasMoved = false;
});
draw();
