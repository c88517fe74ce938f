/* Further pages of a list without leaving it. A list that pages says so:

     <section data-paging="more" data-more="Load more" data-loaded="Stays loaded: {n}"
              data-shown="Showing {n} of 73 stays" data-all="Showing {n} of 73 stays">
       <ul data-paging-list> ... </ul>
       <nav data-pager> <a rel="prev" href="..."> <span data-page-number> <a rel="next" href="..."> or <p data-paging-end> </nav>
       <p class="visually-hidden" role="status" data-paging-status></p>
     </section>

   What stands here instead of the page's number is data-shown while more follows, and data-all, if there is one, at
   the end. "more" makes a button of the link to the next page; "scroll" follows it too when a reader scrolls to it. Without
   scripts, and with "pages", they are the plain links that they are. */

import { fetched } from "./pages.js";
import { take } from "./pop_ups.js";

/* So far above the link a reader who scrolls is taken to be at the end. */
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

/* The link stays the same element, so that the focus stays where it is; where none is left, what came has it. */
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
  /* The browser goes there itself where nothing could be taken over. */
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

/* Asked at every scroll, and not by an observer: the page must not count as settled in between. A page too short
   to scroll loads nothing by itself. */
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
  /* What is pressed may have been scrolled to just now, and the event of that still be on its way: the further page
     is fetched before what the press asks for, whichever comes first. */
  addEventListener("click", () => scrollY !== reached && scrolled(), { capture: true });
}
