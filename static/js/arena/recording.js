//# allFunctionsCalledOnLoad
/* Records the DOM of pages (with rrweb) in episodes that are recorded in full, and sends it in chunks: every second,
   every 100 KB, and the rest when the page is left. Chunks are numbered within one page load, so a chunk sent twice is
   stored once. Recording never delays the settled marker.

   A page that is being left can send little, because all requests that outlive it, including page events, may carry
   64 KiB together. Of what has not been sent by then, changes have priority over the snapshot, as many as fit. The rest
   is lost, which shows as a gap in the numbers or times. A small chunk that is being sent outlives the page. */

import { page } from "./recorder.js";

/**
 * @typedef {object} Chunk
 * @property {string} page
 * @property {number} seq
 * @property {number | null} step
 * @property {number | null} served
 * @property {number} events
 * @property {number} first_ms
 * @property {number} last_ms
 * @property {boolean} snapshot
 * @property {string[]} lines
 * @property {number} chars
 */

/** @type {(PATH: string, TOKEN: string) => void} */
const send = (PATH, TOKEN) => {
  const root = document.documentElement;

  const ADDRESS = `${PATH}recording`;
  const FLUSH_MS = 1000;
  const CHUNK_CHARS = 100_000;
  /* Chunks smaller than this take the page more time to compress than to send. */
  const PACKED_BYTES = 4_000;
  /* Limits memory use while the server is unreachable. */
  const WAITING_CHARS = 10_000_000;
  const RETRIES = 5;
  const ON_THE_WAY_BYTES = 30_000;
  const LEAVING_BYTES = 40_000;
  const FULL_SNAPSHOT = 2;
  const CUSTOM = 5;
  const GONE = new Set([403, 404]);
  const SHEET = "gym-sheet:";

  const stepOf = () => Number(root.dataset.step) || null;
  const served = stepOf();
  const encoder = new TextEncoder();

  /* In recordings, the arena's addresses are https://gym/..., and the token never appears. */
  const MASKS = [
    [`${location.origin}${PATH}`, "https://gym/"],
    [`${location.origin}/`, "https://gym/"],
    [PATH, "/"],
    [TOKEN, "***"],
  ];
  /** @param {string} text */
  const mask = (text) => MASKS.reduce((masked, [from, to]) => masked.replaceAll(from, to), text);

  /* Lone surrogates are replaced, because other JSON parsers refuse them. */
  const HALF_PAIR = "\\ud";
  /** @type {(key: string, value: unknown) => unknown} */
  const whole = (_key, value) => (typeof value === "string" ? value.toWellFormed() : value);
  /** @param {object} event */
  const written = (event) => {
    const line = JSON.stringify(event);
    return mask(line.includes(HALF_PAIR) ? JSON.stringify(event, whole) : line);
  };

  let last = 0;
  /** @type {Chunk | null} */
  let open = null;
  /** @type {Chunk[]} */
  let waiting = [];
  /** @type {Chunk | null} */
  let onTheWay = null;
  let isSending = false;
  let timer = 0;
  let failures = 0;
  /** @type {() => void} */
  let stop = () => null;

  const close = () => {
    if (open) waiting.push(open);
    open = null;
  };

  const end = () => {
    stop();
    waiting = [];
    open = null;
  };

  /** @param {string[]} lines */
  const plain = (lines) => encoder.encode(`[${lines.join(",")}]`);
  /** @type {(bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>} */
  const gzip = async (bytes) => {
    if (bytes.length < PACKED_BYTES || !window.CompressionStream) return bytes;
    const { readable, writable } = new CompressionStream("gzip");
    const writer = writable.getWriter();
    for (const step of [writer.write(bytes), writer.close()]) step.catch(() => {});
    return new Uint8Array(await new Response(readable).arrayBuffer());
  };

  /** @type {(chunk: Chunk, bytes: Uint8Array<ArrayBuffer>, keepalive: boolean) => Promise<Response>} */
  const post = (chunk, bytes, keepalive) => {
    const { lines, chars, ...claim } = chunk;
    const headers = { "Content-Type": "application/octet-stream", "X-Gym-Chunk": JSON.stringify(claim) };
    return fetch(ADDRESS, { method: "POST", headers, body: bytes, keepalive });
  };

  /* Resolves to false if the chunk must be sent again. */
  /** @param {Chunk} chunk */
  const sent = async (chunk) => {
    try {
      const bytes = await gzip(plain(chunk.lines));
      const keepalive = bytes.length <= ON_THE_WAY_BYTES;
      if (keepalive) onTheWay = chunk;
      const { status } = await post(chunk, bytes, keepalive);
      if (GONE.has(status)) end();
      return status < 500 && status !== 429;
    } catch {
      return false;
    } finally {
      onTheWay = null;
    }
  };

  const flush = async () => {
    timer = 0;
    close();
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) {
      const chunk = waiting[0];
      if (!(await sent(chunk))) {
        failures += 1;
        break;
      }
      failures = 0;
      if (waiting[0] === chunk) waiting.shift();
    }
    isSending = false;
    if (waiting.length > 0 && failures <= RETRIES) timer ||= setTimeout(flush, FLUSH_MS * 2 ** failures);
  };

  /** @param {any} event */
  const record = (event) => {
    /* Pages of mock sites have a clock of their own, but recordings use the machine's. */
    event.timestamp = Math.round(performance.timeOrigin + performance.now());
    const line = written(event);
    const now = stepOf();
    const step = now === served ? null : now;
    if (open && open.step !== step) close();
    open ??= {
      page, seq: ++last, step, served, events: 0, first_ms: event.timestamp, last_ms: 0,
      snapshot: false, lines: [], chars: 0,
    };
    open.lines.push(line);
    open.events += 1;
    open.chars += line.length;
    open.last_ms = event.timestamp;
    open.snapshot ||= event.type === FULL_SNAPSHOT;
    if (waiting.reduce((total, chunk) => total + chunk.chars, open.chars) > WAITING_CHARS) end();
    else if (open.chars > CHUNK_CHARS) void flush();
    else timer ||= setTimeout(flush, FLUSH_MS);
  };

  const leave = () => {
    close();
    let room = LEAVING_BYTES;
    for (const chunk of waiting) {
      if (chunk === onTheWay) continue;
      const lines = chunk.lines.filter((line) => {
        const size = encoder.encode(line).length + 1;
        const fits = size < room;
        if (fits) room -= size;
        return fits;
      });
      if (lines.length === 0) continue;
      const snapshot = chunk.snapshot && lines.length === chunk.lines.length;
      post({ ...chunk, events: lines.length, snapshot }, plain(lines), true).catch(() => {});
    }
    waiting = [];
  };

  /* No attribute shows whether a popover is open, so rrweb does not notice it. */
  /** @type {(popover: Element, open: boolean) => void} */
  const reportOpen = (popover, open) => {
    const id = rrwebRecord.record.mirror.getId(popover);
    if (id > 0) record({ type: CUSTOM, data: { tag: "popover", payload: { id, open } } });
  };

  /* rrweb reads a style sheet rule by rule, which takes a quarter of a snapshot's time. So the text is stored for the
     episode's next pages under the sheet's address, which contains the version of all files. During the snapshot, the
     sheet then seems to have a single rule with the whole text. A sheet whose number of rules has changed is read again. */
  /** @type {(link: HTMLLinkElement) => boolean} */
  const sheetRecall = ({ href, sheet }) => {
    const stored = sessionStorage.getItem(SHEET + href) ?? "";
    const [rules] = stored.split(" ", 1);
    const text = stored.slice(rules.length + 1);
    if (!text || Number(rules) !== sheet.cssRules.length) return false;
    Object.defineProperty(sheet, "rules", { value: [{ cssText: text }], configurable: true });
    return true;
  };

  /** @type {(link: HTMLLinkElement) => void} */
  const sheetStore = (link) => {
    const text = rrwebRecord.record.mirror.getMeta(link)?.attributes._cssText;
    if (text) sessionStorage.setItem(SHEET + link.href, `${link.sheet.cssRules.length} ${text}`);
  };

  /* A page may have no storage, and a sheet of another origin hides its rules. rrweb can handle both. */
  /** @type {(use: (link: HTMLLinkElement) => unknown) => (link: HTMLLinkElement) => unknown} */
  const tried = (use) => (link) => {
    try {
      return use(link);
    } catch {
      return false;
    }
  };

  /** @param {() => void} take */
  const withSheets = (take) => {
    /** @type {NodeListOf<HTMLLinkElement>} */
    const all = document.querySelectorAll("link[rel=stylesheet]");
    const links = Array.from(all).filter((link) => link.sheet);
    const recalled = new Set(links.filter(tried(sheetRecall)));
    try {
      take();
    } finally {
      for (const { sheet } of recalled) delete /** @type {any} */ (sheet).rules;
    }
    links.filter((link) => !recalled.has(link)).forEach(tried(sheetStore));
  };

  const start = () => {
    stop =
      rrwebRecord.record({
        emit: record,
        maskInputOptions: { password: true },
        inlineStylesheet: true,
        recordCanvas: false,
        collectFonts: false,
        inlineImages: false,
        slimDOMOptions: { script: true, comment: true, headFavicon: true },
        sampling: { mousemove: 100, mousemoveCallback: 500, scroll: 150, media: 800, input: "all" },
        errorHandler: () => true,
      }) ?? stop;
  };

  let isBegun = false;
  const begin = () => {
    if (isBegun) return;
    isBegun = true;
    withSheets(start);
    for (const popover of document.querySelectorAll(":popover-open")) reportOpen(popover, true);
    void flush();
  };

  /* The snapshot reads each element's scroll position, which would force a layout before the first one. The settled
     marker causes that layout when the page has loaded, so the snapshot is taken just after it. An earlier interaction
     starts the recording immediately. */
  if (document.readyState === "complete") begin();
  addEventListener("load", () => setTimeout(begin), { once: true });
  for (const kind of ["pointerdown", "keydown", "input"]) addEventListener(kind, begin, { once: true, capture: true });
  /** @type {(event: any) => void} */
  const toggled = ({ target, newState }) => isBegun && target.popover && reportOpen(target, newState === "open");
  addEventListener("toggle", toggled, { capture: true, passive: true });
  addEventListener("pagehide", leave);
};

const [PATH, TOKEN] = location.pathname.match(/^\/e\/([^/]+)\//) ?? [];
if (PATH && window.rrwebRecord) send(PATH, TOKEN);
