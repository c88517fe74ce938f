/* The timeline: all steps of an episode in one row, of which only the visible ones are in the page. Their index is
   loaded in parts as they become visible, so that 10,000 steps cost as much as 50. Step numbers that were never
   recorded share one cell. In the viewer one step is the current one; on an episode's page none is, and arrow keys
   move along the frames. */
"use strict";

(() => {
  const replay = window.replay;
  const view = document.querySelector("[data-timeline]");
  if (!view) return;

  const PITCH = 80;
  const SPARE = 4;
  const PLACES_MAX = 200000; /* Browsers lay out nothing beyond some 33 million pixels. */
  const RETRY_MS = 5000;
  const FINAL_MS = 6000;
  const FINAL_TRIES = 5;
  const SVG = "http://www.w3.org/2000/svg";
  const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
  const SPAN = Number(view.dataset.span);
  let last = Number(view.dataset.last);
  let places = window.placesOf(view.dataset.gaps, last);
  if (places.count > PLACES_MAX) return;

  const track = view.querySelector("ol");
  const ending = document.querySelector("[data-ending]");
  const parts = new Map();
  const milestones = new Map();
  const cells = new Map();
  let matches = new Set();
  let stop = Number(view.dataset.start); /* The frame that Tab focuses. */
  let awaited = 0;

  const current = () => replay?.current() ?? 0;
  const find = new URLSearchParams(location.search).get("find");
  const query = find ? `?find=${encodeURIComponent(find)}` : "";
  const address = (index) => replay?.address(index) ?? `${view.dataset.steps}${index}${query}`;
  const leftOf = (index) => places.placeOf(index) * PITCH;
  const partOf = (index) => Math.floor((index - 1) / SPAN);

  const made = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const drawing = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  const barOf = (row) => {
    const svg = drawing("svg", {
      class: "frame-bar",
      viewBox: "0 0 100 4",
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    svg.append(drawing("rect", { width: String(row.bar ?? 0), height: "4" }));
    return svg;
  };

  const thumbnailOf = (row) => {
    if (!row.sha256) return made("span", "frame-blank");
    const picture = made("img");
    picture.alt = "";
    picture.width = 72;
    picture.height = 45;
    picture.decoding = "async";
    picture.src = `/blobs/${row.sha256}/thumbnail`;
    return picture;
  };

  const flagOf = (className, sign, label) => {
    const flag = made("span", className);
    const shown = made("span", "", sign);
    shown.setAttribute("aria-hidden", "true");
    flag.append(shown, made("span", "visually-hidden", ` ${label}`));
    return flag;
  };

  const frameOf = (row) => {
    const frame = made("a", `frame frame-${row.tone}`);
    const took = row.ms === null ? "" : `${row.ms.toLocaleString("en")} ms`;
    const repeats = row.repeats ? `same as step ${row.repeats}${row.provisional}` : "";
    const [sign, check] = row.check ?? [];
    frame.title = [`${row.index} ${row.type}`, row.phrase, row.result, took, check, repeats].filter(Boolean).join(" · ");
    frame.classList.toggle("is-page-change", Boolean(row.page_change));
    const name = made("span", "frame-name");
    name.append(made("span", "frame-number", String(row.index)), ` ${row.type || "–"}`);
    frame.append(thumbnailOf(row), barOf(row), name, made("span", "frame-lane"));
    const reached = milestones.get(row.index)?.join(", ");
    if (reached) {
      frame.title += ` · milestone ${reached}`;
      frame.append(flagOf("frame-flag", "★", `milestone ${reached}`));
    }
    if (check) frame.append(flagOf("frame-check", sign, check));
    if (repeats) frame.append(flagOf("frame-loop", "↺", repeats));
    if (row.result && row.result !== "ok") frame.append(made("span", "visually-hidden", ` ${row.result}`));
    return frame;
  };

  const format = (number) => number.toLocaleString("en");

  const gapCell = (cell, { first, last: end }) => {
    cell.className = "frame-gap";
    cell.title = `Never recorded: ${format(first)}${end > first ? ` to ${format(end)}` : ""}`;
    const missing = made("span", "frame-missing");
    missing.append(made("b", "", format(end - first + 1)), " not recorded");
    cell.append(missing, made("span", "frame-name", end > first ? `${first}–${end}` : String(first)));
    return cell;
  };

  const isGap = (index) => places.gapOf(index) || cells.get(index)?.classList.contains("frame-gap");

  const cellOf = (index) => {
    const cell = made("li");
    cell.style.insetInlineStart = `${leftOf(index)}px`;
    const gap = places.gapOf(index);
    if (gap) return gapCell(cell, gap);
    const rows = parts.get(partOf(index))?.rows;
    const row = rows?.get(index);
    if (row) {
      cell.append(frameOf(row));
      return cell;
    }
    if (rows) return gapCell(cell, { first: index, last: index });
    cell.className = "frame-wait";
    cell.append(made("span", "", String(index)));
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

  const holding = (element) => [...cells].find(([, cell]) => cell.contains(element))?.[0] ?? 0;

  const remove = (isGone) => {
    for (const [index, cell] of cells) {
      if (!isGone(index)) continue;
      cell.remove();
      cells.delete(index);
    }
  };

  const put = (index) => {
    if (cells.has(index)) return;
    const cell = cellOf(index);
    cells.set(index, cell);
    track.append(cell);
  };

  /* The frame was rendered again; the reader may have scrolled away from it. */
  const refocus = (index) => {
    put(index);
    mark();
    cells.get(index).querySelector("a")?.focus({ preventScroll: true });
  };

  const rowsOf = (answer) => {
    const rows = new Map();
    for (const values of answer.steps) {
      const row = Object.fromEntries(answer.fields.map((name, place) => [name, values[place]]));
      row.sha256 = row.picture === null ? "" : answer.pictures[row.picture];
      row.check = row.check === null ? null : answer.checks[row.check];
      row.provisional = answer.is_provisional ? " (so far)" : "";
      rows.set(row.index, row);
    }
    return rows;
  };

  const read = async (part) => {
    const mine = {};
    parts.set(part, mine);
    try {
      const response = await fetch(`${view.dataset.index}?from=${part * SPAN + 1}`);
      if (!response.ok || response.redirected) throw new Error(String(response.status));
      const answer = await response.json();
      if (parts.get(part) !== mine) return; /* Requested again meanwhile. */
      if (part === 0) milestones.clear();
      for (const [name, step] of answer.milestones) milestones.set(step, [...(milestones.get(step) ?? []), name]);
      parts.set(part, { rows: rowsOf(answer), isProvisional: answer.is_provisional });
      const focused = holding(document.activeElement);
      remove((index) => partOf(index) === part || milestones.has(index));
      draw();
      if (awaited) focusOn(awaited);
      else if (focused) refocus(focused);
    } catch {
      setTimeout(() => parts.get(part) === mine && parts.delete(part), RETRY_MS);
    }
  };

  function draw() {
    const from = Math.max(0, Math.floor(view.scrollLeft / PITCH) - SPARE);
    const to = Math.min(places.count, Math.ceil((view.scrollLeft + view.clientWidth) / PITCH) + SPARE) - 1;
    const focused = holding(document.activeElement);
    const isAway = (place) => place < from || place > to;
    remove((index) => index !== focused && isAway(places.placeOf(index)));
    for (let place = from; place <= to; place += 1) {
      const index = places.indexAt(place);
      if (!places.gapOf(index) && !parts.has(partOf(index))) void read(partOf(index));
      put(index);
    }
    mark();
  }

  const stretch = () => {
    track.style.width = `${places.count * PITCH + ending.offsetWidth}px`;
  };

  /* Frames move aside when missing numbers arrive after all, and their gap is rendered again. */
  const arrange = (newLast, gaps) => {
    const newPlaces = window.placesOf(gaps, newLast);
    if (newPlaces.count > PLACES_MAX) return;
    last = newLast;
    places = newPlaces;
    if (gaps === view.dataset.gaps) return;
    view.dataset.gaps = gaps;
    parts.clear();
    remove((index) => !cells.get(index).querySelector("a"));
    for (const [index, cell] of cells) cell.style.insetInlineStart = `${leftOf(index)}px`;
  };

  /* An open episode: its last part is loaded again, and its outcome at the end. */
  const grow = (update) => {
    const known = Math.max(last, 1);
    arrange(Math.max(last, Number(update.liveLast)), update.liveGaps);
    view.dataset.start = update.liveStart;
    view.hidden = last === 0;
    stop ||= Number(update.liveStart);
    const outcome = document.querySelector("[data-live-outcome]");
    if (outcome) ending.replaceChildren(...Array.from(outcome.cloneNode(true).childNodes));
    for (const part of Array.from(parts.keys())) if (part >= partOf(known)) parts.delete(part);
    stretch();
    draw();
    if (update.isOver) finish(FINAL_TRIES, 0);
  };

  /* Provisional rows become final some seconds after the end of the episode. */
  const finish = (tries, ms) => {
    setTimeout(async () => {
      await Promise.all(Array.from(parts, ([part, { isProvisional }]) => isProvisional && read(part)));
      if (tries > 1 && Array.from(parts.values()).some(({ isProvisional }) => isProvisional)) finish(tries - 1, FINAL_MS);
    }, ms);
  };

  /* What the server rendered stays where it is until the index is loaded. */
  const takeOver = () => {
    for (const cell of Array.from(track.children)) {
      const index = Number(cell.dataset.at);
      if (!index) continue;
      cell.style.insetInlineStart = `${leftOf(index)}px`;
      cells.set(index, cell);
    }
    track.classList.add("is-whole");
    ending.hidden = false;
    stretch();
  };

  const center = ({ always, index = current() }) => {
    if (!index) return;
    const left = leftOf(index);
    const covered = Math.max(PITCH, ending.offsetWidth);
    const isSeen = left >= view.scrollLeft + PITCH && left + PITCH + covered <= view.scrollLeft + view.clientWidth;
    if (always || !isSeen) view.scrollLeft = left - (view.clientWidth - PITCH) / 2;
  };

  function focusOn(index) {
    center({ always: false, index });
    draw();
    const frame = cells.get(index)?.querySelector("a");
    awaited = frame || parts.get(partOf(index))?.rows ? 0 : index;
    frame?.focus({ preventScroll: true });
  }

  const goalOf = (key, index) => {
    if (key === "Home") return Number(view.dataset.start);
    if (key === "End") return last;
    if (!(key in MOVES)) return 0;
    const isInside = (place) => place >= 0 && place < places.count;
    let goal = places.placeOf(index) + MOVES[key];
    while (isInside(goal) && isGap(places.indexAt(goal))) goal += MOVES[key];
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
  /* A phone that hides its address bar is resized without becoming wider. */
  let width = view.clientWidth;
  addEventListener("resize", () => {
    if (view.clientWidth !== width) center({ always: true });
    width = view.clientWidth;
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
  document.addEventListener("replay:pictured", () => void read(partOf(current())));
  document.addEventListener("live:swapped", (event) => event.detail.isNew && grow(event.detail));
  document.addEventListener("replay:matched", (event) => {
    matches = event.detail;
    mark();
  });
})();
