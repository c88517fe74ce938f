/* The timeline shows all steps of an episode as a row of frames or as a list. Only visible steps are in the page, and
   the index is loaded in parts as they become visible, so that 10,000 steps cost as much as 50. A range of step numbers
   that were never recorded is one cell. In the viewer, one step is the current one. On an episode's page there is no
   current step, and arrow keys move along the frames. */

import { create } from "./elements.js";
import { placesOf } from "./places.js";

/**
 * @typedef {(row: StepRow, reached: string) => HTMLElement} Draw
 * @typedef {(index: number) => StepRow | undefined} RowOf
 * @typedef {{ rows?: Map<number, StepRow>, isProvisional?: boolean }} Part
 */

/** @type {RowOf} */
const none = () => undefined;

/** @type {(view: HTMLElement, drawn: Draw, replay?: typeof import("../step/viewer.js")) => RowOf} */
const start = (view, drawn, replay) => {
  const isList = "list" in view.dataset;
  const PITCH = isList ? 44 : 80;
  /** @type {["insetBlockStart" | "insetInlineStart", "scrollTop" | "scrollLeft", "clientHeight" | "clientWidth", "height" | "width"]} */
  const [START, SCROLL, ROOM, SIZE] = isList
    ? ["insetBlockStart", "scrollTop", "clientHeight", "height"]
    : ["insetInlineStart", "scrollLeft", "clientWidth", "width"];
  const SPARE = 4;
  const PLACES_MAX = 200000; /* Browsers lay out nothing beyond about 33 million pixels. */
  const RETRY_MS = 5000;
  const FINAL_MS = 6000;
  const FINAL_TRIES = 5;
  /** @type {Record<string, number>} */
  const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
  const SPAN = Number(view.dataset.span);
  let last = Number(view.dataset.last);
  let places = placesOf(view.dataset.missing, last);
  if (places.count > PLACES_MAX) return none;

  const track = view.querySelector("ol");
  const ending = document.querySelector("[data-ending]"); /* A list has no ending. */
  /** @type {Map<number, Part>} */
  const parts = new Map();
  /** @type {Map<number, string[]>} */
  const milestones = new Map();
  /** @type {Map<number, HTMLElement>} */
  const cells = new Map();
  /** @type {Set<number>} */
  let matches = new Set();
  let stop = Number(view.dataset.start); /* The frame that Tab focuses. */
  let awaited = 0;

  const current = () => replay?.current() ?? 0;
  const find = new URLSearchParams(location.search).get("find");
  const query = find ? `?find=${encodeURIComponent(find)}` : "";
  /** @param {number} index */
  const address = (index) => replay?.address(index) ?? `${view.dataset.steps}${index}${query}`;
  const endingSize = () => ending?.offsetWidth ?? 0;
  /** @param {number} index */
  const leftOf = (index) => places.placeOf(index) * PITCH;
  /** @param {number} index */
  const partOf = (index) => Math.floor((index - 1) / SPAN);

  /** @param {number} number */
  const format = (number) => number.toLocaleString("en");

  /** @type {(cell: HTMLElement, range: { first: number, last: number }) => HTMLElement} */
  const rangeCell = (cell, { first, last: end }) => {
    cell.className = "frame-range";
    const isInherited = end <= Number(view.dataset.inherited);
    cell.title = `${isInherited ? "Inherited" : "Never recorded"}: ${format(first)}${end > first ? ` to ${format(end)}` : ""}`;
    const missing = create("span", "frame-missing");
    missing.append(create("b", "", format(end - first + 1)), isInherited ? " inherited" : " not recorded");
    cell.append(missing, create("span", "frame-name", end > first ? `${first}–${end}` : String(first)));
    return cell;
  };

  /** @param {number} index */
  const isMissing = (index) => places.rangeOf(index) || cells.get(index)?.classList.contains("frame-range");

  /** @param {number} index */
  const cellOf = (index) => {
    const cell = create("li");
    cell.style[START] = `${leftOf(index)}px`;
    const range = places.rangeOf(index);
    if (range) return rangeCell(cell, range);
    const rows = parts.get(partOf(index))?.rows;
    const row = rows?.get(index);
    if (row) {
      cell.append(drawn(row, milestones.get(index)?.join(", ") ?? ""));
      return cell;
    }
    if (rows) return rangeCell(cell, { first: index, last: index });
    cell.className = "frame-wait";
    cell.append(create("span", "", String(index)));
    return cell;
  };

  const mark = () => {
    const shown = current();
    for (const [index, cell] of cells) {
      const frame = cell.querySelector("a");
      if (!frame) continue;
      if (index === shown) frame.setAttribute("aria-current", "step");
      else frame.removeAttribute("aria-current");
      frame.tabIndex = index === (shown || stop) ? 0 : -1;
      frame.classList.toggle("is-match", matches.has(index));
      frame.setAttribute("href", address(index));
    }
  };

  /** @param {any} element */
  const holding = (element) => [...cells].find(([, cell]) => cell.contains(element))?.[0] ?? 0;

  /** @param {(index: number) => boolean} isGone */
  const remove = (isGone) => {
    for (const [index, cell] of cells) {
      if (!isGone(index)) continue;
      cell.remove();
      cells.delete(index);
    }
  };

  /** @param {number} index */
  const put = (index) => {
    if (cells.has(index)) return;
    const cell = cellOf(index);
    cells.set(index, cell);
    track.append(cell);
  };

  /* Focuses a frame that was rendered again; the reader may have scrolled away from it. */
  /** @param {number} index */
  const refocus = (index) => {
    put(index);
    mark();
    cells.get(index).querySelector("a")?.focus({ preventScroll: true });
  };

  /** @type {(answer: any) => Map<number, StepRow>} */
  const rowsOf = (answer) => {
    const rows = new Map();
    for (const values of answer.steps) {
      /** @type {any} */
      const row = Object.fromEntries(answer.fields.map((/** @type {string} */ name, /** @type {number} */ place) => [name, values[place]]));
      row.sha256 = row.picture === null ? "" : answer.pictures[row.picture];
      row.check = row.check === null ? null : answer.checks[row.check];
      row.provisional = answer.is_provisional ? " (so far)" : "";
      rows.set(row.index, row);
    }
    return rows;
  };

  /** @param {number} part */
  const read = async (part) => {
    /** @type {Part} */
    const mine = {};
    parts.set(part, mine);
    try {
      const response = await fetch(`${view.dataset.index}${part * SPAN + 1}`);
      if (!response.ok || response.redirected) throw new Error(String(response.status));
      const answer = await response.json();
      if (parts.get(part) !== mine) return; /* The part has been requested again in the meantime. */
      if (part === 0) milestones.clear();
      for (const [name, step] of answer.milestones) milestones.set(step, [...(milestones.get(step) ?? []), name]);
      parts.set(part, { rows: rowsOf(answer), isProvisional: answer.is_provisional });
      const focused = holding(document.activeElement);
      remove((index) => partOf(index) === part || milestones.has(index));
      draw();
      document.dispatchEvent(new Event("timeline:read"));
      if (awaited) focusOn(awaited);
      else if (focused) refocus(focused);
    } catch {
      setTimeout(() => parts.get(part) === mine && parts.delete(part), RETRY_MS);
    }
  };

  function draw() {
    const from = Math.max(0, Math.floor(view[SCROLL] / PITCH) - SPARE);
    const to = Math.min(places.count, Math.ceil((view[SCROLL] + view[ROOM]) / PITCH) + SPARE) - 1;
    const focused = holding(document.activeElement);
    /** @param {number} place */
    const isAway = (place) => place < from || place > to;
    remove((index) => index !== focused && isAway(places.placeOf(index)));
    for (let place = from; place <= to; place += 1) {
      const index = places.indexAt(place);
      if (!places.rangeOf(index) && !parts.has(partOf(index))) void read(partOf(index));
      put(index);
    }
    mark();
  }

  const stretch = () => {
    track.style[SIZE] = `${places.count * PITCH + endingSize()}px`;
  };

  /* If missing steps arrive after all, the frames move and the range is rendered again. */
  /** @type {(newLast: number, missing: string) => void} */
  const arrange = (newLast, missing) => {
    const newPlaces = placesOf(missing, newLast);
    if (newPlaces.count > PLACES_MAX) return;
    last = newLast;
    places = newPlaces;
    if (missing === view.dataset.missing) return;
    view.dataset.missing = missing;
    parts.clear();
    remove((index) => !cells.get(index).querySelector("a"));
    for (const [index, cell] of cells) cell.style[START] = `${leftOf(index)}px`;
  };

  /* Follows an open episode: loads its last part again and updates the outcome at the end of the timeline. */
  /** @param {LiveUpdate} update */
  const grow = (update) => {
    const known = Math.max(last, 1);
    arrange(Math.max(last, Number(update.liveLast)), update.liveMissing);
    view.dataset.start = update.liveStart;
    view.hidden = last === 0;
    stop ||= Number(update.liveStart);
    const outcome = document.querySelector("[data-live-outcome]");
    if (outcome) ending?.replaceChildren(...Array.from(outcome.cloneNode(true).childNodes));
    for (const part of Array.from(parts.keys())) if (part >= partOf(known)) parts.delete(part);
    stretch();
    draw();
    if (update.isOver) finish(FINAL_TRIES, 0);
  };

  /* Provisional rows become final some seconds after the episode's end. */
  /** @type {(tries: number, ms: number) => void} */
  const finish = (tries, ms) => {
    setTimeout(async () => {
      await Promise.all(Array.from(parts, ([part, { isProvisional }]) => isProvisional && read(part)));
      if (tries > 1 && Array.from(parts.values()).some(({ isProvisional }) => isProvisional)) finish(tries - 1, FINAL_MS);
    }, ms);
  };

  /* The cells that the server rendered stay in place until the index is loaded. */
  const takeOver = () => {
    for (const cell of /** @type {HTMLElement[]} */ (Array.from(track.children))) {
      const index = Number(cell.dataset.at);
      if (!index) continue;
      cell.style[START] = `${leftOf(index)}px`;
      cells.set(index, cell);
    }
    track.classList.add("is-whole");
    if (ending) ending.hidden = false;
    stretch();
  };

  /** @param {{ always: boolean, index?: number }} options */
  const center = ({ always, index = current() }) => {
    if (!index) return;
    const left = leftOf(index);
    const covered = Math.max(PITCH, endingSize());
    const isSeen = left >= view[SCROLL] + PITCH && left + PITCH + covered <= view[SCROLL] + view[ROOM];
    if (always || !isSeen) view[SCROLL] = left - (view[ROOM] - PITCH) / 2;
  };

  /** @param {number} index */
  function focusOn(index) {
    center({ always: false, index });
    draw();
    const frame = cells.get(index)?.querySelector("a");
    awaited = frame || parts.get(partOf(index))?.rows ? 0 : index;
    frame?.focus({ preventScroll: true });
  }

  /** @type {(key: string, index: number) => number} */
  const goalOf = (key, index) => {
    if (key === "Home") return Number(view.dataset.start);
    if (key === "End") return last;
    if (!(key in MOVES)) return 0;
    /** @param {number} place */
    const isInside = (place) => place >= 0 && place < places.count;
    let goal = places.placeOf(index) + MOVES[key];
    while (isInside(goal) && isMissing(places.indexAt(goal))) goal += MOVES[key];
    return isInside(goal) ? places.indexAt(goal) : 0;
  };

  let isScheduled = false;
  const drawSoon = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  };

  takeOver();
  center({ always: true, index: current() || stop });
  draw();
  view.addEventListener("scroll", drawSoon, { passive: true });
  /* When a phone hides its address bar, the window is resized without becoming wider. */
  let width = view[ROOM];
  addEventListener("resize", () => {
    if (view[ROOM] !== width) center({ always: true });
    width = view[ROOM];
    drawSoon();
  });
  view.addEventListener("focusin", ({ target }) => {
    if (replay || !target.closest("a")) return;
    stop = holding(target);
    mark();
  });
  view.addEventListener("keydown", (event) => {
    if (replay || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const goal = goalOf(event.key, stop);
    if (!goal) return;
    event.preventDefault();
    stop = goal;
    focusOn(goal);
  });
  document.addEventListener("replay:shown", () => {
    mark();
    replay.afterFrame(() => {
      center({ always: false });
      draw();
    });
  });
  document.addEventListener("bookmark:saved", () => {
    const focused = holding(document.activeElement);
    remove((index) => parts.get(partOf(index))?.rows?.has(index));
    draw();
    if (focused) refocus(focused);
  });
  document.addEventListener("replay:pictured", () => void read(partOf(current())));
  document.addEventListener("live:swapped", (event) => event.detail.isNew && grow(event.detail));
  document.addEventListener("replay:matched", (event) => {
    matches = event.detail;
    mark();
  });

  return (index) => {
    if (!parts.has(partOf(index))) void read(partOf(index));
    return parts.get(partOf(index))?.rows?.get(index);
  };
};

/* Draws each step with `drawn`, which is given the step's row and the milestones reached in it. `replay` is the viewer's
   module, if there is a viewer. Returns a function that returns a step's row, or undefined if its part is not loaded
   yet; "timeline:read" is fired when it is. */
/** @type {(drawn: Draw, replay?: typeof import("../step/viewer.js")) => RowOf} */
export const startTimeline = (drawn, replay) => {
  const view = document.querySelector("[data-timeline]");
  return view ? start(view, drawn, replay) : none;
};
