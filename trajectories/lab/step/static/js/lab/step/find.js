/* Finds a text in the whole episode; the server does the search. Matching steps are counted and marked in the timeline.
   In a step, matches are listed by place, marked and scrolled into view. The text is part of the address. */

import * as replay from "./viewer.js";

/** @typedef {{ steps: [number, string[]][], words: Record<string, string>, is_cut: boolean }} Matches */

/** @param {HTMLFormElement} form */
const searchWith = (form) => {

  const TYPED_MS = 200;
  /* Elements that can scroll; each is scrolled to its first match. */
  const PANES = ".thought, .stage-did, .action-card, .panel.is-open, .panel.is-open .boxed";
  const { viewer } = replay;
  /** @type {HTMLInputElement} */
  const field = form.elements.find;
  const place = viewer.querySelector("[data-matches]");
  const count = viewer.querySelector("[data-matches-count]");
  /* The bar stays visible if a match is far down the page. */
  const short = viewer.querySelector("[data-matches-short]");
  /** @type {number[]} */
  let steps = [];
  /** @type {Map<number, string[]>} */
  let places = new Map();
  /** @type {Record<string, string>} */
  let words = {};
  /* The page scrolls to a match only if the reader went to it, not while they are typing or reading. */
  let wantsMatch = false;
  let isCut = false;
  let requests = 0;
  let searched = "";

  /** @type {(name: string, index?: number) => void} */
  const link = (name, index) => {
    /** @type {HTMLAnchorElement} */
    const one = viewer.querySelector(`[data-step-link="${name}"]`);
    one.classList.toggle("is-off", index === undefined);
    if (index === undefined) one.removeAttribute("href");
    else one.href = replay.address(index);
  };

  const showCounts = () => {
    const current = replay.current();
    const at = steps.indexOf(current) + 1;
    const all = `${steps.length.toLocaleString("en")}${isCut ? "+" : ""} step${steps.length === 1 ? "" : "s"}`;
    link("match-before", steps.findLast((index) => index < current));
    link("match-after", steps.find((index) => index > current));
    const where = (places.get(current) ?? []).map((name) => words[name]).join(", ");
    short.textContent = searched ? `${at || "–"} / ${steps.length.toLocaleString("en")}${isCut ? "+" : ""}` : "";
    count.textContent = at ? `${at} of ${all}: in ${where}` : all;
  };

  const scrollToMark = () => {
    for (const box of replay.article().querySelectorAll(PANES)) {
      const first = box.querySelector("mark");
      if (!first) continue;
      const below = first.getBoundingClientRect().top - box.getBoundingClientRect().top;
      box.scrollTop += below - box.clientHeight / 3;
    }
  };

  const showMark = () => {
    const step = replay.article();
    const [onStage, below] = [".stage mark", ".panel.is-open mark"].map((selector) => step.querySelector(selector));
    const first = "matchInView" in step.dataset ? onStage : below ?? onStage;
    const { top, bottom } = first?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (top < 0 || bottom > innerHeight) first.scrollIntoView({ block: "center" });
  };

  /** @type {(find: string) => Promise<Matches | null>} */
  const matchesOf = async (find) => {
    if (!find) return { steps: [], words: {}, is_cut: false };
    const response = await fetch(`${viewer.dataset.find}?find=${encodeURIComponent(find)}`);
    return response.ok && !response.redirected ? response.json() : null;
  };

  /** @param {string} find */
  const search = async (find) => {
    requests += 1;
    const mine = requests;
    searched = find;
    place.hidden = !find;
    const answer = await matchesOf(find).catch(() => /** @type {null} */ (null));
    if (mine !== requests) return false;
    places = new Map(answer?.steps ?? []);
    words = answer?.words ?? {};
    steps = [...places.keys()];
    isCut = Boolean(answer?.is_cut);
    document.dispatchEvent(new CustomEvent("replay:matched", { detail: new Set(steps) }));
    showCounts();
    if (!answer) count.textContent = "search failed";
    return true;
  };

  /** @param {{ moves: boolean }} how */
  const change = async ({ moves }) => {
    const find = field.value.trim();
    history.replaceState(history.state, "", replay.address(replay.current(), find) + location.hash);
    if (!(await search(find))) return;
    const ahead = steps.find((index) => index >= replay.current()) ?? steps[0];
    const goal = moves && ahead ? ahead : replay.current();
    wantsMatch = moves;
    await replay.show(goal);
  };

  let typed = 0;
  /** @param {{ moves: boolean }} how */
  const changeNow = (how) => {
    clearTimeout(typed);
    void change(how);
  };

  field.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => change({ moves: false }), TYPED_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    field.blur();
    changeNow({ moves: true });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    field.value = "";
    field.blur();
    changeNow({ moves: false });
  });

  viewer.addEventListener("click", ({ target }) => {
    if (target.closest?.('[data-step-link^="match"][href]')) wantsMatch = true;
  });

  document.addEventListener("replay:shown", () => {
    const find = replay.findIn(location.search);
    if (document.activeElement !== field && find !== searched) {
      field.value = find;
      void search(find);
    } else if (find) {
      showCounts();
    }
    if (find) scrollToMark();
    if (find && wantsMatch) showMark();
    wantsMatch = false;
  });
};

/** @type {HTMLFormElement} */
const form = document.querySelector("[data-finder]");
if (form) searchWith(form);
