/* The sizes of the step page's panes. The reader sets them with the pointer or arrow keys, and the browser keeps them.
   This script runs before the first paint, so that nothing moves. */
"use strict";

(() => {
  const KEY = "palaestra-panes";
  const STEP = 16;
  /** @type {Record<string, { usual: number, least: number, most: number, grows: Record<string, number>, sign: number }>} */
  const PANES = {
    list: { usual: 264, least: 0, most: 600, grows: { ArrowRight: 1, ArrowLeft: -1 }, sign: 1 },
    side: { usual: 420, least: 240, most: 1200, grows: { ArrowLeft: 1, ArrowRight: -1 }, sign: -1 },
    drawer: { usual: 280, least: 36, most: 1200, grows: { ArrowUp: 1, ArrowDown: -1 }, sign: -1 },
  };
  const CENTRE_LEAST = 320; /* Minimum size of the picture, whatever the sizes of the other panes are. */
  const HEAD_LEAST = 220;
  const root = document.documentElement;

  const stored = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  };
  /** @type {Record<string, number>} */
  const sizes = stored();

  const keep = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(sizes));
    } catch {
      /* Without storage, the sizes only apply to this page. */
    }
  };

  /** @param {string} name */
  const sizeOf = (name) => (Number.isFinite(sizes[name]) ? sizes[name] : PANES[name].usual);

  /* Returns the space that the other panes leave. */
  /** @type {(name: string) => number} */
  const mostOf = (name) => {
    const { most } = PANES[name];
    if (name === "drawer") return Math.max(PANES.drawer.least, Math.min(most, innerHeight - HEAD_LEAST));
    const others = sizeOf(name === "list" ? "side" : "list");
    return Math.max(PANES[name].least, Math.min(most, innerWidth - others - CENTRE_LEAST));
  };

  const apply = () => {
    for (const name of Object.keys(PANES)) {
      const size = Math.round(Math.min(Math.max(sizeOf(name), PANES[name].least), mostOf(name)));
      root.style.setProperty(`--pane-${name}`, `${size}px`);
      const edge = document.querySelector(`[data-pane="${name}"]`);
      edge?.setAttribute("aria-valuenow", String(size));
      edge?.setAttribute("aria-valuemax", String(Math.round(mostOf(name))));
    }
    document.dispatchEvent(new Event("replay:panes"));
  };

  /** @type {(name: string, size: number) => void} */
  const resize = (name, size) => {
    sizes[name] = Math.min(Math.max(size, PANES[name].least), mostOf(name));
    apply();
  };

  /** @type {(name: string, key: string) => number | null} */
  const goalOf = (name, key) => {
    const { least, usual, grows } = PANES[name];
    if (key in grows) return sizeOf(name) + grows[key] * STEP;
    if (key === "Home") return least;
    if (key === "End") return mostOf(name);
    if (key === "Enter") return sizeOf(name) > least ? least : usual;
    return null;
  };

  /** @param {HTMLElement} edge */
  const watch = (edge) => {
    const name = edge.dataset.pane;
    const { sign } = PANES[name];
    /** @param {PointerEvent} event */
    const at = (event) => (name === "drawer" ? event.clientY : event.clientX);
    edge.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const goal = goalOf(name, event.key);
      if (goal === null) return;
      event.preventDefault();
      resize(name, goal);
      keep();
    });
    edge.addEventListener("dblclick", () => {
      resize(name, PANES[name].usual);
      keep();
    });
    edge.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const begun = { place: at(event), size: sizeOf(name) };
      edge.setPointerCapture(event.pointerId);
      /** @param {PointerEvent} moved */
      const move = (moved) => resize(name, begun.size + sign * (at(moved) - begun.place));
      const stop = () => {
        edge.removeEventListener("pointermove", move);
        keep();
      };
      edge.addEventListener("pointermove", move);
      edge.addEventListener("lostpointercapture", stop, { once: true });
    });
  };

  /* A closed drawer opens when one of its tabs is opened. */
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-tab]") && sizeOf("drawer") <= PANES.drawer.least) resize("drawer", PANES.drawer.usual);
  });

  apply();
  addEventListener("resize", apply);
  addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-pane]").forEach(watch);
    apply();
  });
})();
