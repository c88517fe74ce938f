/* Before the first paint: that scripts run, and the reader's choice of colours. It blocks, so it is small. */
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
  const set = (name) => {
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
  };

  root.dataset.scripts = "";
  const chosen = read();
  if (NAMES.includes(chosen)) set(chosen);

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-next]")) return;
    const next = NAMES[(NAMES.indexOf(root.dataset.theme ?? "") + 1) % NAMES.length];
    set(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      /* Without storage the choice holds for this page. */
    }
    document.dispatchEvent(new CustomEvent("replay:announce", { detail: `Colours: ${next || "the system's"}` }));
  });
})();
