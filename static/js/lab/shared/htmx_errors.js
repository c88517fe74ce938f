/* What a part of the page shows when its request failed: the server's own fragment if it sent one, else the page's
   <template data-failed="id of the part">. */

const hasFragment = (xhr) => xhr?.getResponseHeader?.("X-Lab-Error") === "fragment";

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!hasFragment(event.detail.xhr)) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});

const failed = (event) => {
  const part = event.detail.target;
  const template = part?.id && document.querySelector(`template[data-failed="${CSS.escape(part.id)}"]`);
  if (template) part.replaceChildren(template.content.cloneNode(true));
};

for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(name, failed);
