//# allFunctionsCalledOnLoad
/* Reports events of the page: clicks, inputs, keys, scrolls, focus, visible blocks, errors. Events are numbered within
   one page load, so a batch sent twice is stored once. Batches that are not acknowledged are sent again, at the latest
   when the page is left. Reporting never delays the settled marker. */

/** @param {number} byte */
const hex = (byte) => byte.toString(16).padStart(2, "0");
/* Identifies this page load in all reports about it. */
export const page = Array.from(crypto.getRandomValues(new Uint8Array(9)), hex).join("");

/**
 * @typedef {object} PageEvent
 * @property {number} seq
 * @property {string} kind
 * @property {number} at_ms
 * @property {any} data
 * @property {number} [step] If it differs from the step in which the page was served.
 */

/** @param {string} PATH */
const report = (PATH) => {
  const root = document.documentElement;

  const ADDRESS = `${PATH}events`;
  const FLUSH_MS = 250;
  const SCROLL_MS = 250;
  const RETRIES = 5;
  const EVENTS_PER_BATCH = 100;
  const TEXT_MAX = 2000;
  const NAME_MAX = 120;
  /* Browsers allow 64 KiB for all requests together that outlive a page. */
  const KEEPALIVE_BYTES = 60000;
  const BY_HAND = new Set(["click", "input", "key", "focus", "submit"]);
  const KEYS = new Set([
    "Enter", "Escape", "Tab", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
  ]);
  const CONTROLS = "a[href],button,input,select,textarea,summary,option,label,[role],[tabindex],[contenteditable]";
  const UNNAMED_BY_TEXT = "input,select,textarea,main,form,body,html";
  /** @type {Record<string, string>} */
  const ROLES = {
    A: "link", BUTTON: "button", TEXTAREA: "textbox", SELECT: "combobox", SUMMARY: "button", OPTION: "option",
    IMG: "img", LABEL: "label", H1: "heading", H2: "heading", H3: "heading", P: "paragraph", FORM: "form", MAIN: "main",
  };
  /** @type {Record<string, string>} */
  const INPUT_ROLES = {
    checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
    submit: "button", button: "button", reset: "button", image: "button",
  };

  const stepOf = () => Number(root.dataset.step) || null;
  const servedStep = stepOf();

  let last = 0;
  /** @type {PageEvent[]} */
  let queue = [];
  /** @type {PageEvent[] | null} */
  let sending = null;
  let timer = 0;
  let failures = 0;

  /* NUL and lone surrogates cannot be stored. */
  /** @type {(text: unknown, limit: number) => string} */
  const clean = (text, limit) => String(text ?? "").slice(0, limit).toWellFormed().replaceAll("\0", "\ufffd");

  /** @type {(kind: string, data: Record<string, unknown>, step?: number | null) => PageEvent} */
  const record = (kind, data, step = stepOf()) => {
    if (moved && BY_HAND.has(kind)) scrolled();
    /** @type {PageEvent} */
    const event = { seq: ++last, kind, at_ms: Math.round(performance.now() * 10) / 10, data };
    if (step !== servedStep && step !== null) event.step = step;
    queue.push(event);
    timer ||= setTimeout(flush, FLUSH_MS);
    return event;
  };

  /* The window's size is read only when the load event is sent, because reading it earlier would force a layout. */
  /** @param {PageEvent} load */
  const sized = (load) => Object.assign(load.data, { width: innerWidth, height: innerHeight, ratio: devicePixelRatio });
  /** @param {PageEvent[]} events */
  const body = (events) => {
    if (events[0].kind === "load") sized(events[0]);
    return JSON.stringify({ page, step: servedStep, events });
  };
  /** @type {(text: string, more?: RequestInit) => Promise<Response>} */
  const post = (text, more) =>
    fetch(ADDRESS, { method: "POST", headers: { "Content-Type": "application/json" }, body: text, ...more });

  /* A server that fails, or refuses because of too many requests, may accept the batch later. */
  /** @param {number} status */
  const isFinal = (status) => status < 500 && status !== 429;

  const flush = async () => {
    timer = 0;
    if (sending || queue.length === 0) return;
    sending = queue.splice(0, EVENTS_PER_BATCH);
    openInput = null;
    let isAccepted = false;
    try {
      isAccepted = isFinal((await post(body(sending))).status);
    } catch {
      isAccepted = false;
    }
    if (!isAccepted) queue = sending.concat(queue);
    failures = isAccepted ? 0 : failures + 1;
    sending = null;
    if (queue.length > 0 && failures <= RETRIES) timer ||= setTimeout(flush, FLUSH_MS * 2 ** failures);
  };

  /* When the page is left, everything not acknowledged, including the batch in progress, is sent in requests that
     outlive the page. */
  const flushAll = () => {
    let rest = (sending ?? []).concat(queue);
    while (rest.length > 0) {
      let count = Math.min(rest.length, EVENTS_PER_BATCH);
      let text = body(rest.slice(0, count));
      while (count > 1 && text.length * 3 > KEEPALIVE_BYTES) {
        count = count >> 1;
        text = body(rest.slice(0, count));
      }
      const isQueued = navigator.sendBeacon(ADDRESS, new Blob([text], { type: "application/json" }));
      if (!isQueued) post(text, { keepalive: true }).catch(() => {});
      rest = rest.slice(count);
    }
    queue = [];
  };

  /** @type {(element: any) => string} */
  const roleOf = (element) => {
    const role = element.getAttribute("role");
    if (role) return role;
    if (element.tagName === "INPUT") return INPUT_ROLES[element.type] ?? "textbox";
    return ROLES[element.tagName] ?? element.tagName.toLowerCase();
  };

  /** @param {string} text */
  const oneLine = (text) => text.trim().replace(/\s+/g, " ");

  /** @type {(element: any) => string} */
  const nameOf = (element) => {
    const label = element.getAttribute("aria-label") ?? element.getAttribute("alt");
    if (label) return clean(oneLine(label), NAME_MAX);
    if (element.labels?.length > 0) return clean(oneLine(element.labels[0].textContent), NAME_MAX);
    if (element.tagName === "INPUT" && INPUT_ROLES[element.type] === "button") return clean(element.value, NAME_MAX);
    if (element.matches(UNNAMED_BY_TEXT)) return clean(element.getAttribute("title") ?? element.name, NAME_MAX);
    return clean(oneLine(element.textContent), NAME_MAX);
  };

  /** @param {EventTarget | null} node */
  const controlOf = (node) => (node instanceof Element ? (node.closest(CONTROLS) ?? node) : root);
  /** @param {EventTarget | null} node */
  const target = (node) => {
    const element = controlOf(node);
    return { element, role: roleOf(element), name: nameOf(element) };
  };

  /* An element's place in the document: the index among its siblings of each ancestor and of the element itself. The
     function below adds its box in the window and the scroll position, for marks on screenshots. A hidden field has no
     box, so that of the focused editor in its place is taken. */
  /** @param {Element} element */
  const pathOf = (element) => {
    if (element.getRootNode() !== document) return "";
    const places = [];
    for (let at = element; at.parentElement; at = at.parentElement) places.push([...at.parentElement.children].indexOf(at));
    return places.reverse().join("/");
  };

  /** @param {Element} element */
  const whereabouts = (element) => {
    const shown = element.getClientRects().length > 0 ? element : (document.activeElement ?? element);
    const { x, y, width, height } = shown.getBoundingClientRect();
    return { element: pathOf(shown), box: [x, y, width, height].map(Math.round), scroll: [scrollX, scrollY].map(Math.round) };
  };

  /** @type {(kind: string, listener: (event: any) => void) => void} */
  const listen = (kind, listener) => addEventListener(kind, listener, { capture: true, passive: true });

  listen("click", (event) => {
    const { element, role, name } = target(event.target);
    const place = { x: Math.round(event.clientX), y: Math.round(event.clientY), ...whereabouts(element) };
    record("click", { role, name, ...place, trusted: event.isTrusted });
  });

  /* Successive changes of one field are merged into one event, with the latest value, until that is sent. */
  /** @type {{ element: Element, event: PageEvent } | null} */
  let openInput = null;
  /** @param {Event} event */
  const input = (event) => {
    /** @type {any} */
    const element = controlOf(event.target);
    if (!element.matches("input,select,textarea")) return;
    if (openInput?.element !== element) {
      const { role, name } = target(element);
      openInput = { element, event: record("input", { role, name, ...whereabouts(element) }) };
    }
    const data = openInput.event.data;
    if (element.type === "checkbox" || element.type === "radio") data.checked = element.checked;
    if (element.type === "password") return;
    data.value = clean(element.value, TEXT_MAX);
    if (element.value.length > TEXT_MAX) data.length = element.value.length;
  };
  listen("input", input);
  listen("change", (event) => {
    if (event.target instanceof Element && event.target.matches("select,[type=checkbox],[type=radio]")) input(event);
  });

  listen("keydown", (event) => {
    if (!KEYS.has(event.key)) return;
    openInput = null;
    const { element, role, name } = target(event.target);
    record("key", { key: event.key, role, name, element: pathOf(element) });
  });

  listen("focusin", (event) => {
    openInput = null;
    const { element, role, name } = target(event.target);
    record("focus", { role, name, ...whereabouts(element) });
  });

  listen("submit", () => record("submit", {}));

  /* Scrolling is reported at intervals and before the next action, with the page's position and the step in which the
     scrolling began. */
  /** @type {{ step: number | null, x: number, y: number } | null} */
  let moved = null;
  let scrollTimer = 0;
  function scrolled() {
    clearTimeout(scrollTimer);
    scrollTimer = 0;
    if (!moved) return;
    const { step, ...place } = moved;
    moved = null;
    record("scroll", place, step);
  }
  listen("scroll", () => {
    const step = stepOf();
    if (moved && moved.step !== step) scrolled();
    moved = { step, x: Math.round(scrollX), y: Math.round(scrollY) };
    scrollTimer ||= setTimeout(scrolled, SCROLL_MS);
  });

  addEventListener("error", (event) => {
    const source = clean(event.filename, NAME_MAX).replace(PATH, "/");
    record("error", { message: clean(event.message, TEXT_MAX), source, line: event.lineno || 0 });
  });
  addEventListener("unhandledrejection", (event) => record("error", { message: clean(event.reason, TEXT_MAX) }));
  addEventListener("securitypolicyviolation", (event) => {
    record("error", { message: `policy: ${clean(event.violatedDirective, NAME_MAX)}` });
  });

  const seen = new WeakSet();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const { target: block, isIntersecting } = entry;
      if (!isIntersecting && !seen.has(block)) continue;
      seen.add(block);
      record("visible", { block: clean(/** @type {HTMLElement} */ (block).dataset.block, NAME_MAX), is_visible: isIntersecting });
    }
  });
  for (const block of document.querySelectorAll("[data-block]")) observer.observe(block);

  document.addEventListener("gym:settled", () => record("settled", {}), { once: true });
  addEventListener("pagehide", () => {
    scrolled();
    flushAll();
  });
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && void flush());

  const path = clean(location.pathname.slice(PATH.length), NAME_MAX);
  record("load", { path, origin: Math.round(performance.timeOrigin) });
};

const [PATH] = location.pathname.match(/^\/e\/[^/]+\//) ?? [];
if (PATH) report(PATH);
