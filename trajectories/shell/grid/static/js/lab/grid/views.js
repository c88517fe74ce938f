/* Views that the reader has saved. Each is an address, which is stored in this browser and listed after the list's own. */

import { create } from "../shared/elements.js";

const nav = () => document.querySelector("[data-views]");
/** @param {HTMLElement} one */
const keyOf = (one) => `palaestra.views.${one.dataset.views}`;

/** @type {(one: HTMLElement) => Record<string, string>} */
const read = (one) => {
  try {
    const saved = JSON.parse(localStorage.getItem(keyOf(one)) ?? "{}");
    return saved && typeof saved === "object" ? saved : {};
  } catch {
    return {}; /* Storage may be off or contain something else. */
  }
};

/** @type {(one: HTMLElement, views: Record<string, string>) => void} */
const write = (one, views) => {
  try {
    localStorage.setItem(keyOf(one), JSON.stringify(views));
  } catch {
    /* Without storage, the address still contains the view. */
  }
};

const here = () => {
  const query = new URLSearchParams(location.search);
  for (const passing of ["after", "cursor", "fragment"]) query.delete(passing);
  return query.toString();
};

/** @type {(name: string, query: string) => HTMLElement} */
const itemOf = (name, query) => {
  const item = create("li");
  item.dataset.saved = name;
  const link = create("a", "grid-view", name);
  link.href = `?${query}`;
  if (query === here()) link.setAttribute("aria-current", "page");
  const remove = create("button", "grid-view-remove", "×");
  remove.type = "button";
  remove.setAttribute("aria-label", `Remove the view ${name}`);
  item.append(link, remove);
  return item;
};

const show = () => {
  const one = nav();
  if (!one) return;
  const list = one.querySelector("[data-views-list]");
  for (const old of list.querySelectorAll("[data-saved]")) old.remove();
  list.append(...Object.entries(read(one)).map(([name, query]) => itemOf(name, String(query))));
};

document.addEventListener("submit", (event) => {
  if (!event.target.matches?.("[data-views-form]")) return;
  event.preventDefault();
  const one = nav();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("name"));
  const name = field.value.trim();
  if (!name) return;
  write(one, { ...read(one), [name]: here() });
  form.reset();
  form.closest("details").open = false;
  show();
});

document.addEventListener("click", (event) => {
  const item = event.target.closest?.(".grid-view-remove")?.closest("[data-saved]");
  if (!item) return;
  const views = read(nav());
  delete views[item.dataset.saved];
  write(nav(), views);
  show();
  nav().querySelector("summary")?.focus();
});

document.addEventListener("htmx:afterSettle", show);
show();
