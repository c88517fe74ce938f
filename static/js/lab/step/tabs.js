/* The sections below a step as tabs (the ARIA pattern of tabs that follow the focus). At first the one is open that the
   server names. One that is chosen stays open from step to step and is in the address; one that comes from elsewhere is
   fetched when it is opened. Where what is sought stands in a tab alone, that tab is open on its step, unless the reader
   has chosen one since; the address then names no tab, so that it leads to the match again, and the history keeps the
   choice. */
"use strict";

(() => {
  const replay = window.replay;
  if (!replay) return;

  const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
  const findNow = () => replay.findIn(location.search);
  const kept = history.state?.tab;
  let open = location.hash.slice(1) || kept?.open || "";
  let chosenFor = kept ? kept.chosenFor : open ? findNow() : null; /* What was sought when it was chosen. */
  let hasMoved = false;

  const tabs = () => Array.from(replay.article().querySelectorAll("[data-tab]"));
  const panelOf = (name) => replay.article().querySelector(`[data-panel="${CSS.escape(name)}"]`);

  const fill = async (panel) => {
    const path = panel.dataset.href;
    if (!path || panel.dataset.filled) return;
    panel.dataset.filled = "yes";
    window.gymSettled?.hold();
    try {
      const response = await fetch(`${path}?fragment`);
      if (!response.ok || response.redirected) throw new Error(String(response.status));
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      panel.replaceChildren(...page.body.childNodes);
      window.htmx?.process(panel);
      document.dispatchEvent(new CustomEvent("replay:filled", { detail: { panel } }));
    } catch {
      delete panel.dataset.filled;
      const again = document.createElement("a");
      again.href = path;
      again.textContent = "It could not be fetched. Open it as a page.";
      panel.replaceChildren(again);
    } finally {
      window.gymSettled?.release();
    }
  };

  const drawTab = (tab, isOpen) => {
    const panel = panelOf(tab.dataset.tab);
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(isOpen));
    tab.setAttribute("aria-controls", tab.dataset.tab);
    tab.tabIndex = isOpen ? 0 : -1;
    panel.setAttribute("role", "tabpanel");
    panel.classList.toggle("is-open", isOpen);
    if (isOpen) void fill(panel);
  };

  /* The open tab is in sight where not all of them fit in the row. */
  const reveal = (tab) => {
    const row = tab.parentElement;
    row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  };

  const toShow = (all) => {
    const chosen = all.find((tab) => tab.dataset.tab === open);
    const resting = chosen ?? all.find((tab) => "tabFirst" in tab.dataset);
    const holding = all.filter((tab) => "tabMatches" in tab.dataset);
    const isInSight = "matchInView" in replay.article().dataset || holding.includes(resting);
    const stays = isInSight || (chosen && chosenFor === findNow()) || holding.length === 0;
    return { shown: (stays ? resting : holding[0])?.dataset.tab, stays };
  };

  const tellAddress = (stays) => {
    const hash = stays && open ? `#${open}` : "";
    const state = { ...history.state, tab: { open, chosenFor } };
    history.replaceState(state, "", location.pathname + location.search + hash);
  };

  const draw = () => {
    const all = tabs();
    const { shown } = toShow(all);
    all[0]?.parentElement.setAttribute("role", "tablist");
    for (const tab of all) drawTab(tab, tab.dataset.tab === shown);
    const opened = all.find((tab) => tab.dataset.tab === shown);
    if (opened) requestAnimationFrame(() => reveal(opened)); /* Before a frame its layout is made once, for all. */
  };

  /* What is opened below the window's edge comes into it. */
  const choose = (tab) => {
    open = tab.dataset.tab;
    chosenFor = findNow();
    tellAddress(true);
    draw();
    tab.closest(".panels").scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("click", (event) => {
    const tab = event.target.closest?.("[data-tab]");
    if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(tab);
  });

  const goalOf = (key, place, count) => {
    if (key === "Home") return 0;
    if (key === "End") return count - 1;
    if (key === " ") return place;
    return key in MOVES ? (place + MOVES[key] + count) % count : null;
  };

  document.addEventListener("keydown", (event) => {
    const tab = event.target.closest?.("[data-tab]");
    if (!tab || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = tabs();
    const goal = goalOf(event.key, all.indexOf(tab), all.length);
    if (goal === null) return;
    event.preventDefault();
    choose(all[goal]);
    all[goal].focus();
  });

  /* An address of the step that is shown, with another tab: typed, or come back to. */
  addEventListener("hashchange", () => {
    const named = tabs().find((tab) => tab.dataset.tab === location.hash.slice(1));
    if (named) choose(named);
  });

  document.addEventListener("replay:swapped", () => {
    hasMoved = true;
    draw();
  });
  /* By now the address is that of the step. */
  document.addEventListener("replay:shown", () => {
    if (hasMoved) tellAddress(toShow(tabs()).stays);
    hasMoved = false;
  });
  draw();
})();
