/* Reviews without leaving the page: more of them, more of one, a vote. Every link and form works without it. */
"use strict";

(() => {
  const parser = new DOMParser();

  /* The page at an address, or null when there is none: then the browser goes there itself. */
  const fetched = async (address, options) => {
    window.gymSettled.hold();
    try {
      const response = await fetch(address, options);
      return response.ok ? parser.parseFromString(await response.text(), "text/html") : null;
    } catch {
      return null;
    } finally {
      /* What follows is drawn in the same turn. */
      setTimeout(window.gymSettled.release);
    }
  };

  const swap = (page, id, focused) => {
    const fresh = page?.getElementById(id);
    const old = document.getElementById(id);
    if (!fresh || !old) return false;
    old.replaceWith(fresh);
    const next = focused ? fresh.querySelector(focused) : null;
    (next ?? fresh).tabIndex = next ? 0 : -1;
    (next ?? fresh).focus({ preventScroll: true });
    return true;
  };

  const withButton = () => {
    const next = document.querySelector("[data-pager] a[rel=next]");
    if (next) next.textContent = "Load more reviews";
  };

  const append = (page) => {
    const pager = page?.querySelector("[data-pager]");
    if (!pager) return false;
    const list = document.querySelector("[data-reviews]");
    const added = Array.from(page.querySelectorAll("[data-reviews] > article"));
    list.append(...added);
    const old = document.querySelector("[data-pager]");
    /* The pages before the first one that is shown are still where they were. */
    pager.querySelector("a[rel=prev]")?.remove();
    pager.prepend(...old.querySelectorAll("a[rel=prev]"));
    old.replaceWith(pager);
    document.querySelector("[data-page-number]")?.remove();
    withButton();
    return true;
  };

  document.addEventListener("click", async (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isNext = link.matches("[data-pager] a[rel=next]");
    if (!isNext && !link.matches("a[data-swap]")) return;
    event.preventDefault();
    const page = await fetched(link.href);
    const isDone = isNext ? append(page) : swap(page, link.hash.slice(1));
    if (!isDone) location.assign(link.href);
  });

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const isVote = form.matches("form[data-swap-form]");
    const banner = form.closest("[data-closable]");
    if (!isVote && !banner) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const page = await fetched(form.action, { method: "POST", body });
    const isDone = isVote ? swap(page, form.dataset.swapForm, "form button") : page && !banner.remove();
    if (!isDone) location.reload();
  });

  withButton();
})();
