// What pages and scripts have in common, for `make check-scripts`. No browser reads this file.

/** Selectors find HTML elements; where one finds another kind, the variable says which. */
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}

interface Element {
  closest<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  closest<E extends Element = HTMLElement>(selectors: string): E | null;
}

/** The target of an event may be the document or the window, which have none of these. */
interface EventTarget {
  closest?<E extends Element = HTMLElement>(selectors: string): E | null;
  matches?: any;
  checkVisibility?(): boolean;
}

/** The fields of a form by their names. */
interface HTMLFormControlsCollection {
  [name: string]: any;
}

/** What a page tells of its part that is updated: its data-live-... attributes. */
interface LiveUpdate {
  isNew: boolean;
  isOver: boolean;
  liveMissing?: string;
  liveLast?: string;
  liveLatest?: string;
  liveMeasured?: string;
  liveStart?: string;
  liveState?: string;
}

/** What the timeline says of a step. */
interface StepRow {
  index: number;
  type: string;
  phrase: string;
  result: string;
  tone: string;
  thought: string;
  ms: number | null;
  bar: number | null;
  check: [string, string] | null;
  page_change: boolean;
  provisional: string;
  repeats: number | null;
  sha256: string;
}

interface HtmxEvent {
  elt: HTMLElement;
  isError: boolean;
  shouldSwap: boolean;
  successful: boolean;
  target: HTMLElement;
  xhr: XMLHttpRequest;
}

/** Scripts tell each other what has happened by events of the document. */
interface DocumentEventMap {
  "annotation:aside": CustomEvent<{ slot: string }>;
  "annotation:note": CustomEvent<{ text: string; tone: string }>;
  "annotation:refused": CustomEvent<{ slot: string; version: number; message: string; current?: { words: string } }>;
  "annotation:stored": CustomEvent<{ slot: string; version: number; feedback: string }>;
  "bookmark:saved": CustomEvent<{ address: string; isMarked: boolean }>;
  "gym:content": Event;
  "gym:settled": Event;
  "htmx:afterSettle": CustomEvent<HtmxEvent>;
  "htmx:afterSwap": CustomEvent<HtmxEvent>;
  "htmx:beforeSwap": CustomEvent<HtmxEvent>;
  "htmx:oobAfterSwap": CustomEvent<HtmxEvent>;
  "htmx:responseError": CustomEvent<HtmxEvent>;
  "htmx:sendError": CustomEvent<HtmxEvent>;
  "htmx:timeout": CustomEvent<HtmxEvent>;
  "live:resume": Event;
  "live:swapped": CustomEvent<LiveUpdate>;
  "replay:announce": CustomEvent<string>;
  "replay:faster": CustomEvent<number>;
  "replay:filled": CustomEvent<{ panel: HTMLElement }>;
  "replay:matched": CustomEvent<Set<number>>;
  "replay:panes": Event;
  "replay:pictured": Event;
  "replay:shown": CustomEvent<{ step: number }>;
  "replay:swapped": Event;
  "replay:viewed": CustomEvent<string>;
  "timeline:read": Event;
}

interface HTMLElementEventMap {
  "htmx:afterRequest": CustomEvent<HtmxEvent>;
  "htmx:beforeSwap": CustomEvent<HtmxEvent>;
}
