/* The timeline: all steps of an episode in one row, of which only those in sight are in the page. Their index comes in
   parts of 500 as they come into sight, so that 10,000 steps cost as much as 50. Step numbers that were never recorded
   share one cell. In the viewer one step is the current one; on an episode's page none is, and arrows lead along the
   frames. */
"use strict";

(() => {
  const replay = window.replay;
  const view = document.querySelector("[data-strip]");
  if (!view) return;

  const PITCH = 80;
  const SPAN = 500;
  const SPARE = 4;
  const WIDEST = 200000; /* Browsers place nothing beyond some 33 million pixels. */
  const AGAIN_MS = 5000;
  const FINAL_MS = 6000;
  const FINAL_TRIES = 5;
  const SVG = "http://www.w3.org/2000/svg";
  const LATER = "later";
  const LATER_SAYS = "compared with its page and with other steps after the episode's end";
  const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
  let last = Number(view.dataset.last);
  let places = window.placesOf(view.dataset.gaps, last);
  if (places.count > WIDEST) return;

  const track = view.querySelector("ol");
  const ending = document.querySelector("[data-ending]");
  const parts = new Map();
  const milestones = new Map();
  const cells = new Map();
  let found = new Set();
  let stop = Number(view.dataset.start); /* The frame that Tab leads to. */
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

  const flagOf = (className, sign, says) => {
    const flag = made("span", className);
    const shown = made("span", "", sign);
    shown.setAttribute("aria-hidden", "true");
    flag.append(shown, made("span", "visually-hidden", ` ${says}`));
    return flag;
  };

  const frameOf = (row) => {
    const frame = made("a", `frame frame-${row.tone}`);
    const took = row.ms === null ? "" : `${row.ms.toLocaleString("en")} ms`;
    const repeats = row.repeats ? `same as step ${row.repeats}${row.so_far}` : "";
    const seen = row.check_label && row.check_label + row.so_far;
    const later = row.action_check === LATER ? LATER_SAYS : "";
    const told = [`${row.index} ${row.type}`, row.phrase, row.result, took, seen, repeats, later];
    frame.title = told.filter(Boolean).join(" · ");
    frame.classList.toggle("is-page-change", Boolean(row.page_change));
    const name = made("span", "frame-name");
    name.append(made("span", "frame-number", String(row.index)), ` ${row.type || "–"}`);
    frame.append(thumbnailOf(row), barOf(row), name, made("span", "frame-lane"));
    const reached = milestones.get(row.index)?.join(", ");
    if (reached) {
      frame.title += ` · milestone ${reached}`;
      frame.append(flagOf("frame-flag", "★", `milestone ${reached}`));
    }
    if (seen) frame.append(flagOf("frame-seen", row.sign, seen));
    if (repeats) frame.append(flagOf("frame-loop", "↺", repeats));
    if (later) frame.append(flagOf("frame-loop", "…", later));
    if (row.result && row.result !== "ok") frame.append(made("span", "visually-hidden", ` ${row.result}`));
    return frame;
  };

  const counted = (number) => number.toLocaleString("en");

  const lackOf = (cell, { first, last: end }) => {
    cell.className = "frame-gap";
    cell.title = `Never recorded: ${counted(first)}${end > first ? ` to ${counted(end)}` : ""}`;
    const lack = made("span", "frame-lack");
    lack.append(made("b", "", counted(end - first + 1)), " not recorded");
    cell.append(lack, made("span", "frame-name", end > first ? `${first}–${end}` : String(first)));
    return cell;
  };

  const isGap = (index) => places.gapOf(index) || cells.get(index)?.classList.contains("frame-gap");

  const cellOf = (index) => {
    const cell = made("li");
    cell.style.insetInlineStart = `${leftOf(index)}px`;
    const gap = places.gapOf(index);
    if (gap) return lackOf(cell, gap);
    const rows = parts.get(partOf(index))?.rows;
    const row = rows?.get(index);
    if (row) {
      cell.append(frameOf(row));
      return cell;
    }
    if (rows) return lackOf(cell, { first: index, last: index });
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
      frame.classList.toggle("is-found", found.has(index));
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

  /* The frame was drawn anew; the reader may have scrolled away from it. */
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
      row.sign = answer.signs[row.action_check];
      row.so_far = answer.is_so_far ? " (so far)" : "";
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
      if (parts.get(part) !== mine) return; /* Asked for again meanwhile. */
      if (part === 0) milestones.clear();
      for (const [name, step] of answer.milestones) milestones.set(step, [...(milestones.get(step) ?? []), name]);
      parts.set(part, { rows: rowsOf(answer), isSoFar: answer.is_so_far });
      const held = holding(document.activeElement);
      remove((index) => partOf(index) === part || milestones.has(index));
      draw();
      if (awaited) focusOn(awaited);
      else if (held) refocus(held);
    } catch {
      setTimeout(() => parts.get(part) === mine && parts.delete(part), AGAIN_MS);
    }
  };

  function draw() {
    const from = Math.max(0, Math.floor(view.scrollLeft / PITCH) - SPARE);
    const to = Math.min(places.count, Math.ceil((view.scrollLeft + view.clientWidth) / PITCH) + SPARE) - 1;
    const held = holding(document.activeElement);
    const isAway = (place) => place < from || place > to;
    remove((index) => index !== held && isAway(places.placeOf(index)));
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

  /* Frames move aside when numbers that were missing come after all, and what stood for those is drawn anew. */
  const arrange = (newLast, gaps) => {
    const newPlaces = window.placesOf(gaps, newLast);
    if (newPlaces.count > WIDEST) return;
    last = newLast;
    places = newPlaces;
    if (gaps === view.dataset.gaps) return;
    view.dataset.gaps = gaps;
    parts.clear();
    remove((index) => !cells.get(index).querySelector("a"));
    for (const [index, cell] of cells) cell.style.insetInlineStart = `${leftOf(index)}px`;
  };

  /* An episode under way: its last part is read again, and what is at its end. */
  const grow = (told) => {
    const known = Math.max(last, 1);
    arrange(Math.max(last, Number(told.liveLast)), told.liveGaps);
    view.dataset.start = told.liveStart;
    view.hidden = last === 0;
    stop ||= Number(told.liveStart);
    const outcome = document.querySelector("[data-live-outcome]");
    if (outcome) ending.replaceChildren(...Array.from(outcome.cloneNode(true).childNodes));
    for (const part of Array.from(parts.keys())) if (part >= partOf(known)) parts.delete(part);
    stretch();
    draw();
    if (told.isOver) finish(FINAL_TRIES, 0);
  };

  /* What was told so far of an episode's steps is final some seconds after its end. */
  const finish = (tries, ms) => {
    setTimeout(async () => {
      await Promise.all(Array.from(parts, ([part, { isSoFar }]) => isSoFar && read(part)));
      if (tries > 1 && Array.from(parts.values()).some(({ isSoFar }) => isSoFar)) finish(tries - 1, FINAL_MS);
    }, ms);
  };

  /* What the server drew stays where it is until the index is there. */
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

  let isAsked = false;
  const drawSoon = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };

  takeOver();
  center({ always: true, index: current() || stop });
  draw();
  view.addEventListener("scroll", drawSoon, { passive: true });
  /* A phone that hides its address bar is resized too, and is as wide as it was. */
  let wide = view.clientWidth;
  addEventListener("resize", () => {
    if (view.clientWidth !== wide) center({ always: true });
    wide = view.clientWidth;
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
    replay.later(() => {
      center({ always: false });
      draw();
    });
  });
  document.addEventListener("replay:pictured", () => void read(partOf(current())));
  document.addEventListener("live:swapped", (event) => event.detail.isNew && grow(event.detail));
  document.addEventListener("replay:found", (event) => {
    found = event.detail;
    mark();
  });
})();
