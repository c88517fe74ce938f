// The bar above the page of a takeover. It shows the number of steps; its buttons wait until the last act is recorded.
"use strict";
(() => {
  const FLUSH_MS = 3000; // time limit for recording unfinished typing
  const frame = document.querySelector("[data-page]");
  const steps = document.querySelector("[data-steps]");
  const problem = document.querySelector("[data-problem]");
  let flushed = () => null;

  addEventListener("message", (event) => {
    if (event.origin !== location.origin || event.source !== frame.contentWindow) return;
    const news = event.data;
    if (news.steps !== undefined) steps.textContent = `${news.steps} step${news.steps === 1 ? "" : "s"}`;
    if (news.problem !== undefined) {
      problem.textContent = news.problem;
      problem.hidden = news.problem === "";
    }
    if (news.flushed) flushed();
    if (news.restored) delete frame.dataset.restoring;
  });

  const flush = () => new Promise((resolve) => {
    flushed = resolve;
    setTimeout(resolve, FLUSH_MS);
    frame.contentWindow.postMessage({ flush: true }, location.origin);
  });

  for (const form of document.querySelectorAll("[data-act]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      for (const button of document.querySelectorAll("[data-act] button")) button.disabled = true;
      await flush();
      if (form.getAttribute("action") !== "correct") { form.submit(); return; }
      // This request does not reload the page in the frame.
      const response = await fetch(form.action, { method: "POST" }).catch(() => null);
      if (response === null || !response.ok) { location.reload(); return; }
      for (const button of document.querySelectorAll("[data-act] button")) button.disabled = false;
      form.querySelector("button").disabled = true;
      document.querySelector("[data-state] .tag").textContent = "correction";
    });
  }
})();
