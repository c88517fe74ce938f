/* Going through a queue by keyboard. The next units are fetched before they are needed, and the last ones are kept. */

import "./aside.js";
import * as forms from "./form.js";
import * as input from "./input.js";
import * as outbox from "./outbox.js";

const root = document.querySelector("[data-queue]");
const AHEAD = 2;
const PAST = 10;
const RETRY_MS = 4000;
/** @type {HTMLElement[]} */
const ahead = [];
/** @type {HTMLElement[]} */
const past = [];
let current = document.getElementById("unit");
/** @type {Promise<void> | null} */
let fetching = null;
let isWaiting = false;
let saves = 0;
let shownAt = performance.now();
let hiddenMs = 0;
let hiddenAt = 0;

/** @type {(name: string) => HTMLElement} */
const part = (name) => root.querySelector(`[data-${name}]`);
/** @type {(article: HTMLElement) => HTMLFormElement | null} */
const formOf = (article) => article.querySelector("[data-form]");
/** @param {HTMLElement} article */
const isEnd = (article) => article.matches("[data-end]");
/** @param {HTMLElement} article */
const slotOf = (article) => article.dataset.slot;

/** @type {(text: string, tone?: string) => void} */
const say = (text, tone = "") => {
  part("status").textContent = text;
  part("status").dataset.tone = tone;
};
/** @type {(text: string, slot?: string) => void} */
const notice = (text, slot) => {
  const place = part("notice");
  place.hidden = !text;
  place.textContent = text;
  if (!slot) return;
  const link = document.createElement("a");
  link.href = `${root.dataset.queue}?slot=${slot}`;
  link.textContent = "Open the unit";
  place.append(" ", link);
};
const uuid = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/* ---- units to come ---- */

const fragment = async () => {
  const beside = [current, ...ahead, ...past].map(slotOf).concat(outbox.slots()).filter(Boolean);
  const response = await fetch(`${root.dataset.queue}?fragment&beside=${beside.join(",")}`, { redirect: "manual" });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const text = await response.text();
  const article = new DOMParser().parseFromString(text, "text/html").getElementById("unit");
  for (const picture of article.querySelectorAll("img")) new Image().src = picture.src;
  return document.adoptNode(article);
};

const fill = async () => {
  while (ahead.length < AHEAD && !isEnd(current)) {
    const before = saves;
    const areStored = !outbox.slots().length;
    let article;
    try {
      article = await fragment();
    } catch {
      if (isWaiting) say("Not connected. The next unit will be loaded as soon as the server can be reached.", "warn");
      setTimeout(refill, RETRY_MS);
      return;
    }
    if (isEnd(article)) {
      if (!isWaiting) return;
      /* The end page may be older than the last label and then count units that have been labelled since. */
      if ((before !== saves || !areStored) && !outbox.slots().length) continue;
      await end(article);
      return;
    }
    ahead.push(article);
    root.dataset.ahead = String(ahead.length);
    if (isWaiting) show(ahead.shift());
  }
};
const refill = () => {
  fetching ??= fill().finally(() => { fetching = null; });
  return fetching;
};

/* Labels on their way may return units to this queue, for example one that someone else skipped. */
/** @param {HTMLElement} article */
const end = async (article) => {
  if (outbox.slots().length) {
    say("Waiting until all labels are saved.");
    setTimeout(refill, RETRY_MS);
    return;
  }
  part("left").textContent = article.dataset.remaining;
  show(article);
};

/* ---- the unit in front ---- */

/** @param {HTMLElement} article */
const show = (article) => {
  if (isWaiting) say("");
  isWaiting = false;
  article.inert = false;
  root.dataset.ahead = String(ahead.length);
  current.replaceWith(article);
  current = article;
  current.dispatchEvent(new Event("gym:content", { bubbles: true }));
  htmx.process(current);
  current.tabIndex = -1;
  current.focus({ preventScroll: true });
  scrollTo(0, 0);
  begin();
  refill();
};

const begin = () => {
  shownAt = performance.now();
  hiddenMs = 0;
  const form = formOf(current);
  if (!form) return;
  const draft = outbox.draft(slotOf(current));
  forms.begin(form);
  if (!draft || !draft.fields.length) return;
  if (String(draft.version) === current.dataset.version) {
    forms.fill(form, draft.fields);
    if (current.dataset.words) notice(`Saved: ${current.dataset.words}. Your choices since then are shown below and are not saved yet.`);
  } else notice("Choices that were not saved belong to an older label of this unit and were dropped.");
};

const keep = () => outbox.draftKeep(slotOf(current), Number(current.dataset.version), forms.fieldsOf(formOf(current)));

const advance = () => {
  if (ahead.length) {
    show(ahead.shift());
    return;
  }
  isWaiting = true;
  /* The unit is saved, so keys pressed from now on are not meant for it. */
  current.inert = true;
  say("Loading the next unit …");
  refill();
};

/** @type {(name: string, number: number) => void} */
const add = (name, number) => { part(name).textContent = String(Math.max(Number(part(name).textContent) + number, 0)); };
/** @type {(words: string, state: string) => void} */
const count = (words, state) => {
  const before = current.dataset.state;
  if (before) add(before, -1);
  else add("left", -1);
  add(state, 1);
  current.dataset.state = state;
  const address = `${root.dataset.queue}?slot=${slotOf(current)}`;
  for (const one of part("recent").querySelectorAll("a")) if (one.getAttribute("href") === address) one.parentElement.remove();
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = words;
  item.append(link);
  part("recent").prepend(item);
  while (part("recent").children.length > PAST) part("recent").lastElementChild.remove();
};

/** @type {(form: HTMLFormElement, isSkipped: boolean) => void} */
const save = (form, isSkipped) => {
  const problem = isSkipped ? null : forms.problemOf(form);
  if (problem) {
    say(problem.text, "warn");
    problem.place?.focus();
    return;
  }
  say("");
  notice("");
  part("feedback").replaceChildren();
  const away = hiddenMs + (document.hidden ? performance.now() - hiddenAt : 0);
  saves += 1;
  outbox.add({
    key: uuid(),
    slot: slotOf(current),
    version: Number(current.dataset.version),
    ticket: form.elements.ticket.value,
    active_ms: Math.round(performance.now() - shownAt - away),
    words: isSkipped ? "skipped" : forms.wordsOf(form),
    fields: isSkipped ? [...forms.fieldsOf(form), ["skip", "1"]] : forms.fieldsOf(form),
  });
  count(isSkipped ? "skipped" : forms.wordsOf(form), isSkipped ? "skipped" : "done");
  past.push(current);
  if (past.length > PAST) past.shift();
  advance();
};

const back = () => {
  if (isWaiting) {
    show(past.pop());
    return;
  }
  const form = formOf(current);
  if (form && forms.takeBack(form)) {
    keep();
    return;
  }
  if (past.length) {
    if (!isEnd(current)) ahead.unshift(current);
    show(past.pop());
    return;
  }
  const link = Array.from(part("recent").querySelectorAll("a")).find((one) => !one.href.endsWith(`=${slotOf(current)}`));
  if (link) location.assign(link.href);
  else say("There is nothing to undo.");
};

/* ---- events ---- */

root.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-form]")) return;
  event.preventDefault();
  if (!isWaiting) save(/** @type {HTMLFormElement} */ (event.target), event.submitter?.matches("[data-skip]") ?? false);
});
root.addEventListener("change", (event) => {
  /** @type {HTMLFormElement | null} */
  const form = event.target.closest("[data-form]");
  if (!form || isWaiting) return;
  forms.remember(form);
  keep();
});
root.addEventListener("input", (event) => { if (input.isTyped(/** @type {Element} */ (event.target)) && event.target.closest("[data-form]")) keep(); });
root.addEventListener("click", (event) => { if (event.target.closest("[data-back]")) back(); });

addEventListener("keydown", (event) => {
  const meaning = input.meaningOf(event);
  const form = formOf(current);
  if (meaning === "back") {
    event.preventDefault();
    back();
  } else if (meaning === "save" && form && !isWaiting) {
    event.preventDefault();
    if (event.timeStamp >= shownAt) save(form, false);
  }
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenAt = performance.now();
  else hiddenMs += performance.now() - hiddenAt;
});

/** @type {(slot: string, version: number) => void} */
const versionSet = (slot, version) => {
  for (const article of [current, ...ahead, ...past]) if (slotOf(article) === slot) article.dataset.version = String(version);
};
document.addEventListener("annotation:note", ({ detail }) => { if (!isWaiting || detail.text) say(detail.text, detail.tone); });
document.addEventListener("annotation:stored", ({ detail }) => {
  versionSet(detail.slot, detail.version);
  if (detail.feedback) part("feedback").append(...new DOMParser().parseFromString(detail.feedback, "text/html").body.children);
  if (isWaiting) refill();
});
document.addEventListener("annotation:refused", ({ detail }) => {
  versionSet(detail.slot, detail.version);
  const other = detail.current ? ` The other label: ${detail.current.words}.` : "";
  notice(`${detail.message}${other} Your choices here are not lost.`, detail.slot);
});
addEventListener("online", refill);

/* ---- other tabs ---- */

if ("BroadcastChannel" in window) {
  const tabs = new BroadcastChannel(`annotation:${root.dataset.annotator}`);
  const OTHER = "This queue is also open in another tab. Nothing is overwritten, but each unit needs to be labelled in only one of them.";
  tabs.addEventListener("message", ({ data }) => {
    if (part("notice").hidden) notice(OTHER);
    if (data === "opened") tabs.postMessage("here");
  });
  tabs.postMessage("opened");
}

begin();
refill();
outbox.flush();
