/* The preview next to a list. It shows the row that has the focus or had it last. The focus stays in the list, so that
   the list's keys lead from preview to preview. */

/** @param {HTMLElement} panel */
const preview = (panel) => {
  const DELAY_MS = 80; /* While a key is held down, the rows it passes are not fetched. */
  const body = panel.querySelector("#peek-body");
  const status = panel.querySelector("[data-peek-status]");
  const rows = () => Array.from(document.querySelectorAll("[data-peek]"));
  /** @type {HTMLElement | null} */
  let shown = null;
  let timer = 0;

  const mark = () => {
    for (const one of document.querySelectorAll("[data-peeked]")) one.removeAttribute("data-peeked");
    if (!panel.hidden) shown?.closest("tr")?.setAttribute("data-peeked", "");
    for (const one of document.querySelectorAll("[data-peek-open]")) one.setAttribute("aria-expanded", String(!panel.hidden));
  };

  /** @param {HTMLElement} row */
  const show = (row) => {
    shown = row;
    mark();
    clearTimeout(timer);
    if (panel.hidden) return;
    timer = setTimeout(() => window.htmx.ajax("GET", row.dataset.peek, { source: body, target: body, swap: "innerHTML" }), DELAY_MS);
  };

  const open = () => {
    const row = shown?.isConnected ? shown : rows()[0];
    if (!row) return;
    panel.hidden = false;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    show(row);
  };

  const close = () => {
    const isInside = panel.contains(document.activeElement);
    panel.hidden = true;
    clearTimeout(timer);
    mark();
    if (isInside) shown?.focus();
  };

  document.addEventListener("focusin", ({ target }) => {
    if (target.matches?.("[data-peek]") && target !== shown) show(/** @type {HTMLElement} */ (target));
  });

  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-peek-open]")) return panel.hidden ? open() : close();
    if (target.closest?.("[data-peek-close]")) return close();
    if (panel.hidden || target.closest?.("a, button, input, label, summary")) return undefined;
    return target.closest?.("tr")?.querySelector("[data-peek]")?.focus({ preventScroll: true });
  });

  addEventListener("keydown", (event) => {
    const isElsewhere = document.querySelector("dialog[open], details.menu[open]") || event.target.matches?.("input, select, textarea");
    if (event.key === "Escape" && !panel.hidden && !isElsewhere) close();
  }, true);

  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (target === body) {
      body.scrollTop = 0;
      status.textContent = `Preview: ${body.querySelector("[data-peek-title]")?.textContent.trim() ?? ""}`;
    } else if (/** @type {Element} */ (target).id === "results") {
      const first = rows()[0];
      if (first) show(first);
      else close();
    }
  });
};

const panel = document.getElementById("peek");
if (panel) preview(panel);
