// Records what a person does on an episode's page as actions in the run's grammar. A click is held back until its step
// is recorded, and then performed, so that the server can assign its effects to that step.
// Elements have the same ids as in the client, because `ids.js` and `axtree.js` are the client's own.
"use strict";
(() => {
  const [ROOT] = location.pathname.match(/^\/e\/[^/]+\//);
  const ADDRESS = `${ROOT}takeover/`;
  const PUBLIC = "https://gym/";
  const TOKEN = ROOT.split("/")[2];
  const QUIET_MS = 20000; // typing is recorded after a pause of this length
  const SCROLL_MS = 400;
  const SCROLL_LEAST = 40;
  const RETRIES = 4;
  const AGAIN_MS = 300; // pause before a differing page is compared once more
  const SETTLED_MS = 5000;
  const LAST_LOOK = `takeover look ${ROOT}`;
  const KEYS = new Set(["Escape", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);
  const { palaestra } = globalThis;
  const root = document.documentElement;

  let next = 0;
  let begun = 0;
  let isRedoing = false;
  let isBroken = false;
  let keys = []; // keys of ids that have not been part of a step yet
  let shown = null; // what the page showed before the current act
  let typing = null; // the field that is being typed into
  let queue = Promise.resolve();

  const tell = (news) => parent.postMessage(news, location.origin);
  const masked = (text) =>
    text.replaceAll(location.origin + ROOT, PUBLIC).replaceAll((location.origin + ROOT).slice(0, -1), PUBLIC.slice(0, -1))
      .replaceAll(ROOT, "/").replaceAll(TOKEN, "***");

  // ---- looking
  function look() {
    const { text } = palaestra.serialise();
    const fresh = palaestra.takeFresh();
    if (fresh) keys.push(...Object.entries(fresh).sort((a, b) => a[1] - b[1]).map(([key]) => key));
    const url = masked(location.href);
    const head = `page "${document.title.replace(/\s+/g, " ").trim()}" ${url}`;
    shown = { text: masked(`${head}\n${text}`), url };
    return shown;
  }

  // ---- recording
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  async function post(address, body) {
    for (let attempt = 0; ; attempt++) {
      const response = await fetch(ADDRESS + address, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), keepalive: body.length < 60000,
      }).catch(() => null);
      if (response !== null && response.status < 500 && response.status !== 429) return response;
      if (attempt === RETRIES) return response;
      await pause(250 * 2 ** attempt);
    }
  }
  function broken(message) {
    isBroken = true;
    tell({ problem: message });
  }
  // Steps are recorded one after the other. Resolves to whether this step was recorded.
  function record(action, { leads = false, target = null, look: seen = shown || look() } = {}) {
    const step = { action, leads, text: seen ? seen.text : "", url: seen ? seen.url : "" };
    if (target) step.target_path = pathOf(target);
    if (keys.length > 0) step.element_ids = keys.join(" ");
    keys = [];
    step.index = next++;
    shown = null;
    queue = queue.then(async () => {
      if (isBroken) return false;
      const response = await post("steps", step);
      if (response !== null && response.ok) {
        tell({ steps: step.index - begun, problem: "" });
        return true;
      }
      if (response !== null && response.status === 410) broken("This takeover has ended.");
      else if (response !== null && response.status === 409) broken("This takeover continues in another tab, or has ended. Reload this page.");
      else broken("What you did could not be recorded. Reload this page.");
      return false;
    });
    return queue;
  }
  function pathOf(el) {
    const places = [];
    for (let at = el; at.parentElement; at = at.parentElement) places.push([...at.parentElement.children].indexOf(at));
    return places.reverse().join("/");
  }

  // ---- elements
  // The target of an act: the nearest element that has an id in the outline.
  function aimed(node) {
    for (let el = node instanceof Element ? node : null; el; el = el.parentElement) {
      if (palaestra.idOf(el)) return el;
      if (el.tagName === "LABEL" && el.control) return null; // a click on its control will follow
    }
    return null;
  }
  const isField = (el) =>
    el instanceof Element && el.matches("textarea,[contenteditable=true],[contenteditable=''],input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=reset],[type=image],[type=hidden],[type=file])");
  const valueOf = (el) => (el.value === undefined ? el.innerText : el.value);

  // ---- typing
  let restTimer = 0;
  function typingBegin(el) {
    if (typing && typing.el === el) return;
    typingEnd();
    begin();
    typing = { el, look: shown || look(), before: valueOf(el) };
  }
  function typingEnd() {
    clearTimeout(restTimer);
    if (!typing) return queue;
    const { el, look: seen, before } = typing;
    typing = null;
    const id = palaestra.idOf(el);
    if (!id || valueOf(el) === before) return queue;
    return record({ type: "type", target: id, text: valueOf(el), clear: true }, { target: el, look: seen });
  }

  // The page's recorder assigns its events to the step in this attribute.
  const begin = () => { root.dataset.step = String(next); };

  // ---- acts are repeated by script once their step is recorded, because the server then knows the step's number
  function redo(act) {
    isRedoing = true;
    try {
      act();
    } finally {
      isRedoing = false;
    }
  }
  function refuse(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  function held(event, action, target, { leads, act }) {
    refuse(event);
    typingEnd();
    record(action, { leads, target }).then((isRecorded) => { if (isRecorded) redo(act); });
  }
  const isLeading = (el) => {
    const link = el.closest("a[href]");
    if (link) return link.origin === location.origin && !/^#/.test(link.getAttribute("href"));
    const button = el.closest("button,input");
    return Boolean(button && button.form && button.type === "submit" && !/^dialog$/i.test(button.getAttribute("formmethod") || button.form.getAttribute("method") || ""));
  };

  // Acts are refused until steps can be recorded.
  const BY_HAND = new Set(["click", "keydown", "beforeinput", "submit"]);
  const listen = (kind, listener) => addEventListener(kind, (event) => {
    if (isRedoing || !event.isTrusted && kind !== "submit") return;
    if (next > 0 && !isBroken) listener(event);
    else if (BY_HAND.has(kind)) refuse(event);
  }, { capture: true });

  listen("pointerdown", (event) => {
    if (typing && !typing.el.contains(event.target)) typingEnd();
    if (typing) return;
    begin();
    look();
  });
  listen("click", (event) => {
    const el = aimed(event.target);
    if (!el || isField(el) || el.tagName === "SELECT") return;
    const isSent = el.matches("input") && el.form !== null; // a script may submit the form when a box is checked
    const leads = isLeading(el) || isSent;
    held(event, { type: "click", target: palaestra.idOf(el) }, el, { leads, act: () => el.click() });
  });
  listen("beforeinput", (event) => { if (isField(event.target)) typingBegin(event.target); });
  listen("input", (event) => {
    const el = event.target;
    if (!isField(el)) return;
    if (!typing) typing = { el, look: shown, before: null }; // a slider, or a date picker
    clearTimeout(restTimer);
    restTimer = setTimeout(typingEnd, QUIET_MS);
  });
  listen("focusout", (event) => { if (typing && event.target === typing.el) typingEnd(); });
  listen("change", (event) => {
    const el = event.target;
    if (el instanceof HTMLSelectElement) {
      const option = el.selectedOptions[0];
      const value = option ? (option.label || option.text).replace(/\s+/g, " ").trim() : "";
      typingEnd();
      record({ type: "select", target: palaestra.idOf(el), value }, { target: el, leads: el.form !== null });
    } else if (isField(el)) {
      typingEnd();
    }
  });
  listen("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const el = event.target;
    if (!typing) {
      begin();
      look();
    }
    if (event.key === "Enter" && el instanceof HTMLInputElement && isField(el) && el.form) {
      const { form } = el;
      const button = [...form.elements].find((one) => one.type === "submit" && !one.disabled);
      const act = () => (button ? button.click() : form.requestSubmit());
      held(event, { type: "press", key: "Enter" }, el, { leads: true, act });
      return;
    }
    // The effects of keys on fields, lists and buttons are recorded as typing, choices and clicks.
    if (!KEYS.has(event.key) || isField(el) || el instanceof Element && el.matches("select,button,a[href],summary,input")) {
      if (event.key !== "Escape") return;
    }
    if (/^(Page|Home|End|Arrow)/.test(event.key)) return; // these scroll the page
    typingEnd();
    record({ type: "press", key: event.key });
  });
  // If a script submits a form, after a choice for instance, the choice is recorded first.
  listen("submit", (event) => {
    const form = event.target, submitter = event.submitter;
    if (/^dialog$/i.test(form.getAttribute("method") || "")) return;
    refuse(event);
    typingEnd();
    queue.then(() => { if (!isBroken) redo(() => form.requestSubmit(submitter)); });
  });

  // ---- scrolling
  let top = scrollY, left = scrollX, scrollTimer = 0, beforeScroll = null;
  listen("scroll", (event) => {
    if (event.target !== document) return;
    beforeScroll ||= shown || look();
    clearTimeout(scrollTimer);
    scrollTimer = setTimeout(() => {
      const dx = Math.round(scrollX - left), dy = Math.round(scrollY - top), seen = beforeScroll;
      [left, top, beforeScroll] = [scrollX, scrollY, null];
      if (Math.abs(dx) + Math.abs(dy) >= SCROLL_LEAST) record({ type: "scroll", dx, dy }, { look: seen });
    }, SCROLL_MS);
  });

  // ---- restoring a fork's page
  function again(action) {
    for (const one of action.actions || [action]) {
      const el = one.target ? palaestra.elementOf(one.target) : document.activeElement;
      if (one.type === "scroll") scrollBy(one.dx || 0, one.dy || 0);
      else if (one.type === "fill") for (const field of one.fields || []) again({ type: field.checked === undefined ? field.value === undefined ? "type" : "select" : "check", ...field });
      else if (!el) continue;
      else if (one.type === "click") el.click();
      else if (one.type === "check") { if (el.checked !== one.checked) el.click(); }
      else if (one.type === "type" || one.type === "select") enter(el, one);
    }
  }
  function enter(el, { type, text, value, clear }) {
    if (el.tagName === "SELECT") {
      const option = [...el.options].find((one) => (one.label || one.text).replace(/\s+/g, " ").trim() === (value ?? text));
      if (option) option.selected = true;
    } else if (type === "type") {
      el.focus();
      el.value = clear === false || clear === undefined ? el.value + text : text;
    }
    for (const kind of ["input", "change"]) el.dispatchEvent(new Event(kind, { bubbles: true }));
  }

  // Resolves to whether the page is now the person's. It may be an intermediate page, or differ from what the agent saw.
  async function restore(state) {
    look();
    keys = [];
    isRedoing = true;
    for (const action of state.acts) { again(action); await settled(); look(); }
    isRedoing = false;
    for (const isAgain of [false, true]) {
      const response = await post("restored", { as_of: state.restoring, text: look().text, again: isAgain });
      if (response === null || !response.ok) { broken("This page could not be restored. Reload it."); return false; }
      const answer = await response.json();
      if (answer.address !== undefined) { location.replace(ROOT + answer.address); return false; }
      if (answer.problem) { broken(answer.problem); return false; }
      if (!answer.again) break;
      await pause(AGAIN_MS);
    }
    tell({ restored: true });
    return true;
  }
  async function settled() {
    await pause(50);
    for (const end = Date.now() + SETTLED_MS; root.dataset.settled !== "true" && Date.now() < end;) await pause(50);
  }

  // ---- from document to document
  function previousLook() {
    try {
      return JSON.parse(sessionStorage.getItem(LAST_LOOK));
    } catch {
      return null;
    }
  }
  addEventListener("pagehide", () => {
    typingEnd();
    try {
      sessionStorage.setItem(LAST_LOOK, JSON.stringify(shown || look()));
    } catch {
      return;
    }
  });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") typingEnd(); });
  addEventListener("message", async (event) => {
    if (event.origin !== location.origin || event.source !== parent || !event.data.flush) return;
    typingEnd();
    await queue;
    tell({ flushed: true });
  });

  async function arrive() {
    const served = Number(root.dataset.step) || 0;
    const address = location.href.slice((location.origin + ROOT).length);
    const response = await post("arrive", { address });
    if (response === null || !response.ok) { broken("This takeover has ended, or the server does not answer. Reload this page."); return; }
    const state = await response.json();
    palaestra.adopt(Object.fromEntries(state.ids.split(" ").filter(Boolean).map((key, place) => [key, place + 1])));
    if (state.restoring !== null && !(await restore(state))) return;
    next = state.next;
    begun = state.begun;
    tell({ steps: next - 1 - begun, problem: "" });
    root.dataset.step = String(next - 1);
    // No act has announced this document, so the browser's own buttons led to it.
    if (served === next) {
      const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
      record(isBack ? { type: "back" } : { type: "goto", url: masked(location.href) }, { look: previousLook() });
    }
    look();
    root.dataset.acts = "recorded";
  }
  const start = () => void arrive();
  if (root.dataset.settled === "true") start();
  else document.addEventListener("gym:settled", start, { once: true });
})();
