/* Fetches pages that scripts use parts of. Meanwhile the current page is not settled. Pages are fetched one after the
   other, because the site records what each of them showed, and the order must not depend on the network. */

import { hold, release } from "./settled.js";

const WAIT_MS = 8000;
const parser = new DOMParser();

/** @type {(address: string, options: RequestInit) => Promise<Document | null>} */
const read = async (address, options) => {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(WAIT_MS), ...options });
    return response.ok ? parser.parseFromString(await response.text(), "text/html") : null;
  } catch {
    return null;
  } finally {
    /* Callers update the page in the same turn, before this. */
    setTimeout(release);
  }
};

/** @type {Promise<Document | null>} */
let previous = Promise.resolve(null);
/** @type {(address: string, options?: RequestInit) => Promise<Document | null>} */
export const fetched = (address, options = {}) => {
  hold();
  previous = previous.then(() => read(address, options));
  return previous;
};

/* Sends a form by script, and resolves to the page that answers it. */
/** @type {(form: HTMLFormElement, submitter?: HTMLElement) => Promise<Document | null>} */
export const sent = (form, submitter) =>
  fetched(form.action, { method: "POST", body: new URLSearchParams(/** @type {any} */ (new FormData(form, submitter))) });
