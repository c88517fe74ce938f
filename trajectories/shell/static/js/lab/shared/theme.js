/* Marks, before the first paint, that scripts run, and sets the reader's colours. It blocks rendering, so it is small. */
"use strict";

(() => {
  const root = document.documentElement;
  const NAMES = ["", "light", "dark"];
  const KEY = "palaestra-theme";
  const read = () => {
    try {
      return localStorage.getItem(KEY) ?? "";
    } catch {
      return "";
    }
  };
  const mark = () => {
    for (const one of document.querySelectorAll("[data-theme-set]:not([role])")) {
      one.setAttribute("aria-pressed", String(one.dataset.themeSet === (root.dataset.theme ?? "")));
    }
  };
  /** @param {string} name */
  const set = (name) => {
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    mark();
  };
  /** @param {string} name */
  const choose = (name) => {
    set(name);
    try {
      localStorage.setItem(KEY, name);
    } catch {
      /* Without storage, the choice only applies to this page. */
    }
    document.dispatchEvent(new CustomEvent("replay:announce", { detail: `Colours: ${name || "the system's"}` }));
  };

  root.dataset.scripts = "";
  const chosen = read();
  if (NAMES.includes(chosen)) set(chosen);
  document.addEventListener("DOMContentLoaded", mark);
  /* The colours were chosen in another window. */
  addEventListener("storage", ({ key, newValue }) => key === KEY && NAMES.includes(newValue ?? "") && set(newValue ?? ""));

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-theme-set], [data-theme-next]");
    if (!button) return;
    const now = NAMES.indexOf(root.dataset.theme ?? "");
    choose(button.dataset.themeSet ?? NAMES[(now + 1) % NAMES.length]);
  });
})();
