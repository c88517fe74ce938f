/* If the request for a part of the page fails, the part shows the server's fragment if there is one, otherwise the
   page's <template data-failed="id of the part">. */

/** @param {XMLHttpRequest} xhr */
const hasFragment = (xhr) => xhr?.getResponseHeader?.("X-Lab-Error") === "fragment";

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!hasFragment(event.detail.xhr)) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});

/** @param {CustomEvent<HtmxEvent>} event */
const failed = (event) => {
  const part = event.detail.target;
  /** @type {HTMLTemplateElement | null} */
  const template = part?.id && document.querySelector(`template[data-failed="${CSS.escape(part.id)}"]`);
  if (template) part.replaceChildren(template.content.cloneNode(true));
};

document.addEventListener("htmx:responseError", failed);
document.addEventListener("htmx:sendError", failed);
document.addEventListener("htmx:timeout", failed);
