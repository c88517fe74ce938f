// What the client does inside a page, in the same isolated world as axtree.js: wait until the page has settled, reach
// an element, focus it, choose an option, scroll. Every wait is bounded by the caller's limit.
"use strict";
(() => {
  const INTENT_MS = 300; // how long a click on a link or submit button may take to begin its navigation
  let isLeaving = false;
  let intent = null; // the last click or submit that should lead to a navigation
  let newTab = false;

  if (globalThis.navigation) {
    navigation.addEventListener("navigate", (event) => {
      if (!event.destination.sameDocument && event.downloadRequest === null) isLeaving = true;
    });
  } else {
    addEventListener("beforeunload", () => { isLeaving = true; });
  }
  addEventListener("submit", (event) => { intent = event; });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href]");
    if (!link || event.defaultPrevented) return;
    newTab = /^_blank$/i.test(link.target);
    if (!newTab && !link.hasAttribute("download") && !link.getAttribute("href").startsWith("#")) intent = event;
  });

  const tick = () => new Promise((resolve) => { const c = new MessageChannel(); c.port1.onmessage = resolve; c.port2.postMessage(0); });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  async function leaving() {
    await tick();
    const started = performance.now();
    while (intent && !intent.defaultPrevented && !isLeaving && performance.now() - started < INTENT_MS) await pause(1);
    intent = null;
    return isLeaving;
  }
  // Pages signal when they are ready. A page without scripts cannot do so, and is ready once it has loaded. A page that
  // is still being parsed is not ready, whatever its root element claims.
  function isReady(html) {
    if (document.readyState === "loading") return false;
    if (html.getAttribute("data-settled") === "true") return true;
    if (location.protocol === "chrome-error:") return document.readyState === "complete";
    return document.readyState === "complete" && document.scripts.length === 0 && !html.hasAttribute("data-settled");
  }
  // Waits for the root element, since this script runs before the first byte of the document has arrived.
  function rooted() {
    if (document.documentElement) return Promise.resolve();
    return new Promise((resolve) => {
      new MutationObserver((_, observer) => { observer.disconnect(); resolve(); }).observe(document, { childList: true });
    });
  }
  function ready(limitMs) {
    const html = document.documentElement;
    if (isReady(html)) return true;
    return new Promise((resolve) => {
      const finish = (value) => {
        observer.disconnect();
        clearTimeout(timer);
        removeEventListener("load", check);
        document.removeEventListener("readystatechange", check);
        resolve(value);
      };
      const check = () => { if (isReady(html)) finish(true); };
      const observer = new MutationObserver(check);
      const timer = setTimeout(() => finish(false), limitMs);
      observer.observe(html, { attributes: true, attributeFilter: ["data-settled"] });
      addEventListener("load", check);
      document.addEventListener("readystatechange", check);
    });
  }
  // An action may have added text whose font is still loading, or brought a picture into view that is not yet visible.
  const DRAWN_MS = 10; // between two looks at whether they have come
  const isDrawn = (picture) => {
    if (picture.complete) return true;
    const box = picture.getBoundingClientRect();
    return !box.width || !box.height || box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth;
  };
  function areDrawn() {
    void document.documentElement.offsetHeight; // layout starts the loading of the fonts that are needed
    return document.fonts.status === "loaded" && [...document.images].every(isDrawn);
  }
  async function settled(limitMs) {
    await rooted();
    const end = performance.now() + limitMs;
    for (;;) {
      if (!(await ready(end - performance.now()))) return false;
      if (areDrawn()) return true;
      if (performance.now() >= end) return false;
      await pause(DRAWN_MS);
    }
  }
  // With `acted`, an action has just been performed, so a navigation may be about to start; if so, the new document is
  // observed.
  async function observe({ acted, limitMs, withText }) {
    if (acted && (await leaving())) return { leaving: true };
    isLeaving = false;
    const isSettled = await settled(limitMs);
    if (isLeaving) return { leaving: true };
    const wantsTab = newTab;
    newTab = false;
    return { leaving: false, settled: isSettled, newTab: wantsTab, url: location.href, title: document.title, moment: palaestra.moment(),
      status: performance.getEntriesByType("navigation")[0]?.responseStatus || 0,
      ...(withText ? palaestra.serialise() : { text: "", inView: [] }) };
  }

  const NAME_CHARS = 60; // of an element in a message

  // ---- aims: an element's {id}, a position {x, y} in the viewport, or {} for wherever the focus is
  function elementAt(x, y) {
    let el = document.elementFromPoint(x, y);
    while (el && el.shadowRoot) {
      const inner = el.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  }
  function withIds(introduction) {
    const ids = palaestra.idsInWords();
    return ids && introduction + ids;
  }
  function aimed(aim) {
    if (aim.id !== undefined) {
      const el = palaestra.elementOf(aim.id);
      if (el) return { el };
      return { problem: `there is no such element on the page${withIds(", which has ")}` };
    }
    if (aim.x === undefined) return { el: document.activeElement };
    const el = elementAt(aim.x, aim.y);
    return el ? { el } : { problem: "the position is outside the picture" };
  }
  // The control that a click on an element acts on: a control around it, its label's control, or the element itself.
  const CONTROLS = "button,select,input,textarea,a[href],[contenteditable]";
  const controlOf = (el) => el.closest(CONTROLS) || el.control || el.closest("label")?.control || el;

  // ---- reaching: an action uses a point of the element that nothing covers, as a user would
  const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]];
  // Content of an element's shadow root counts as inside the element.
  function holds(el, inner) {
    for (let at = inner; at; at = at.parentNode || at.host) if (at === el) return true;
    return false;
  }
  const isHit = (hit, el) => hit !== null && (holds(el, hit) || (hit.control || hit.closest("label")?.control) === el);
  function freePoint(el) {
    for (const box of el.getClientRects()) {
      const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
      const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
      if (right - left < 1 || bottom - top < 1) continue;
      for (const [across, down] of SPOTS) {
        const x = left + (right - left) * across, y = top + (bottom - top) * down;
        if (isHit(elementAt(x, y), el)) return { x, y };
      }
    }
    return null;
  }
  // Names the element as the observation does, so that a model that chose the wrong element sees which one it was.
  const what = (el) => palaestra.labelOf(el, NAME_CHARS) || "it";
  const hasArea = (el) => [...el.getClientRects()].some((box) => box.width && box.height);
  function isWhole(el) {
    const box = el.getBoundingClientRect();
    return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  }
  // A hidden control is reached through its label.
  function reached(el) {
    const parts = [el, ...(el.labels || [])].filter(hasArea);
    if (!parts.length) return { problem: `it is not shown now${withIds("; the page shows ")}` };
    for (const part of parts) {
      const point = isWhole(part) && freePoint(part);
      if (point) return point;
      for (const block of ["center", "start", "end", "nearest"]) {
        part.scrollIntoView({ block, inline: "center", behavior: "instant" });
        const free = freePoint(part);
        if (free) return free;
      }
    }
    parts[0].scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = parts[0].getBoundingClientRect();
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
    const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
    return coverer(document.elementFromPoint(x, y));
  }
  const LAYERS = "dialog,[role=dialog],[role=alertdialog],[popover]";
  const CLOSES = /close|dismiss|accept|agree|got it|no,? thanks|not now|later|continue|hide|skip|ok\b|[\u00d7\u2715\u2716]/i;
  // Reports what covers an element, and the button that closes the cover, by id or position.
  function coverer(hit) {
    if (!hit || hit === document.documentElement || hit === document.body) return { problem: "it cannot be scrolled into view" };
    let layer = hit.closest(LAYERS);
    for (let at = hit; at && !layer; at = at.parentElement) if (/fixed|sticky/.test(getComputedStyle(at).position)) layer = at;
    layer = layer || hit;
    const buttons = [...layer.querySelectorAll("button,a[href],[role=button],summary")].filter(hasArea);
    const close = buttons.find((one) => CLOSES.test(palaestra.labelOf(one))) || (buttons.length === 1 ? buttons[0] : null);
    return { problem: `it is covered by ${palaestra.labelOf(layer, NAME_CHARS) || "another element"}`, close: close && handleOf(close) };
  }
  function handleOf(el) {
    const box = el.getBoundingClientRect();
    return { id: palaestra.idOf(el), name: palaestra.labelOf(el, NAME_CHARS), x: box.left + box.width / 2, y: box.top + box.height / 2 };
  }
  // An element's path in the document, as the page's recorder writes it; empty inside a shadow root.
  function pathOf(el) {
    if (el.getRootNode() !== document) return "";
    const places = [];
    for (let at = el; at.parentElement; at = at.parentElement) places.push([...at.parentElement.children].indexOf(at));
    return places.reverse().join("/");
  }
  function locate(aim) {
    const { el, problem } = aimed(aim);
    if (problem) return { problem };
    return { element: pathOf(el), ...(aim.id === undefined ? { x: aim.x, y: aim.y } : reached(el)) };
  }
  // A click is refused if it would have no visible effect.
  function clickable(aim, button) {
    const { el, problem } = aimed(aim);
    if (problem) return { problem };
    const control = controlOf(el);
    if (control.matches(":disabled")) return { problem: "it is disabled", element: pathOf(el) };
    if (button === "left" && control.tagName === "SELECT" && !control.multiple && control.size < 2) {
      control.focus();
      return { problem: `this list opens nothing here; it has the focus now: choose with "select", or with ArrowDown and ArrowUp; its options: ${palaestra.optionsOf(control)}`,
        result: "refused", element: pathOf(control) };
    }
    return locate(aim);
  }
  // Scrolls until two elements are in view at the same time, and returns a free point of each; null if they cannot be.
  function together(one, other) {
    const parts = [one, other].map((el) => [el, ...(el.labels || [])].filter(hasArea));
    for (const part of parts.flat()) {
      for (const block of ["nearest", "start", "end", "center"]) {
        part.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
        const points = parts.map((own) => own.map(freePoint).find(Boolean));
        if (points.every(Boolean)) return points;
      }
    }
    return null;
  }
  // Both ends of a drag, which must be in view at the same time.
  function span(aim, to) {
    const begin = locate(aim), end = locate(to);
    if (begin.problem || end.problem || aim.id === undefined || to.id === undefined) return { ...begin, end };
    const points = together(palaestra.elementOf(aim.id), palaestra.elementOf(to.id));
    return points ? { ...begin, ...points[0], end: { ...end, ...points[1] } } : { problem: "it and the place to end on are not in view at the same time", end };
  }
  // The kind of control that an element is, for filling it in.
  function control(aim) {
    const { el, problem } = aimed(aim);
    if (problem) return { problem };
    const state = el.checked !== undefined ? el.checked : el.getAttribute("aria-checked");
    const isToggle = /^(checkbox|radio)$/.test(el.type) || /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(el.getAttribute("role") || "");
    return { element: pathOf(el), isList: el.tagName === "SELECT", ...(isToggle ? { checked: state === true || state === "true" } : {}) };
  }
  function focus(aim, clear) {
    const aimedAt = aimed(aim);
    if (aimedAt.problem) return aimedAt;
    const isFocused = aim.id === undefined && aim.x === undefined;
    const el = isFocused ? aimedAt.el : aim.id === undefined ? controlOf(aimedAt.el) : aimedAt.el;
    const isField = el.isContentEditable || typeof el.value === "string" && !/^(button|submit|checkbox|radio|hidden|image|reset|file|select-one|select-multiple)$/.test(el.type);
    if (isFocused && !isField) return { problem: "no field has the focus: name the field, or click it first" };
    if (!isField) return { problem: `${what(el)} takes no text${el.tagName === "SELECT" ? '; choose with "select"' : ""}` };
    if (el.matches(":disabled")) return { problem: "it is disabled", element: pathOf(el) };
    if (el.readOnly) return { problem: "it is read-only", element: pathOf(el) };
    const place = aim.id === undefined ? {} : reached(el);
    if (place.problem) return { element: pathOf(el), ...place };
    el.focus({ preventScroll: true });
    if (!hasFocus(el)) return { problem: "it does not take the focus", element: pathOf(el) };
    // If the field already has the focus, a caret or selection that was made by keys is left as it is.
    if (!isFocused || clear) moveCaret(el, clear);
    return { element: pathOf(el), had: el.isContentEditable ? el.textContent.length : el.value.length, lines: el.isContentEditable || el.tagName === "TEXTAREA",
      ...(el.tagName === "INPUT" ? { kind: el.type, least: el.min, most: el.max, step: el.step } : {}) };
  }
  const hasFocus = (el) => el.getRootNode().activeElement === el;
  function reach(aim) {
    const { el, problem } = aimed(aim);
    if (problem) return { problem };
    const place = reached(el);
    if (place.problem) return { element: pathOf(el), ...place };
    el.focus({ preventScroll: true });
    return hasFocus(el) ? { element: pathOf(el) } : { problem: "it does not take the focus" };
  }
  function moveCaret(el, clear) {
    if (el.isContentEditable) {
      const selection = getSelection();
      selection.selectAllChildren(el);
      if (!clear) selection.collapseToEnd();
    } else if (clear) {
      el.select();
    } else {
      try { el.setSelectionRange(el.value.length, el.value.length); } catch { /* number and e-mail fields have no caret to move */ }
    }
  }
  // Sets the focused field to a value that cannot be typed reliably; `taken` tells whether the field accepted it.
  function enter(_aim, value) {
    const el = focused();
    const before = el.value;
    el.value = value;
    const isTaken = el.type === "range" ? Number(el.value) === Number(value) : el.value !== "" || value === "";
    if (!isTaken) { el.value = before; return { taken: false }; }
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return { taken: true };
  }
  // The content of the focused field, after keys have been typed into it.
  const held = () => ({ value: focused().value ?? "" });
  function focused() {
    let el = document.activeElement;
    while (el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
    return el;
  }
  function choose(aim, value) {
    const aimedAt = aimed(aim);
    if (aimedAt.problem) return aimedAt;
    const el = controlOf(aimedAt.el);
    if (el.tagName !== "SELECT") return { problem: `${what(el)} is not a list to select from` };
    if (el.disabled) return { problem: "it is disabled", element: pathOf(el) };
    const place = aim.id === undefined ? {} : reached(el);
    if (place.problem) return { element: pathOf(el), ...place };
    const labelOf = (o) => (o.label || o.text).replace(/\s+/g, " ").trim();
    const option = [...el.options].find((o) => labelOf(o) === value) || [...el.options].find((o) => o.value === value);
    if (!option || option.disabled) return { problem: `it has no such option; its options: ${palaestra.optionsOf(el)}` };
    const element = pathOf(el);
    el.focus();
    if (el.multiple) option.selected = true; else el.selectedIndex = option.index;
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return { element };
  }
  // The page's recorder assigns its events to the step that this attribute names.
  function begin(step) {
    if (step > 0) document.documentElement.dataset.step = String(step);
  }
  // Makes the page's recorder send its pending events, as it does when the page is left, and waits for that.
  function flushRecorder(limitMs) {
    return new Promise((resolve) => {
      const done = () => { observer.disconnect(); clearTimeout(timer); resolve({}); };
      const observer = new PerformanceObserver((list) => {
        if (list.getEntries().some((entry) => entry.initiatorType === "beacon")) done();
      });
      const timer = setTimeout(done, limitMs);
      observer.observe({ type: "resource" });
      dispatchEvent(new PageTransitionEvent("pagehide"));
    });
  }
  const idle = (ms) => pause(ms).then(() => ({}));
  // Runs one call of the harness. `ids` has the ids of earlier pages and is passed to each page once; new ids are
  // returned with the answer.
  async function run(name, given, { step, ids }) {
    if (ids) palaestra.adopt(ids);
    if (step) begin(step);
    const answer = await palaestra[name](...given);
    const fresh = palaestra.takeFresh();
    return fresh ? { ...answer, fresh } : answer;
  }
  Object.assign(globalThis.palaestra, { run, observe, aimed, pathOf, locate, freePoint, clickable, span, control, focus, enter, held, reach, choose, idle, flushRecorder });
})();
