/* Goes from step to step without leaving the page: a link to a step of this episode fetches that step's part alone.
   The neighbours are fetched beforehand. Others listen to "replay:swapped" and "replay:shown" and call window.replay. */
"use strict";

(() => {
  const viewer = document.querySelector("[data-viewer]");
  if (!viewer) return;

  const KEPT = 60;
  const PICTURE_MS = 40;
  const COMPUTED = [".action-card", "#measures", "#ending"];
  const AWAITED = "[data-awaited]"; /* A screenshot that was announced, and may be uploaded yet. */
  const base = viewer.dataset.viewer;
  const kept = new Map();
  const BESIDE = ["before", "after"];
  const AHEAD_MOST = 8;
  let wanted = 0;
  let ahead = [];
  let latest = null;

  const article = () => document.getElementById("step");
  const current = () => Number(article().dataset.step);
  const findIn = (search) => new URLSearchParams(search).get("find") ?? "";
  const query = (find) => (find ? `?find=${encodeURIComponent(find)}` : "");
  const address = (index, find = findIn(location.search)) => `${base}${index}${query(find)}`;
  const partOf = (index, find) => `${address(index, find)}${find ? "&" : "?"}fragment`;
  const nearestOf = (index, find) => `${base}${query(find)}${find ? "&" : "?"}index=${index}&fragment`;

  const stepOf = (url) => {
    if (url.origin !== location.origin || !url.pathname.startsWith(base)) return null;
    const rest = url.pathname.slice(base.length);
    return /^[0-9]{1,10}$/.test(rest) ? Number(rest) : null;
  };

  const say = (text) => {
    viewer.querySelector("[data-status]").textContent = text;
  };

  const fetched = async (path) => {
    const response = await fetch(path, { headers: { Accept: "text/html" } });
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.getElementById("step");
    if (!found) throw new Error("no step came"); /* The login page, say. */
    found.dataset.fetchedAt = performance.now();
    return found;
  };

  const load = (path) => {
    if (!kept.has(path)) {
      const loading = fetched(path);
      kept.set(path, loading);
      loading.catch(() => kept.delete(path));
      if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    }
    return kept.get(path);
  };

  const prefetch = (path) => {
    load(path).then(
      (part) => {
        const shot = part.querySelector(".shot img");
        if (shot) new Image().src = shot.getAttribute("src");
      },
      () => null,
    );
  };

  /* What whoever types a number may be about to ask for. */
  const expect = (index) => prefetch(nearestOf(index, findIn(location.search)));

  /* Once the frame with the step has been drawn: what is no part of the step must not make it late. */
  const later = (todo) => {
    const soon = document.hidden ? setTimeout : requestAnimationFrame;
    soon(() => soon(todo));
  };

  /* A picture that is there when its step appears does not flash; one that takes long comes later. */
  const drawn = (part) => {
    const shot = part.querySelector(".shot img");
    if (!shot) return null;
    const late = new Promise((resolve) => {
      setTimeout(resolve, PICTURE_MS);
    });
    return Promise.race([shot.decode().catch(() => null), late]);
  };

  const swap = (part) => {
    const old = article();
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    old.replaceWith(part);
    document.dispatchEvent(new Event("replay:swapped"));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };

  const link = (name, index) => {
    for (const one of viewer.querySelectorAll(`[data-step-link="${name}"]`)) {
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
    if (before) later(() => prefetch(partOf(before, find)));
  };

  const settle = () => {
    const { step } = article().dataset;
    for (const one of viewer.querySelectorAll("[data-step-number]")) one.textContent = step;
    document.title = document.title.replace(/^Step \d+/, `Step ${step}`);
    settleLinks();
    document.dispatchEvent(new CustomEvent("replay:shown", { detail: { step: Number(step) } }));
  };

  const bring = async (index, { push = true, find = findIn(location.search), near = false, tells = false } = {}) => {
    wanted += 1;
    const mine = wanted;
    window.gymSettled?.hold();
    try {
      const path = near ? nearestOf(index, find) : partOf(index, find);
      let loaded = await load(path);
      /* What was fetched as the last step, while more have come. */
      if (!loaded.dataset.after && Number(loaded.dataset.step) < Number(viewer.dataset.last)) {
        kept.delete(path);
        loaded = await load(path);
      }
      const part = document.importNode(loaded, true);
      const notice = part.querySelector("[data-notice]");
      if (!tells) notice?.remove(); /* Nobody named the number that a slider has come to. */
      await drawn(part);
      if (mine !== wanted) return false;
      if (!part.dataset.after) kept.delete(path); /* More steps may come. */
      swap(part);
      if (push) history.pushState({}, "", address(part.dataset.step, find) + location.hash);
      settle();
      say(tells && notice ? `${notice.textContent} ${part.dataset.summary}` : part.dataset.summary);
      return true;
    } catch {
      if (mine === wanted) location.assign(near ? nearestOf(index, find).replace("&fragment", "") : address(index, find));
      return false;
    } finally {
      window.gymSettled?.release();
    }
  };

  const show = (index, options) => {
    latest = bring(index, options);
    return latest;
  };

  /* To the step before or after the shown one. Whoever asks faster than steps come goes as many as were asked for. */
  const go = async (name) => {
    if (ahead.length >= AHEAD_MOST) return;
    ahead.push(name);
    if (ahead.length > 1) return;
    const before = wanted;
    await latest;
    if (wanted !== before) ahead = [];
    while (ahead.length > 0) {
      const index = Number(article().dataset[ahead[0]]);
      if (index && !(await show(index))) ahead = []; /* Another step was asked for meanwhile. */
      ahead.shift();
    }
  };

  /* What is kept is no longer true. */
  const forget = () => {
    kept.clear();
    settleLinks();
  };

  const shownPath = () => partOf(current(), findIn(location.search));
  const isShown = (part) => part?.dataset.step === article().dataset.step;

  const redraw = (part, names) => {
    for (const name of names) {
      const fresh = part.querySelector(name);
      if (fresh) article().querySelector(name)?.replaceChildren(...document.importNode(fresh, true).childNodes);
    }
  };

  const isAwaited = () => Boolean(article().querySelector(AWAITED));

  const redrawPicture = (part) => {
    if (!isAwaited() || part.querySelector(AWAITED)) return;
    redraw(part, [".shot-card"]);
    document.dispatchEvent(new Event("replay:pictured"));
  };

  /* The shown step is told anew, but only what comes after it, what is computed of it and the picture that it lacked:
     the reader may be in the midst of the rest. */
  const renew = async () => {
    kept.clear();
    const found = await load(shownPath()).catch(() => null);
    if (!isShown(found)) return;
    article().dataset.after = found.dataset.after;
    redraw(found, COMPUTED);
    redrawPicture(found);
    settleLinks();
  };

  /* Looks only for the picture that the step lacks: nothing else of it changes, and its neighbours stay fetched. */
  const lookForPicture = async () => {
    const path = shownPath();
    const found = await fetched(path).catch(() => null);
    if (!isShown(found) || found.querySelector(AWAITED)) return;
    kept.delete(path);
    redrawPicture(found);
  };

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const anchor = event.target.closest?.("a[href]");
    if (!anchor || !viewer.contains(anchor) || anchor.hash) return;
    const index = stepOf(new URL(anchor.href));
    if (index === null) return;
    event.preventDefault();
    if (BESIDE.includes(anchor.dataset.stepLink)) void go(anchor.dataset.stepLink);
    else if (index !== current()) void show(index);
  });

  addEventListener("popstate", () => {
    const index = stepOf(new URL(location.href));
    if (index !== null && index !== current()) void show(index, { push: false });
    else settle();
  });

  document.addEventListener("replay:say", (event) => say(event.detail));

  const does = { show, renew, lookForPicture, forget, expect, later };
  window.replay = Object.freeze({ viewer, article, current, address, findIn, isAwaited, ...does });
  addEventListener("DOMContentLoaded", settle);
})();
