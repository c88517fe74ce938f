// What the client does inside a page, in the same isolated world as axtree.js: wait until the page has settled, locate
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
  // Pages say when they are ready; one that has no script can never say so and is ready once loaded.
  function isReady(html) {
    if (html.getAttribute("data-settled") === "true") return true;
    if (location.protocol === "chrome-error:") return document.readyState === "complete";
    return document.readyState === "complete" && document.scripts.length === 0 && !html.hasAttribute("data-settled");
  }
  // This script runs before the first byte of the document has arrived.
  function rooted() {
    if (document.documentElement) return Promise.resolve();
    return new Promise((resolve) => {
      new MutationObserver((_, observer) => { observer.disconnect(); resolve(); }).observe(document, { childList: true });
    });
  }
  async function settled(limitMs) {
    await rooted();
    const html = document.documentElement;
    if (isReady(html)) return true;
    return new Promise((resolve) => {
      const finish = (value) => { observer.disconnect(); clearTimeout(timer); removeEventListener("load", check); resolve(value); };
      const check = () => { if (isReady(html)) finish(true); };
      const observer = new MutationObserver(check);
      const timer = setTimeout(() => finish(false), limitMs);
      observer.observe(html, { attributes: true, attributeFilter: ["data-settled"] });
      addEventListener("load", check);
    });
  }
  // `acted`: an action has just been performed, so a navigation may be about to begin; the new document is then observed.
  async function observe({ acted, limitMs, withText }) {
    if (acted && (await leaving())) return { leaving: true };
    isLeaving = false;
    const isSettled = await settled(limitMs);
    if (isLeaving) return { leaving: true };
    const wantsTab = newTab;
    newTab = false;
    return { leaving: false, settled: isSettled, newTab: wantsTab, url: location.href, title: document.title,
      text: withText ? palaestra.serialise() : "" };
  }

  function placeOf(el) {
    let box = el.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return { problem: "it has no visible area" };
    if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) {
      el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      box = [...el.getClientRects()].find((r) => r.width && r.height) || el.getBoundingClientRect();
    }
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
    const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
    const hit = document.elementFromPoint(x, y);
    const isReached = hit && (el.contains(hit) || hit.contains(el) || el.shadowRoot || (hit.control || hit.closest("label")?.control) === el);
    return isReached ? { x, y } : { problem: "another element covers it" };
  }
  // Where an element is in the document, as the page's recorder writes it; empty inside a shadow root.
  function pathOf(el) {
    if (el.getRootNode() !== document) return "";
    const places = [];
    for (let at = el; at.parentElement; at = at.parentElement) places.push([...at.parentElement.children].indexOf(at));
    return places.reverse().join("/");
  }
  function locate(id) {
    const el = palaestra.elementOf(id);
    if (!el) return { problem: "there is no such element on the page" };
    if (el.matches(":disabled")) return { problem: "it is disabled" };
    return { element: pathOf(el), ...placeOf(el) };
  }
  function focus(id, clear) {
    const el = palaestra.elementOf(id);
    if (!el) return { problem: "there is no such element on the page" };
    const isField = el.isContentEditable || typeof el.value === "string" && !/^(button|submit|checkbox|radio|hidden|image|reset|file)$/.test(el.type);
    if (!isField || el.matches(":disabled") || el.readOnly) return { problem: "text cannot be typed into it" };
    el.scrollIntoView({ block: "nearest", behavior: "instant" });
    el.focus();
    if (!hasFocus(el)) return { problem: "it does not take the focus" };
    moveCaret(el, clear);
    return { element: pathOf(el), had: el.isContentEditable ? el.textContent.length : el.value.length,
      lines: el.isContentEditable || el.tagName === "TEXTAREA" };
  }
  const hasFocus = (el) => el.getRootNode().activeElement === el;
  function reach(id) {
    const el = palaestra.elementOf(id);
    if (!el) return { problem: "there is no such element on the page" };
    el.focus();
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
  // The page itself hardly ever scrolls sideways: find the first frame in view that can.
  function sideways(dx) {
    const hasMore = (el) => dx > 0 ? el.scrollLeft + el.clientWidth < el.scrollWidth - 1 : el.scrollLeft > 0;
    if (hasMore(document.scrollingElement)) return {};
    for (const el of document.querySelectorAll("*")) {
      if (el.scrollWidth <= el.clientWidth || !/auto|scroll/.test(getComputedStyle(el).overflowX) || !hasMore(el)) continue;
      const box = el.getBoundingClientRect();
      const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
      if (bottom > top) return { x: box.left + box.width / 2, y: (top + bottom) / 2 };
    }
    return { problem: "nothing in view moves that way" };
  }
  function choose(id, value) {
    const el = palaestra.elementOf(id);
    if (!el) return { problem: "there is no such element on the page" };
    if (el.tagName !== "SELECT" || el.disabled) return { problem: "it is not a list to select from" };
    const labelOf = (o) => (o.label || o.text).replace(/\s+/g, " ").trim();
    const option = [...el.options].find((o) => labelOf(o) === value) || [...el.options].find((o) => o.value === value);
    if (!option || option.disabled) return { problem: "it has no such option" };
    const element = pathOf(el);
    el.focus();
    if (el.multiple) option.selected = true; else el.selectedIndex = option.index;
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return { element };
  }
  // The page's own recorder assigns its events to the step in this attribute.
  function begin(step) {
    if (step > 0) document.documentElement.dataset.step = String(step);
  }
  // Makes the page's recorder send what it still holds, as it does when a page is left, and waits for that.
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
  Object.assign(globalThis.palaestra, { begin, observe, locate, focus, reach, sideways, choose, idle, flushRecorder });
})();
