/* Rebuilds a page at one moment from its recording. <html data-replay> becomes "ready" when the frame with its pictures
   and fonts is complete, and "failed" if there is no frame. The viewer can make it play from there to the step's end. */
"use strict";

(() => {
  const root = document.documentElement;
  const FIRST_FRAME_MS = 20; /* rrweb draws the first snapshot and sets its size in timers. */
  const LOAD_LIMIT_MS = 8000;
  const FRAME_MS = 100;
  /* The codes of event types and sources in rrweb. */
  const [FULL_SNAPSHOT, INCREMENTAL, CUSTOM] = [2, 3, 5];
  const [MOUSE_INTERACTION, SCROLL] = [2, 3];
  const [FOCUS, BLUR] = [5, 6];
  const CLICK_MS = 500;
  const TYPED_IN = "textarea, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=submit], [type=button])";
  /* These rules keep the page still: animations have ended, and nothing blinks. */
  const AT_REST = [
    "*, ::before, ::after { animation-delay: -1ms !important; animation-duration: 1ms !important; " +
      "animation-iteration-count: 1 !important; transition: none !important; scroll-behavior: auto !important; }",
    "html { caret-color: transparent !important; }",
  ];
  const at = Number(root.dataset.at);
  const until = Number(root.dataset.until);
  const isAlone = window.top === window;
  /** @typedef {(event: any, isSync: boolean, context: { replayer: any }) => void} Handler The handler of an rrweb plugin. */

  /** @type {any} */
  let replayer = null;
  let end = 0;

  /** @param {string} state */
  const report = (state) => {
    root.dataset.replay = state;
    if (!isAlone) parent.postMessage({ replay: state }, location.origin);
  };

  /** @param {number} ms */
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const painted = () => Promise.race([wait(FRAME_MS), new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))]);

  const loaded = async () => {
    const page = replayer.iframe.contentDocument;
    const sheets = Array.from(page.querySelectorAll("link[rel=stylesheet]"), (link) =>
      link.sheet ? null : new Promise((resolve) => {
        link.addEventListener("load", resolve, { once: true });
        link.addEventListener("error", resolve, { once: true });
      }));
    await Promise.all(sheets);
    await Promise.all(Array.from(page.images, (/** @type {HTMLImageElement} */ image) => image.decode().catch(() => {})));
    await page.fonts.ready;
  };

  /* rrweb's own focus would draw a ring around clicked elements, and in the viewer the focus belongs to the reader. */
  let mouseAt = -Infinity;
  /** @type {(() => void) | null} */
  let focused = null;
  /** @type {Handler} */
  const focus = (event, _isSync, { replayer: own }) => {
    const { data, timestamp } = event;
    if (event.type !== INCREMENTAL || data.source !== MOUSE_INTERACTION) return;
    if (data.type !== FOCUS) {
      if (data.type === BLUR) focused = null;
      else mouseAt = timestamp;
      return;
    }
    const target = own.getMirror().getNode(data.id);
    const hasRing = timestamp - mouseAt > CLICK_MS || target?.matches?.(TYPED_IN);
    focused = () => target?.focus?.(hasRing ? { preventScroll: true } : { preventScroll: true, focusVisible: false });
    focused();
  };

  /** @type {Handler} */
  const popover = (event, _isSync, { replayer: own }) => {
    if (event.type !== CUSTOM) return;
    const { id, open } = event.data.payload;
    const target = own.getMirror().getNode(id);
    if (!target?.popover || target.matches(":popover-open") === open) return;
    if (!open) {
      target.hidePopover();
      return;
    }
    target.showPopover();
    /* Showing a popover moves the focus, and an element inside it could not take the focus before. */
    if (focused) focused();
    else target.ownerDocument.activeElement?.blur();
  };

  /* An element that appears under a resting mouse is hovered, too. */
  /** @type {{ x: number, y: number } | null} */
  let mouse = null;
  /** @param {any} event */
  const point = (event) => {
    if (event.type !== INCREMENTAL) return;
    const { source, positions, x, y } = event.data;
    if (positions) mouse = positions.at(-1);
    else if (source === MOUSE_INTERACTION && x !== undefined) mouse = { x, y };
  };
  const hover = () => {
    const below = mouse && replayer.iframe.contentDocument.elementFromPoint(mouse.x, mouse.y);
    if (below) replayer.hoverElements(below);
  };

  /* Without its pictures, a page may be too short to be scrolled, so it is scrolled again when they are loaded. */
  const places = new Map();
  /** @param {any} event */
  const scrolled = (event) => {
    const { data } = event;
    if (event.type === FULL_SNAPSHOT) {
      places.clear();
      places.set(data.node.id, { ...data.initialOffset, behavior: "instant" });
    } else if (event.type === INCREMENTAL && data.source === SCROLL) {
      places.set(data.id, { left: data.x, top: data.y, behavior: "instant" });
    }
  };
  const scrollAgain = () => {
    for (const [id, place] of places) {
      const node = replayer.getMirror().getNode(id);
      (node === replayer.iframe.contentDocument ? replayer.iframe.contentWindow : node)?.scrollTo?.(place);
    }
  };

  const make = () => {
    const events = JSON.parse(document.getElementById("events").textContent);
    const silent = { log: () => {}, warn: () => {} };
    return new rrwebReplay.Replayer(events, {
      root: document.body,
      mouseTail: false,
      /* With its virtual DOM, rrweb loses changes when it seeks. */
      useVirtualDom: false,
      UNSAFE_replayCanvas: false,
      pauseAnimation: false,
      skipInactive: false,
      showWarning: false,
      showDebug: false,
      triggerFocus: false,
      plugins: [{ handler: popover }, { handler: point }, { handler: scrolled }, ...(isAlone ? [{ handler: focus }] : [])],
      insertStyleRules: AT_REST,
      logger: silent,
    });
  };

  const seek = async () => {
    replayer.pause(at);
    await Promise.race([loaded(), wait(LOAD_LIMIT_MS)]);
    scrollAgain();
    hover();
    await painted();
  };

  /* In the viewer, keys belong to the reader, whatever has the focus here. */
  /** @param {Window} where */
  const forwardKeys = (where) => {
    where.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const { key, code, shiftKey } = event;
      parent.postMessage({ pressed: { key, code, shiftKey } }, location.origin);
    }, true);
  };

  const start = async () => {
    try {
      replayer = make();
      replayer.iframe.tabIndex = -1;
      replayer.iframe.inert = !isAlone;
      await wait(FIRST_FRAME_MS);
      await seek();
      if (!replayer.iframe.contentDocument?.documentElement) throw new Error("nothing was drawn");
      if (!isAlone) [window, replayer.iframe.contentWindow].forEach(forwardKeys);
      report("ready");
    } catch {
      report("failed");
    }
  };

  const stop = () => {
    clearInterval(end);
    end = 0;
    delete root.dataset.playing;
  };

  /** @param {number} speed */
  const play = (speed) => {
    stop();
    root.dataset.playing = "yes";
    replayer.setConfig({ speed });
    replayer.play(at);
    end = setInterval(() => {
      if (replayer.getCurrentTime() < until) return;
      stop();
      replayer.pause();
      parent.postMessage({ replay: "ended" }, location.origin);
    }, FRAME_MS / 4);
  };

  addEventListener("message", (event) => {
    if (event.source !== parent || event.origin !== location.origin || !replayer) return;
    if (typeof event.data?.play === "number") play(event.data.play);
    if (event.data?.pause) {
      stop();
      replayer.pause(at);
    }
  });

  void start();
})();
