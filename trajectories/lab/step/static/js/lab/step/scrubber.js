/* The scrubber is a slider over the steps with a track that is scaled by time. It previews the step under the pointer.
   The links on its track are for pages without scripts. */

import { rowOf } from "./list.js";
import * as replay from "./viewer.js";

/** @param {HTMLElement} box */
const scrub = (box) => {

  const WIDTH = 1000;
  const SHORT_MS = 60000;
  const MATCHES_MAX = 500;
  const SVG = "http://www.w3.org/2000/svg";
  /** @type {(name: string) => HTMLElement} */
  const part = (name) => box.querySelector(`[data-scrub-${name}]`);
  /** @type {HTMLInputElement} */
  const slider = box.querySelector("[data-scrub]");
  const [place, now, preview] = ["place", "now", "preview"].map(part);
  const clock = replay.viewer.querySelector("[data-scrub-time]");
  /** @type {number[][]} */
  let times = [];
  let total = 1;
  /** @type {Set<number>} */
  let matches = new Set();
  let shown = 0; /* The step that is previewed. */

  const track = () => part("track");
  const last = () => Number(replay.viewer.dataset.last);

  const read = () => {
    const { times: text, total: all } = track().dataset;
    times = text.split(" ").filter(Boolean).map((pair) => pair.split(",").map(Number));
    total = Number(all) || 1;
  };

  /** @type {(column: 0 | 1, value: number) => number} */
  const stretchBefore = (column, value) => Math.max(0, times.findLastIndex((one) => one[column] <= value));
  /** @param {number} at */
  const endOf = (at) => times[at + 1] ?? [last() + 1, total];

  /* Within a stretch of several steps, all steps are assumed to be equally long. */
  /** @type {(value: number, from: 0 | 1, to: 0 | 1) => number} */
  const between = (value, from, to) => {
    const at = stretchBefore(from, value);
    if (!times[at]) return 0;
    const [begin, end] = [times[at], endOf(at)];
    const share = (value - begin[from]) / (end[from] - begin[from] || 1);
    return begin[to] + Math.min(Math.max(share, 0), 1) * (end[to] - begin[to]);
  };
  /** @param {number} index */
  const timeOf = (index) => between(index, 0, 1);
  /** @param {number} ms */
  const stepAt = (ms) => Math.min(Math.floor(between(ms, 1, 0)), last());

  /** @param {number} ms */
  const format = (ms) => {
    if (total < SHORT_MS) return `${(ms / 1000).toFixed(1)} s`;
    const seconds = Math.floor(ms / 1000);
    /** @param {number} number */
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  };

  /** @param {number} index */
  const show = (index) => {
    const at = timeOf(index);
    now.style.insetInlineStart = `${(at / total) * 100}%`;
    slider.setAttribute("aria-valuetext", `Step ${index} of ${last()}, at ${format(at)} of ${format(total)}`);
    clock.textContent = `${format(at)} / ${format(total)}`;
    const stretch = times[stretchBefore(0, index)]?.[0];
    for (const one of track().querySelectorAll(".is-now")) one.classList.remove("is-now");
    track().querySelector(`[data-at="${stretch}"]`)?.classList.add("is-now");
  };

  const mark = () => {
    const group = part("matches");
    group.replaceChildren();
    for (const index of Array.from(matches).slice(0, MATCHES_MAX)) {
      const tick = document.createElementNS(SVG, "rect");
      const at = { class: "scrub-match", x: String((timeOf(index) / total) * WIDTH), width: "3", height: "20" };
      for (const [name, value] of Object.entries(at)) tick.setAttribute(name, value);
      group.append(tick);
    }
  };

  /* ---- the step under the pointer */

  /** @type {(className: string, text: string) => HTMLElement} */
  const line = (className, text) => {
    const element = document.createElement("span");
    element.className = className;
    element.textContent = text;
    return element;
  };

  const fill = () => {
    if (!shown) return;
    const row = rowOf(shown);
    /** @type {HTMLElement[]} */
    const parts = [line("scrub-title", `Step ${shown} · ${format(timeOf(shown))}`)];
    if (row) parts.push(line("scrub-did", [row.type, row.phrase].filter(Boolean).join(" ")));
    if (row?.sha256) {
      const picture = document.createElement("img");
      picture.alt = "";
      picture.src = `/blobs/${row.sha256}/thumbnail`;
      parts.unshift(picture);
    }
    preview.replaceChildren(...parts);
  };

  const leave = () => {
    shown = 0;
    preview.hidden = true;
  };

  /** @param {PointerEvent} event */
  const atPointer = (event) => {
    const { left, width } = track().getBoundingClientRect();
    return Math.min(Math.max((event.clientX - left) / width, 0), 1);
  };

  /** @param {PointerEvent} event */
  const hover = (event) => {
    const share = atPointer(event);
    const index = stepAt(share * total);
    const isNew = index !== shown;
    shown = index;
    preview.hidden = false;
    preview.style.insetInlineStart = `clamp(0px, calc(${share * 100}% - 6.5rem), calc(100% - 13rem))`;
    if (isNew) fill();
  };

  /** @param {PointerEvent} event */
  const go = (event) => {
    const index = stepAt(atPointer(event) * total);
    if (Number(slider.value) === index) return;
    slider.value = String(index);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  };

  place.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    place.setPointerCapture(event.pointerId);
    go(event);
    const stop = () => {
      place.removeEventListener("pointermove", go);
      slider.dispatchEvent(new Event("change", { bubbles: true }));
    };
    place.addEventListener("pointermove", go);
    place.addEventListener("lostpointercapture", stop, { once: true });
  });
  /* The links on the track are only followed with a modifier key. */
  place.addEventListener("click", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault();
  });
  place.addEventListener("pointermove", hover);
  place.addEventListener("pointerleave", leave);

  const refresh = async () => {
    const response = await fetch(box.dataset.href).catch(Response.error);
    if (!response.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    place.replaceChildren(...page.body.childNodes);
    read();
    mark();
    show(replay.current());
  };

  document.addEventListener("replay:shown", (event) => show(event.detail.step));
  document.addEventListener("replay:matched", (event) => {
    matches = event.detail;
    mark();
  });
  document.addEventListener("timeline:read", fill);
  document.addEventListener("live:swapped", (event) => event.detail.isNew && void refresh());
  read();
  show(replay.current());
};

const box = document.querySelector("[data-scrubber]");
if (box) scrub(box);
