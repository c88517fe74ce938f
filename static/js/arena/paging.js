/* Loads further pages of a list without leaving the page. Lists declare this:

     <section data-paging="more" data-more="Load more" data-loaded="Stays loaded: {n}"
              data-shown="Showing {n} of 73 stays" data-all="Showing {n} of 73 stays">
       <ul data-paging-list> ... </ul>
       <nav data-pager> <a rel="prev" href="..."> <span data-page-number> <a rel="next" href="..."> or <p data-paging-end> </nav>
       <p class="visually-hidden" role="status" data-paging-status></p>
     </section>

   The page's number is replaced by data-shown while more follows, and at the end by data-all, if there is one. "more"
   turns the link to the next page into a button; "scroll" also follows it when a reader scrolls to it. Without scripts,
   and with "pages", they remain plain links. */

import { fetched } from "./pages.js";
import { take } from "./pop_ups.js";

/* A reader who scrolls counts as having reached the end at this distance above the link. */
const NEAR_PX = 300;

/** @type {(section: Element) => HTMLAnchorElement | null} */
const nextOf = (section) => section.querySelector("[data-pager] a[rel=next]");

/** @param {HTMLElement} section */
const counted = (section) => {
  const { shown, all = "" } = section.dataset;
  const number = section.querySelector("[data-paging-list]")?.children.length ?? 0;
  const line = section.querySelector("[data-page-number]");
  if (line) line.textContent = (nextOf(section) ? shown : number ? all : "").replace("{n}", String(number));
};

/** @param {HTMLElement} section */
const named = (section) => {
  const next = nextOf(section);
  if (next) next.textContent = section.dataset.more;
  counted(section);
};

/* The link remains the same element, so that it keeps the focus; if no link is left, the added items get the focus. */
/** @type {(section: HTMLElement, page: Document) => boolean} */
const append = (section, page) => {
  const fresh = page.querySelector("[data-paging]");
  const added = /** @type {HTMLElement[]} */ (Array.from(fresh?.querySelector("[data-paging-list]")?.children ?? []));
  if (!added.length) return false;
  section.querySelector("[data-paging-list]").append(...added);
  const next = nextOf(section);
  const further = nextOf(fresh);
  if (further) next.href = further.getAttribute("href");
  else {
    const hadFocus = document.activeElement === next;
    const end = fresh.querySelector("[data-paging-end]");
    next.replaceWith(...(end ? [end] : []));
    if (hadFocus) {
      added[0].tabIndex = -1;
      added[0].focus({ preventScroll: true });
    }
  }
  counted(section);
  const status = section.querySelector("[data-paging-status]");
  status.textContent = section.dataset.loaded.replace("{n}", String(added.length));
  return true;
};

let isLoading = false;
/** @param {HTMLElement} section */
const load = async (section) => {
  const next = nextOf(section);
  if (!next || isLoading) return;
  isLoading = true;
  next.setAttribute("aria-busy", "true");
  const page = await fetched(next.href);
  next.removeAttribute("aria-busy");
  isLoading = false;
  /* If nothing could be added, the browser opens the next page itself. */
  if (!page || !append(section, page)) location.assign(next.href);
  else take(page);
};

const sections = document.querySelectorAll("[data-paging=more], [data-paging=scroll]");
for (const section of sections) {
  named(section);
  section.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[rel=next]") : null;
    if (!link || link !== nextOf(section) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void load(section);
  });
}

/* This is checked at every scroll rather than by an observer, so that the page never counts as settled in between. A
   page too short to scroll loads nothing by itself. */
const endless = document.querySelectorAll("[data-paging=scroll]");
let reached = scrollY;
const scrolled = () => {
  reached = scrollY;
  for (const section of endless) {
    const next = nextOf(section);
    if (next && next.getBoundingClientRect().top < innerHeight + NEAR_PX) void load(section);
  }
};
if (endless.length) {
  addEventListener("scroll", scrolled, { passive: true });
  /* A click may come before the event of the scroll that preceded it. The further page must be fetched before whatever
     the click requests, in either order of the events. */
  addEventListener("click", () => scrollY !== reached && scrolled(), { capture: true });
}
