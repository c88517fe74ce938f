/* Labels on their way to the server, and choices that are not saved yet. Both are kept in this browser, so that
   neither a lost connection nor a closed tab loses any. A label is sent until it is answered; its key makes sending it
   again safe. A label that the server will never accept is set aside, so that the labels behind it are sent. */

/**
 * @typedef {object} Entry A label on its way.
 * @property {string} [name] Its key in the browser's storage.
 * @property {string} key
 * @property {string} slot
 * @property {number} version
 * @property {string} ticket
 * @property {number} active_ms
 * @property {string} words
 * @property {[string, string][]} fields
 * @property {number} [tries]
 * @property {number} [status] The server's answer, if it does not accept the label.
 * @property {string} [message]
 */

const root = document.querySelector("[data-queue]");
const OUT = `palaestra:label:${root.dataset.annotator}:`;
const DRAFT = `palaestra:draft:${root.dataset.annotator}:`;
const ASIDE = `palaestra:aside:${root.dataset.annotator}:`;
const RETRY_MS = 4000;
const TRIES = 3;
/** @type {Record<string, string>} */
const STATES = {
  sending: "",
  unreachable: "Not connected",
  out: "You are logged out; log in again in another tab",
  failed: "The server failed",
};
const memory = new Map();
/** @type {Promise<void> | null} */
let sending = null;
let timer = 0;

/* Storage may be full or forbidden; labels are then only kept as long as this tab is open. */
/** @type {(name: string, value: object) => void} */
const put = (name, value) => {
  memory.set(name, value);
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    announce("note", { text: "This browser cannot store labels, so leave this tab open until all labels are saved.", tone: "warn" });
  }
};
/** @param {string} name */
const drop = (name) => {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch { /* Without storage, it was never stored. */ }
};
/** @param {string} name */
const read = (name) => {
  try {
    const text = localStorage.getItem(name);
    if (text) return JSON.parse(text);
  } catch { /* Without storage, the entry is missing or in memory. */ }
  return memory.get(name) ?? null;
};
/** @param {string} prefix */
const names = (prefix) => {
  const all = new Set(memory.keys());
  try {
    for (let place = 0; place < localStorage.length; place += 1) all.add(localStorage.key(place));
  } catch { /* Without storage, everything is in memory. */ }
  return Array.from(all).filter((name) => name.startsWith(prefix)).sort();
};
/** @type {(kind: string, detail: object) => boolean} */
const announce = (kind, detail) => document.dispatchEvent(new CustomEvent(`annotation:${kind}`, { detail }));

/** @type {() => Entry[]} */
const entries = () => names(OUT).map((name) => ({ name, ...read(name) })).filter((entry) => entry.key);

/** @param {string} state */
const say = (state) => {
  const count = entries().length;
  const rest = `${count} ${count === 1 ? "label is" : "labels are"} waiting in this browser and will be sent.`;
  const text = state === "sending" || !count ? "" : `${STATES[state]}: ${rest}`;
  announce("note", { text, tone: text ? "warn" : "" });
};

/* The token is read from the cookie, since logging in again in another tab changes the one that the page was served with. */
const token = () => {
  /** @type {HTMLInputElement} */
  const field = document.querySelector("[name=csrfmiddlewaretoken]");
  return document.cookie.match(/(?:^|; )palaestra_csrf=([^;]+)/)?.[1] ?? field.value;
};

/** @param {Entry} entry */
const post = (entry) => {
  const body = new URLSearchParams(/** @type {[string, string][]} */ (entry.fields));
  const { ticket, key, version, active_ms } = entry;
  for (const [name, value] of Object.entries({ ticket, key, version, active_ms })) body.set(name, String(value));
  return fetch(root.dataset.labelAddress, {
    method: "POST",
    body,
    redirect: "manual",
    headers: { Accept: "application/json", "X-CSRFToken": token() },
  });
};

/* Later labels of the same unit, and choices made since, are based on this version. */
/** @type {(entry: Entry, answer: { version: number, feedback: string }) => void} */
const stored = (entry, { version, feedback }) => {
  drop(entry.name);
  const draft = read(DRAFT + entry.slot);
  if (draft?.version === entry.version) put(DRAFT + entry.slot, { ...draft, version });
  for (const later of entries().filter((one) => one.slot === entry.slot)) put(later.name, { ...later, version });
  announce("stored", { slot: entry.slot, version, feedback });
};

/** @type {(entry: Entry, answer: any) => void} */
const refused = (entry, answer) => {
  const version = answer.current?.version ?? entry.version;
  const draft = read(DRAFT + entry.slot);
  drop(entry.name);
  /* Choices made since then are newer than this label; a draft from an earlier refusal is not. */
  const { fields } = draft && !draft.isRefused ? draft : entry;
  put(DRAFT + entry.slot, { version, fields, isRefused: fields === entry.fields });
  announce("refused", { slot: entry.slot, version, message: answer.error.message, current: answer.current });
};

/* A failing server may recover; any other error will be the same next time. */
/** @type {(entry: Entry, status: number, answer: any) => string} */
const failed = (entry, status, answer) => {
  const tries = (entry.tries ?? 0) + 1;
  if (status >= 500 && tries < TRIES) {
    put(entry.name, { ...entry, tries });
    return "failed";
  }
  drop(entry.name);
  put(ASIDE + entry.key, { ...entry, status, tries: 0, message: answer?.error?.message ?? "" });
  announce("aside", { slot: entry.slot });
  return "sending";
};

const REFUSALS = [400, 409, 422];
const PASSING = [408, 425, 429, 502, 503, 504];

/* Sends a label; returns "sending" if the server answered in any way, otherwise the reason why it did not. */
/** @param {Entry} entry */
const sent = async (entry) => {
  let response;
  let answer = null;
  try {
    response = await post(entry);
    if (response.headers.get("Content-Type")?.includes("json")) answer = await response.json();
  } catch {
    return "unreachable"; // also if the response was cut off
  }
  if (response.type === "opaqueredirect" || response.status === 403) return "out";
  if (PASSING.includes(response.status) || (response.ok && !answer)) return "unreachable";
  if (response.ok) stored(entry, answer);
  else if (answer && REFUSALS.includes(response.status)) refused(entry, answer);
  else return failed(entry, response.status, answer);
  return "sending";
};

/* If a label fails, later labels of the same unit wait for it. */
const sendAll = async () => {
  /** @type {Set<string>} */
  const waiting = new Set();
  const next = () => entries().find((entry) => !waiting.has(entry.slot));
  for (let entry = next(); entry; entry = next()) {
    const state = await sent(entry);
    say(state);
    if (state === "failed") waiting.add(entry.slot);
    else if (state !== "sending") break;
  }
  if (entries().length) timer = setTimeout(flush, RETRY_MS);
  if (waiting.size) say("failed");
};

export const flush = () => {
  clearTimeout(timer);
  sending ??= sendAll().finally(() => { sending = null; });
  return sending;
};

/** @param {Entry} entry */
export const add = (entry) => {
  put(`${OUT}${String(Date.now()).padStart(15, "0")}:${entry.key}`, entry);
  drop(DRAFT + entry.slot);
  flush();
};

/** @type {() => Entry[]} */
export const aside = () => names(ASIDE).map((name) => ({ name, ...read(name) })).filter((entry) => entry.key);
/** @param {string} key */
export const again = (key) => {
  const { name, status, message, ...entry } = aside().find((one) => one.key === key);
  drop(ASIDE + key);
  put(`${OUT}${String(Date.now()).padStart(15, "0")}:${key}`, entry);
  return flush();
};

addEventListener("online", flush);
/* A server that failed earlier may work now. */
for (const entry of aside()) if (entry.status >= 500) again(entry.key);

/** @param {string} key */
export const discard = (key) => drop(ASIDE + key);
export const slots = () => entries().map((entry) => entry.slot);
/** @param {string} slot */
export const draft = (slot) => read(DRAFT + slot);
/** @type {(slot: string, version: number, fields: [string, string][]) => void} */
export const draftKeep = (slot, version, fields) => put(DRAFT + slot, { version, fields });
