/* The sections below a step as tabs (the ARIA pattern of tabs that follow the focus). At first the tab
   that the server names is open. A chosen tab stays open from step to step and is part of the address; a tab with
   content of its own address is fetched when it is opened. If the searched text is in one tab only, that tab is open,
   unless the reader has chosen another since; the address then names no tab, so that it leads to the match again, and
   the history keeps the choice. */
"use strict";

(() => {
  const replay = window.replay;
  if (!replay) return;

  const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
  const currentFind = () => replay.findIn(location.search);
  const saved = history.state?.tab;
  let open = location.hash.slice(1) || saved?.open || "";
  let chosenFor = saved ? saved.chosenFor : open ? currentFind() : null; /* The searched text when it was chosen. */
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

  /* Scrolls the open tab into view where not all tabs fit in the row. */
  const reveal = (tab) => {
    const row = tab.parentElement;
    row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  };

  const choiceOf = (all) => {
    const chosen = all.find((tab) => tab.dataset.tab === open);
    const resting = chosen ?? all.find((tab) => "tabFirst" in tab.dataset);
    const holding = all.filter((tab) => "tabMatches" in tab.dataset);
    const isInSight = "matchInView" in replay.article().dataset || holding.includes(resting);
    const isOwnChoice = isInSight || (chosen && chosenFor === currentFind()) || holding.length === 0;
    return { shown: (isOwnChoice ? resting : holding[0])?.dataset.tab, isOwnChoice };
  };

  const updateAddress = (isOwnChoice) => {
    const hash = isOwnChoice && open ? `#${open}` : "";
    const state = { ...history.state, tab: { open, chosenFor } };
    history.replaceState(state, "", location.pathname + location.search + hash);
  };

  const draw = () => {
    const all = tabs();
    const { shown } = choiceOf(all);
    all[0]?.parentElement.setAttribute("role", "tablist");
    for (const tab of all) drawTab(tab, tab.dataset.tab === shown);
    const opened = all.find((tab) => tab.dataset.tab === shown);
    if (opened) requestAnimationFrame(() => reveal(opened)); /* Just before a frame, so that layout is computed once. */
  };

  /* What is opened below the viewport is scrolled into it. */
  const choose = (tab) => {
    open = tab.dataset.tab;
    chosenFor = currentFind();
    updateAddress(true);
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

  /* The address of the shown step with another tab: typed, or reached by going back. */
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
    if (hasMoved) updateAddress(choiceOf(tabs()).isOwnChoice);
    hasMoved = false;
  });
  draw();
})();
