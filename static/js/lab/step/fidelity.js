/* The sign on the tab "DOM": whether the replay is faithful. A step that is kept may be from before its check was done,
   so the sign of one that has none is asked for once the step is shown. */
"use strict";

(() => {
  const replay = window.replay;
  if (!replay) return;

  const FRESH_MS = 1000;
  const signOf = () => replay.article().querySelector(".tab-sign");
  const saysOf = () => signOf()?.textContent.trim() ?? "";
  let said = "";

  const ask = async () => {
    const place = signOf();
    window.gymSettled?.hold();
    try {
      const address = replay.address(replay.current(), "");
      const response = await fetch(`${address}/fidelity`, { headers: { "HX-Request": "true" } });
      if (!response.ok || response.redirected) return;
      const badge = new DOMParser().parseFromString(await response.text(), "text/html");
      place.replaceChildren(...badge.querySelector(".tab-sign").childNodes);
    } catch {
      /* It is asked for again whenever the step is come back to. */
    } finally {
      window.gymSettled?.release();
    }
  };

  document.addEventListener("replay:shown", () => {
    said = saysOf();
    const { fetchedAt } = replay.article().dataset;
    const isOld = fetchedAt && performance.now() - fetchedAt > FRESH_MS;
    if (isOld && signOf() && !said) replay.later(() => void ask());
  });

  /* The news of a check under way. What is kept of the step is from before them. */
  document.addEventListener("htmx:oobAfterSwap", () => {
    if (saysOf() === said) return;
    said = saysOf();
    replay.forget();
  });
})();
