/* Labels on their way to the server, and choices not saved yet: both are kept in this browser, so that neither a lost
   connection nor a closed tab loses any. A label is sent until it is answered; its key makes that safe. */
"use strict";

window.annotation = {};

(() => {
  const root = document.querySelector("[data-queue]");
  const OUT = `palaestra:label:${root.dataset.annotator}:`;
  const DRAFT = `palaestra:draft:${root.dataset.annotator}:`;
  const RETRY_MS = 4000;
  const STATES = { sending: "", unreachable: "Not connected", out: "You are logged out: log in again in another tab" };
  const memory = new Map();
  let sending = null;
  let timer = 0;

  /* Storage may be full or forbidden; then labels live as long as this tab. */
  const put = (name, value) => {
    memory.set(name, value);
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      announce("note", { text: "This browser keeps nothing: leave this tab open until all labels are saved.", tone: "warn" });
    }
  };
  const drop = (name) => {
    memory.delete(name);
    try {
      localStorage.removeItem(name);
    } catch { /* It was never there. */ }
  };
  const read = (name) => {
    try {
      const text = localStorage.getItem(name);
      if (text) return JSON.parse(text);
    } catch { /* As if it were not there. */ }
    return memory.get(name) ?? null;
  };
  const names = (prefix) => {
    const all = new Set(memory.keys());
    try {
      for (let place = 0; place < localStorage.length; place += 1) all.add(localStorage.key(place));
    } catch { /* The memory has all there is. */ }
    return Array.from(all).filter((name) => name.startsWith(prefix)).sort();
  };
  const announce = (kind, detail) => document.dispatchEvent(new CustomEvent(`annotation:${kind}`, { detail }));

  const entries = () => names(OUT).map((name) => ({ name, ...read(name) })).filter((entry) => entry.key);

  const say = (state) => {
    const count = entries().length;
    const rest = `${count} ${count === 1 ? "label is" : "labels are"} waiting in this browser and will be sent.`;
    const text = state === "sending" || !count ? "" : `${STATES[state]}: ${rest}`;
    announce("note", { text, tone: text ? "warn" : "" });
  };

  /* From the cookie: logging in again in another tab makes another one than the page was served with. */
  const token = () => document.cookie.match(/(?:^|; )palaestra_csrf=([^;]+)/)?.[1] ?? document.querySelector("[name=csrfmiddlewaretoken]").value;

  const post = (entry) => {
    const body = new URLSearchParams(entry.fields);
    for (const name of ["ticket", "key", "version", "active_ms"]) body.set(name, entry[name]);
    return fetch(root.dataset.labelAddress, {
      method: "POST",
      body,
      redirect: "manual",
      headers: { Accept: "application/json", "X-CSRFToken": token() },
    });
  };

  /* Later labels of the same unit follow this version. */
  const stored = (entry, { version, feedback }) => {
    drop(entry.name);
    for (const later of entries().filter((one) => one.slot === entry.slot)) put(later.name, { ...later, version });
    announce("stored", { slot: entry.slot, version, feedback });
  };

  const refused = (entry, answer) => {
    const version = answer.current?.version ?? entry.version;
    drop(entry.name);
    put(DRAFT + entry.slot, { version, fields: entry.fields });
    announce("refused", { slot: entry.slot, version, message: answer.error.message, current: answer.current });
  };

  const REFUSALS = [400, 409, 422];

  /* Whether it was answered, in whatever way. */
  const sent = async (entry) => {
    let response;
    let answer;
    try {
      response = await post(entry);
      if (response.ok || REFUSALS.includes(response.status)) answer = await response.json();
    } catch {
      return "unreachable"; // also where the answer broke off
    }
    if (response.ok) stored(entry, answer);
    else if (answer) refused(entry, answer);
    else return response.type === "opaqueredirect" || response.status === 403 ? "out" : "unreachable";
    return "sending";
  };

  const sendAll = async () => {
    for (let [entry] = entries(); entry; [entry] = entries()) {
      const state = await sent(entry);
      say(state);
      if (state !== "sending") {
        timer = setTimeout(flush, RETRY_MS);
        return;
      }
    }
    say("sending");
  };

  const flush = () => {
    clearTimeout(timer);
    sending ??= sendAll().finally(() => { sending = null; });
    return sending;
  };

  const add = (entry) => {
    put(`${OUT}${String(Date.now()).padStart(15, "0")}:${entry.key}`, entry);
    drop(DRAFT + entry.slot);
    flush();
  };

  addEventListener("online", flush);

  window.annotation.outbox = {
    add,
    flush,
    slots: () => entries().map((entry) => entry.slot),
    draft: (slot) => read(DRAFT + slot),
    draftKeep: (slot, version, fields) => put(DRAFT + slot, { version, fields }),
  };
})();
