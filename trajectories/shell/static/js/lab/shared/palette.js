/* The command palette. Ctrl-K or Cmd-K opens it, and "/" opens it with the search of thoughts first. Pages and actions
   are part of the document; the server finds the rest. The field keeps the focus and points to the option that Enter
   opens. */

/** @param {HTMLDialogElement} dialog */
const listen = (dialog) => {
  const DELAY_MS = 120;
  /** @type {HTMLInputElement} */
  const field = dialog.querySelector("[role=combobox]");
  const list = dialog.querySelector("[role=listbox]");
  const entries = dialog.querySelector("[data-palette-entries]");
  const thoughts = dialog.querySelector("[data-palette-thoughts]");
  const status = dialog.querySelector("[data-palette-status]");
  const fixed = Array.from(dialog.querySelectorAll("[data-palette-fixed] [role=option]"));
  const words = new Map(fixed.map((one) => [one, `${one.textContent} ${one.dataset.words ?? ""}`.toLowerCase().trim().split(/\s+/)]));

  let timer = 0;
  let request = new AbortController();
  /** @type {Promise<any>} */
  let answered = Promise.resolve();
  /** @type {HTMLElement | null} */
  let chosen = null;
  let isChosenByHand = false;

  const options = () => Array.from(list.querySelectorAll("[role=option]")).filter((one) => !one.closest("[hidden]"));

  /** @param {HTMLElement} [option] */
  const choose = (option) => {
    chosen?.setAttribute("aria-selected", "false");
    chosen = option ?? null;
    if (!chosen) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    chosen.id ||= `palette-option-${Math.random().toString(36).slice(2)}`;
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", chosen.id);
  };

  /* Groups without options have no heading. The first option is chosen until the reader chooses another one. */
  const show = () => {
    for (const group of /** @type {Iterable<HTMLElement>} */ (list.children)) {
      group.hidden = !Array.from(group.querySelectorAll("[role=option]")).some((one) => !one.hidden);
    }
    const shown = options();
    if (!isChosenByHand || !shown.includes(chosen)) choose(shown[0]);
    status.textContent = shown.length === 1 ? "1 result" : `${shown.length} results`;
  };

  /** @param {string} text */
  const filter = (text) => {
    const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const one of fixed) {
      one.hidden = !terms.every((term) => words.get(one).some((word) => word.startsWith(term)));
    }
    const search = thoughts.querySelector("a");
    search.hidden = !text;
    search.href = `${search.pathname}?${new URLSearchParams({ q: text })}`;
    thoughts.querySelector("[data-palette-words]").textContent = `“${text}”`;
  };

  /** @param {string} text */
  const fetchEntries = async (text) => {
    const headers = { "HX-Request": "true", "HX-Current-URL": location.href };
    const address = `${dialog.dataset.address}?${new URLSearchParams({ q: text })}`;
    const response = await fetch(address, { headers, signal: request.signal });
    if (response.headers.has("HX-Redirect")) location.assign(response.headers.get("HX-Redirect"));
    if (!response.ok) throw new Error(response.statusText);
    const part = new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild;
    entries.querySelector("div")?.remove();
    entries.append(document.adoptNode(part));
    show();
  };

  const update = ({ isAtOnce = false } = {}) => {
    const text = field.value.trim();
    isChosenByHand = false;
    clearTimeout(timer);
    request.abort();
    request = new AbortController();
    const mine = request.signal;
    filter(text);
    entries.querySelector("div")?.remove();
    show();
    answered = new Promise((resolve) => {
      timer = setTimeout(() => fetchEntries(text).catch(() => {}).then(resolve), isAtOnce ? 0 : DELAY_MS);
      mine.addEventListener("abort", resolve);
    });
  };

  /** @param {boolean} isForThoughts */
  const open = (isForThoughts) => {
    if (dialog.open || document.querySelector("dialog[open]")) return;
    if (isForThoughts) list.prepend(thoughts);
    else list.append(thoughts);
    field.value = "";
    dialog.showModal();
    field.focus();
    update({ isAtOnce: true });
  };

  /* The server's results are listed before the search of thoughts, so that option waits for them. */
  /** @param {KeyboardEvent} event */
  const openChosen = async (event) => {
    const { ctrlKey, metaKey } = event;
    if (thoughts.contains(chosen) && thoughts !== list.firstElementChild && !isChosenByHand) await answered;
    chosen?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey }));
  };

  /** @param {number} by */
  const move = (by) => {
    const shown = options();
    if (!shown.length) return;
    isChosenByHand = true;
    choose(shown[(shown.indexOf(chosen) + by + shown.length) % shown.length]);
  };

  /* The browser's own closing happens a moment later, and a key pressed immediately would still go to the dialog. */
  const close = () => dialog.close();
  /** @type {Record<string, (event: KeyboardEvent) => void>} */
  const KEYS = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: openChosen, Escape: close };

  field.addEventListener("input", () => update());
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key](event);
  });
  dialog.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  list.addEventListener("pointermove", ({ target }) => {
    const option = target.closest("[role=option]");
    if (!option || option === chosen) return;
    isChosenByHand = true;
    choose(option);
  });
  dialog.addEventListener("click", ({ target }) => {
    const isBeside = target === dialog;
    if (isBeside || target.closest("[role=option], [data-palette-close]")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    request.abort();
  });

  document.addEventListener("click", ({ target }) => {
    const opener = target.closest?.("[data-palette-open]");
    if (opener) open(opener.dataset.paletteOpen === "thoughts");
  });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open(false);
  });
  if (/Mac|iPhone|iPad/.test(navigator.platform)) {
    for (const sign of document.querySelectorAll("[data-palette-open] kbd")) sign.textContent = "⌘ K";
  }
};

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
if (dialog) listen(dialog);
