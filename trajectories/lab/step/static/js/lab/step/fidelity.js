/* The sign on the tab "DOM", which shows whether the replay is faithful. A cached step may be older than its check, so a
   missing sign is requested again when the step is shown. */

import { hold, release } from "../../arena/settled.js";
import * as replay from "./viewer.js";

const FRESH_MS = 1000;
const signOf = () => replay.article().querySelector(".tab-sign");
const textOf = () => signOf()?.textContent.trim() ?? "";
let text = "";

const refresh = async () => {
  const place = signOf();
  hold();
  try {
    const address = replay.address(replay.current(), "");
    const response = await fetch(`${address}/fidelity`, { headers: { "HX-Request": "true" } });
    if (!response.ok || response.redirected) return;
    const badge = new DOMParser().parseFromString(await response.text(), "text/html");
    place.replaceChildren(...badge.querySelector(".tab-sign").childNodes);
  } catch {
    /* The sign is requested again whenever the reader comes back to the step. */
  } finally {
    release();
  }
};

document.addEventListener("replay:shown", () => {
  text = textOf();
  const { fetchedAt } = replay.article().dataset;
  const isOld = fetchedAt && performance.now() - Number(fetchedAt) > FRESH_MS;
  if (isOld && signOf() && !text) replay.afterFrame(() => void refresh());
});

/* A check has reported its result, so the cached step is out of date. */
document.addEventListener("htmx:oobAfterSwap", () => {
  if (textOf() === text) return;
  text = textOf();
  replay.clearCache();
});
