/* Goes from step to step without leaving the page. A link to a step of this episode fetches only that step's part, and
   adjacent steps are prefetched. Other scripts listen to "replay:swapped" and "replay:shown". */

import { hold, release } from "../../arena/settled.js";

/**
 * @typedef {object} Going
 * @property {string} [find]
 * @property {boolean} [near] If true, goes to the nearest step if no step has the number.
 * @property {boolean} [isTyped] True if the reader typed the number.
 */

export const viewer = document.querySelector("[data-viewer]");

const CACHE_MAX = 60;
const PICTURE_MS = 40;
const COMPUTED = [".action-card", "#measures"];
const AWAITED = "[data-awaited]"; /* A screenshot that was announced but has not been uploaded. */
const base = viewer.dataset.viewer;
/** @type {Map<string, Promise<HTMLElement>>} */
const cache = new Map();
const QUEUE_MAX = 8;
let requests = 0;
let underWay = 0; /* The request for a step that has not arrived yet. */
/** @type {("before" | "after")[]} */
let queue = [];
/** @type {Promise<boolean> | null} */
let latest = null;

export const article = () => document.getElementById("step");
export const current = () => Number(article().dataset.step);
/** @param {string} search */
export const findIn = (search) => new URLSearchParams(search).get("find") ?? "";
/** @param {string} find */
const query = (find) => (find ? `?find=${encodeURIComponent(find)}` : "");
/** @type {(index: number | string, find?: string) => string} */
export const address = (index, find = findIn(location.search)) => `${base}${index}${query(find)}`;
/** @type {(index: number | string, find: string) => string} */
const partOf = (index, find) => `${address(index, find)}${find ? "&" : "?"}fragment`;
/** @type {(index: number, find: string) => string} */
const nearestOf = (index, find) => `${base}${query(find)}${find ? "&" : "?"}index=${index}&fragment`;

/** @type {(url: URL) => number | null} */
const stepOf = (url) => {
  if (url.origin !== location.origin || !url.pathname.startsWith(base)) return null;
  const rest = url.pathname.slice(base.length);
  return /^[0-9]{1,10}$/.test(rest) ? Number(rest) : null;
};

/** @param {string} text */
const announce = (text) => {
  viewer.querySelector("[data-status]").textContent = text;
};

/** @type {(path: string) => Promise<HTMLElement>} */
const fetched = async (path) => {
  const response = await fetch(path, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const part = page.getElementById("step");
  if (!part) throw new Error("no step came"); /* It is, for example, the login page. */
  part.dataset.fetchedAt = String(performance.now());
  return part;
};

/** @param {string} path */
const load = (path) => {
  if (!cache.has(path)) {
    const loading = fetched(path);
    cache.set(path, loading);
    loading.catch(() => cache.delete(path));
    if (cache.size > CACHE_MAX) cache.delete(cache.keys().next().value);
  }
  return cache.get(path);
};

/** @param {string} path */
const prefetch = (path) => {
  load(path).then(
    (part) => {
      const shot = part.querySelector(".shot img");
      if (shot) new Image().src = shot.getAttribute("src");
    },
    () => {},
  );
};

/* Prefetches a step whose number the reader is typing, since they may be about to go there. */
/** @param {number} index */
export const prefetchNearest = (index) => prefetch(nearestOf(index, findIn(location.search)));

/* This is done after the frame with the step has been drawn, because nothing else may delay that. */
/** @param {() => void} todo */
export const afterFrame = (todo) => {
  const soon = document.hidden ? setTimeout : requestAnimationFrame;
  soon(() => soon(todo));
};

/* A picture that is decoded before its step appears does not flash. The step does not wait for a slow picture. */
/** @param {HTMLElement} part */
const drawn = (part) => {
  /** @type {HTMLImageElement | null} */
  const shot = part.querySelector(".shot img");
  if (!shot) return null;
  const late = new Promise((resolve) => {
    setTimeout(resolve, PICTURE_MS);
  });
  return Promise.race([shot.decode().catch(() => {}), late]);
};

const isWriting = () => article().contains(document.activeElement) && document.activeElement.matches("textarea");

/** @param {HTMLElement} part */
const swap = (part) => {
  const old = article();
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  old.replaceWith(part);
  document.dispatchEvent(new Event("replay:swapped"));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
};

/** @type {(name: string, index?: number | string) => void} */
const link = (name, index) => {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = viewer.querySelectorAll(`[data-step-link="${name}"]`);
  for (const one of links) {
    one.classList.toggle("is-off", !index);
    if (index) one.href = address(index);
    else one.removeAttribute("href");
  }
};

const settleLinks = () => {
  const { before, after } = article().dataset;
  link("before", before);
  link("after", after);
  link("start", viewer.dataset.start);
  link("last", viewer.dataset.last);
  const find = findIn(location.search);
  if (after) prefetch(partOf(after, find));
  if (before) afterFrame(() => prefetch(partOf(before, find)));
};

const settle = () => {
  const { step } = article().dataset;
  for (const one of viewer.querySelectorAll("[data-step-number]")) one.textContent = step;
  document.title = document.title.replace(/^Step \d+/, `Step ${step}`);
  settleLinks();
  document.dispatchEvent(new CustomEvent("replay:shown", { detail: { step: Number(step) } }));
};

/* After going back, the address is already right. */
/** @type {(index: number, find?: string) => void} */
const pushAddress = (index, find = findIn(location.search)) => {
  if (stepOf(new URL(location.href)) === index && findIn(location.search) === find) return;
  history.pushState({}, "", address(index, find) + location.hash);
};

/** @type {(index: number, options?: Going) => Promise<boolean>} */
const bring = async (index, { find = findIn(location.search), near = false, isTyped = false } = {}) => {
  requests += 1;
  const mine = requests;
  underWay = mine;
  hold();
  try {
    const path = near ? nearestOf(index, find) : partOf(index, find);
    let loaded = await load(path);
    /* The step was the last one when it was fetched, and more steps have arrived since. */
    if (!loaded.dataset.after && Number(loaded.dataset.step) < Number(viewer.dataset.last)) {
      cache.delete(path);
      loaded = await load(path);
    }
    const part = document.importNode(loaded, true);
    const notice = part.querySelector("[data-notice]");
    if (!isTyped) notice?.remove(); /* The reader did not ask for the number that the slider reached. */
    await drawn(part);
    if (mine !== requests) return false;
    if (!part.dataset.after) cache.delete(path); /* More steps may arrive. */
    swap(part);
    pushAddress(Number(part.dataset.step), find);
    settle();
    announce(isTyped && notice ? `${notice.textContent} ${part.dataset.summary}` : part.dataset.summary);
    return true;
  } catch {
    if (mine === requests) location.assign(near ? nearestOf(index, find).replace("&fragment", "") : address(index, find));
    return false;
  } finally {
    if (underWay === mine) underWay = 0;
    release();
  }
};

/* While readers write a note, nothing takes them away from its step. A step that was on its way when they started is
   dropped, even if it arrives after the note has been saved. */
const stay = () => {
  if (!underWay) return;
  requests += 1;
  underWay = 0;
  latest = null;
  queue = [];
  pushAddress(current());
  settle();
};

/** @type {(index: number, options?: Going) => Promise<boolean>} */
export const show = async (index, options) => {
  if (isWriting()) {
    settle();
    return false;
  }
  latest = bring(index, options);
  return latest;
};

/* Goes to the step before or after the shown one. If requests come faster than steps arrive, they are queued. */
/** @param {"before" | "after"} name */
const go = async (name) => {
  if (queue.length >= QUEUE_MAX) return;
  queue.push(name);
  if (queue.length > 1) return;
  const mine = queue;
  const before = requests;
  await latest;
  if (requests !== before) mine.length = 0;
  while (mine.length > 0) {
    const index = Number(article().dataset[mine[0]]);
    if (index && !(await show(index))) mine.length = 0; /* Another step was requested in the meantime. */
    mine.shift();
  }
};

export const clearCache = () => {
  cache.clear();
  settleLinks();
};

const shownPath = () => partOf(current(), findIn(location.search));
/** @param {HTMLElement | null} part */
const isShown = (part) => part?.dataset.step === article().dataset.step;

/** @type {(part: HTMLElement, names: string[]) => void} */
const redraw = (part, names) => {
  for (const name of names) {
    const fresh = part.querySelector(name);
    if (fresh) article().querySelector(name)?.replaceChildren(...document.importNode(fresh, true).childNodes);
  }
};

export const isAwaited = () => Boolean(article().querySelector(AWAITED));

/** @param {HTMLElement} part */
const redrawPicture = (part) => {
  if (!isAwaited() || part.querySelector(AWAITED)) return;
  redraw(part, [".shot-card"]);
  document.dispatchEvent(new Event("replay:pictured"));
};

/* Updates the shown step's link to the next step, its computed parts and a missing picture, but nothing else, since the
   reader may be in the middle of it. */
export const refresh = async () => {
  cache.clear();
  const part = await load(shownPath()).catch(() => /** @type {null} */ (null));
  if (!isShown(part)) return;
  article().dataset.after = part.dataset.after;
  redraw(part, COMPUTED);
  redrawPicture(part);
  settleLinks();
};

/* Updates only a missing picture; nothing else in the step changes, and adjacent steps stay cached. */
export const refreshPicture = async () => {
  const path = shownPath();
  const part = await fetched(path).catch(() => /** @type {null} */ (null));
  if (!isShown(part) || part.querySelector(AWAITED)) return;
  cache.delete(path);
  redrawPicture(part);
};

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  /** @type {HTMLAnchorElement} */
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || !viewer.contains(anchor) || anchor.hash) return;
  const index = stepOf(new URL(anchor.href));
  if (index === null) return;
  event.preventDefault();
  const { stepLink } = anchor.dataset;
  if (stepLink === "before" || stepLink === "after") void go(stepLink);
  else if (index !== current()) void show(index);
});

document.addEventListener("focusin", () => isWriting() && stay());

addEventListener("popstate", () => {
  const index = stepOf(new URL(location.href));
  if (isWriting()) /** @type {HTMLElement} */ (document.activeElement).blur(); /* Going back ends the writing, but the text is kept. */
  if (index !== null && index !== current()) void show(index);
  else settle();
});

document.addEventListener("replay:announce", (event) => announce(event.detail));

document.addEventListener("bookmark:saved", clearCache);
addEventListener("DOMContentLoaded", settle);
