/* What a part of the page says when the request for it failed: the server's own words where it sent some,
   else the page's <template data-failed="id of the part">. */
"use strict";

(() => {
  const says = (xhr) => xhr?.getResponseHeader?.("X-Lab-Says") === "fragment";

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!says(event.detail.xhr)) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });

  const failed = (event) => {
    const part = event.detail.target;
    const words = part?.id && document.querySelector(`template[data-failed="${CSS.escape(part.id)}"]`);
    if (words) part.replaceChildren(words.content.cloneNode(true));
  };

  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(name, failed);
})();
