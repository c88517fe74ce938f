/* Fetches pages of which scripts use parts: gymPages.fetched(address, options) gives the page, or null when there is
   none and the browser had better go there itself. Meanwhile the current page is not settled. Pages are fetched one
   after the other: the site keeps what each of them showed, and its order must not be the network's. */
"use strict";

(() => {
  const WAIT_MS = 8000;
  const parser = new DOMParser();

  const read = async (address, options) => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(WAIT_MS), ...options });
      return response.ok ? parser.parseFromString(await response.text(), "text/html") : null;
    } catch {
      return null;
    } finally {
      /* What follows is drawn in the same turn. */
      setTimeout(window.gymSettled.release);
    }
  };

  let previous = Promise.resolve();
  const fetched = (address, options = {}) => {
    window.gymSettled.hold();
    previous = previous.then(() => read(address, options));
    return previous;
  };

  /* What a form sends, where a script sends it. */
  const sent = (form, submitter) =>
    fetched(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, submitter)) });

  window.gymPages = Object.freeze({ fetched, sent });
})();
